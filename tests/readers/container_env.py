"""The environment that a container really has: the device plugin's variables, then the Pod's.

The first part comes from the node and from what the container asks for, never from the
webhook, so that a list of the wrong length meets the bounds it contradicts
(docs/facts.md#platform-environment). What libtpu reads of all of them: docs/facts.md#libtpu-names.
"""

import dataclasses
import math
import re

import cluster
import zone
from pods import chips, dns_name, title, tpu_containers

# GKE's accelerator label -> prefix of TPU_ACCELERATOR_TYPE, TensorCores per chip.
_GENERATIONS = {
    "tpu-v3-device": ("v3", 2),
    "tpu-v3-slice": ("v3", 2),
    "tpu-v4-lite-device": ("v4lite", 1),
    "tpu-v4-podslice": ("v4", 2),
    "tpu-v5-lite-device": ("v5lite", 1),
    "tpu-v5-lite-podslice": ("v5litepod", 1),
    "tpu-v5p-slice": ("v5p", 2),
    "tpu-v6e-slice": ("v6e", 1),
    "tpu7": ("tpu7", 2),
    "tpu7x": ("tpu7x", 2),
}
_TWO_DIMENSIONAL = ("v3", "v4lite", "v5lite", "v5litepod", "v6e")

_CHIP_BOUNDS = {1: (1, 1, 1), 2: (1, 2, 1), 4: (2, 2, 1), 8: (2, 4, 1)}
_METRICS_PORT = 8431


@dataclasses.dataclass
class Process:
    """One TPU container, ready to run a reader in."""
    label: str    # pod/container, for messages
    name: str     # the Pod's own DNS name; "localhost" if it has none
    address: str  # where that name points, if anything makes it resolve
    node: str
    chips: int
    env: dict

    def as_dict(self):
        return dataclasses.asdict(self)


def processes(pods, around, first=0):
    """A Process for each TPU container of the Pods, placed on the cluster's nodes. `first`: the
    index of the first of these Pods, where others have addresses too."""
    out = []
    for i, (pod, node) in enumerate(zip(pods, cluster.place(pods, around.nodes)), first):
        name = dns_name(pod) or "localhost"
        own_address = zone.address(i) if dns_name(pod) else "127.0.0.1"
        for container in tpu_containers(pod):
            env = device_plugin(node, chips(container))
            env.update(pod_env(pod, container, node, own_address, f"{i:05d}"))
            out.append(Process(f"{title(pod)}/{container['name']}", name, own_address,
                               node["metadata"]["name"], chips(container), env))
    return out


def dims(text):
    """A topology or bounds as three numbers: "4x4" and "4,4,1" are the same."""
    numbers = [int(n) for n in re.split("[x,]", text)]
    return tuple(numbers + [1] * (3 - len(numbers)))


def device_plugin(node, asked):
    """What the device plugin gives a container of `node` that asks for `asked` chips."""
    have, on_node = cluster.labels(node), cluster.node_chips(node)
    prefix, cores = _GENERATIONS[have["cloud.google.com/gke-tpu-accelerator"]]
    topology = have["cloud.google.com/gke-tpu-topology"]
    shape = dims(topology)
    total = math.prod(shape)
    per_host = _CHIP_BOUNDS[asked]
    if prefix in _TWO_DIMENSIONAL:
        wrap = [n == 16 and prefix != "v3" for n in shape]
    else:
        wrap = [min(shape) >= 4] * 3
    env = {
        "TPU_SKIP_MDS_QUERY": "true",
        "TPU_RUNTIME_METRICS_PORTS": _join(range(_METRICS_PORT, _METRICS_PORT + on_node)),
        "TPU_TOPOLOGY": topology,
        "TPU_ACCELERATOR_TYPE": f"{prefix}-{total * cores}",
        "VBAR_CONTROL_SERVICE_URL": f"{host_ip(node)}:8353",
    }
    for name, value in {
        "HOST_BOUNDS": _join(n // b for n, b in zip(shape, per_host)),
        "CHIPS_PER_HOST_BOUNDS": _join(per_host),
        "WRAP": _join(str(w).lower() for w in wrap),
        "ALT": "false",
    }.items():
        env[name] = value
        env[f"TPU_TOPOLOGY_{name}" if name in ("WRAP", "ALT") else f"TPU_{name}"] = value
    if on_node == total and prefix != "tpu7x":
        env.update(TPU_WORKER_ID="0", TPU_WORKER_HOSTNAMES="localhost")
    return env


def pod_env(pod, container, node, pod_ip, name_suffix):
    """What the kubelet makes of the container's env: in order, the last of a name wins."""
    out = {}
    for entry in container.get("env", []):
        source = entry.get("valueFrom")
        if source is None:
            out[entry["name"]] = expand(entry.get("value", ""), out)
        elif "fieldRef" in source:
            out[entry["name"]] = _field(source["fieldRef"]["fieldPath"], pod, node, pod_ip,
                                        name_suffix)
        else:
            raise RuntimeError(f"{title(pod)}: {entry['name']} from {source} is not expected here")
    return out


def expand(text, known):
    """`$(NAME)` for a name that came earlier, else as it stands; `$$` is a plain `$`."""
    def replace(match):
        if match[0] == "$$":
            return "$"
        return known.get(match[1], match[0])
    return re.sub(r"\$\$|\$\(([^)]*)\)", replace, text)


def host_ip(node):
    return next(a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP")


def _field(path, pod, node, pod_ip, name_suffix):
    metadata, spec = pod["metadata"], pod["spec"]
    keyed = re.fullmatch(r"metadata\.(labels|annotations)\['(.+)'\]", path)
    if keyed:
        return metadata.get(keyed[1], {}).get(keyed[2], "")
    return {
        "metadata.name": metadata.get("name") or metadata.get("generateName", "") + name_suffix,
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata.get("uid", ""),
        "spec.nodeName": node["metadata"]["name"],
        "spec.serviceAccountName": spec.get("serviceAccountName", "default"),
        "status.hostIP": host_ip(node),
        "status.hostIPs": host_ip(node),
        "status.podIP": pod_ip,
        "status.podIPs": pod_ip,
    }[path]


def _join(values):
    return ",".join(map(str, values))
