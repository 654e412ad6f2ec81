"""The Pods of StatefulSets and of LeaderWorkerSets, which are made of StatefulSets, and what
LeaderWorkerSet's own webhook then writes (docs/facts.md#lws, and as recorded in
tests/golden/recorded).
"""

import hashlib
import json

from apiserver import digest, pod, uid
from controllers import owner

STATEFULSET_CONTROLLER = "kube-system:statefulset-controller"

_LWS = "leaderworkerset.sigs.k8s.io/"
_LWS_PORT = 8476


def statefulset_pod(*, statefulset, namespace, ordinal, service, labels=None, annotations=None,
                    **spec):
    """Named at admission, as every Pod of a StatefulSet is."""
    name = f"{statefulset}-{ordinal}"
    return pod(
        identity=(namespace, name),
        name=name,
        generate_name=f"{statefulset}-",
        namespace=namespace,
        labels={
            **(labels or {}),
            "apps.kubernetes.io/pod-index": str(ordinal),
            "controller-revision-hash": f"{statefulset}-{digest('revision', statefulset)[:10]}",
            "statefulset.kubernetes.io/pod-name": name,
        },
        annotations=annotations or {},
        owner=owner("apps/v1", "StatefulSet", statefulset, uid("sts", namespace, statefulset)),
        manager="kube-controller-manager",
        restart_policy="Always",
        hostname=name,
        subdomain=service,
        **spec,
    )


def lws_pod(*, lws, namespace, group, worker, size, leader_has_tpu=True, subgroup_size=None,
            leader_excluded=False, unique_subdomain=False, **spec):
    """A Pod of a LeaderWorkerSet as its StatefulSet sends it: the leader (worker 0) of `lws`, or a
    worker of the leader's own StatefulSet. Labels that say which worker this is come later, from
    LeaderWorkerSet's webhook."""
    leader = f"{lws}-{group}"
    labels = {_LWS + "name": lws,
              _LWS + "template-revision-hash": digest("lws", namespace, lws)[:10]}
    annotations = {_LWS + "size": str(size)}
    if subgroup_size:
        annotations[_LWS + "subgroup-size"] = str(subgroup_size)
        annotations[_LWS + "subgroup-policy-type"] = (
            "LeaderExcluded" if leader_excluded else "LeaderWorker")
    if unique_subdomain:
        annotations[_LWS + "subdomainPolicy"] = "UniquePerReplica"
    if worker == 0:
        labels[_LWS + "worker-index"] = "0"
        statefulset, ordinal = lws, group
    else:
        labels[_LWS + "group-index"] = str(group)
        labels[_LWS + "group-key"] = _key(f"{namespace}/{leader}")
        annotations[_LWS + "leader-name"] = leader
        if leader_has_tpu:
            annotations[_LWS + "leader-requests-tpus"] = "true"
        statefulset, ordinal = leader, worker
    return statefulset_pod(statefulset=statefulset, namespace=namespace, ordinal=ordinal,
                           service=leader if unique_subdomain else lws, labels=labels,
                           annotations=annotations, **spec)


def lws_written(body):
    """A copy of the Pod after LeaderWorkerSet's webhook: index and key labels, LWS_* first in
    each container, and TPU_* at the end unless the first TPU container has some."""
    out = json.loads(json.dumps(body))
    metadata, spec = out["metadata"], out["spec"]
    labels, annotations = metadata["labels"], metadata["annotations"]
    size = int(annotations[_LWS + "size"])
    index = int(labels["apps.kubernetes.io/pod-index"])
    leader = annotations.get(_LWS + "leader-name", metadata["name"])
    worker = index if _LWS + "leader-name" in annotations else 0
    if worker == 0:
        labels[_LWS + "group-index"] = str(index)
        labels[_LWS + "group-key"] = _key(f"{metadata['namespace']}/{leader}")
    labels[_LWS + "worker-index"] = str(worker)
    subgroup = _subgroup(annotations, worker, size)
    if subgroup is not None:
        labels[_LWS + "subgroup-index"] = str(subgroup)
        labels[_LWS + "subgroup-key"] = _key(f"{leader}/{subgroup}")
    metadata["labels"] = dict(sorted(labels.items()))
    first = {"LWS_LEADER_ADDRESS": f"{leader}.{spec['subdomain']}.{metadata['namespace']}",
             "LWS_GROUP_SIZE": str(size), "LWS_WORKER_INDEX": str(worker)}
    for container in [*spec["containers"], *spec.get("initContainers", [])]:
        rest = [e for e in container.get("env", []) if e["name"] not in first]
        container["env"] = [{"name": n, "value": v} for n, v in first.items()] + rest
    _write_tpu(out, leader, worker, size)
    return out


def _key(text):
    return hashlib.sha1(text.encode()).hexdigest()


def _subgroup(annotations, worker, size):
    if _LWS + "subgroup-size" not in annotations:
        return None
    k = int(annotations[_LWS + "subgroup-size"])
    excluded = annotations[_LWS + "subgroup-policy-type"] == "LeaderExcluded"
    if worker == 0:
        return None if excluded else 0
    if excluded or ((size - 1) % k == 0 and size % k != 0):
        return (worker - 1) // k
    return worker // k


def _asks(container):
    resources = container.get("resources", {})
    return any("google.com/tpu" in resources.get(kind, {}) for kind in ("limits", "requests"))


def _write_tpu(out, leader, worker, size):
    spec, annotations = out["spec"], out["metadata"]["annotations"]
    tpu = [c for c in spec["containers"] if _asks(c)]
    own = ("TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID")
    if not tpu or any(e["name"] in own for e in tpu[0].get("env", [])):
        return
    leader_in = worker == 0 or _LWS + "leader-requests-tpus" in annotations
    shift = 0 if leader_in else 1
    members = [leader] * leader_in + [f"{leader}-{i}" for i in range(1, size)]
    place = worker - shift
    if _LWS + "subgroup-size" in annotations:
        k = int(annotations[_LWS + "subgroup-size"])
        members = members[place // k * k:][:k]
        place %= k
        tpu = tpu[:1]
    hosts = [f"{name}.{spec['subdomain']}" for name in members for _ in tpu]
    ports = [str(_LWS_PORT + c) for _ in members for c in range(len(tpu))]
    for c, container in enumerate(tpu):
        have = {e["name"] for e in container.get("env", [])}
        values = {
            "TPU_WORKER_HOSTNAMES": ",".join(hosts),
            "TPU_WORKER_ID": str(place * len(tpu) + c),
            "TPU_NAME": leader,
            "TPU_PROCESS_ADDRESSES": ",".join(map(":".join, zip(hosts, ports))),
            "TPU_PROCESS_PORT": str(_LWS_PORT + c),
        }
        container["env"] = container.get("env", []) + [
            {"name": n, "value": v} for n, v in values.items() if n not in have]
