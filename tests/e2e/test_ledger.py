"""Ray workers that nothing tells apart, through the ledger in the cluster (docs/decisions/0012)."""

import re
import time

import pytest

from harness import audit, forged, rbac, workers
from harness.api import Refused, wait_for
from harness.longer import in_full
from harness.pods import injected, member
from harness.workers import Cluster, living, place, whole

LEDGER = "app.kubernetes.io/component=ledger"
OURS = "system:serviceaccount:tpu-webhook:tpu-webhook"
WRITES = re.compile(r'^etcd_requests_total\{[^}]*operation="(?:create|update|delete)"[^}]*\} (\d+)', re.M)


def etcd_writes(api):
    """Creates, updates and deletes that this API server sent to etcd so far, of everybody."""
    return sum(int(count) for count in WRITES.findall(api.metrics()))


def ledger_writes(plane):
    """Those of the ledger that succeeded, by the audit log: each is one write to etcd."""
    return audit.writes(plane, OURS, "configmaps")


def ledger(api):
    return api.list("v1", "ConfigMap", "tpu-webhook", LEDGER)


def name(record):
    return record["metadata"]["name"]


def of(cluster):
    """Ledger objects of this RayCluster."""
    return [record for record in ledger(cluster.namespace.api) if record["data"]["ray-cluster-uid"] == cluster.uid]


def may_write(api):
    """Whether the API server would let the program change the ledger, by the rules that it knows now."""
    what = {"namespace": "tpu-webhook", "resource": "configmaps", "verb": "update"}
    return api.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
                       "spec": {"user": OURS, "resourceAttributes": what}})["status"]["allowed"]


def keep_trying(cluster, worker, seconds=20, node=None):
    """As a controller does: each second, until the Pod is there."""
    made = []

    def tried():
        made.append(cluster.add(worker, node=node))
        return True

    wait_for(f"{worker} to be created", tried, seconds, every=1)
    return made[-1]


@pytest.fixture
def no_ledger_left(api):
    """What a case wrote is gone at its end: the last worker's removal deletes the object."""
    before = {name(record) for record in ledger(api)}
    yield
    wait_for("the ledger to be as before", lambda: {name(record) for record in ledger(api)} <= before, 60)


def test_one_write_for_each_worker(release, plane, api, no_ledger_left, namespace, picture):
    """64 workers of one group, one after another: 64 places in order, at most a write each, and one when it goes."""
    cluster, none = Cluster(namespace, "one-by-one", hosts=64), ledger_writes(plane)
    keep_trying(cluster, "w-0")
    wait_for("its write in the audit log", lambda: ledger_writes(plane) > none, 10)
    before, all_before, start = ledger_writes(plane), etcd_writes(api), time.monotonic()
    pods = [cluster.add(f"w-{number}") for number in range(1, 64)]
    took = time.monotonic() - start
    written, all_written = ledger_writes(plane) - before, etcd_writes(api) - all_before
    assert [place(pod) for pod in pods] == [(0, number) for number in range(1, 64)]
    assert written <= 63, f"{written} writes of ledger objects for 63 Pods"
    with release.absent():
        bare = Cluster(namespace, "without-us", hosts=64)
        without_before, start = etcd_writes(api), time.monotonic()
        for number in range(1, 64):
            bare.add(f"bare-{number}")
        bare_took, without = time.monotonic() - start, etcd_writes(api) - without_before
        for pod in bare.pods():
            bare.remove(pod)
    before = ledger_writes(plane)
    for pod in cluster.pods():
        cluster.remove(pod)
    wait_for("the ledger object to go", lambda: not of(cluster), 60)
    freed = ledger_writes(plane) - before
    assert freed <= 64, f"{freed} writes of ledger objects for 64 Pods that went"
    picture("64 Ray workers one after another: writes to etcd",
            f"with tpu-webhook     {all_written:4} in all, {written:3} of the ledger, {took:5.2f} s\n"
            f"without any webhook  {without:4} in all,   0 of the ledger, {bare_took:5.2f} s\n"
            f"when they go         {freed:4} of the ledger")


