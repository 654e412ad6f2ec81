"""Reads the nodes and Services of a cluster, and finds a node for each of its Pods."""

from pods import chips, title


class Cluster:
    def __init__(self, items):
        self.nodes = [item for item in items if item["kind"] == "Node"]
        self.services = [item for item in items if item["kind"] == "Service"]


def labels(node):
    return node["metadata"]["labels"]


def node_chips(node):
    return int(node["status"]["allocatable"].get("google.com/tpu", 0))


def place(pods, nodes):
    """Returns a node for each Pod, in the order of `pods`. A Pod that is bound gets the node of its binding.

    The other Pods get nodes according to their node selectors, their required node affinity and the free chips. Pods
    that few nodes fit are the first ones to get theirs. This is enough to see whether all Pods have a place.
    """
    free = {id(node): node_chips(node) for node in nodes}
    candidates = [[node for node in nodes if _may_be_on(pod, node)] for pod in pods]
    chosen = {}
    for i in sorted(range(len(pods)), key=lambda i: len(candidates[i])):
        wanted = sum(chips(c) for c in pods[i]["spec"]["containers"])
        for node in candidates[i]:
            if free[id(node)] >= wanted:
                free[id(node)] -= wanted
                chosen[i] = node
                break
        else:
            raise RuntimeError(f"no node has room for {title(pods[i])}: {wanted} chips, "
                               f"selector {pods[i]['spec'].get('nodeSelector')}")
    return [chosen[i] for i in range(len(pods))]


def _may_be_on(pod, node):
    bound = pod["spec"].get("nodeName")
    return node["metadata"]["name"] == bound if bound else _selects(pod, node)


def _selects(pod, node):
    have, spec = labels(node), pod["spec"]
    if any(have.get(k) != v for k, v in spec.get("nodeSelector", {}).items()):
        return False
    required = (spec.get("affinity", {}).get("nodeAffinity", {})
                .get("requiredDuringSchedulingIgnoredDuringExecution"))
    if required is None:
        return True
    return any(all(_matches(have, e) for e in term.get("matchExpressions", []))
               for term in required["nodeSelectorTerms"])


def _matches(have, expression):
    value, values = have.get(expression["key"]), expression.get("values", [])
    match expression["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    raise RuntimeError(f"operator {expression['operator']} is not expected here")
