"""Runs in Ray's virtual environment: asks a cluster of real raylets for its slices and uses them.

ray_driver.py ADDRESS NODES SLICES; prints one JSON line and exits 0 if the cluster is whole:
every node there, ids complete in every slice, a placement group over all slices reserved, and
tasks in it that report the name and id the nodes were given.
"""

import collections
import json
import os
import sys
import time

import ray
from ray.util import tpu
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

NODES_SECONDS = 20
READY_SECONDS = 30
TASKS_SECONDS = 60


def tpu_nodes():
    return [n for n in ray.nodes() if n["Alive"] and n["Resources"].get("TPU")]


def give_up(why):
    print(f"not one cluster: {why}", flush=True)
    os._exit(3)  # shutting down a cluster that never became one takes long


@ray.remote(num_cpus=0)
def who_am_i():
    return os.environ["TPU_NAME"], int(os.environ["TPU_WORKER_ID"])


def reserve(topology, version, slices, chips):
    """A placement group over all slices, of hosts with so many chips: Ray by itself takes 2x4 for
    one host of eight. It has no timeout of its own and waits 100 s for a slice that is not there,
    so the slices are counted first. docs/facts.md#ray-two-hosts-of-2x4"""
    whole = tpu.get_num_tpu_slices(topology, f"TPU-{version.upper()}")
    if whole != slices:
        give_up(f"Ray counts {whole} whole slices, there are {slices}")
    try:
        group = tpu.slice_placement_group(topology=topology, accelerator_version=version,
                                          num_slices=slices, chips_per_vm=chips)
    except Exception as error:
        give_up(f"{type(error).__name__}: {error}")
    if not ray.wait([group.placement_group.ready()], timeout=READY_SECONDS)[0]:
        give_up("the placement group did not become ready")
    return group


def main(address, nodes, slices):
    ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    deadline = time.monotonic() + NODES_SECONDS
    while len(tpu_nodes()) < nodes and time.monotonic() < deadline:
        time.sleep(0.2)
    found = tpu_nodes()
    if len(found) != nodes:
        give_up(f"{len(found)} TPU nodes of {nodes}")

    ids = collections.defaultdict(list)
    for node in found:
        ids[node["Labels"].get("ray.io/tpu-slice-name")].append(
            int(node["Labels"].get("ray.io/tpu-worker-id", -1)))
    per_slice = nodes // slices
    if any(sorted(held) != list(range(per_slice)) for held in ids.values()):
        give_up(f"worker ids are {dict(ids)}")  # Ray itself does not notice

    labels = found[0]["Labels"]
    group = reserve(labels["ray.io/tpu-topology"],
                    labels["ray.io/tpu-pod-type"].rsplit("-", 1)[0], slices,
                    int(found[0]["Resources"]["TPU"]))
    ran = ray.get([
        who_am_i.options(
            resources={"TPU": group.chips_per_host},
            scheduling_strategy=PlacementGroupSchedulingStrategy(
                placement_group=group.placement_group, placement_group_bundle_index=i),
        ).remote() for i in range(group.num_bundles)], timeout=TASKS_SECONDS)
    for first in range(0, len(ran), per_slice):
        part = ran[first:first + per_slice]
        if len({name for name, _ in part}) != 1 or sorted(i for _, i in part) != list(
                range(per_slice)):
            give_up(f"one slice of the placement group ran on {part}")
    print(json.dumps({"slices": {k: sorted(v) for k, v in sorted(ids.items())},
                      "tasks": len(ran)}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
