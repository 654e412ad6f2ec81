"""Hundreds of worker groups that end together, as when a namespace is deleted or a node pool upgraded."""

import concurrent.futures
import time

from harness import audit
from harness.api import Refused, wait_for
from harness.asking import Asking
from harness.longer import in_full
from harness.namespace import Namespace
from harness.workers import Cluster, doubles
from rates import busiest_second

OURS = "system:serviceaccount:tpu-webhook:tpu-webhook"
LEDGER = "app.kubernetes.io/component=ledger"
CLUSTERS, GROUPS, CLIENTS = 20, in_full(50, otherwise=15), 8
AWAITED = 5.0   # seconds until a worker has its place (docs/threat-model.md#what-holds-meanwhile)
GONE = 120.0    # seconds until no record is left (the same)
PER_SECOND, BURST = 80, 134  # a replica's requests, of all budgets: server/limits/limits.hpp


def create(cluster, group):
    """One worker in the group, as a controller makes it."""
    def tried():
        try:
            return cluster.add(f"{cluster.name}-{group}", group=group)
        except Refused:
            return None

    wait_for(f"{cluster.name}'s {group} to have a worker", tried, 120, every=1)


def records(api, clusters):
    uids = {cluster.uid for cluster in clusters}
    found = api.list("v1", "ConfigMap", "tpu-webhook", LEDGER)
    return [record for record in found if record["data"]["ray-cluster-uid"] in uids]


def test_many_groups_end_together(release, plane, api, namespace, picture):
    """All their records are gone within two minutes, the API server is asked no more than the budget allows, and the
    workers of another RayCluster have their places within 5 s meanwhile."""
    with release.reinstalled({"replicas": 3}):
        others = Namespace(plane, api, f"{namespace.name}-others")
        try:
            names = tuple(f"g{number}" for number in range(GROUPS))
            clusters = [Cluster(namespace, f"c{number}", hosts=2, groups=names) for number in range(CLUSTERS)]
            start = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
                list(clients.map(lambda pair: create(*pair), [(cluster, group) for group in names for cluster in clusters]))
            made = time.monotonic() - start
            assert len(records(api, clusters)) == CLUSTERS * GROUPS
            other = Cluster(others, "other", hosts=64, replicas=8)
            with Asking(other) as asking:
                wait_for("the first places", lambda: asking.created() > 4, 30)
                since, start = audit.size(plane), time.monotonic()
                api.delete_all("v1", "Pod", namespace.name)
                # Longer than is allowed, so that the picture says how long it took.
                wait_for("the records to go", lambda: not records(api, clusters), 2 * GONE, every=1)
                took = time.monotonic() - start
            spent = audit.requests(plane, OURS, since)
            found = doubles(other.pods())
        finally:
            others.clear(120)
        picture(f"{CLUSTERS * GROUPS:,} worker groups that end together", "\n".join([
            f"made in {made:.0f} s; their records gone {took:.0f} s after the deletion, by three replicas",
            f"{len(spent)} requests of ours meanwhile, {len(spent) / took:.0f} a second, "
            f"{busiest_second(spent)} in the busiest one",
            "others: " + asking.said()]))
        assert took <= GONE
        assert busiest_second(spent) <= 3 * (PER_SECOND + BURST)
        assert asking.slowest() <= AWAITED, asking.said()
        assert not found
