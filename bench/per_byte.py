#!/usr/bin/env python3
"""Counts instructions per byte of long reviews that repeat one element: per_byte.py build/bench/bench/answer_files
[--size BYTES] [--only TEXT] [--all]

callgrind counts the instructions of the answer to each review of bench/long_reviews.py, each with a new workspace.
Every run gives the same counts. Prints the most expensive reviews, or with --all every review. The exit code is 1 if a
review takes more than MOST instructions per byte.

At most 32 templates of an object are decided like Pods, however long the object is. In a review of 32 KiB these
decisions are most of the work, so DECIDED further instructions are allowed for each decision.

The exit code is 77 if valgrind is not installed.
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
DECIDED = 12_000  # instructions; a Pod alone takes four times as many (instructions.txt)
AT_ONCE = 32 << 20  # bytes of all files of a run
SKIPPED = 77
# Not there yet, in 32 KiB: what each may take.
DEARER = {
    'JobSet: init {}': 69,
    'StatefulSet: terms {"matchFields":[{}]}': 66,
    'RayCluster, names: no whole number of chips, unprintable, UPDATE': 66,
    'RayCluster, pairs beside TPU: no whole number of chips, unprintable': 64,
    'RayCluster, names in pairs: no whole number of chips, unprintable, UPDATE': 63,
    'RayCluster, names: no whole number of chips (TPU-104), UPDATE': 63,
    'RayCluster, pairs beside TPU: empty': 62,
    'RayCluster, pairs beside TPU: no whole number of chips (TPU-104)': 62,
}


def most(shape):
    return DEARER.get(shape.name, MOST)


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
    """(instructions a byte, whether it is too many, shape, answer)"""
    many = min(64, max(1, AT_ONCE // size))
    batches = []
    for path in ("mutate", "validate"):
        of_path = [shape for shape in shapes if shape.path == path]
        batches += [of_path[at:at + many] for at in range(0, len(of_path), many)]

    def one(batch):
        texts = [shape.review(size).encode() for shape in batch]
        return [(count / len(text), count > most(shape) * len(text) + DECIDED * shape.decided, shape, answer)
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
    above = sum(too_many for _, too_many, _, _ in rows)
    few = [row for number, row in enumerate(rows) if given.all or number < 10 or row[1]]
    for cost, too_many, shape, answer in few:
        print(f"{cost:7.1f}{'!' if too_many else ' '} {shape.path:8}  {shape.name:70.70}  {answer[:60]}")
    print(f"{len(rows)} shapes of {given.size} bytes, {above} above {MOST} instructions a byte, or what DEARER says")
    return 1 if above or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
