"""Story 1: the Job of the guide "First Training Job With JAX on TPUs"."""

from harness.api import wait_for
from harness.live import Job, Live, jax_agrees, jax_forms
from harness.namespace import env_of, node_of

INDEX = "batch.kubernetes.io/job-completion-index"


def identity(pod):
    """What makes the Pod this member of its slice."""
    names = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "MEGASCALE_SLICE_ID")
    return {name: env_of(pod).get(name) for name in names}, pod["spec"]["hostname"]


def with_retries(obj):
    """The guide's backoffLimit of 0 ends the Job with its first Pod."""
    if obj["kind"] == "Job":
        obj["spec"]["backoffLimit"] = 3


def test_two_hosts_train_as_one(release, namespace):
    """An Indexed Job of 2 x ct6e-standard-4t, topology 2x4, and its headless Service."""
    namespace.apply("job-2x4.yaml")
    pods = namespace.running(2)
    names = "tpu-training-job-0.headless-svc,tpu-training-job-1.headless-svc"
    for pod in pods:
        index = pod["metadata"]["annotations"][INDEX]
        assert env_of(pod)["TPU_WORKER_ID"] == index
        assert env_of(pod)["TPU_WORKER_HOSTNAMES"] == names
    assert len({node_of(pod) for pod in pods}) == 2, "both hosts of a slice on one node"
    scene = Live(namespace).part(pods)
    assert not jax_agrees({"job": (scene, Job(processes=2, slices=1, chips=8, nodes=2))})
    assert not jax_forms(scene)


def test_one_host_of_eight_chips(release, namespace):
    """The single-host variant: 2x4 on one ct6e-standard-8t; the device plugin's word stands."""
    namespace.apply("job-single-host-8.yaml")
    pods = namespace.running(1)
    assert not jax_agrees({"job": (Live(namespace).part(pods), Job(processes=1, slices=1, chips=8, nodes=1))})


def test_a_pod_that_comes_back_is_the_same_member(release, namespace):
    """Somebody deletes worker 1; the Job controller makes another, with the same identity."""
    namespace.apply("job-2x4.yaml", edit=with_retries)
    before = {pod["metadata"]["labels"][INDEX]: pod for pod in namespace.running(2)}
    deleted = before["1"]["metadata"]
    namespace.kubectl("delete", "pod", deleted["name"], "--wait=false")

    def came_back():
        pods = {pod["metadata"]["labels"][INDEX]: pod for pod in namespace.pods() if pod["status"].get("phase") == "Running"}
        return pods if len(pods) == 2 and pods["1"]["metadata"]["uid"] != deleted["uid"] else None

    after = wait_for("worker 1 to come back", came_back, 60)
    assert after["0"]["metadata"]["uid"] == before["0"]["metadata"]["uid"]
    assert [identity(after[i]) for i in "01"] == [identity(before[i]) for i in "01"]
    scene = Live(namespace).part(list(after.values()))
    assert not jax_agrees({"job": (scene, Job(processes=2, slices=1, chips=8, nodes=2))})
