#!/usr/bin/env python3
"""Instructions a byte of reviews that are one thing again and again: per_byte.py build/ci/bench/answer_files
[--size BYTES] [--only TEXT] [--all]

callgrind counts what the answer to each of bench/long_reviews.py takes, the first of a fresh workspace; it repeats
exactly. Prints the dearest ones, or with --all each; fails where one takes more than MOST a byte.

Exits 77 where valgrind is not installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import long_reviews

MOST = 60
AT_ONCE = 32 << 20  # bytes of all files of a run
SKIPPED = 77


def counted(program, path, texts):
    """(instructions, what was answered) of each."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / str(number) for number in range(len(texts))]
        for file, text in zip(files, texts):
            file.write_bytes(text)
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=answer_once", "--dump-after=answer_once",
             f"--callgrind-out-file={folder}/out", program, path, *files], check=True, capture_output=True)
        counts = [int(re.search(r"^(?:summary|totals): (\d+)", pathlib.Path(f"{folder}/out.{number}").read_text(), re.M)[1])
                  for number in range(1, len(texts) + 1)]
        return list(zip(counts, done.stdout.decode(errors="replace").splitlines()))


def measured(program, shapes, size):
    """(instructions a byte, shape, answer)"""
    many = min(64, max(1, AT_ONCE // size))
    batches = []
    for path in ("mutate", "validate"):
        of_path = [shape for shape in shapes if shape.path == path]
        batches += [of_path[at:at + many] for at in range(0, len(of_path), many)]

    def one(batch):
        texts = [shape.review(size).encode() for shape in batch]
        return [(count / len(text), shape, answer)
                for shape, text, (count, answer) in zip(batch, texts, counted(program, batch[0].path, texts))]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [row for rows in pool.map(one, batches) for row in rows]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", help="answer_files")
    options.add_argument("--size", type=int, default=1 << 19)
    options.add_argument("--only", default="", help="shapes whose name has this in it")
    options.add_argument("--all", action="store_true", help="print each")
    given = options.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed (scripts/install-packages)")
        return SKIPPED
    shapes = [shape for shape in long_reviews.shapes() if given.only in f"{shape.path} {shape.name}"]
    rows = sorted(measured(given.program, shapes, given.size), key=lambda row: -row[0])
    above = sum(cost > MOST for cost, _, _ in rows)
    for cost, shape, answer in rows if given.all else rows[:max(above, 10)]:
        print(f"{cost:7.1f}  {shape.path:8}  {shape.name:70.70}  {answer[:60]}")
    print(f"{len(rows)} shapes of {given.size} bytes, {above} above {MOST} instructions a byte")
    return 1 if above or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
