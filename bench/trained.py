#!/usr/bin/env python3
"""Whether what is compiled for recorded Pods answers as what is not: trained.py ANSWER_FILES ANSWER_FILES

Each recorded review, and each that the fuzzers keep, is answered by both, for /mutate and for /validate. Exit code: 0
alike, 1 not.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests/golden/recorded"
CORPUS = ROOT / "tests/fuzz/corpus/review"
LEAST = 100  # fewer reviews, and the folders are not what they were


def main(one, other):
    bodies = [line for file in sorted(RECORDED.glob("*/reviews.jsonl")) for line in file.read_bytes().splitlines()]
    bodies += [file.read_bytes() for file in sorted(CORPUS.iterdir())]
    assert len(bodies) >= LEAST, f"{len(bodies)} reviews"
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
    print(f"{len(bodies)} reviews, for /mutate and /validate: the answers are alike")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
