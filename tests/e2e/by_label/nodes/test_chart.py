"""The chart's own Pods: what its values promise, seen from outside and inside of them."""

import subprocess

from controlplane.real import world
from harness.api import wait_for
from harness.load import Load, alone
from harness.pods import injected, member
from harness.workers import Cluster, doubles


def test_the_pods_are_as_the_chart_says(release, machines, namespace):
    """Two replicas, not root, with a root file system that cannot be written, no capability, the runtime's seccomp."""
    pods = release.pods()
    assert len(pods) == 2
    for pod in pods:
        assert pod["status"]["qosClass"] == "Burstable"
        (status,) = pod["status"]["containerStatuses"]
        assert status["ready"] and status["restartCount"] == 0
    (node,) = machines["default-pool"]
    for pid in node.run("pidof", "tpu-webhook").split():
        said = dict(line.split(":\t", 1) for line in node.run("cat", f"/proc/{pid}/status").splitlines() if ":\t" in line)
        assert said["Uid"].split() == ["65532"] * 4, said["Uid"]
        assert int(said["CapEff"], 16) == int(said["CapBnd"], 16) == 0
        assert said["NoNewPrivs"] == "1" and said["Seccomp"] == "2"
        (root,) = [line for line in node.run("cat", f"/proc/{pid}/mounts").splitlines() if line.split()[1] == "/"]
        assert "ro" in root.split()[3].split(",")
    assert injected(namespace.create(member("asked", 0)))


def test_replicas_killed_while_pods_are_created(release, machines, namespace, picture):
    """The kubelet starts them again; creations that meet nobody are refused, for no other reason."""
    (node,) = machines["default-pool"]
    with Load(namespace, rate=20, users=4, dry_run=True, pod=lambda number: member(f"load-{number}", 0)) as load:
        for _ in range(3):
            pid, *_ = node.run("pidof", "tpu-webhook").split()
            node.run("kill", "-9", pid)
            load.more(40)
            wait_for("both replicas", lambda: len(release.pods()) == 2, 60)
    picture("replicas killed under load, one at a time", f"  {load.line()}")
    assert all("failed calling webhook" in message for _, message in load.failed), load.failed[:3]


def test_an_upgrade_under_load(release, namespace, picture):
    """Helm rolls the Deployment over: no creation is refused."""
    with Load(namespace, rate=20, users=4, dry_run=True, pod=alone) as load:
        release.upgrade({"podAnnotations": {"rolled": "over"}})
        release.upgrade({})
        load.more(20)
    picture("two upgrades under load", f"  {load.line()}")
    assert load.failed == []


def test_no_id_twice_over_an_upgrade_and_back(release, namespace, picture):
    """Ray workers whose Pods nothing tells apart come while Helm replaces every replica, and again while it rolls back:
    the ids that old and new replicas give from one ledger are each given once, and none of the workers is refused."""
    cluster = Cluster(namespace, "over", hosts=64, replicas=16)
    with Load(namespace, rate=10, users=2, pod=lambda number: cluster.worker(f"worker-{number}")) as load:
        release.upgrade({"podAnnotations": {"rolled": "over"}})
        load.more(10)
        release.rollback()
        load.more(10)
    pods = cluster.pods()
    picture("an upgrade and back while Ray workers come", f"  {load.line()}; ids of {len(pods)} living Pods, each once")
    assert load.failed == []
    assert len(pods) == len(load.created) and doubles(pods) == {}


def test_nothing_leads_outside(machines):
    """What is not cached or made here cannot be had: no story depends on somebody else's registry."""
    (node,) = machines["default-pool"]
    assert node.run("ip", "-o", "route", "show", "default").split()[:3] == ["default", "via", world.HOST]
    routes = subprocess.run(["ip", "-o", "route"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in routes] == [world.PODS]
