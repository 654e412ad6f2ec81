"""Other terms than those that tpu-webhook writes, to be measured beside them.

Each takes a Pod as the program answers it and changes it in place. Those marked "weaker" promise
less: they say what a term costs.
"""

from collections.abc import Callable

from .constraints import NAMESPACES, PREFERRED, REQUIRED, Constraint

PRIORITY = "tpu-webhook.dev/priority"


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


EDITS = {edit.__name__.replace("_", "-"): edit for edit in (
    other_priorities, every_priority, without_exists, own_namespace, lean, named_namespaces, selected_namespaces,
    no_preference, no_anti_affinity, no_pod_terms)}


def variant(name: str, reviewed: Callable) -> Constraint:
    """What tpu-webhook would cost with that edit."""
    def first(number: int) -> list:
        pods = reviewed(number)
        for pod in pods:
            EDITS[name](pod)
        return pods

    return Constraint(name, f"tpu-webhook, {name}", first, whole=name not in ("no-anti-affinity", "no-pod-terms"))
