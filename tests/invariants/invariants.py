#!/usr/bin/env python3
"""Every workload API on every shape of the catalog, through tpu-webhook, past the oracle.

invariants.py --program PATH [ROW…]   all rows up to 64 hosts, or those that contain a word given,
                                      such as "ct6e" or "4x4"; exit 1 if an invariant is broken
invariants.py --program PATH --flag=--no-placement [ROW…]   a flag of `review` for the program
invariants.py --program PATH --big    a seeded sample of the members of shapes above 64 hosts
"""

import argparse
import random
import sys
import time

import paths  # noqa: F401
import catalog
import fleet
import oracle
from webhook import Webhook

SMALL = 64   # hosts
SAMPLED = 6  # members of a slice above that
BIG_ROWS = 8
SEED = 20261121


def scenes(program, shape, workloads):
    """A Scene for each workload on the shape. All Pods of a pass share one process."""
    pods = [pod for each in workloads for pod in each.pods]
    after = program.objects(pods)
    denied = next(((a, p) for a, p in zip(after, pods) if a.get("kind") != "Pod"), None)
    if denied:
        raise RuntimeError(f"{shape}: {denied[1]['metadata']} is denied: {denied[0]}")
    # Long slices are many Pods alike: of those every fifth passes a second time.
    step = 5 if shape.row.hosts > fleet.SMALL else 1
    twice = range(0, len(pods), step)
    again = dict(zip(twice, program.patches([after[i] for i in twice])))
    start = 0
    for each in workloads:
        end = start + len(each.pods)
        yield oracle.Scene(
            f"{each.name} on {shape}", each.pods, after[start:end],
            {i - start: again[i] for i in range(start, end) if i in again}, each.slices,
            shape.node(), each.services, each.subdomain, one_job=each.one_job,
            hosts_once=each.hosts_once, named=each.named, foreign=each.foreign,
            sample=shape.sample is not None, hosts=each.hosts)
        start = end


def big_shapes(rows):
    """Each row with a few of its hosts, always the first and the last."""
    chance = random.Random(SEED)
    for row in rows:
        chosen = {0, row.hosts - 1, *chance.sample(range(row.hosts), SAMPLED - 2)}
        for shape in fleet.shapes(row):
            shape.sample = sorted(chosen)
            yield shape


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the tpu-webhook to ask")
    parser.add_argument("--big", action="store_true", help="a sample of shapes above 64 hosts")
    parser.add_argument("--flag", action="append", default=[], help="for the program")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only rows with such a word")
    args = parser.parse_args()
    started = time.process_time()
    rows = [row for row in catalog.rows() if (row.hosts > SMALL) == args.big
            and (not args.rows or any(word in str(row) for word in args.rows))]
    if not rows:
        parser.error("no row of the catalog is left")
    if args.big:
        shapes = list(big_shapes(random.Random(SEED).sample(rows, min(len(rows), BIG_ROWS))))
    else:
        shapes = [shape for row in rows for shape in fleet.shapes(row)]
    program = Webhook(args.program, *args.flag)
    pods = workloads = broken = 0
    for shape in shapes:
        for scene in scenes(program, shape, fleet.fleets(shape)):
            complaints = oracle.check(scene)
            for complaint in complaints[:4]:
                print(f"{scene.name}: {complaint}")
            if len(complaints) > 4:
                print(f"{scene.name}: and {len(complaints) - 4} more")
            broken += bool(complaints)
            workloads, pods = workloads + 1, pods + len(scene.before)
    print(f"{len(shapes)} shapes, {workloads} workloads, {pods} Pods: "
          f"{len(oracle.INVARIANTS)} invariants, broken in {broken} workloads "
          f"({time.process_time() - started:.0f} s of CPU here)")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
