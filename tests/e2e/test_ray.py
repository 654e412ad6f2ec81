"""Story 3: Ray on slices of four hosts, by KubeRay with host indexing."""

from harness import pools, slices
from harness.api import wait_for
from harness.live import Job, Live, jax_agrees, ray_agrees, ray_forms
from harness.namespace import env_of

WORKERS = "ray.io/node-type=worker"
REPLICA = "ray.io/worker-group-replica-name"
SLICE = Job(processes=4, slices=1, chips=16, nodes=4)


def by_replica(pods):
    found = {}
    for pod in pods:
        found.setdefault(pod["metadata"]["labels"][REPLICA], []).append(pod)
    return found


def whole_slices(namespace, count):
    """`count` slices stand, each on a pool of its own, with a name and labels of its own, and JAX
    and Ray agree. Returns what both read."""
    workers = namespace.running(4 * count, 60, WORKERS)
    found = slices.of(workers, pools.by_node(namespace.api))
    assert sum(one.stands for one in found) == len(found) == count, slices.table(found)
    names = {frozenset(env_of(pod)["TPU_NAME"] for pod in pods) for pods in by_replica(workers).values()}
    assert len(names) == count and all(len(name) == 1 for name in names), names
    live = Live(namespace)
    scene = live.part(workers)
    parts = {name: (live.part(pods), SLICE) for name, pods in by_replica(workers).items()}
    assert not jax_agrees(parts)
    assert not ray_agrees(scene, slices=count)
    return scene


def test_two_slices_are_one_cluster(release, namespace):
    """A RayCluster of two 4x4 replicas: eight real raylets register two whole slices."""
    before = len(release.reviews(namespace.name))
    namespace.apply("raycluster.yaml")
    namespace.running(9)
    scene = whole_slices(namespace, 2)
    assert len(release.reviews(namespace.name)) - before == 8, "the head asks for no TPU and is none of our business"
    assert ray_forms(scene, slices=2)["tasks"] == 8


def test_a_deleted_slice_comes_back_whole(release, namespace):
    """One worker is deleted; KubeRay replaces its whole replica, and the other slice does not notice."""
    namespace.apply("raycluster.yaml")
    replicas = by_replica([pod for pod in namespace.running(9) if REPLICA in pod["metadata"]["labels"]])
    lost, kept = sorted(replicas)
    uids = {name: {pod["metadata"]["uid"] for pod in pods} for name, pods in replicas.items()}
    for pod in replicas[lost]:
        namespace.kubectl("delete", "pod", pod["metadata"]["name"], "--wait=false")

    def replaced():
        now = {pod["metadata"]["uid"] for pod in namespace.pods(WORKERS)}
        return len(now) == 8 and uids[kept] <= now and not uids[lost] & now

    wait_for("a new slice", replaced, 60)
    namespace.running(9)
    whole_slices(namespace, 2)


def test_a_ray_job_has_its_slice(release, namespace):
    """A RayJob's RayCluster is one slice of four hosts, too."""
    namespace.apply("rayjob.yaml")
    namespace.running(4, 60, WORKERS)
    whole_slices(namespace, 1)
