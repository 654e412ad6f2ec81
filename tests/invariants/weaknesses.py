#!/usr/bin/env python3
"""Each known weakness of other implementations, and that tpu-webhook does better.

weaknesses.py --program PATH [NAME…]   all, or those that a word given begins ("k01", "l")
weaknesses.py --idle    against a webhook that does nothing: each test must fail
weaknesses.py --list

A weakness is a function of weaknesses/: k… of the KubeRay TPU webhook, j… of JobSet, l… of
LeaderWorkerSet, g… of the StatefulSet injector, m… what none of them has. Which versions were read:
docs/facts.md#other-implementations. README.md lists those that other tests show.
"""

import argparse
import inspect
import sys
import traceback

import paths  # noqa: F401
from webhook import Idle, Webhook
from weaknesses import injector, jobset, kuberay, lws, missing


def all_tests():
    """Name -> function, in the order of the files."""
    return {name: function for module in (kuberay, jobset, lws, injector, missing)
            for name, function in vars(module).items()
            if inspect.isfunction(function) and function.__module__ == module.__name__
            and name[0] in "kjlgm" and name[1:3].isdigit()}


def failure(function, program):
    """Why the test fails, or None. Only a check that does not hold and a program that refuses
    its input count: a mistake in a test is no missing feature."""
    try:
        function(program)
    except (AssertionError, RuntimeError) as error:
        line = traceback.extract_tb(error.__traceback__)
        where = next(f.lineno for f in reversed(line) if f.name == function.__name__)
        return f"line {where}: {str(error) or 'does not hold'}"
    return None


def against_nothing(tests):
    """How many tests a webhook that does nothing would pass."""
    passed = 0
    for name, function in tests.items():
        try:
            function(Idle())
        except Exception:  # whatever stops it: no id to count, no patch to look into
            continue
        print(f"{name}: a webhook that does nothing passes it")
        passed += 1
    print(f"{len(tests)} tests, {passed} of which a webhook that does nothing passes")
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="the tpu-webhook to ask")
    parser.add_argument("--idle", action="store_true", help="ask one that does nothing")
    parser.add_argument("--list", action="store_true", help="print the tests' names")
    parser.add_argument("names", nargs="*", metavar="NAME", help="how a test's name begins")
    args = parser.parse_args()
    tests = all_tests()
    if args.list:
        print("\n".join(tests))
        return 0
    if args.idle:
        return 1 if against_nothing(tests) else 0
    if not args.program:
        parser.error("--program is needed")
    chosen = {n: f for n, f in tests.items()
              if not args.names or any(n.startswith(word) for word in args.names)}
    if not chosen:
        parser.error("no test has such a name")
    program, wrong = Webhook(args.program), 0
    for name, function in chosen.items():
        if why := failure(function, program):
            print(f"{name}: {why}")
            wrong += 1
    print(f"{len(chosen)} weaknesses were tested, and tpu-webhook has {wrong} of them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
