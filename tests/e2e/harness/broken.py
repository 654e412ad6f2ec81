"""Node pools that cannot hold a slice: one of their nodes is spoiled, in the ways that happen."""

import contextlib

from controlplane import nodes

from . import pools
from .api import Api, wait_for

TPU = nodes.TPU


def cordoned(api: Api, node: dict):
    pools.cordon(api, [_name(node)])
    return lambda: pools.cordon(api, [_name(node)], None)


def not_ready(api: Api, node: dict):
    """The kubelet is silent; the controller manager puts its taints on the node."""
    def say(status: str, tainted: bool) -> None:
        condition = {"type": "Ready", "status": status, "reason": "story", "message": "fake node"}
        api.patch_status("v1", "Node", _name(node), {"conditions": [condition]})
        wait_for(f"the taints of {_name(node)}", lambda: _has_taint(api, node, "node.kubernetes.io/not-ready") == tainted, 20)

    say("False", True)
    return lambda: say("True", False)


def tainted(api: Api, node: dict):
    taints = node["spec"]["taints"]
    more = [*taints, {"key": "team", "value": "blue", "effect": "NoSchedule"}]
    api.patch("v1", "Node", _name(node), {"spec": {"taints": more}})
    return lambda: api.patch("v1", "Node", _name(node), {"spec": {"taints": taints}})


def missing(api: Api, node: dict):
    api.delete("v1", "Node", _name(node))
    wait_for(f"{_name(node)} to go", lambda: not api.get("v1", "Node", _name(node)), 20)
    kept = {**node, "metadata": {key: node["metadata"][key] for key in ("name", "labels")}}

    def mend() -> None:
        """A new node has the taint of one that is not ready until the controller manager has looked at it."""
        api.create(kept)
        wait_for(f"{_name(node)} to be ready", lambda: not _has_taint(api, node, "node.kubernetes.io/not-ready"), 20)

    return mend


def held(api: Api, node: dict):
    """By a Pod of one host, of which nobody makes a member."""
    pod = {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"holds-{_name(node)}", "namespace": "default",
                     "annotations": {"tpu-webhook.dev/inject": "false"}},
        "spec": {"nodeName": _name(node), "tolerations": [{"operator": "Exists"}],
                 "containers": [{"name": "main", "image": "busybox", "resources": {"limits": {TPU: "4"}}}]},
    }
    api.create(pod)

    def mend() -> None:
        api.delete("v1", "Pod", pod["metadata"]["name"], "default")
        wait_for("its chips to be free", lambda: not api.get("v1", "Pod", pod["metadata"]["name"], "default"), 40)

    return mend


def with_fewer_chips(api: Api, node: dict):
    """As when the device plugin has found one of them to be bad."""
    api.patch_status("v1", "Node", _name(node), {"allocatable": {TPU: "3"}})
    return lambda: api.patch_status("v1", "Node", _name(node), {"allocatable": {TPU: "4"}})


WAYS = (cordoned, not_ready, tainted, missing, held, with_fewer_chips)


@contextlib.contextmanager
def one_node(api: Api, names, way, number: int = 1):
    """While this holds the node of this number is spoiled in each of these pools."""
    by_pool: dict = {}
    for node in sorted(api.nodes(), key=_name):
        by_pool.setdefault(node["metadata"]["labels"][pools.POOL], []).append(node)
    with contextlib.ExitStack() as mending:
        for name in names:
            mending.callback(way(api, by_pool[name][number]))
        yield


def _name(node: dict) -> str:
    return node["metadata"]["name"]


def _has_taint(api: Api, node: dict, key: str) -> bool:
    return any(taint["key"] == key for taint in api.get("v1", "Node", _name(node))["spec"].get("taints", []))
