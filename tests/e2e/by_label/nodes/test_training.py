"""Each workload API trains over two hosts of a slice; the same in a shadow namespace ends with the framework's own words.

All the time replicas of the webhook are killed.
"""

import json
import pathlib
import time

import pytest

from controlplane.nodes import Pool
from controlplane.real import node
from harness import training
from harness.api import wait_for
from harness.namespace import manifest

pytestmark = pytest.mark.usefixtures("replicas_die")
NOT_SAID = "ValueError: coordinator_address should be defined."
DRIVER = pathlib.Path(__file__).resolve().parents[3] / "readers" / "ray_driver.py"
LWS = ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet")


@pytest.fixture(scope="module")
def table(picture):
    lines = [f"{'workload':<26}{'':<9}{'s':>6}  last line"]
    yield lambda what, how, seconds, line: lines.append(f"{what:<26}{how:<9}{seconds:>6.1f}  {line[:120]}")
    picture("what was said in the containers", "\n".join(lines))


@pytest.fixture
def tell(release, namespace, shadow, table):
    """tell(what, files, pods, …): in shadow it ends with `without`, if there is one; enforced, its containers are one job."""

    def one(what, files, pods, without, containers=0, edit=training.training):
        for how, where in ("shadow", shadow), ("enforce", namespace):
            began = time.monotonic()
            where.apply(*files, edit=edit)
            words = training.last_words(where, 0 if how == "shadow" and without else containers or pods)
            wrong = training.trained_as_one(words)
            table(what, how, time.monotonic() - began, next((word.line for word in words if without and without in word.line), words[0].line))
            if how == "shadow" and without:  # whoever was killed with the first says less
                assert not any(word.answer for word in words) and any(without in word.line for word in words), words
            else:
                assert len(words) == (containers or pods) and not wrong, wrong
            where.empty()

    return one


def test_the_first_job(tell):
    """Guide 000: an Indexed Job of two hosts, 2x4."""
    tell("Job, 2x4", ["job-2x4.yaml"], 2, NOT_SAID)


def two_slices_of_two_hosts(obj):
    """Guide 001's JobSet, each of its slices as large as ours are; a failed job is not begun again."""
    training.training(obj)
    obj["metadata"]["labels"] = {}  # Kueue's queue has no such shape
    obj["spec"]["failurePolicy"] = {"maxRestarts": 0}
    job = obj["spec"]["replicatedJobs"][0]["template"]["spec"]
    job["parallelism"] = job["completions"] = 2
    job["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x4"


def test_two_slices(tell):
    """Guide 001: a JobSet of two slices, of which MegaScale's variables make one job; in the network of the hosts."""
    tell("JobSet, 2 slices of 2x4", ["jobset-multislice.yaml"], 4, NOT_SAID, edit=two_slices_of_two_hosts)


def in_the_hosts_network(obj):
    training.training(obj)
    if obj["kind"] == "Job":
        obj["spec"]["template"]["spec"].update(hostNetwork=True, dnsPolicy="ClusterFirstWithHostNet")


def test_a_job_in_the_hosts_network(tell):
    """As sax runs, and whoever wants the host's bandwidth."""
    tell("Job, hostNetwork", ["job-2x4.yaml"], 2, NOT_SAID, edit=in_the_hosts_network)


def one_group_of_two_hosts(obj):
    training.training(obj)
    obj["spec"]["replicas"], obj["spec"]["leaderWorkerTemplate"]["size"] = 1, 2
    for which in ("leaderTemplate", "workerTemplate"):
        spec = obj["spec"]["leaderWorkerTemplate"][which]["spec"]
        spec["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x4"


def test_leader_and_worker(tell):
    """A LeaderWorkerSet of one group: leader and worker are the two hosts of a slice. Its controller writes ids itself, so
    it trains without us, too; what is ours is that both are on one slice."""
    tell("LeaderWorkerSet, 2x4", ["lws.yaml"], 2, None, edit=one_group_of_two_hosts)


@pytest.fixture
def others(plane, release):
    """others(pool): real nodes of one more pool while the case lasts."""
    started = []

    def start(pool):
        started.extend(node.start(plane, [pool], first=20 + len(started)))

    yield start
    for one in started:
        one.remove()


def test_two_containers_on_each_host(tell, others):
    """Ironwood: a container for each NUMA node, so two processes a host."""
    others(Pool("ironwood", "tpu7x-standard-4t", "2x2x2"))
    tell("Job, tpu7x 2x2x2", ["job-tpu7x-two-containers.yaml"], 2, NOT_SAID, containers=4)


def test_one_host(release, namespace, others, table):
    """One host of eight chips: the device plugin's word stands, and nothing of ours is in its way."""
    others(Pool("one-host", "ct6e-standard-8t", "2x4"))
    began = time.monotonic()
    namespace.apply("job-single-host-8.yaml", edit=training.training)
    words = training.last_words(namespace, 1)
    table("Job, one host of 2x4", "enforce", time.monotonic() - began, words[0].line)
    assert not training.trained_as_one(words)
    namespace.empty()  # while the node is there, which says that the container has ended


def small_ray(obj):
    """As many workers as there are hosts; its probes ask for what a Ray without a dashboard has not."""
    training.here(obj)
    for group in [obj["spec"]["headGroupSpec"], *obj["spec"]["workerGroupSpecs"]]:
        container = group["template"]["spec"]["containers"][0]
        container["readinessProbe"] = container["livenessProbe"] = {"exec": {"command": ["true"]}}
        group["rayStartParams"] = {"num-cpus": "1", "object-store-memory": "80000000", "include-dashboard": "false"}
    del group["rayStartParams"]["include-dashboard"]
    (group,) = obj["spec"]["workerGroupSpecs"]
    group["numOfHosts"] = 2
    group["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x4"


def test_ray(release, namespace, shadow, table):
    """Guides 003 and 004: Ray sees two whole slices, and a placement group over both is reserved and runs."""
    for how, where in ("shadow", shadow), ("enforce", namespace):
        began = time.monotonic()
        where.apply("raycluster.yaml", edit=small_ray)
        where.running(5, seconds=180)
        (head,) = where.pods("ray.io/node-type=head")
        told = wait_for("Ray's word", lambda where=where, head=head: driven(where, head["metadata"]["name"]), 120)
        table("RayCluster, 2 of 2x4", how, time.monotonic() - began, told)
        if how == "shadow":
            assert told.startswith("not one cluster: "), told
        else:
            assert {ids for ids in map(tuple, json.loads(told)["slices"].values())} == {(0, 1)}, told
            assert json.loads(told)["tasks"] == 4
        where.empty()


def driven(where, head: str) -> str:
    """The last line of a driver on the head: what it says of four TPU nodes in two slices."""
    answer = where.kubectl("exec", head, "--", "python", "-c", DRIVER.read_text(encoding="utf-8"), "auto", "4", "2")
    lines = [line for line in answer.stdout.splitlines() if line.startswith(("{", "not one cluster"))]
    return lines[-1] if lines else ""


def test_the_manifests_are_the_guides(release):
    """What is changed in them for these nodes names no place, no id and no other Pod."""
    for file in ("job-2x4.yaml", "lws.yaml", "job-tpu7x-two-containers.yaml"):
        for obj in manifest(file):
            changed = json.loads(json.dumps(obj))
            training.training(changed)
            for spec in training.pod_specs(changed):
                assert not [one for one in spec["containers"] if "env" in one]
                assert spec.get("nodeSelector") and "nodeName" not in spec and "affinity" not in spec
