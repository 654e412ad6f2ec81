"""The environment that a container really has: the device plugin's variables, then the Pod's.

The first part comes from the node and from what the container asks for, never from the
webhook, so that a list of the wrong length meets the bounds it contradicts
(docs/facts.md#platform-environment). What libtpu reads of all of them: docs/facts.md#libtpu-names.
"""

import dataclasses
import re

import cluster
import zone
from device_plugin import device_plugin, dims, host_ip  # noqa: F401  (dims: of those who import this)
from pods import chips, dns_name, title, tpu_containers


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
