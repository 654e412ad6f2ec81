"""Story 0: seven slices of four APIs on sixteen pools, with nothing between them but us.

A JobSet of 2 x 4 hosts with exclusive topology, a LeaderWorkerSet of 2 groups of 4, a RayCluster of
2 x 4 and an Indexed Job of 4 that Kueue admits: what a cluster of several teams looks like. Each
API's own placement repels only its own kind.
"""

import itertools
import random
import time

import pytest

from harness import pools, slices
from harness.api import wait_for
from harness.live import Job, Live, jax_agrees, ray_agrees
from harness.namespace import node_of
from test_whole_pool import without_hint

RUNS = 5
TWO = ("tpu-slice-a", "tpu-slice-b")
JOBSET, LWS = ("jobset-multislice.yaml",), ("lws-exclusive.yaml",)
RAY, JOB = ("raycluster.yaml",), ("kueue.yaml", "job-kueue.yaml")
ALL = [JOBSET, LWS, RAY, JOB]  # seven slices

PODS = {JOBSET: 8, LWS: 8, RAY: 9, JOB: 4}  # Ray's head is one of its nine


def unqueued(obj):
    """The guide's JobSet goes through Kueue; here only the Job does."""
    if obj["kind"] == "JobSet":
        del obj["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]


def seen(namespace):
    return slices.of(namespace.pods(), pools.by_node(namespace.api))


def apply(namespace, workloads):
    for files in workloads:
        namespace.apply(*files, edit=unqueued)
    return sum(PODS[files] for files in workloads)


def readers_agree(namespace):
    """JAX in every slice that is a job, and Ray; one run of each. Complaints."""
    live, found = Live(namespace), {}
    by_name = {one.name: one.pods for one in seen(namespace)}
    multislice = [pod for name, pods in by_name.items() if name.startswith("v6e-multislice/") for pod in pods]
    found["JobSet"] = live.part(multislice), Job(processes=8, slices=2, chips=16, nodes=8)
    ray = [pod for name, pods in by_name.items() if name.startswith("tpu-cluster/") for pod in pods]
    for name in by_name:
        if name.startswith(("tpu-cluster/", "queued-job", "vllm/")):
            found[name] = live.part(by_name[name]), Job(processes=4, slices=1, chips=16, nodes=4)
    return jax_agrees(found) + ray_agrees(live.part(ray), slices=2)


def test_before_without_tpu_webhook(release, namespace, picture):
    """What happens today. Not a demand on anybody: it shows that the next cases are not idle."""
    with release.absent():
        count = apply(namespace, ALL)
        try:
            wait_for("all Pods to be there", lambda: len(namespace.pods()) == count, 25, every=0.5)
        except AssertionError:
            pass  # JobSet's followers wait for a leader that is never bound
        namespace.quiet(3, limit=10)
        found = seen(namespace)
    picture("before: seven slices, sixteen pools, without tpu-webhook", slices.table(found))
    assert sum(one.stands for one in found) < 7, "all seven stand without us: this story shows nothing"


def test_every_slice_stands_five_times(release, namespace, picture):
    """Each run applies the workloads in another order."""
    lines, orders = [], list(itertools.permutations(ALL))
    random.Random(4).shuffle(orders)  # any, but the same in every run of the suite
    for run, order in enumerate(orders[:RUNS], start=1):
        started = time.monotonic()
        count = apply(namespace, order)
        namespace.running(count, seconds=90)
        took, found = time.monotonic() - started, seen(namespace)
        lines.append(f"  run {run}: {sum(one.stands for one in found)} of 7 after {took:.1f} s, "
                     f"order {' '.join(files[-1].removesuffix('.yaml') for files in order)}")
        assert sum(one.stands for one in found) == len(found) == 7, slices.table(found)
        assert not readers_agree(namespace)
        last = slices.table(found)
        namespace.empty()
    picture("after: seven slices, sixteen pools, with tpu-webhook", "\n".join([last, *lines]))


def test_a_slice_of_higher_priority_takes_a_pool_whole(release, namespace, api, picture):
    """Two pools, full of a JobSet of priority 0; an Indexed Job of priority 1000 needs one."""
    classes(namespace)
    with pools.only(api, *TWO):
        namespace.apply(*JOBSET, edit=lambda obj: (unqueued(obj), prioritized(obj, "e2e-usual")))
        before = {pod["metadata"]["uid"]: pod for pod in namespace.running(8)}
        namespace.apply(*JOB, edit=lambda obj: prioritized(obj, "e2e-urgent"))
        urgent = namespace.running(4, 60, "batch.kubernetes.io/job-name=queued-job")
        pods = namespace.quiet(4, limit=30)
        found = seen(namespace)
        now = {pod["metadata"]["uid"] for pod in pods}
        gone = sorted(pod["metadata"]["name"] for uid, pod in before.items() if uid not in now)
        evicted = sorted({event["involvedObject"]["name"] for event in api.list("v1", "Event", namespace.name)
                          if event["reason"] == "Preempted"})
        waiting = sorted(pod["metadata"]["name"] for pod in pods if not node_of(pod))
    picture("two pools: a JobSet of priority 0, then a Job of priority 1000", "\n".join([
        slices.table(found),
        f"  evicted: {' '.join(evicted) or 'none'}",
        f"  gone in all, as the JobSet restarts whole: {len(gone)} Pods",
        f"  waiting for a pool: {' '.join(waiting) or 'none'}",
    ]))
    assert len(urgent) == 4
    (job,) = [one for one in found if one.name == "queued-job"]
    assert job.stands, slices.table(found)
    # A Pod that the JobSet makes when it restarts may be evicted as well.
    names = {pod["metadata"]["name"] for pod in pods}
    assert set(evicted) & set(gone) and not set(evicted) & names, "nobody made room, and yet there was some"


@pytest.mark.parametrize("begun", TWO)
def test_a_slice_of_higher_priority_begins_where_nobody_has(release, namespace, api, picture, begun):
    """Two pools, on one of them the first member of a slice of priority 0: the term alone leads to the other one.

    Each pool once, since between equal ones the scheduler always takes the same.
    """
    (free,) = set(TWO) - {begun}
    classes(namespace)

    def alone(obj):
        if obj["kind"] == "StatefulSet":
            obj["spec"]["replicas"] = 1
            obj["spec"]["template"]["spec"]["priorityClassName"] = "e2e-usual"

    with without_hint(release):
        with pools.only(api, begun):
            namespace.apply("statefulset.yaml", edit=alone)
            namespace.running(1)
        with pools.only(api, *TWO):
            namespace.apply(*JOB, edit=lambda obj: prioritized(obj, "e2e-urgent"))
            pods = namespace.running(5)
            found = seen(namespace)
    picture(f"a member of priority 0 on {begun}, then a Job of priority 1000", slices.table(found))
    assert len(pods) == 5
    (job,) = [one for one in found if one.name == "queued-job"]
    assert job.stands and job.pools == [free], slices.table(found)


def classes(namespace):
    """The two priorities, once for all cases."""
    for name, value in (("e2e-usual", 0), ("e2e-urgent", 1000)):
        namespace.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                          "metadata": {"name": name}, "value": value})


def prioritized(obj, name):
    """Give the Pods of a JobSet or Job a PriorityClass."""
    if obj["kind"] == "JobSet":
        for job in obj["spec"]["replicatedJobs"]:
            job["template"]["spec"]["template"]["spec"]["priorityClassName"] = name
    elif obj["kind"] == "Job":
        obj["spec"]["template"]["spec"]["priorityClassName"] = name
