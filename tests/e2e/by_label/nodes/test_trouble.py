"""What happens to Pods that train: a container that ends, a node that dies and comes back, a Pod that is evicted.

Each time whoever comes back is the same member of its slice, and the slice trains again as one; and all the time replicas
of the webhook are killed.
"""

import time

import pytest

from harness import training
from harness.api import wait_for
from harness.namespace import env_of, node_of

pytestmark = pytest.mark.usefixtures("replicas_die")
ONCE = """
import os, pathlib, sys
seen = pathlib.Path("/once/seen")
if os.environ["JOB_COMPLETION_INDEX"] == "0" and not seen.exists():
    seen.touch()
    sys.exit("ends once, before it has met anybody")
"""


def ends_once(obj):
    """Worker 0's container ends once and is started again in its Pod."""
    training.training(obj)
    if obj["kind"] == "Job":
        obj["spec"]["backoffLimit"] = 6
        spec = obj["spec"]["template"]["spec"]
        spec.update(restartPolicy="OnFailure", volumes=[{"name": "once", "emptyDir": {}}])
        spec["containers"][0]["volumeMounts"] = [{"name": "once", "mountPath": "/once"}]
        spec["containers"][0]["command"][-1] = ONCE + training.PROGRAM


def test_a_container_that_is_started_again(release, namespace):
    namespace.apply("job-2x4.yaml", edit=ends_once)
    wait_for("the Job to be complete", lambda: complete(namespace), training.SECONDS, every=0.3)
    pods = namespace.api.pods(namespace.name)
    assert sorted(pod["status"]["containerStatuses"][0]["restartCount"] for pod in pods)[-1] >= 1
    assert not training.trained_as_one([training.said(namespace, pod, pod["status"]["containerStatuses"][0]) for pod in pods])


def complete(namespace) -> bool:
    job = namespace.get("batch/v1", "Job", "tpu-training-job")
    return any(one["type"] == "Complete" and one["status"] == "True" for one in job["status"].get("conditions", []))


def and_stays(obj):
    """A LeaderWorkerSet of one slice whose containers train and then stay, as servers do."""
    training.training(obj)
    obj["spec"]["replicas"], template = 1, obj["spec"]["leaderWorkerTemplate"]
    template["size"] = 2
    for which in ("leaderTemplate", "workerTemplate"):
        spec = template[which]["spec"]
        spec["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x4"
        spec["containers"][0]["command"][-1] += "\nimport signal; signal.pause()\n"


def trained(namespace, but=()) -> list:
    """Wait until two Pods, none of them of these uids, have trained as one."""
    def done():
        pods = sorted(namespace.pods(), key=lambda pod: pod["metadata"]["name"])
        if len(pods) != 2 or {pod["metadata"]["uid"] for pod in pods} & set(but):
            return None
        statuses = [(pod, one) for pod in pods for one in pod["status"].get("containerStatuses", []) if "running" in one["state"]]
        words = [training.said(namespace, *one) for one in statuses]
        return pods if len(words) == 2 and all(one.answer for one in words) and not training.trained_as_one(words) else None

    try:
        return wait_for("two hosts to have trained as one", done, training.SECONDS, every=0.5)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{namespace.table()}") from None


def member(pod: dict) -> dict:
    return {name: env_of(pod).get(name) for name in ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES")}


def uids(pods: list) -> list:
    return [pod["metadata"]["uid"] for pod in pods]


def test_an_evicted_pod(release, namespace, picture):
    """The group is made again, with the same members."""
    namespace.apply("lws.yaml", edit=and_stays)
    before = trained(namespace)
    began = time.monotonic()
    namespace.api.evict(before[1]["metadata"]["name"], namespace.name)
    after = trained(namespace, but=uids(before))
    picture("a worker is evicted", f"  the group trains again {time.monotonic() - began:.0f} s later")
    assert [member(pod) for pod in after] == [member(pod) for pod in before]


def test_a_node_that_dies_and_comes_back(release, namespace, machines, picture):
    """With the plug pulled nobody says anything; when it is back the kubelet starts what was there, and LWS the group."""
    namespace.apply("lws.yaml", edit=and_stays)
    before = trained(namespace)
    (dead,) = [one for many in machines.values() for one in many if one.name == node_of(before[1])]
    began = time.monotonic()
    dead.kill()
    wait_for("the control plane to notice", lambda: not dead.ready(), 90, every=0.5)
    noticed = time.monotonic() - began
    dead.start()
    wait_for("the node to be ready", dead.ready, 90, every=0.2)
    after = trained(namespace, but=uids(before))
    picture("a node dies and comes back", f"  NotReady after {noticed:.0f} s; the group trains again "
            f"{time.monotonic() - began:.0f} s after the plug was pulled")
    assert [member(pod) for pod in after] == [member(pod) for pod in before]
