#!/usr/bin/env python3
"""Takes out the defences of docs/assurance.md one at a time, and asks whether the test that is named there fails.

  tests/mutants/defences.py              all but those of a control plane
  tests/mutants/defences.py --e2e        these too: half a minute each
  tests/mutants/defences.py 5 18         of these threats

In the copy of mutants/run.py (build/mutants), so not beside it. Each test runs first as it is, and must
pass. Exit code: 0 where each fails without its defence, 1 where one does not.
"""

import os
import subprocess
import sys
import time

import run as mutants
from threats import DEFENCES


def build(test):
    programs = [program.relative_to(mutants.BUILD) for program in test.programs]
    done = subprocess.run(["ninja", "-C", mutants.BUILD, *programs], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\ndefences: cannot be built")


def passes(test):
    build(test)
    done = subprocess.run(list(map(str, test.command)), cwd=mutants.TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, check=False, env={**os.environ, "TPUWH_HOSTILE_SHARE": "20"})
    return done.returncode == 0, done.stdout.decode(errors="replace")


def without(defence):
    changed = (mutants.ROOT / defence.file).read_text().replace(defence.before, defence.after)
    if "getaddrinfo" in defence.after:
        changed = "#include <netdb.h>\n" + changed
    return {defence.file: changed.encode()}


def main():
    words = [word for word in sys.argv[1:] if word.isdigit()]
    if set(sys.argv[1:]) - set(words) - {"--e2e"}:
        sys.exit(__doc__)
    if gone := [each.what for each in DEFENCES if not each.is_there()]:
        sys.exit(f"defences: {', '.join(gone)}: see threats.py")
    chosen = [each for each in DEFENCES if (not words or str(each.threat) in words) and (not each.e2e or "--e2e" in sys.argv)]
    mutants.configure()
    mutants.copy_sources({})
    for test in dict.fromkeys(each.test for each in chosen):
        good, said = passes(test)
        if not good:
            sys.exit(f"{said[-3000:]}\ndefences: fails as it is: {' '.join(map(str, test.command))}")
    held = True
    for defence in chosen:
        start = time.monotonic()
        mutants.copy_sources(without(defence))
        good, _ = passes(defence.test)
        held &= not good
        print(f"{defence.threat:2}  {'PASSES' if good else 'fails'} without: {defence.what} ({time.monotonic() - start:.0f} s)",
              flush=True)
    mutants.copy_sources({})
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
