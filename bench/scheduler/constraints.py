"""The Pods of one slice under each constraint: what is compared.

A slice is a pool's Pods, one a node, as the Job controller makes them for an Indexed Job, two slices
of one workload after the other, spread over eight namespaces. Constraints of others are written as the
cited version writes them; those of tpu-webhook are what `kubectl tpu review` answers, environment and all.
"""

import copy
import dataclasses
import functools
import hashlib
import json
import pathlib
import subprocess
import tempfile
import uuid
from collections.abc import Callable

NAMESPACES = tuple(f"bench-{number}" for number in range(8))
POOL = "cloud.google.com/gke-nodepool"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
EVERY = {"namespaceSelector": {}}


@dataclasses.dataclass(frozen=True)
class Shape:
    """A slice of v6e, four chips a host."""

    hosts: int
    topology: str


SHAPES = {shape.hosts: shape for shape in (Shape(4, "4x4"), Shape(16, "8x8"), Shape(64, "16x16"))}
FOUR = SHAPES[4]


@dataclasses.dataclass(frozen=True)
class Constraint:
    """`first` makes the Pods of a slice; `then` those that are created once the first are bound, on their pool."""

    name: str
    title: str
    first: Callable  # (slice number) -> Pods
    then: Callable = lambda number, pool: []
    whole: bool = True  # it promises each slice a pool of its own
    profile: str = ""  # of the scheduler, where it is not the default

    def scheduled_by(self, profile: str) -> "Constraint":
        """The same by another profile of the scheduler (plane.PROFILES)."""
        def by(pods: list) -> list:
            for pod in pods:
                pod["spec"]["schedulerName"] = profile
            return pods

        return dataclasses.replace(self, name=f"{self.name}@{profile}", title=f"{self.title}, scheduler {profile}", profile=profile,
                                   first=lambda number: by(self.first(number)), then=lambda number, pool: by(self.then(number, pool)))


def pool_name(number: int) -> str:
    return f"tpu-{number}"


def slice_of(pod: dict) -> int:
    return int(pod["metadata"]["name"].split("-")[1])


def members(number: int, shape: Shape = FOUR) -> list:
    """The Pods of slice `number` as the Job controller creates them."""
    return [_member(number, index, shape) for index in range(shape.hosts)]


def _member(number: int, index: int, shape: Shape) -> dict:
    job, uid = f"train-{number}", str(uuid.uuid5(uuid.NAMESPACE_OID, f"train-{number}"))
    labels = {"app": "train", "job-name": job, "controller-uid": uid, "batch.kubernetes.io/job-name": job,
              "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-completion-index": str(index)}
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": uid, "controller": True, "blockOwnerDeletion": True}
    container = {
        "name": "train", "image": "example.com/train:1", "command": ["python", "train.py"],
        "env": [{"name": "JOB_COMPLETION_INDEX", "value": str(index)}],
        "resources": {"limits": {"google.com/tpu": "4"}},
    }
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"{job}-{index}", "namespace": NAMESPACES[number // 2 % len(NAMESPACES)], "labels": labels,
                     "annotations": {"batch.kubernetes.io/job-completion-index": str(index)}, "ownerReferences": [owner]},
        "spec": {
            "hostname": f"{job}-{index}", "subdomain": "train", "restartPolicy": "Never", "containers": [container],
            "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": shape.topology},
        },
    }


def sendable(pods: list) -> list:
    """Without owners, which do not exist here: the garbage collector would delete such Pods."""
    for pod in pods:
        pod["metadata"].pop("ownerReferences", None)
    return pods


def plain(name: str, number: int, profile: str = "") -> dict:
    """A Pod that has nothing to do with TPUs."""
    resources = {"requests": {"cpu": "100m", "memory": "100Mi"}}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"{name}-{number}", "namespace": NAMESPACES[number % len(NAMESPACES)],
                     "labels": {"app": "web", "pod-template-hash": "5d69b8f7c4"}},
        "spec": {"containers": [{"name": "web", "image": "example.com/web:1", "resources": resources}],
                 **({"schedulerName": profile} if profile else {})},
    }


# -- nothing, and a pool by hand


def none(number: int, shape: Shape = FOUR) -> list:
    return sendable(members(number, shape))


def selector(number: int, shape: Shape = FOUR) -> list:
    """Whoever creates the Job has chosen a pool."""
    return sendable([_selecting(pod, pool_name(number)) for pod in members(number, shape)])


def _selecting(pod: dict, pool: str) -> dict:
    pod["spec"]["nodeSelector"][POOL] = pool
    return pod


# -- JobSet 0.12: tests/golden/recorded/jobset-multislice has what its webhook writes


def jobset_leader(number: int, shape: Shape = FOUR) -> list:
    return sendable([_leader(_of_jobset(pod, number), number) for pod in members(number, shape)[:1]])


def jobset_followers(number: int, pool: str, shape: Shape = FOUR) -> list:
    return sendable([_selecting(_of_jobset(pod, number), pool) for pod in members(number, shape)[1:]])


