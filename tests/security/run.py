#!/usr/bin/env python3
"""Attacks the real server on the loopback: tests/security/run.py [--at-once N] PROGRAM ATTACKER [PART…].

PART: only checks whose name contains one of them; MODULE. before it stands for all of a file
("loops.", "places.", "slots.", "memory.", "ledger.", "together."). TPUWH_LONG=1 adds the check that takes
seven minutes. Two cores; memory.* needs root, for a cgroup. --at-once: so many at a time, each in a
process of its own, for checks that leave a core idle: slots, memory, ledger. Standard library alone.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "server"), str(TESTS / "support"), str(TESTS / "support" / "workloads")]

import attack  # noqa: E402
import certificates  # noqa: E402
import checks  # noqa: E402
import ledger  # noqa: E402,F401  (their checks register themselves)
import loops  # noqa: E402,F401
import memory  # noqa: E402,F401
import places  # noqa: E402,F401
import program  # noqa: E402
import slots  # noqa: E402,F401
import together  # noqa: E402,F401


def main():
    words, number = sys.argv[1:], 0
    if words[:1] == ["--at-once"]:
        number, words = int(words[1]), words[2:]
    if len(words) < 2:
        sys.exit(__doc__)
    program.PROGRAM, attack.ATTACKER = words[:2]
    if number:
        failed = checks.run_at_once(number, [sys.executable, "-B", __file__, *words[:2]], *words[2:])
    else:
        with certificates.made():
            failed = checks.run(*words[2:])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
