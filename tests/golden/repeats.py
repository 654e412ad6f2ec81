#!/usr/bin/env python3
"""repeats.py: lines of JSON below tests/ that stand in a run of 20 which stands somewhere else, too.

    tests/golden/repeats.py        how many, and in which files

A golden case names a recorded review and what is changed in it (change.json), and what its patch has of the answer to
that review (patch.json); so there are few.
"""

import collections
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
RUN = 20
MOST = 300


def texts():
    """{path: its lines, without the space around them}"""
    files = (file for file in sorted(TESTS.rglob("*")) if file.suffix in (".json", ".jsonl"))
    return {file.relative_to(TESTS): [line.strip() for line in file.read_text(encoding="utf-8", errors="replace").splitlines()]
            for file in files}


def repeated():
    """{path: how many of its lines are repeated}, where there are any."""
    files, places = texts(), collections.defaultdict(list)
    for path, lines in files.items():
        for start in range(len(lines) - RUN + 1):
            places["\n".join(lines[start:start + RUN])].append((path, start))
    found = collections.defaultdict(set)
    for several in (each for each in places.values() if len(each) > 1):
        for path, start in several:
            found[path].update(range(start, start + RUN))
    return {path: len(lines) for path, lines in found.items()}


if __name__ == "__main__":
    counted = repeated()
    for file, count in sorted(counted.items(), key=lambda item: item[1]):
        print(f"{count:6d}  tests/{file}")
    print(f"{sum(counted.values()):6d}  in all, of at most {MOST}")
