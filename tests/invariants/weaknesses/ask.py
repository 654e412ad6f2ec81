"""What the weakness tests say often: Pods of a shape, and what an answer made of them."""

import json
import tempfile

import catalog
import fleet
from controllers import job_pod, jobset_pod, ray_worker
from pods import tpu_containers
from webhook import Webhook, applied

NAMESPACE = fleet.NAMESPACE
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NODE_POOL = "cloud.google.com/gke-nodepool"


def shape(machine="ct6e-standard-4t", topology="4x4", containers=1):
    return fleet.Shape(catalog.row(machine, topology), containers)


def worker(of, replica, host, *, env=(), cluster="ray", group="workers", **spec):
    """A worker of a KubeRay group with host indexing."""
    return ray_worker(cluster=cluster, namespace=NAMESPACE, group=group, replica=replica,
                      host=host, **{**of.pod(env), **spec})


def replica(of, **spec):
    """All workers of replica 0."""
    return [worker(of, 0, host, **spec) for host in of.members]


def member(of, index, *, env=(), namespace=NAMESPACE, job="train", **spec):
    """A Pod of an Indexed Job."""
    return job_pod(job=job, namespace=namespace, index=index, subdomain="svc",
                   restart_policy="Never", **{**of.pod(env), **spec})


def jobset(of, index, *, env=(), job_index=0, replicas=1, **spec):
    return jobset_pod(jobset="js", namespace=NAMESPACE, replicated_job="slice", replicas=replicas,
                      job_index=job_index, index=index, **{**of.pod(env), **spec})


def value(name, text):
    return {"name": name, "value": text}


def from_label(name, label):
    return {"name": name, "valueFrom": {"fieldRef": {
        "apiVersion": "v1", "fieldPath": f"metadata.labels['{label}']"}}}


class Beside:
    """The program with a snapshot of a cluster."""

    def __init__(self, program, items):
        self.program, self.items = program, items

    def answers(self, pods, **request):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": self.items}, file)
            file.flush()
            return Webhook(self.program.path, "--cluster", file.name).answers(pods, **request)


def admitted(program, pods, **request):
    """The Pods after their patches, each of which must be given."""
    answers = program.answers(pods, **request)
    for answer in answers:
        assert answer.allowed, f"denied: {answer.message}"
    return [applied(pod, answer.patch) for pod, answer in zip(pods, answers)]


def entries(pod, name, container=0):
    """Every entry of a name in a TPU container."""
    return [e for e in tpu_containers(pod)[container].get("env", []) if e["name"] == name]


def only(pod, name, container=0):
    """The value of the single entry of a name; None without one."""
    found = entries(pod, name, container)
    assert len(found) <= 1, f"{name} is there {len(found)} times"
    return found[0].get("value", "") if found else None


def ids(pods):
    """The worker id of each TPU container."""
    return [only(pod, "TPU_WORKER_ID", i) for pod in pods for i in range(len(tpu_containers(pod)))]


def names(pod, container=0):
    return [e["name"] for e in tpu_containers(pod)[container].get("env", [])]


def terms(pod, kind):
    """Required terms of podAffinity or podAntiAffinity."""
    return pod["spec"].get("affinity", {}).get(kind, {}).get(REQUIRED, [])


def selects(term, own_namespace, pod):
    """Whether a pod (anti-)affinity term matches a Pod, as the scheduler decides."""
    if "namespaceSelector" in term:
        assert term["namespaceSelector"] == {}, "a selector of some namespaces"
    elif pod["metadata"]["namespace"] not in term.get("namespaces", [own_namespace]):
        return False
    labels = pod["metadata"].get("labels", {})
    selector = term["labelSelector"]
    if any(labels.get(k) != v for k, v in selector.get("matchLabels", {}).items()):
        return False
    return all(_matches(labels.get(e["key"]), e["operator"], e.get("values", []))
               for e in selector.get("matchExpressions", []))


def _matches(have, operator, values):
    match operator:
        case "In":
            return have in values
        case "NotIn":
            return have not in values
        case "Exists":
            return have is not None
        case "DoesNotExist":
            return have is None
    raise RuntimeError(f"operator {operator}")


def repels(pod, other):
    """Whether the Pod may not share its domain with the other one."""
    return any(selects(t, pod["metadata"]["namespace"], other)
               for t in terms(pod, "podAntiAffinity"))


def attracts(pod, other):
    """Whether the Pod must stand where such a Pod does."""
    return all(selects(t, pod["metadata"]["namespace"], other) for t in terms(pod, "podAffinity"))
