"""By label, not part of a whole run: each node pool that `explain` prints, made, and filled by the real scheduler.

    tests/e2e/run by_label/test_made_pools.py
    ctest --test-dir build/ci -L scheduler

A JobSet of one slice for each machine, topology and way to have the nodes (support/made_nodes.py). The command that
`explain` prints becomes Nodes, by its flags alone; the JobSet is applied; and all its Pods have to stand on one of
these pools, on which nobody else does. All other nodes with TPUs are cordoned meanwhile. Of more than 64 hosts a pool's
nodes say nothing more, and are not made.
"""

import collections
import contextlib
import json
import subprocess

import pytest

from controlplane.nodes import node, Pool
from harness import pools
from harness.api import wait_for
from harness.namespace import node_of
from made_nodes import TPU, made_jobs, nodes_of

ZONE = "us-east5-b"
ALIKE = Pool("alike", "ct6e-standard-4t", "4x4")


def batches():
    seen = collections.Counter()
    for name, objects in made_jobs():
        seen[name] += 1
        yield pytest.param(objects, id=f"{name.removeprefix('catalog, ').replace(' ', '_')}_{seen[name]}")


def whole(made: dict) -> dict:
    """The Node with what a kubelet says of itself, which no flag is about."""
    pattern, name = node(ALIKE, 0), made["metadata"]["name"]
    for list_of in ("capacity", "allocatable"):
        made["status"][list_of] = {**pattern["status"][list_of], **made["status"][list_of]}
    made["status"]["nodeInfo"] = pattern["status"]["nodeInfo"]
    made["metadata"]["labels"]["kubernetes.io/hostname"] = name
    return made


@contextlib.contextmanager
def instead_of_others(api, nodes: list):
    others = [each["metadata"]["name"] for each in api.nodes() if TPU in each["status"]["allocatable"]]
    pools.cordon(api, others)
    names = {each["metadata"]["name"] for each in nodes}
    try:
        for each in nodes:
            api.create(whole(each))

        def ready() -> bool:
            made = [each for each in api.nodes() if each["metadata"]["name"] in names]
            return len(made) == len(names) and not any(
                taint["key"].startswith("node.kubernetes.io/") for each in made for taint in each["spec"].get("taints", []))

        wait_for(f"{len(names)} nodes to be ready", ready, 120, every=0.5)
        yield
    finally:
        for name in names:
            api.delete("v1", "Node", name)
        pools.cordon(api, others, None)


def explain(tools, objects: list) -> list:
    """The workloads, as JSON."""
    done = subprocess.run([str(tools), "explain", "-o", "json", "-"], input="\n".join(map(json.dumps, objects)),
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["workloads"]


@pytest.mark.parametrize("objects", list(batches()))
def test_its_slice_stands_on_it_alone(release, namespace, api, tools, picture, request, objects):
    said = explain(tools, objects)
    fitting, commands = [], []
    for made, workload in zip(objects, said):
        (group,) = workload["groups"]
        words = group["nodePools"].get("commands", [])
        if words and "--enable-slice-controller" not in json.dumps(words):
            fitting.append(made)
            commands += words
    of_pool = dict(nodes_of(commands, ZONE))
    assert len(of_pool) == len(fitting) > 0, sorted(of_pool)
    hosts = {made["metadata"]["name"]: made["spec"]["replicatedJobs"][0]["template"]["spec"]["completions"] for made in fitting}

    with instead_of_others(api, [each for nodes in of_pool.values() for each in nodes]):
        try:
            for made in fitting:
                namespace.create(made)
            running = namespace.running(sum(hosts.values()), seconds=300)
            place_of = pools.by_node(api)
            on = collections.defaultdict(collections.Counter)
            for pod in running:
                on[pod["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"]][place_of[node_of(pod)]] += 1
        finally:
            namespace.empty(120)
    wrong = {name: dict(places) for name, places in on.items() if len(places) != 1 or not set(places) <= set(of_pool)}
    assert not wrong, wrong
    assert {name: sum(places.values()) for name, places in on.items()} == hosts
    taken = collections.Counter(pool for places in on.values() for pool in places)
    assert max(taken.values()) == 1, {pool: count for pool, count in taken.items() if count > 1}
    picture(request.node.name, f"node pools: {len(of_pool)}, of JobSets: {len(objects)}, Pods: {len(running)}; one slice on each pool")
