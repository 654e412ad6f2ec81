"""Story 1: the Job of the guide "First Training Job With JAX on TPUs"."""

from harness.live import Job, Live, jax_agrees, jax_forms
from harness.namespace import env_of, node_of

INDEX = "batch.kubernetes.io/job-completion-index"


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