def test_a_worker_that_is_replaced_has_its_id_again(release, no_ledger_left, namespace):
    """Deleted and created again, scaled from two slices to one and back: no gap, no double."""
    cluster = Cluster(namespace, "elastic", hosts=4, replicas=2)
    for number in range(8):
        keep_trying(cluster, f"w-{number}")
    assert not whole(cluster.pods(), 4, 2)
    for pod in [pod for pod in cluster.pods() if place(pod)[1] in (1, 2)]:
        cluster.remove(pod)
    for number in range(4):
        keep_trying(cluster, f"again-{number}")
    assert not whole(cluster.pods(), 4, 2)

    cluster.scale(1)
    for pod in [pod for pod in cluster.pods() if place(pod)[0] == 0]:
        cluster.remove(pod)
    (lost,) = [pod for pod in cluster.pods() if place(pod) == (1, 3)]
    cluster.remove(lost)
    keep_trying(cluster, "in-slice-1")
    assert not whole(cluster.pods(), 4, [1]), "the slice that is left is slice 1, and stays it"
    cluster.scale(2)
    for number in range(4):
        keep_trying(cluster, f"back-{number}")
    assert not whole(cluster.pods(), 4, 2)


def test_a_token_that_is_no_longer_good(release, api, plane, no_ledger_left, namespace):
    """The ServiceAccount is recreated, so that the replica's token is refused; with the one that the kubelet then writes
    it goes on, without a restart."""
    (replica,) = release.replicas
    cluster = Cluster(namespace, "rotated", hosts=4)
    keep_trying(cluster, "w-0")
    account = api.get("v1", "ServiceAccount", "tpu-webhook", "tpu-webhook")
    api.delete("v1", "ServiceAccount", "tpu-webhook", "tpu-webhook")
    for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
        account["metadata"].pop(field, None)
    api.create(account)
    # The API server remembers for 10 s whom a token is.
    wait_for("the old token to be refused", lambda: _refused(cluster), 30, every=1)
    (replica.account_folder / "token").write_text(plane.client().token("tpu-webhook", "tpu-webhook"), encoding="utf-8")
    for number in range(len(cluster.pods()), 4):
        keep_trying(cluster, f"w-{number}", 30)
    assert not whole(cluster.pods(), 4, 1) and replica.alive()


def _refused(cluster):
    """A worker that is not created for want of a ledger; it takes no place when it is."""
    try:
        cluster.remove(cluster.add("probe"))
        return False
    except Refused as why:
        return "401" in str(why)


def test_no_more_places_than_the_cluster_asks_for(release, no_ledger_left, namespace):
    """The fifth worker of four is told to come again; a copy of a living one, and a dry run, take nothing."""
    cluster = Cluster(namespace, "bounded", hosts=4)
    keep_trying(cluster, "w-0")
    first = cluster.pods()[0]
    for number in range(20):
        cluster.add(f"dry-{number}", dry_run=True)
    for number in range(1, 3):
        cluster.add(f"w-{number}")
    twin = namespace.api.create(workers.copy_of(first, "copy"))
    assert place(twin) == (0, 3), "a copy has a place of its own"
    with pytest.raises(Refused, match="all 4 places of worker group tpu-group of RayCluster bounded are taken"):
        cluster.add("one-too-many")
    cluster.remove(twin)
    keep_trying(cluster, "w-3")
    assert not whole(cluster.pods(), 4, 1)


def test_nobody_gets_an_id_for_a_cluster_that_is_not_there(release, namespace):
    """Reviews of unknown RayClusters are refused from memory: no object is written for them."""
    cluster = Cluster(namespace, "gone", hosts=4)
    keep_trying(cluster, "w-0")
    cluster.remove(cluster.pods()[0])
    wait_for("the ledger to be empty", lambda: not of(cluster), 60)
    cluster.uid = "00000000-0000-4000-8000-000000000000"
    with pytest.raises(Refused, match="there is no RayCluster gone with the uid of the Pod's owner and a worker group tpu-group"):
        cluster.add("orphan")
    assert not of(cluster)


