"""Which Pods are one slice, by their owners' own labels, and whether it stands.

A slice stands when all its Pods run, all on the nodes of one pool, and nobody else's TPU Pod is on
that pool. Nothing here reads what tpu-webhook wrote, so that it serves with and without it.
"""

import collections
import dataclasses

from controlplane.nodes import TPU

from .namespace import node_of


@dataclasses.dataclass
class Slice:
    name: str
    pods: list
    pools: list  # where its bound Pods are, sorted, each once
    stands: bool
    why: str  # it does not

    def line(self) -> str:
        bound = sum(bool(node_of(pod)) for pod in self.pods)
        where = ", ".join(self.pools) or "nowhere"
        return f"{self.name:<28}{bound:>2} of {len(self.pods)} placed  {'stands' if self.stands else self.why:<28}{where}"


def of(pods: list, pools: dict, hosts: int = 4) -> list:
    """The slices among the Pods, each to be of `hosts` Pods. `pools`: node -> pool."""
    groups = collections.defaultdict(list)
    for pod in pods:
        if chips(pod):
            groups[name_of(pod)].append(pod)
    holders = collections.defaultdict(set)  # pool -> slices with a Pod there
    for name, members in groups.items():
        for pod in members:
            if node_of(pod):
                holders[pools[node_of(pod)]].add(name)
    return [_slice(name, members, pools, holders, hosts)
            for name, members in sorted(groups.items())]


def name_of(pod: dict) -> str:
    """WORKLOAD/SLICE, or WORKLOAD where it has but one."""
    labels = pod["metadata"].get("labels", {})
    jobset = "jobset.sigs.k8s.io/"
    lws = "leaderworkerset.sigs.k8s.io/"
    if jobset + "jobset-name" in labels:
        return f"{labels[jobset + 'jobset-name']}/{labels[jobset + 'job-index']}"
    if lws + "name" in labels:
        return f"{labels[lws + 'name']}/{labels[lws + 'group-index']}"
    if "ray.io/cluster" in labels:
        return f"{labels['ray.io/cluster']}/{labels.get('ray.io/worker-group-replica-name', '')}"
    if "batch.kubernetes.io/job-name" in labels:
        return labels["batch.kubernetes.io/job-name"]
    return pod["metadata"]["ownerReferences"][0]["name"]


def chips(pod: dict) -> int:
    """google.com/tpu that its containers ask for together."""
    asked = (container.get("resources", {}).get("limits", {}) for container in pod["spec"]["containers"])
    return sum(int(limits.get(TPU, 0)) for limits in asked)


def table(slices: list) -> str:
    """One line each, and how many stand."""
    stand = sum(one.stands for one in slices)
    lines = [f"  {one.line()}" for one in slices]
    return "\n".join([*lines, f"  {stand} of {len(slices)} slices stand on a pool of their own"])


def _slice(name: str, members: list, pools: dict, holders: dict, hosts: int) -> Slice:
    own = sorted({pools[node_of(pod)] for pod in members if node_of(pod)})
    waiting = [pod for pod in members if pod["status"].get("phase") != "Running"]
    why = ""
    if len(members) != hosts:
        why = f"{len(members)} of {hosts} Pods exist"
    elif waiting:
        why = f"{len(waiting)} wait"
    elif len(own) > 1:
        why = f"spread over {len(own)} pools"
    elif holders[own[0]] != {name}:
        why = "shares its pool"
    return Slice(name, members, own, not why, why)