def _of_jobset(pod: dict, number: int) -> dict:
    """Two slices a JobSet."""
    prefix = "jobset.sigs.k8s.io/"
    said = {"jobset-name": f"train-{number // 2}", "jobset-uid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"jobset-{number // 2}")),
            "replicatedjob-name": "slice", "replicatedjob-replicas": "2", "global-replicas": "2", "group-name": "default",
            "group-replicas": "2", "job-index": str(number % 2), "job-global-index": str(number % 2),
            "job-group-index": str(number % 2), "job-key": _job_key(number), "priority": "0", "restart-attempt": "0"}
    pod["metadata"]["labels"] |= {prefix + key: value for key, value in said.items()}
    pod["metadata"]["annotations"] |= {prefix + key: value for key, value in said.items()}
    pod["metadata"]["annotations"]["alpha.jobset.sigs.k8s.io/exclusive-topology"] = POOL
    return pod


def _leader(pod: dict, number: int) -> dict:
    key, mine = "jobset.sigs.k8s.io/job-key", [_job_key(number)]
    others = [_says(key, "Exists"), _says(key, "NotIn", mine), _says("jobset.sigs.k8s.io/priority", "In", ["0"])]
    pod["spec"]["affinity"] = {"podAffinity": {REQUIRED: [term([_says(key, "In", mine)], EVERY)]},
                               "podAntiAffinity": {REQUIRED: [term(others, EVERY)]}}
    return pod


def _job_key(number: int) -> str:
    return hashlib.sha1(f"train-{number}".encode()).hexdigest()


# -- KubeRay TPU webhook ef658db, main.go


def kuberay(number: int, shape: Shape = FOUR) -> list:
    return sendable([_of_ray(pod, number) for pod in members(number, shape)])


def _of_ray(pod: dict, number: int) -> dict:
    """Two slices a RayCluster, with KubeRay's index labels."""
    cluster, replica = f"train-{number // 2}", f"workers-{number % 2}-{_job_key(number)[:5]}"
    index = pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]
    pod["metadata"]["labels"] |= {
        "app.kubernetes.io/name": "kuberay", "app.kubernetes.io/created-by": "kuberay-operator",
        "ray.io/cluster": cluster, "ray.io/identifier": f"{cluster}-worker", "ray.io/is-ray-node": "yes", "ray.io/node-type": "worker",
        "ray.io/group": "workers", "ray.io/worker-group-replica-name": replica, "ray.io/worker-group-replica-index": str(number % 2),
        "ray.io/replica-host-index": index,
    }
    name, of = "ray.io/worker-group-replica-name", "ray.io/cluster"
    apart = {"namespaceSelector": {"matchExpressions": [_says("kubernetes.io/metadata.name", "NotIn", ["kube-system"])]}}
    pod["spec"]["affinity"] = {
        "podAffinity": {REQUIRED: [term([_says(name, "In", [replica]), _says(of, "In", [cluster])])]},
        "podAntiAffinity": {REQUIRED: [term([_says(name, "NotIn", [replica]), _says(of, "In", [cluster])]),
                                       term([_says(of, "NotIn", [cluster]), _says(name, "Exists")], apart)]},
    }
    return pod


# -- the scheduler's own groups of Kubernetes 1.37, whose gates are off (--groups)


def group(number: int, shape: Shape = FOUR) -> list:
    """A gang on one node pool: nothing keeps another slice away from it but the chips."""
    pods = none(number, shape)
    name, namespace = f"group-{number}", pods[0]["metadata"]["namespace"]
    for pod in pods:
        pod["spec"]["schedulingGroup"] = {"podGroupName": name}
    gang = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name, "namespace": namespace},
            "spec": {"schedulingPolicy": {"gang": {"minCount": shape.hosts}}, "schedulingConstraints": {"topology": [{"key": POOL}]}}}
    return [gang, *pods]


# -- tpu-webhook


class Reviewed:
    """Slices as the program answers them; asked once for all rounds."""

    def __init__(self, program, slices: int, shape: Shape = FOUR):
        self.shape = shape
        asked = [pod for number in range(slices) for pod in members(number, shape)]
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": asked}, file)
            file.flush()
            answer = subprocess.run([str(pathlib.Path(program).with_name("kubectl-tpu")), "review", "--output", "object", file.name],
                                    check=True, capture_output=True, text=True).stdout
        self._pods = [json.loads(line) for line in answer.splitlines()]
        if len(self._pods) != len(asked) or any("affinity" not in pod["spec"] for pod in self._pods):
            raise SystemExit(f"{program} review did not answer {len(asked)} Pods with terms")

    def __call__(self, number: int) -> list:
        return sendable(copy.deepcopy(self._pods[number * self.shape.hosts:(number + 1) * self.shape.hosts]))


def term(expressions: list, namespaces: dict | None = None) -> dict:
    return {"labelSelector": {"matchExpressions": expressions}, "topologyKey": POOL, **(namespaces or {})}


def _says(key: str, operator: str, values: list | None = None) -> dict:
    return {"key": key, "operator": operator, **({"values": values} if values else {})}


GROUP = Constraint("group", "a PodGroup with a topology", group)
NOBODY = Constraint("nobody", "nobody", lambda number: [])


def compared(reviewed: Callable, shape: Shape = FOUR) -> list:
    """The five, in the order of the legend."""
    def of(make: Callable) -> Callable:
        return functools.partial(make, shape=shape)

    return [
        Constraint("none", "no constraint", of(none), whole=False),
        Constraint("selector", "node selector: a pool chosen by hand", of(selector)),
        Constraint("jobset", "JobSet's exclusive placement", of(jobset_leader), of(jobset_followers)),
        Constraint("kuberay", "KubeRay TPU webhook", of(kuberay)),
        Constraint("ours", "tpu-webhook", reviewed),
    ]