def test_without_the_ledger_no_id_and_all_else_goes_on(release, api, no_ledger_left, namespace):
    """The rule for its objects is taken away: Ray workers are told to come again, and why; Jobs are answered."""
    cluster = Cluster(namespace, "forbidden", hosts=4)
    keep_trying(cluster, "w-0")
    role = api.get("rbac.authorization.k8s.io/v1", "Role", "tpu-webhook", "tpu-webhook")
    api.patch("rbac.authorization.k8s.io/v1", "Role", "tpu-webhook", {"rules": []}, "tpu-webhook")
    try:
        wait_for("the rule to be gone", lambda: not may_write(api), 20)
        with pytest.raises(Refused, match="(?s)cannot be read or written.*RBAC missing"):
            cluster.add("w-1")
        for number in range(4):
            assert injected(namespace.create(member(f"job-{number}", number, topology="4x4")))
    finally:
        api.patch("rbac.authorization.k8s.io/v1", "Role", "tpu-webhook", {"rules": role["rules"]}, "tpu-webhook")
    for number in range(1, 4):
        keep_trying(cluster, f"w-{number}")
    assert not whole(cluster.pods(), 4, 1)


def test_a_lost_record_is_made_anew(release, api, no_ledger_left, namespace):
    """Somebody deletes the object: nothing is given for 70 s, and then only what is free."""
    cluster = Cluster(namespace, "lost", hosts=4)
    for number in range(3):
        keep_trying(cluster, f"w-{number}")
    (record,) = of(cluster)
    api.delete("v1", "ConfigMap", name(record), "tpu-webhook")
    with pytest.raises(Refused, match="was lost and is being rebuilt from the running Pods"):
        cluster.add("w-3")
    start = time.monotonic()
    keep_trying(cluster, "w-3", 90)
    assert time.monotonic() - start > 60
    assert not whole(cluster.pods(), 4, 1)
    assert len(living(cluster.pods())) == 4


def test_forged_reviews_take_no_more_than_the_cluster_asks_for(release, api, no_ledger_left, namespace):
    """Thousands of reviews from somebody in the cluster, of one known RayCluster and of unknown ones: the ledger has at
    most its eight places, Pods of another cluster are admitted all the while, and real ones again two minutes later."""
    known, other = Cluster(namespace, "known", hosts=4, replicas=2), Cluster(namespace, "other", hosts=4)
    count = in_full(10_000, otherwise=2_000)
    keep_trying(known, "real-0")
    with forged.reviews(release, known.worker("forged"), count, users=64) as answers:
        for number in range(4):
            keep_trying(other, f"other-{number}")
    assert not whole(other.pods(), 4, 1)
    (record,) = of(known)
    assert len(record["data"]["entries"].split()) <= known.size
    assert answers[200] <= known.size and sum(answers.values()) == count, answers
    start = time.monotonic()
    for number in range(1, 8):
        keep_trying(known, f"real-{number}", 180)
    assert not whole(known.pods(), 4, 2)
    assert time.monotonic() - start < 180


def test_the_rules_are_what_is_used(release, plane, program, namespace):
    """`rules -o json` says what the audit log of the API server saw our ServiceAccount do. Beyond that it asks for
    nothing but `list`, which a server without watch-lists needs (before 1.34, and 1.33 by default)."""
    cluster = Cluster(namespace, "rules", hosts=4)
    keep_trying(cluster, "w-0")
    keep_trying(cluster, "w-1")
    for pod in cluster.pods():
        cluster.remove(pod)
    wait_for("the ledger to be empty", lambda: not of(cluster), 60)
    said = rbac.said(program)
    # The last request's line may come some time after its answer.
    wait_for("the deletion in the audit log", lambda: ("", "configmaps", "delete") in audit.used_by(plane, OURS), 10)
    used = audit.used_by(plane, OURS)
    assert used <= said, f"used, and not in the rules: {used - said}"
    assert {verb for _, _, verb in said - used} <= {"list"}, f"in the rules, and not used: {said - used}"
