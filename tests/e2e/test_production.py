"""Story 6, as in production: three replicas, and replicas that come, go and die while Pods are created."""

import signal
import time

from harness import audit
from harness.api import wait_for
from harness.load import HOSTS, Load
from harness.pods import INDEX, JOB, injected, member
from harness.rollout import replicas, rolling_restart

BURST = 256
HELD = 0.3  # seconds for which the replica that is killed answers nothing, so that it dies with requests in its hands


def test_a_rolling_restart_is_not_noticed(release, namespace, plane, picture):
    """A new version is rolled out while users create Pods: none is refused, none is left as it was."""
    with replicas(release, 3), Load(namespace, least=BURST) as load:
        codes = rolling_restart(release)
        load.more(len(release.replicas))  # answered by the new ones alone
    assert codes == [0, 0, 0]
    assert load.failed == [] and load.left_out() == []
    assert audit.refused(plane, namespace.name) == []
    picture("a rolling restart of three replicas", f"  {load.line()}")


def test_a_replica_dies_in_a_burst(release, namespace, plane, picture):
    """kill -9 while the Job controller makes 256 Pods: some may be refused, and are made again; all come out right."""
    with replicas(release, 3):
        victim, before = release.replicas[1], release.relay()["total"]
        for number in range(BURST // HOSTS):
            namespace.create(burst_job(f"burst-{number}"))
        wait_for("the burst to begin", lambda: count(namespace) >= 16, 20, every=0.01)
        wait_for(f"a connection to {victim.name}", lambda: connections(release, victim) > before.get(victim.name, 0), 10, every=0.02)
        at = count(namespace)
        victim.signal(signal.SIGSTOP)
        time.sleep(HELD)
        victim.kill()
        wait_for("the burst to end", lambda: count(namespace) == BURST, 60)
        victim.start()  # as its kubelet would
        release.wait_ready()
    pods = namespace.pods()
    assert [pod["metadata"]["name"] for pod in pods if not injected(pod)] == []
    assert places(pods) == {(f"burst-{number}", index) for number in range(BURST // HOSTS) for index in range(HOSTS)}
    refused = audit.refused(plane, namespace.name)
    assert all("failed calling webhook" in message for message in refused), refused
    picture("a replica killed in a burst", f"  killed after {at} of {BURST} Pods; {len(refused)} creations failed and were tried again, "
            "none left unmutated" + "".join(f"\n  {message}" for message in sorted(set(refused))[:3]))


def burst_job(name):
    """A slice of 64 hosts; its Pods are not scheduled."""
    pod = member("", 0, name, "16x16")["spec"]
    del pod["hostname"]
    return {
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"completionMode": "Indexed", "completions": HOSTS, "parallelism": HOSTS, "backoffLimit": 0, "template": {"spec": pod}},
    }


def connections(release, replica):
    """So many so far."""
    return release.relay()["total"].get(replica.name, 0)


def count(namespace):
    found = namespace.api.count("v1", "Pod", namespace.name)
    namespace.most_pods = max(namespace.most_pods, found)
    return found


def places(pods):
    """(job, completion index) of each."""
    labels = [pod["metadata"]["labels"] for pod in pods]
    return {(one[JOB], int(one[INDEX])) for one in labels}
