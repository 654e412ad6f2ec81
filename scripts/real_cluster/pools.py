"""TPU node pools: what their nodes say, and which of it is as docs/facts.md has it."""

from __future__ import annotations

import math
import re

from . import private
from .findings import Step
from .kubectl import Kubectl

TPU = "google.com/tpu"
ACCELERATOR, TOPOLOGY = "cloud.google.com/gke-tpu-accelerator", "cloud.google.com/gke-tpu-topology"
NODE_POOL, COUNT = "cloud.google.com/gke-nodepool", "cloud.google.com/gke-accelerator-count"
RESERVATION = "cloud.google.com/reservation-name"
CAPACITY = {
    "cloud.google.com/gke-spot": "spot",
    "cloud.google.com/gke-flex-start": "flex-start",
    "cloud.google.com/gke-preemptible": "preemptible",
    "cloud.google.com/gke-queued": "queued",
}
TAINT = {"key": TPU, "value": "present", "effect": "NoSchedule"}
PERMANENT = (TPU, *CAPACITY, "cloud.google.com/compute-class")  # docs/facts.md#taints
# Pods on a node that have not ended, a line each: the chips that their containers ask for. No more of them comes here.
_CHIPS_OF_A_POD = '{.status.phase}{range .spec.containers[*]}{" "}{.resources.requests.google\\.com/tpu}{end}'
_CHIPS_OF_PODS = "{range .items[*]}" + _CHIPS_OF_A_POD + '{"\\n"}{end}'


class Pool:
    """The nodes of one node pool, as they were read. `alias` is its name in the report."""

    def __init__(self, name: str, nodes: list, names: private.Names):
        self.name, self.nodes, self.alias = (
            name,
            sorted(nodes, key=lambda node: node["metadata"]["name"]),
            names.pool(name),
        )
        self.free: list | None = None  # nodes, once it was asked; None: not known
        for node in self.nodes:
            names.host(node["metadata"]["name"])

    def label(self, key: str) -> str:
        return ", ".join(sorted({label(node, key) for node in self.nodes}))

    @property
    def chips(self) -> int:
        """Of each node; 0 where they differ or there is no device plugin yet."""
        found = {chips(node) for node in self.nodes}
        return found.pop() if len(found) == 1 else 0

    @property
    def total(self) -> int:
        """Chips of the topology; 0 where it is none."""
        text = self.label(TOPOLOGY)
        return math.prod(map(int, text.split("x"))) if re.fullmatch(r"\d+(x\d+){1,2}", text) else 0

    @property
    def hosts(self) -> int:
        """Of a slice; 0: not known."""
        return self.total // self.chips if self.chips and self.total % self.chips == 0 else 0

    @property
    def taints(self) -> list:
        """Those that stay, each once."""
        found = {
            (one["key"], one.get("value", ""), one["effect"])
            for node in self.nodes
            for one in node["spec"].get("taints", [])
            if not one["key"].startswith("node.kubernetes.io/")
        }
        return [{"key": key, "value": value, "effect": effect} for key, value, effect in sorted(found)]

    def is_whole(self) -> bool:
        """A slice of several hosts, all free."""
        return self.hosts > 1 and len(self.nodes) == self.hosts and len(self.free or []) == self.hosts

    def summary(self) -> dict:
        """Of it in the report."""
        info = self.nodes[0]["status"].get("nodeInfo", {})
        keys = sorted(
            {
                key
                for node in self.nodes
                for key in labels(node)
                if re.fullmatch(r"cloud\.google\.com/gke-tpu-[a-z0-9-]{1,60}", key)
            }
        )
        return {
            "pool": self.alias,
            "accelerator": private.plain(self.label(ACCELERATOR)),
            "topology": private.plain(self.label(TOPOLOGY)),
            "machine": private.machine(self.label("node.kubernetes.io/instance-type")),
            "nodes": len(self.nodes),
            "ready": sum(map(usable, self.nodes)),
            "free": None if self.free is None else len(self.free),
            "chipsPerNode": sorted({chips(node) for node in self.nodes}),
            "capacity": sorted(capacity(self.nodes[0])),
            "reservation": bool(self.label(RESERVATION)),
            "taints": [one["key"] for one in self.taints if one["key"] in PERMANENT],
            "otherTaints": sum(one["key"] not in PERMANENT for one in self.taints),
            "labels": keys,
            "kubelet": private.version(info.get("kubeletVersion", "")),
            "runtime": private.version(info.get("containerRuntimeVersion", "")),
        }


