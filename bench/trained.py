#!/usr/bin/env python3
"""Compares the answers of a build that is optimized for recorded Pods with another's: trained.py ANSWER_FILES OTHER

Both programs answer each recorded review and each review of the fuzzers' corpus, for /mutate and for /validate. The
exit code is 0 if all answers are the same, otherwise 1.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests/golden/recorded"
CORPUS = ROOT / "tests/fuzz/corpus/review"
LEAST = 100  # If there are fewer reviews, the folders have moved.


def main(one, other):
    bodies = [line for file in sorted(RECORDED.glob("*/reviews.jsonl")) for line in file.read_bytes().splitlines()]
    bodies += [file.read_bytes() for file in sorted(CORPUS.iterdir())]
    assert len(bodies) >= LEAST, f"expected at least {LEAST} reviews, found {len(bodies)}"
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder, str(number)) for number in range(len(bodies))]
        for file, body in zip(files, bodies):
            file.write_bytes(body)
        for path in "mutate", "validate":
            first, second = (subprocess.run([program, path, *files], check=True, capture_output=True).stdout
                             for program in (one, other))
            if first != second or not first:
                print(f"/{path}: {one} and {other} answer differently")
                return 1
    print(f"both programs give the same answers to {len(bodies)} reviews, for /mutate and for /validate")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
