"""A list of named checks. A check is a function that raises if something is wrong."""

import pathlib
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import program

_checks = []


def check(function=None, *, waits=False):
    """Registers a check. `waits`: it mostly waits for a limit, so it may run beside others."""
    def register(f):
        module = "" if f.__module__ == "__main__" else f.__module__ + "."
        _checks.append((module + f.__name__, f, waits))
        return f
    return register(function) if function else register


def row(name, function):
    """Registers one row of a table as a check."""
    _checks.append((name, function, False))


def chosen_by(parts):
    """Checks whose name contains one of `parts`, or all: MODULE.FUNCTION, FUNCTION in run.py itself;
    =NAME is this one alone."""
    return [c for c in _checks if not parts or any(part == f"={c[0]}" or part in c[0] for part in parts)]


def main(usage):
    """Of a script PROGRAM [PART]: its checks, run on this program."""
    if len(sys.argv) not in (2, 3):
        sys.exit(usage)
    program.PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(1 if run(*sys.argv[2:]) else 0)


def run(*parts, beside=True):
    """Runs those chosen by `parts`. Prints a line for each, and returns how many failed; no check at
    all is a failure. `beside`: those that wait run beside the others."""
    chosen = [(name, function, waits and beside) for name, function, waits in chosen_by(parts)]
    if not chosen:
        print(f"no check is called {' or '.join(parts)}")
        return 1
    results, lock = [], threading.Lock()

    def one(name, function):
        start = time.monotonic()
        try:
            function()
            failure = ""
        except Exception:  # a failed check is a result, whatever it raised
            failure = traceback.format_exc()
        with lock:
            results.append(failure)
            print(f"{'FAIL' if failure else 'ok  '} {name} ({time.monotonic() - start:.2f} s)",
                  flush=True)
            if failure:
                print(failure, flush=True)

    waiting = [threading.Thread(target=one, args=c[:2], daemon=True) for c in chosen if c[2]]
    for thread in waiting:
        thread.start()
    for name, function, waits in chosen:
        if not waits:
            one(name, function)
    for thread in waiting:
        thread.join(60)
    failed = sum(bool(f) for f in results) + len(chosen) - len(results)
    print(f"{len(chosen)} checks, {failed} failed")
    return failed


def run_at_once(number, command, *parts):
    """Runs those chosen by `parts` in processes of their own, so many at a time: `command` =NAME."""
    def one(found):
        return subprocess.run([*command, f"={found[0]}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)

    chosen, failed = chosen_by(parts), 0
    with ThreadPoolExecutor(number) as pool:
        for done in pool.map(one, chosen):
            print(done.stdout, end="", flush=True)
            failed += done.returncode != 0
    print(f"{len(chosen)} checks, {number} at once, {failed} failed")
    return failed or not chosen
