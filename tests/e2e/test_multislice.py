"""Story 2: the guide's multi-slice JobSet, 2 x 4 hosts of 4x4 with exclusive topology."""

import pytest

from harness import audit, pools, slices
from harness.api import wait_for
from harness.live import Job, Live, jax_agrees, jax_forms
from harness.namespace import env_of

TWO_POOLS = ("tpu-slice-a", "tpu-slice-b")
JOB = Job(processes=8, slices=2, chips=16, nodes=8)
GUIDE = r"NAME:.metadata.name,STATUS:.status.phase,NODE:.spec.nodeName,NODEPOOL_SELECTOR:.spec.nodeSelector.cloud\.google\.com/gke-nodepool"
SELECTOR = "/spec/nodeSelector/cloud.google.com~1gke-nodepool"
PLACES = ("jobset.sigs.k8s.io/job-index", "batch.kubernetes.io/job-completion-index")
OURS = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "MEGASCALE_SLICE_ID", "MEGASCALE_NUM_SLICES",
        "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_PORT")


@pytest.fixture
def two_pools(api):
    with pools.only(api, *TWO_POOLS):
        yield


def not_queued(obj):
    del obj["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]


def identities(pods):
    """(slice, index) -> what the webhook gave."""
    found = {}
    for pod in pods:
        place = tuple(pod["metadata"]["labels"][label] for label in PLACES)
        found[place] = {name: env_of(pod).get(name) for name in OURS}, pod["spec"]["hostname"]
    return found


def closed(queue):
    """Whether Kueue says that it admits nothing there."""
    conditions = queue.get("status", {}).get("conditions", [])
    return any((one["type"], one["reason"]) == ("Active", "Stopped") for one in conditions)


def selects(pod):
    return pod["spec"]["nodeSelector"].get(pools.POOL)


def one_job_on_two_pools(namespace, pods):
    """Both slices stand, leaders select no pool and followers that of their leader, and JAX derives one job of
    eight; returns what it read."""
    pool_of = pools.by_node(namespace.api)
    for pod in pods:
        leads = pod["metadata"]["labels"][PLACES[1]] == "0"
        assert selects(pod) == (None if leads else pool_of[pod["spec"]["nodeName"]]), pod["metadata"]["name"]
    found = slices.of(pods, pools.by_node(namespace.api))
    assert sum(one.stands for one in found) == len(found) == 2, slices.table(found)
    for (slice_index, index), (env, _) in identities(pods).items():
        assert env["TPU_WORKER_ID"] == index and env["MEGASCALE_SLICE_ID"] == slice_index
    scene = Live(namespace).part(pods)
    assert not jax_agrees({"JobSet": (scene, JOB)})
    return scene


def jax_complaints(namespace, pods):
    return jax_agrees({"JobSet": (Live(namespace).part(pods), JOB)})


def test_admitted_by_kueue(release, namespace, two_pools, api, picture):
    """The queue is closed: no Pod exists. It opens: admitted, created, placed; one job of eight."""
    namespace.apply("kueue.yaml")
    queue = "kueue.x-k8s.io/v1beta2", "ClusterQueue", "multislice-cluster-queue"
    api.patch(*queue, {"spec": {"stopPolicy": "Hold"}})
    try:
        wait_for("Kueue to close it", lambda: closed(api.get(*queue)), 20)
        namespace.apply("jobset-multislice.yaml", edit=lambda obj: obj["metadata"]["labels"].update(
            {"kueue.x-k8s.io/priority-class": "high-priority"}))
        jobset = namespace.get("jobset.x-k8s.io/v1alpha2", "JobSet", "v6e-multislice")
        assert jobset["spec"]["suspend"], "Kueue did not hold it"
        workload = wait_for("a Workload", lambda: api.list("kueue.x-k8s.io/v1beta2", "Workload", namespace.name), 10)[0]
        assert workload["spec"]["priority"] == 1000
        assert not namespace.quiet(1.5, limit=3), "Pods of a JobSet that waits"
    finally:
        api.patch(*queue, {"spec": {"stopPolicy": "None"}})
    pods = namespace.running(8)
    scene = one_job_on_two_pools(namespace, pods)
    assert not jax_forms(scene)
    picture("the guide's table", namespace.kubectl("get", "pods", "-o", f"custom-columns={GUIDE}").stdout.rstrip())


def test_in_any_order_with_jobsets_own_webhook(release, plane, namespace, two_pools):
    """JobSet's webhook is called before ours or after, by the names of the configurations."""
    found = []
    for ours in ("tpu-webhook", "a-tpu-webhook"):
        with release.renamed(ours):
            namespace.apply("jobset-multislice.yaml", edit=not_queued)
            pods = namespace.running(8)
        one_job_on_two_pools(namespace, pods)
        for pod in pods:
            names = [entry["name"] for entry in pod["spec"]["containers"][0]["env"]]
            assert len(names) == len(set(names)), f"{pod['metadata']['name']} has a variable twice: {names}"
        found.append(identities(pods))
        if ours == "a-tpu-webhook":
            written = audit.patched_by(plane, namespace.name, "jobset.pods.tpu-webhook.dev")
            told = [op["value"] for patch in written for op in patch if op["path"] == SELECTOR]
            assert told and set(told) <= set(TWO_POOLS), "before JobSet's webhook it is ours that names the leader's pool"
        namespace.empty()
    assert found[0] == found[1]


def test_a_group_of_replicated_jobs_meets_at_its_coordinator(release, namespace, two_pools):
    """Two replicated jobs of one group are one job of two slices, as spec.coordinator says."""
    def grouped(obj):
        not_queued(obj)
        (only,) = obj["spec"]["replicatedJobs"]
        only["replicas"] = 1
        only["groupName"] = "slices"
        obj["spec"]["replicatedJobs"] = [{**only, "name": "first"}, {**only, "name": "second"}]
        obj["spec"]["coordinator"] = {"replicatedJob": "first", "jobIndex": 0, "podIndex": 0}

    namespace.apply("jobset-multislice.yaml", edit=lambda obj: grouped(obj) if obj["kind"] == "JobSet" else None)
    pods = namespace.running(8)
    name = pods[0]["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"]
    assert {env_of(pod)["MEGASCALE_COORDINATOR_ADDRESS"] for pod in pods} == {f"{name}-first-0-0.{name}"}
    assert {env_of(pod)["MEGASCALE_NUM_SLICES"] for pod in pods} == {"2"}
    slice_of = {(pod["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"], env_of(pod)["MEGASCALE_SLICE_ID"])
                for pod in pods}
    assert slice_of == {("first", "0"), ("second", "1")}
    assert not jax_complaints(namespace, pods)
