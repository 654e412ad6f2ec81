#!/usr/bin/env python3
"""The kernel's 131,071 bytes for NAME=VALUE, met by the biggest slices: one byte more per name and
the Pod is denied, with the arithmetic; at the limit it fits, and the string is as long as computed.

limits.py --program PATH
"""

import argparse
import sys

import paths  # noqa: F401
import catalog
import fleet
from controllers import job_pod
from oracle import LONGEST_STRING
from pods import literal_env, tpu_containers
from webhook import Webhook

JOB = "train"
PORT = 8471

# machine, topology, containers, the variable that meets the limit first
CASES = [
    ("tpu7x-standard-4t", "16x24x24", 1, "TPU_PROCESS_ADDRESSES"),
    ("tpu7x-standard-4t", "16x24x24", 2, "TPU_PROCESS_ADDRESSES"),
    ("ct5p-hightpu-4t", "16x20x28", 1, "TPU_WORKER_HOSTNAMES"),
]


def pod(shape, index, service):
    return job_pod(job=JOB, namespace=fleet.NAMESPACE, index=index, subdomain=service,
                   restart_policy="Never", **shape.pod())


def size(shape, variable, service):
    """Bytes of NAME=VALUE, written out."""
    ports = [f":{PORT + c}" for c in range(shape.containers)]
    if variable == "TPU_WORKER_HOSTNAMES":
        ports = [""] * shape.containers
    entries = [f"{JOB}-{i}.{service}{port}" for i in range(shape.row.hosts) for port in ports]
    return len(f"{variable}={','.join(entries)}")


def complaints(program, shape, variable):
    fitting = max(n for n in range(1, 64) if size(shape, variable, "s" * n) <= LONGEST_STRING)
    index = shape.row.hosts - 1
    at, over = program.objects([pod(shape, index, "s" * n) for n in (fitting, fitting + 1)])
    wanted = size(shape, variable, "s" * fitting)
    if at.get("kind") != "Pod":
        yield f"{wanted} bytes fit and are denied: {at}"
        return
    env = literal_env(tpu_containers(at)[0])
    if len(f"{variable}={env.get(variable)}") != wanted:
        yield f"{variable} takes {len(variable) + 1 + len(env.get(variable, ''))}, not {wanted}"
    longest = max(len(f"{n}={v}") for c in tpu_containers(at) for n, v in literal_env(c).items())
    if longest != wanted:
        yield f"the longest string is {longest} bytes, that of {variable} should be, {wanted}"
    message = over.get("error", {}).get("message")
    if message is None:
        yield f"{size(shape, variable, 's' * (fitting + 1))} bytes do not fit and are admitted"
        return
    for word in (variable, size(shape, variable, "s" * (fitting + 1)), LONGEST_STRING,
                 shape.row.hosts * shape.containers):
        if str(word) not in message.replace(",", ""):
            yield f"the denial does not say {word}: {message}"
    print(f"{shape}: {variable} of {wanted} bytes fits; {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the tpu-webhook to ask")
    program = Webhook(parser.parse_args().program)
    wrong = []
    for machine, topology, containers, variable in CASES:
        shape = fleet.Shape(catalog.row(machine, topology), containers)
        wrong += [f"{shape}: {c}" for c in complaints(program, shape, variable)]
    print("\n".join(wrong) or f"{len(CASES)} slices at the limit of {LONGEST_STRING} bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
