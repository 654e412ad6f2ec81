#!/usr/bin/env python3
"""Plays an API server, well and badly, to server/kube's client.

    tests/server/kube/run.py PROBE PROGRAM [PART]

Each check writes down what the server does with each connection, and what the client must make
of it. PART: only checks whose name contains it. Standard library and the openssl command.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import alone  # noqa: E402,F401  (their checks register themselves)
import certificates  # noqa: E402
import checks  # noqa: E402
import claims  # noqa: E402,F401
import connections  # noqa: E402,F401
import keeper  # noqa: E402,F401
import ledger  # noqa: E402,F401
import probe  # noqa: E402
import rules  # noqa: E402,F401
import program  # noqa: E402
import slow  # noqa: E402,F401
import streams  # noqa: E402,F401
import trust  # noqa: E402,F401
import watching  # noqa: E402,F401


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    probe.PROBE, program.PROGRAM = sys.argv[1:3]
    with certificates.made():
        sys.exit(1 if checks.run(*sys.argv[3:]) else 0)


if __name__ == "__main__":
    main()
