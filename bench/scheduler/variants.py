"""Other terms than those that tpu-webhook writes, to be measured beside them.

Each takes a Pod as the program answers it and changes it in place. Those marked "weaker" promise
less: they say what a term costs.
"""

from collections.abc import Callable

from .constraints import NAMESPACES, POOL, PREFERRED, REQUIRED, Constraint, pool_name, slice_of

PRIORITY, LEADER = "tpu-webhook.dev/priority", "tpu-webhook.dev/leader"


def _terms(pod: dict) -> tuple:
    """(own, others of the priority, others in the preference)."""
    affinity = pod["spec"]["affinity"]
    return (affinity["podAffinity"][REQUIRED][0], affinity["podAntiAffinity"][REQUIRED][0],
            affinity["podAntiAffinity"][PREFERRED][0]["podAffinityTerm"])


def _expressions(term: dict) -> list:
    return term["labelSelector"]["matchExpressions"]


def other_priorities(pod: dict) -> None:
    """The preference is about slices of other priorities alone: of the own one, the requirement keeps away."""
    expressions = _expressions(_terms(pod)[2])
    if not any(one["key"] == PRIORITY for one in expressions):
        expressions.append({"key": PRIORITY, "operator": "NotIn", "values": [pod["metadata"]["labels"][PRIORITY]]})


def every_priority(pod: dict) -> None:
    """The preference is about all other slices."""
    expressions = _expressions(_terms(pod)[2])
    expressions[:] = [one for one in expressions if one["key"] != PRIORITY]


def without_exists(pod: dict) -> None:
    """Who has the label of a priority has that of a slice."""
    expressions = _expressions(_terms(pod)[1])
    expressions[:] = [one for one in expressions if one["operator"] != "Exists"]


def own_namespace(pod: dict) -> None:
    """Members of a slice are in one namespace: what is written since decision 29."""
    _terms(pod)[0].pop("namespaceSelector", None)


def named_namespaces(pod: dict) -> None:
    """Weaker: a namespace that is created later is not named."""
    for term in _terms(pod):
        term.pop("namespaceSelector", None)
        term["namespaces"] = list(NAMESPACES)


def selected_namespaces(pod: dict) -> None:
    """A selector that all namespaces fulfil, and is not empty."""
    for term in _terms(pod):
        term["namespaceSelector"] = {"matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"]}]}


def no_preference(pod: dict) -> None:
    """Weaker: a slice may begin where one of another priority is."""
    del pod["spec"]["affinity"]["podAntiAffinity"][PREFERRED]


def no_anti_affinity(pod: dict) -> None:
    """Weaker: slices may share a pool."""
    del pod["spec"]["affinity"]["podAntiAffinity"]


def no_pod_terms(pod: dict) -> None:
    """Weaker: environment, annotations and labels, and no terms about Pods."""
    for kind in ("podAffinity", "podAntiAffinity"):
        del pod["spec"]["affinity"][kind]


def lean(pod: dict) -> None:
    """other-priorities, without-exists and own-namespace."""
    for edit in (other_priorities, without_exists, own_namespace):
        edit(pod)


def pinned(pod: dict) -> None:
    """A pool by hand, with labels and no terms, as the program answered it until decision 43."""
    no_pod_terms(pod)
    _at(pod)


def pinned_apart(pod: dict) -> None:
    """A pool by hand, as the program answers it: labels, and required anti-affinity to slices of the priority."""
    affinity = pod["spec"]["affinity"]
    del affinity["podAffinity"], affinity["podAntiAffinity"][PREFERRED]
    _at(pod)


def _at(pod: dict) -> None:
    pod["spec"]["nodeSelector"][POOL] = pool_name(slice_of(pod))


def grouped(pod: dict) -> None:
    """A member of the scheduler's own group, without a term."""
    del pod["spec"]["affinity"]
    pod["spec"]["schedulingGroup"] = {"podGroupName": f"group-{slice_of(pod)}"}


def pod_group(pod: dict) -> dict:
    """Its group: a gang on one node pool."""
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
            "metadata": {"name": pod["spec"]["schedulingGroup"]["podGroupName"], "namespace": pod["metadata"]["namespace"]},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 4}}, "schedulingConstraints": {"topology": [{"key": POOL}]}}}


def one_apart(pod: dict) -> None:
    """Weaker: anti-affinity on one member alone; the others may begin where another slice is."""
    if _index(pod):
        del pod["spec"]["affinity"]["podAntiAffinity"]


def leader(pod: dict) -> None:
    """Anti-affinity on one member; the others have affinity to that member's label, and cannot go first."""
    if not _index(pod):
        pod["metadata"]["labels"][LEADER] = ""
        return
    one_apart(pod)
    _expressions(pod["spec"]["affinity"]["podAffinity"][REQUIRED][0]).append({"key": LEADER, "operator": "Exists"})


def as_it_is(_pod: dict) -> None:
    """What tpu-webhook writes."""


def _index(pod: dict) -> int:
    return int(pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"])


def preferring(pod: dict, pool: str) -> None:
    prefer(pod, "In", [pool])


def prefer(pod: dict, operator: str, pools: list) -> None:
    nodes = {"matchExpressions": [{"key": POOL, "operator": operator, "values": pools}]}
    pod["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {}).setdefault(PREFERRED, []).append({"weight": 100, "preference": nodes})


EDITS = {edit.__name__.replace("_", "-"): edit for edit in (
    other_priorities, every_priority, without_exists, own_namespace, lean, named_namespaces, selected_namespaces,
    no_preference, no_anti_affinity, no_pod_terms, pinned, pinned_apart, one_apart, leader)}
WEAKER = ("no-anti-affinity", "no-pod-terms", "one-apart")

# Edits whose first members are bound before the others are created, as a StatefulSet's or a JobSet's are.
IN_TURN = {
    "in-turn": (as_it_is, lambda pod, pool: None, "What tpu-webhook writes; the first member is bound before the others are created."),
    "prefer-pool": (as_it_is, preferring, "in-turn, and the others prefer the pool of the first."),
    "leader-in-turn": (leader, lambda pod, pool: None, "leader, which is bound before the others are created."),
}
NAMES = (*EDITS, *IN_TURN)


def said(name: str) -> str:
    return IN_TURN[name][2] if name in IN_TURN else EDITS[name].__doc__


def variant(name: str, reviewed: Callable) -> Constraint:
    """What tpu-webhook would cost with that edit."""
    title = f"tpu-webhook, {name}"
    if name in IN_TURN:
        edit, later, _ = IN_TURN[name]
        return Constraint(name, title, lambda number: edited(reviewed(number)[:1], edit),
                          lambda number, pool: edited(edited(reviewed(number)[1:], edit), later, pool))
    return Constraint(name, title, lambda number: edited(reviewed(number), EDITS[name]), whole=name not in WEAKER)


def edited(pods: list, edit: Callable, *more) -> list:
    for pod in pods:
        edit(pod, *more)
    return pods
