"""Deleted Pods with the labels of Ray workers that never were, three replicas, and Ray workers that want places."""

import concurrent.futures
import time

from harness import audit
from harness.api import wait_for
from harness.asking import Asking
from harness.longer import in_full
from harness.namespace import Namespace
from harness.workers import TOKEN, Cluster, doubles
from rates import busiest_second

OURS = "system:serviceaccount:tpu-webhook:tpu-webhook"
FORGED, CLIENTS = in_full(5000, otherwise=1000), 8
AWAITED = 5.0  # seconds until a worker has its place (docs/threat-model.md#what-holds-meanwhile)
AFTER = in_full(30, otherwise=10)  # seconds that it goes on after the last deletion


def forge(namespace, number):
    """What anybody may create where they may create anything: no TPU, so nobody asks us about it, and no RayCluster."""
    labels = {"ray.io/node-type": "worker", "ray.io/cluster": "x", "ray.io/group": f"g{number}",
              TOKEN: f"0-0-{number:016x}"}
    namespace.api.create({"apiVersion": "v1", "kind": "Pod",
                          "metadata": {"name": f"forged-{number}", "namespace": namespace.name, "labels": labels},
                          "spec": {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}})


def test_forged_deletions_cost_nobody_a_place(release, plane, api, namespace, picture):
    """A thousand forged Pods and more are created and deleted at once: every worker of another namespace has its place
    within 5 s, while it happens and after."""
    with release.reinstalled({"replicas": 3}):
        cluster, forger = Cluster(namespace, "honest", hosts=64, replicas=8), Namespace(plane, api, f"{namespace.name}-forger")
        try:
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
                list(clients.map(lambda number: forge(forger, number), range(FORGED)))
            with Asking(cluster) as asking:
                wait_for("the first places", lambda: asking.created() > 4, 30)
                since, start = audit.size(plane), time.monotonic()
                api.delete_all("v1", "Pod", forger.name)
                wait_for("the forged Pods to go", lambda: not api.count("v1", "Pod", forger.name), 180, every=1)
                deleted = time.monotonic() - start
                time.sleep(AFTER)
            spent = audit.requests(plane, OURS, since)
            lines = sum(len(one.log()) for one in release.replicas)
        finally:
            forger.clear(180)
        picture(f"{FORGED:,} forged deletions", "\n".join([
            asking.said(),
            f"gone after {deleted:.0f} s; {len(spent)} requests of ours in {deleted + AFTER:.0f} s, "
            f"{busiest_second(spent)} in the busiest second; {lines} lines of log",
            f"three replicas, {len(cluster.pods())} Pods"]))
        assert not doubles(cluster.pods())
        assert asking.slowest() <= AWAITED, asking.said()
