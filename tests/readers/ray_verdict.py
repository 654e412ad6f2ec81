"""Whether what Ray registers for each node describes whole slices.

Functions return complaints, sentences a person can act on; none means agreement. Ray itself
notices little: with a worker id given twice it reports intact slices and runs on them.
"""

import collections
import re

# What Kubernetes and Ray's label selectors accept as the value of a label.
_LABEL_VALUE = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"


def by_slice(probes):
    """The probes by the slice name that Ray read."""
    out = collections.defaultdict(list)
    for p in probes:
        out[p.get("tpu_name")].append(p)
    return out


def derived(probes, slices):
    """Over the answers of ray_probe for all workers of a cluster, which has `slices` slices."""
    crashed = [f"{p['label']}: {p['crash']}" for p in probes if "crash" in p]
    if crashed:
        return crashed
    found = by_slice(probes)
    out = [c for name, members in found.items() for c in _slice(name, members)]
    if len(found) != slices:
        out.append(f"{len(found)} slices by name, {sorted(map(str, found))}; there are {slices}")
    return out


def _slice(name, members):
    if not name:
        yield f"no slice name: {[p['label'] for p in members]}"
        return
    if not re.fullmatch(_LABEL_VALUE, name):
        yield f"the slice name {name!r} is not a label value"
    for what in ("tpu_pod_type", "tpu_topology", "workers"):
        yield from _one_value(name, what, members)
    workers, pod_type = members[0]["workers"], members[0]["tpu_pod_type"]
    ids = [p["tpu_worker_id"] for p in members]
    if not isinstance(workers, int) or None in ids or sorted(ids) != list(range(workers)):
        yield f"{name}: worker ids are {ids} of {workers}"
    head = f"TPU-{pod_type}-head"
    for p in members:
        yield from _registration(name, head, p)


def _one_value(name, what, members):
    values = {str(p[what]) for p in members}
    if len(values) != 1 or values == {"None"}:
        yield f"{name}: {what} is {sorted(values)}"


def _registration(name, head, p):
    """Resources and labels of one node, as the guides show them."""
    resources, labels = p["additional_resources"] or {}, p["accelerator_labels"]
    is_head = p["tpu_worker_id"] == 0
    if resources != {name: 1, **({head: 1} if is_head else {})}:
        yield f"{p['label']}: resources {resources}, worker id {p['tpu_worker_id']}"
    wanted = {
        "ray.io/tpu-slice-name": name,
        "ray.io/tpu-worker-id": str(p["tpu_worker_id"]),
        "ray.io/tpu-topology": p["tpu_topology"],
        "ray.io/tpu-pod-type": p["tpu_pod_type"],
    }
    if labels != wanted:
        yield f"{p['label']}: labels {labels}, not {wanted}"
