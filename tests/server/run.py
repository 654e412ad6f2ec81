#!/usr/bin/env python3
"""Speaks to the real server in raw bytes on the loopback: tests/server/run.py PROGRAM [PART].

PART: only checks whose name contains it. Standard library and the openssl command.
"""

import sys

import checks
import certificate_kinds  # noqa: F401
import client_certificates  # noqa: F401
import framing
import hanging  # noqa: F401
import limits  # noqa: F401  (its checks register themselves)
import operations  # noqa: F401
import program


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program.PROGRAM = sys.argv[1]
    try:
        failed = checks.run(*sys.argv[2:])
    finally:
        framing.stop_shared()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
