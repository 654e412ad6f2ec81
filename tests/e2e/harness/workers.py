"""Ray workers as KubeRay makes them without index labels, and RayClusters that nobody reconciles.

`spec.managedBy` names Kueue's multi-cluster controller, so the real KubeRay leaves them alone, and
these stories decide when a worker comes and goes. No scheduler looks at the Pods.
"""

import collections
import copy

from .namespace import env_of
from .pods import ACCELERATOR, TOPOLOGY

GROUP = "tpu-group"
TOKEN = "tpu-webhook.dev/token"
CHIPS = 4
TOPOLOGIES = {2: "2x4", 4: "4x4", 64: "16x16"}  # hosts of 4 chips -> topology of v6e


class Cluster:
    """A RayCluster of `replicas` slices of `hosts` hosts in each of its groups, made in the namespace."""

    def __init__(self, namespace, name: str, hosts: int = 4, replicas: int = 1, labels: dict | None = None,
                 groups: tuple = (GROUP,)):
        self.namespace, self.name, self.hosts, self.replicas = namespace, name, hosts, replicas
        self._labels, self.groups = labels or {}, groups
        made = namespace.create(self._object())
        self.uid = made["metadata"]["uid"]

    @property
    def size(self) -> int:
        return self.hosts * self.replicas

    def scale(self, replicas: int) -> None:
        self.replicas = replicas
        groups = self._object()["spec"]["workerGroupSpecs"]
        self.namespace.api.patch("ray.io/v1", "RayCluster", self.name, {"spec": {"workerGroupSpecs": groups}},
                                 self.namespace.name)

    def worker(self, name: str, group: str | None = None) -> dict:
        """A Pod of a worker group, the first if none is named."""
        owner = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": self.name, "uid": self.uid,
                 "controller": True, "blockOwnerDeletion": True}
        labels = {"ray.io/node-type": "worker", "ray.io/cluster": self.name, "ray.io/group": group or self.groups[0],
                  "ray.io/is-ray-node": "yes", "app.kubernetes.io/created-by": "kuberay-operator", **self._labels}
        return {"apiVersion": "v1", "kind": "Pod",
                "metadata": {"name": name, "namespace": self.namespace.name, "labels": labels, "ownerReferences": [owner]},
                "spec": {**self._template(), "schedulerName": "nobody"}}

    def add(self, name: str, dry_run: bool = False, node: str | None = None, group: str | None = None) -> dict:
        """`node`: where it runs, as if a scheduler had said so."""
        worker = self.worker(name, group)
        if node:
            worker["spec"]["nodeName"] = node
        return self.namespace.api.create(worker, dry_run=dry_run)

    def remove(self, pod: dict) -> None:
        self.namespace.api.delete("v1", "Pod", pod["metadata"]["name"], self.namespace.name)

    def pods(self) -> list:
        return self.namespace.api.pods(self.namespace.name, f"ray.io/cluster={self.name}")

    def _template(self) -> dict:
        return {"nodeSelector": {ACCELERATOR: "tpu-v6e-slice", TOPOLOGY: TOPOLOGIES[self.hosts]},
                "containers": [{"name": "ray-worker", "image": "i",
                                "resources": {"limits": {"google.com/tpu": str(CHIPS)}}}]}

    def _object(self) -> dict:
        head = {"spec": {"containers": [{"name": "ray-head", "image": "i"}]}}
        groups = [{"groupName": group, "replicas": self.replicas, "minReplicas": 0, "maxReplicas": 16,
                   "numOfHosts": self.hosts, "rayStartParams": {}, "template": {"spec": self._template()}}
                  for group in self.groups]
        return {"apiVersion": "ray.io/v1", "kind": "RayCluster",
                "metadata": {"name": self.name, "namespace": self.namespace.name},
                "spec": {"managedBy": "kueue.x-k8s.io/multikueue",
                         "headGroupSpec": {"rayStartParams": {}, "template": head}, "workerGroupSpecs": groups}}


def copy_of(pod: dict, name: str) -> dict:
    """What `kubectl get -o yaml` and `create` under another name make of a Pod that lives."""
    made = copy.deepcopy(pod)
    metadata = made["metadata"]
    made["metadata"] = {key: metadata[key] for key in ("namespace", "labels", "annotations", "ownerReferences") if key in metadata}
    made["metadata"]["name"] = name
    made.pop("status", None)
    return made


def place(pod: dict) -> tuple:
    """(slice, host) as the Pod has them; (None, None) without ids."""
    replica = pod["metadata"].get("labels", {}).get("replicaIndex", "")
    worker = env_of(pod).get("TPU_WORKER_ID")
    return (int(replica.rpartition("-")[2]), int(worker)) if replica and worker is not None else (None, None)


def living(pods: list) -> list:
    return [pod for pod in pods if not pod["metadata"].get("deletionTimestamp")]


def doubles(pods: list) -> dict:
    """Places that several living Pods have, with the Pods' names."""
    found = collections.defaultdict(list)
    for pod in living(pods):
        found[place(pod)].append(pod["metadata"]["name"])
    return {where: names for where, names in found.items() if len(names) > 1 or where == (None, None)}


def whole(pods: list, hosts: int, slices: int | list) -> str:
    """"" if the living Pods are exactly these slices, each with all its hosts; else what is wrong."""
    numbers = range(slices) if isinstance(slices, int) else slices
    wanted = {(number, host) for number in numbers for host in range(hosts)}
    found = [place(pod) for pod in living(pods)]
    if twice := doubles(pods):
        return f"several Pods with one place: {twice}"
    missing, more = sorted(wanted - set(found)), sorted(set(found) - wanted)
    return "" if not missing and not more else f"missing {missing[:8]}, unexpected {more[:8]}"
