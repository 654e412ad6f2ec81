"""Pods as controllers make them, without the controller: what a case says is all that varies.

None is ever scheduled: the nodes are others' business.
"""

from .namespace import env_of

JOB = "batch.kubernetes.io/job-name"
INDEX = "batch.kubernetes.io/job-completion-index"
GATE = "e2e.tpu-webhook.dev/unscheduled"
TOPOLOGY = "cloud.google.com/gke-tpu-topology"
ACCELERATOR = "cloud.google.com/gke-tpu-accelerator"
INJECTED = "tpu-webhook.dev/injected"
SLICE = "tpu-webhook.dev/slice"


def member(name: str, index: int | str, job: str = "trainer", topology: str = "2x4",
           accelerator: str = "tpu-v6e-slice", chips: tuple = (4,)) -> dict:
    """What the Job controller makes for completion index `index`: a container for each of `chips`."""
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": {JOB: job, INDEX: str(index)}},
        "spec": {
            "restartPolicy": "Never", "hostname": f"{job}-{index}", "subdomain": job,
            "schedulingGates": [{"name": GATE}],
            "nodeSelector": {ACCELERATOR: accelerator, TOPOLOGY: topology},
            "containers": [container(f"main-{number}", count) for number, count in enumerate(chips)],
        },
    }


def container(name: str, chips: int) -> dict:
    return {"name": name, "image": "i", "resources": {"limits": {"google.com/tpu": str(chips)}}}


def alone(name: str) -> dict:
    """It asks for chips and is of no slice: we are asked about it, and change nothing."""
    spec = {"schedulingGates": [{"name": GATE}], "containers": [container("c", 4)]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def web(name: str = "web") -> dict:
    """A Pod that is none of our business."""
    spec = {"schedulingGates": [{"name": GATE}], "containers": [{"name": "c", "image": "i"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def injected(pod: dict) -> bool:
    """Has it all that a member of a slice needs, its own id among it?"""
    own = env_of(pod).get("TPU_WORKER_ID")
    return (own is not None and own == pod["metadata"]["labels"][INDEX]
            and "TPU_WORKER_HOSTNAMES" in env_of(pod) and INJECTED in pod["metadata"].get("annotations", {}))


def untouched(pod: dict) -> bool:
    """Has it nothing of ours?"""
    ours = [entry["name"] for one in pod["spec"]["containers"] for entry in one.get("env", [])]
    marks = [*pod["metadata"].get("annotations", {}), *pod["metadata"].get("labels", {})]
    return (not any(name.startswith(("TPU_", "MEGASCALE_")) for name in ours)
            and not any(mark.startswith("tpu-webhook.dev/") for mark in marks)
            and "affinity" not in pod["spec"])
