"""What is created, all of it in the namespace of its own.

Every Pod ends by itself (activeDeadlineSeconds): if this program dies, its chips are free again after ten minutes. None
has a token of a service account.
"""

from __future__ import annotations

import dataclasses
import pathlib

from .pools import ACCELERATOR, NODE_POOL, TOPOLOGY, TPU, Pool

NAME = "try"
MARK = "tpu-webhook.dev/try"  # label of the namespace: the run that made it
LABELS = {"app.kubernetes.io/name": "tpu-webhook-try"}
NOT_INJECTED = {"tpu-webhook.dev/inject": "false"}  # leave this Pod alone: docs/contract.md
POD_SECONDS = 600
INDEX = "batch.kubernetes.io/job-completion-index"
TOLD = "tpu-webhook.dev/try-told"
_INSIDE = pathlib.Path(__file__).with_name("inside")


@dataclasses.dataclass(frozen=True)
class Making:
    """What all Pods have in common."""

    namespace: str
    image: str
    pool: Pool
    privileged: bool = False

    def metadata(self, name: str, annotations: dict | None = None, labels: dict | None = None) -> dict:
        return {
            "name": name,
            "namespace": self.namespace,
            "labels": {**LABELS, **(labels or {})},
            "annotations": annotations or {},
        }

    def container(self, name: str, program: str, chips: int, env: list | None = None) -> dict:
        """`program`: of the folder inside."""
        text = (_INSIDE / program).read_text(encoding="utf-8")
        made = {"name": name, "image": self.image, "command": ["python", "-c", text], "env": env or []}
        if chips:
            made["resources"] = {"limits": {TPU: str(chips)}}
        if self.privileged and chips:
            made["securityContext"] = {"privileged": True}
        return made

    def spec(self, *containers: dict, **more) -> dict:
        nodes = self.pool.nodes[0]["metadata"]["labels"]
        return {
            "restartPolicy": "Never",
            "activeDeadlineSeconds": POD_SECONDS,
            "terminationGracePeriodSeconds": 5,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "nodeSelector": {key: nodes[key] for key in (ACCELERATOR, TOPOLOGY, NODE_POOL) if key in nodes},
            "tolerations": [{"operator": "Equal", **taint} for taint in self.pool.taints],
            "containers": list(containers),
            **more,
        }


def host_pod(making: Making, name: str, node: dict, env: list | None = None) -> dict:
    """On this host: its first container has no chips, and prints what the image alone gives."""
    shows = making.container("host", "shows.py", making.pool.chips, env)
    spec = making.spec(shows, initContainers=[making.container("image", "shows.py", 0)])
    spec["nodeSelector"]["kubernetes.io/hostname"] = node["metadata"]["labels"].get(
        "kubernetes.io/hostname", node["metadata"]["name"]
    )
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": making.metadata(name, {**NOT_INJECTED, TOLD: "told"}),
        "spec": spec,
    }


def told() -> dict:
    """A value by fieldRef to an annotation."""
    return {"fieldRef": {"fieldPath": f"metadata.annotations['{TOLD}']"}}


def service(making: Making) -> dict:
    spec = {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"job-name": NAME}}
    return {"apiVersion": "v1", "kind": "Service", "metadata": making.metadata(NAME), "spec": spec}


def job(making: Making, hosts: int, annotations: dict | None = None) -> dict:
    """One Pod on each host of the slice. A Pod that fails ends no other: each is to say its last line."""
    spec = making.spec(making.container("member", "sums.py", making.pool.chips), subdomain=NAME)
    template = {"metadata": {"labels": LABELS, "annotations": annotations or {}}, "spec": spec}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": making.metadata(NAME),
        "spec": {
            "completions": hosts,
            "parallelism": hosts,
            "completionMode": "Indexed",
            "backoffLimitPerIndex": 0,
            "maxFailedIndexes": hosts,
            "template": template,
        },
    }


def member(making: Making, hosts: int, annotations: dict | None = None, env: list | None = None) -> dict:
    """The first Pod of that Job as its controller would ask for it, for a trial that stores nothing."""
    spec = job(making, hosts)["spec"]["template"]["spec"]
    spec["hostname"] = f"{NAME}-0"
    spec["containers"][0]["env"] = env or []
    labels = {INDEX: "0", "batch.kubernetes.io/job-name": NAME, "job-name": NAME}
    metadata = making.metadata(f"{NAME}-0-trial", {INDEX: "0", **(annotations or {})}, labels)
    metadata["ownerReferences"] = [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": NAME,
            "controller": True,
            "uid": "00000000-0000-4000-8000-000000000000",
        }
    ]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def plain(pod: dict) -> dict:
    """A Pod that a controller would make, as one that nobody owns."""
    metadata = pod["metadata"]
    labels = {key: value for key, value in metadata["labels"].items() if not key.endswith("controller-uid")}
    kept = {
        "name": pod["spec"]["hostname"],
        "namespace": metadata["namespace"],
        "labels": labels,
        "annotations": metadata["annotations"],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": kept, "spec": pod["spec"]}