def read(kubectl: Kubectl, names: private.Names) -> list:
    by_pool: dict = {}
    for node in kubectl.get("nodes", f"--selector={ACCELERATOR}")["items"]:
        hide(node, names)
        by_pool.setdefault(label(node, NODE_POOL), []).append(node)
    return [Pool(name, by_pool[name], names) for name in sorted(by_pool)]


def hide(node: dict, names: private.Names) -> None:
    """All that a node says of where it is."""
    for part in re.split(r"[/:]+", node["spec"].get("providerID", "")):
        names.hide(part)
    for address in node["status"].get("addresses", []):
        names.hide(address["address"])
    for key in ("topology.kubernetes.io/zone", "topology.kubernetes.io/region", RESERVATION):
        names.hide(label(node, key))


def count_free(kubectl: Kubectl, pool: Pool) -> None:
    """Which of its nodes are ready and have no chip in use. Raises Failed where Pods may not be listed."""
    free = []
    for node in filter(usable, pool.nodes):
        said = kubectl.columns(
            _CHIPS_OF_PODS, "pods", "--all-namespaces", f"--field-selector=spec.nodeName={node['metadata']['name']}"
        )
        lines = [line.split() for line in said.splitlines()]
        if not any(numbers for phase, *numbers in filter(None, lines) if phase not in ("Succeeded", "Failed")):
            free.append(node)
    pool.free = free


def check(pools: list, step: Step) -> None:
    for pool in pools:
        _check_one(pool, step)


def choose(pools: list, wanted: str) -> Pool | None:
    """The pool to use: the one that is named, else the smallest that is free as a whole, else one with a free host."""
    if wanted:
        return next((pool for pool in pools if wanted == pool.name), None)
    open_to_all = [pool for pool in pools if all(taint["key"] in PERMANENT for taint in pool.taints) and pool.free]
    return min(open_to_all, key=lambda pool: (not pool.is_whole(), pool.hosts), default=None)


def _check_one(pool: Pool, step: Step) -> None:
    about = {"of": pool.alias}
    accelerator, topology = private.plain(pool.label(ACCELERATOR)), private.plain(pool.label(TOPOLOGY))
    step.holds(
        "topology-text", pool.total > 0, topology, "two or three numbers joined by x", fact="topology-text", **about
    )
    for node in pool.nodes:
        if label(node, COUNT) != str(chips(node)):
            step.equal("accelerator-count", private.plain(label(node, COUNT)), chips(node), **about)
            break
    else:
        step.note("accelerator-count", f"{pool.chips} chips on each node, and its label says so", **about)
    if label(pool.nodes[0], "gke-accelerator-topology-mode") or label(
        pool.nodes[0], "cloud.google.com/gke-accelerator-topology-mode"
    ):
        step.not_known("whole-hosts", "a pool of dynamic slices", fact="dynamic-slices", **about)
    elif not pool.hosts:
        step.not_known(
            "whole-hosts",
            f"{topology} with {sorted({chips(node) for node in pool.nodes})} chips on its nodes",
            fact="whole-hosts",
            **about,
        )
    elif pool.hosts > 1:
        step.equal(
            "whole-hosts",
            f"{len(pool.nodes)} nodes of {pool.chips} chips, {topology}",
            f"{pool.hosts} nodes of {pool.chips} chips, {topology}",
            fact="one-slice-a-pool",
            **about,
        )
    else:
        step.note(
            "whole-hosts", f"slices of one host, {topology}; nodes: {len(pool.nodes)}", fact="whole-hosts", **about
        )
    known = re.fullmatch(private.ACCELERATOR, accelerator)
    step.holds("accelerator", bool(known), accelerator, "a label of GKE's form", fact="labels-to-come", **about)
    taint = f"{TPU}=present:NoSchedule"
    step.equal("tpu-taint", taint if TAINT in pool.taints else "missing", taint, fact="tpu-node-taint", **about)
    most = max(len(capacity(node) & {"spot", "flex-start"}) for node in pool.nodes)
    step.holds(
        "capacity-labels",
        most <= 1,
        f"{most} of spot and flex-start",
        "at most 1 on a node",
        fact="capacity-labels",
        **about,
    )


def label(node: dict, key: str) -> str:
    return labels(node).get(key, "")


def labels(node: dict) -> dict:
    return node["metadata"].get("labels", {})


def chips(node: dict) -> int:
    return int(node["status"].get("allocatable", {}).get(TPU, "0"))


def capacity(node: dict) -> set:
    found = {word for key, word in CAPACITY.items() if label(node, key) == "true"}
    return found | ({label(node, "cloud.google.com/gke-provisioning")} & {"spot", "flex-start"})


def usable(node: dict) -> bool:
    """Ready, with chips, and open for new Pods."""
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", []))
    return ready and chips(node) > 0 and not node["spec"].get("unschedulable")
