#!/usr/bin/env python3
"""Holds a review to its instructions and to no allocation.

bench/instructions.py build/bench/bench/review_loop [--update]

Of each payload callgrind counts what a read, an admit and an admit with a hint of one round take;
it repeats exactly, so nothing here is a time. Fails where a count is more than 3 % off the one in instructions.txt,
above or below: --update writes what is counted. A steady stream may allocate nothing.

The table is of the preset "ci" with the compiler and libraries of Debian 12, on a processor with
AVX2. Exits 77 where valgrind is not installed.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("instructions.txt")
PAYLOADS, PARTS = ("jobset", "ray", "lws"), ("read", "admit", "hinted")
TOLERANCE = 0.03
FEW, MANY = 20, 120  # rounds; the difference leaves out the start of the program
SKIPPED = 77


def collected(program, payload, part, rounds):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, part,
             str(rounds), payload], check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def of_a_round(program, payload, part):
    few, many = (collected(program, payload, part, rounds) for rounds in (FEW, MANY))
    return (many - few) // (MANY - FEW)


def counted(program):
    """{(payload, part): instructions of a round}"""
    cases = [(payload, part) for payload in PAYLOADS for part in PARTS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(cases, pool.map(lambda case: of_a_round(program, *case), cases)))


def recorded():
    rows = (line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    return {(payload, part): int(count.replace(",", "")) for payload, part, count in rows}


def write(counts):
    head = ("# CPU instructions of one review; rewritten by: "
            "bench/instructions.py build/bench/bench/review_loop --update\n")
    TABLE.write_text(head + "".join(f"{payload:8}{part:8}{count:>8,}\n"
                                    for (payload, part), count in counts.items()))


def off(counts, wanted):
    """Sentences about what is not as recorded."""
    for case, count in counts.items():
        if case not in wanted:
            yield f"{' '.join(case)} is not in {TABLE.name}"
        elif abs(count - wanted[case]) > TOLERANCE * wanted[case]:
            yield (f"{' '.join(case)}: {count:,} instructions, recorded {wanted[case]:,} "
                   f"({count / wanted[case] - 1:+.1%}); if that is meant, run "
                   f"bench/instructions.py build/bench/bench/review_loop --update")


def allocating(program):
    for payload in PAYLOADS:
        done = subprocess.run([program, "allocations", "1000", payload], check=True,
                              capture_output=True, text=True)
        if int(done.stdout):
            yield f"{payload}: {done.stdout.strip()} allocations in 1,000 rounds, expected none"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="review_loop")
    parser.add_argument("--update", action="store_true", help="write what is counted")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed (scripts/install-packages)")
        return SKIPPED
    counts = counted(given.program)
    for (payload, part), count in counts.items():
        print(f"{payload:8}{part:8}{count:>8,}")
    if given.update:
        write(counts)
    wrong = [*off(counts, recorded()), *allocating(given.program)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
