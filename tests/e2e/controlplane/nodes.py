"""Fake nodes, in pools as GKE makes them: one multi-host slice is one pool.

Labels are those of the public guides and of GKE's TPU nodes. A node's name is
`gke-tpu-<pool>-<node>` with two hashes, as in the guide's output.
"""

import dataclasses
import hashlib
import math

from . import kube, programs

ZONE = "us-central1-b"
TPU = "google.com/tpu"
FAKE = {"e2e.tpu-webhook.dev/fake": "true"}  # where there are real ones beside
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # what generated names are made of


@dataclasses.dataclass(frozen=True)
class Machine:
    """A machine type: chips, virtual CPUs, GB. From topology/tpu-catalog.json."""

    accelerator: str
    chips: int
    cpus: int
    memory_gb: int


MACHINES = {
    "ct6e-standard-4t": Machine("tpu-v6e-slice", 4, 180, 720),
    "ct6e-standard-8t": Machine("tpu-v6e-slice", 8, 360, 1440),
    "ct5lp-hightpu-4t": Machine("tpu-v5-lite-podslice", 4, 112, 192),
    "tpu7x-standard-4t": Machine("tpu7x", 4, 224, 960),
    "e2-standard-16": Machine("", 0, 16, 64),
    "e2e-standard-2": Machine("", 0, 2, 8),  # a real node's own: this machine's
}


@dataclasses.dataclass(frozen=True)
class Pool:
    """`nodes` is for pools without a slice, and for several one-node slices in one pool."""

    name: str
    machine: str
    topology: str = ""
    nodes: int = 0

    def size(self) -> int:
        if self.nodes or not self.topology:
            return self.nodes
        chips = math.prod(map(int, self.topology.split("x")))
        return max(1, chips // MACHINES[self.machine].chips)


DEFAULT_POOLS = (
    Pool("default-pool", "e2-standard-16", nodes=3),
    Pool("nodepool", "ct6e-standard-4t", "2x4"),  # "First Training Job With JAX on TPUs"
    Pool("tpu-pool", "ct6e-standard-8t", "2x4"),  # its bonus, one VM
    Pool("v6e-2x2", "ct6e-standard-4t", "2x2", nodes=2),
    Pool("tpu-slice-a", "ct6e-standard-4t", "4x4"),  # "TPU Multislice Training with JobSet"
    Pool("tpu-slice-b", "ct6e-standard-4t", "4x4"),
    Pool("tpu-slice-c", "ct6e-standard-4t", "4x4"),
    Pool("tpu-slice-d", "ct6e-standard-4t", "4x4"),
    Pool("tpu7x-2x2x2", "tpu7x-standard-4t", "2x2x2"),
    Pool("tpu7x-2x2x1", "tpu7x-standard-4t", "2x2x1"),
)


def parse_pools(text: str) -> list:
    """NAME=MACHINE:TOPOLOGY[:COUNT], as `--pool` takes it; COUNT pools are named NAME-0, NAME-1, …"""
    name, _, rest = text.partition("=")
    machine, topology, *count = rest.split(":")
    if machine not in MACHINES:
        raise SystemExit(f"--pool {text}: machine type {machine} is not one of {', '.join(MACHINES)}")
    if not count:
        return [Pool(name, machine, topology)]
    return [Pool(f"{name}-{number}", machine, topology) for number in range(int(count[0]))]


def create(client: kube.Kube, pools, labels: dict | None = None) -> int:
    """Make the nodes, with these labels too, and wait until none is tainted not-ready any more."""
    objects = [node(pool, number) for pool in pools for number in range(pool.size())]
    for one in objects:
        one["metadata"]["labels"].update(labels or {})
    client.create_all(objects, threads=16)
    kube.wait_for("nodes without the not-ready taint", lambda: not _not_ready(client), 120, every=0.2)
    return len(objects)


def node(pool: Pool, number: int) -> dict:
    """The Node object, with its status: the API server keeps it on create."""
    machine = MACHINES[pool.machine]
    name = node_name(pool, number)
    resources = {"cpu": str(machine.cpus), "memory": f"{machine.memory_gb}G", "pods": "110", "ephemeral-storage": "100Gi"}
    if machine.chips:
        resources[TPU] = str(machine.chips)
    address = _hash(pool.name) % 250 + 1
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": _labels(pool, name)},
        "spec": {
            "providerID": f"gce://e2e/{ZONE}/{name}",
            "taints": [{"key": TPU, "value": "present", "effect": "NoSchedule"}] if machine.chips else [],
        },
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "addresses": [
                {"type": "InternalIP", "address": f"10.128.{address}.{number + 2}"},
                {"type": "Hostname", "address": name},
            ],
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "fake node"}],
            "nodeInfo": _node_info(),
        },
    }


def node_name(pool: Pool, number: int) -> str:
    prefix = "gke-tpu" if pool.topology else f"gke-{pool.name}"
    return f"{prefix}-{_hash(pool.name):08x}-{_suffix(pool.name, number)}"


def _labels(pool: Pool, name: str) -> dict:
    machine = MACHINES[pool.machine]
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": pool.machine,
        "cloud.google.com/machine-family": pool.machine.split("-")[0],
        "cloud.google.com/gke-nodepool": pool.name,
        "topology.kubernetes.io/region": ZONE.rpartition("-")[0],
        "topology.kubernetes.io/zone": ZONE,
    }
    if machine.chips:
        labels["cloud.google.com/gke-tpu-accelerator"] = machine.accelerator
        labels["cloud.google.com/gke-tpu-topology"] = pool.topology
        labels["cloud.google.com/gke-accelerator-count"] = str(machine.chips)
    return labels


def _node_info() -> dict:
    """Required to be there; the values mean nothing here."""
    names = ("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion", "kubeProxyVersion")
    return {**dict.fromkeys(names, ""), "kubeletVersion": programs.KUBERNETES_VERSION, "operatingSystem": "linux", "architecture": "amd64"}


def _not_ready(client: kube.Kube) -> list:
    return [
        one["metadata"]["name"]
        for one in client.get("/api/v1/nodes")["items"]
        if any(taint["key"] == "node.kubernetes.io/not-ready" for taint in one["spec"].get("taints", []))
    ]


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def _suffix(pool: str, number: int) -> str:
    value, letters = _hash(f"{pool}/{number}"), ""
    for _ in range(4):
        value, index = divmod(value, len(_LETTERS))
        letters += _LETTERS[index]
    return letters
