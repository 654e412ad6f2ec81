"""Objects that make TPU Pods, right and wrong in size, drawn by a seed."""

import dataclasses
import random

KINDS = {  # kind: (apiVersion, group, version, resource)
    "Job": ("batch/v1", "jobs"),
    "JobSet": ("jobset.x-k8s.io/v1alpha2", "jobsets"),
    "RayCluster": ("ray.io/v1", "rayclusters"),
    "RayJob": ("ray.io/v1", "rayjobs"),
    "RayService": ("ray.io/v1", "rayservices"),
    "LeaderWorkerSet": ("leaderworkerset.x-k8s.io/v1", "leaderworkersets"),
    "StatefulSet": ("apps/v1", "statefulsets"),
}
UNKNOWN = "tpu9x"
ACCELERATORS = ["tpu-v6e-slice"] * 4 + ["tpu-v5-lite-podslice", "tpu-v5p-slice", "tpu-v4-podslice", "tpu7x", "tpu-v5-lite-device", UNKNOWN, None]
CUBES = ["tpu-v5p-slice", "tpu-v4-podslice", "tpu7x"]
SHAPES = ["4x4", "4x4", "2x4", "2x2", "2x2x2", "2x2x4", "4x4x4", "8x8", "2x6", "16x16"]
WRONG = ["1x1", "1x4", "3x3", "4x", "4X4", "16", "0x4", "04x4", "v6e-16", "2x2x2x2", "-4x4", "4 x 4", "10000x2", "1024x1025", "9999x9999x9999",
         "99999999999999999999x4", None]
OTHERS = ["affinity", "sub-slice", "opt-out", "skip-check", "count", "variable", "init", "gate", "block"]
OURS = "tpu-webhook.dev/"
# As read::chip_resources.
BY_PLUGIN, BY_CLASS = "google.com/tpu", "deviceclass.resource.kubernetes.io/tpu.google.com"
QUEUE, LEAST = {"kueue.x-k8s.io/queue-name": "none"}, "kueue.x-k8s.io/job-min-parallelism"


@dataclasses.dataclass
class Drawn:
    """An object, and whether somebody beside it has a say in its size, so that a policy says nothing of that."""

    obj: dict
    others: str


def _sizes(draw: random.Random) -> int:
    return draw.choice([1, 1, 2, 2, 3, 4, 4, 4, 5, 8, 16, 64])


def _template(draw: random.Random) -> dict:
    chips, resource = draw.choice([4] * 9 + ["4", 8, 1, 2, 3, 16]), draw.choice([BY_PLUGIN] * 3 + [BY_CLASS])
    container = {"name": "main", "image": "registry.example/train:1", "resources": {"limits": {resource: chips}}}
    containers = [container]
    if draw.random() < 0.15:
        containers.append({"name": "beside", "image": "registry.example/log:1"})
    if draw.random() < 0.12:
        another = draw.choice([resource] * 3 + [BY_PLUGIN, BY_CLASS])
        containers.append({**container, "name": "second", "resources": {"limits": {another: draw.choice([chips, chips, 4])}}})
    accelerator = draw.choice(ACCELERATORS)
    fitting = [one for one in SHAPES if one.count("x") == (2 if accelerator in CUBES else 1)]
    shapes = fitting if draw.random() < 0.65 else SHAPES if draw.random() < 0.3 else WRONG
    selector = {"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": draw.choice(shapes)}
    return {"metadata": {}, "spec": {"restartPolicy": "Never", "containers": containers,
                                     "nodeSelector": {key: value for key, value in selector.items() if value}}}


def _changed(draw: random.Random, template: dict) -> str:
    """One thing more that has to do with the size, or nothing."""
    pod, notes = template["spec"], {}
    limits = [one["resources"]["limits"] for one in pod["containers"] if "resources" in one]
    if len({name for each in limits for name in each}) > 1:
        return "names"
    chips = sum(int(number) for each in limits for number in each.values())
    accelerator = pod["nodeSelector"].get("cloud.google.com/gke-tpu-accelerator")
    if accelerator == "tpu-v5-lite-device" or chips != 4 and accelerator not in (None, UNKNOWN):
        return "chips"  # whether nodes are shared is a question to the catalog
    what = draw.choice(OTHERS) if draw.random() < 0.25 else ""
    if what == "affinity":
        pod["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": ["pool"]}]}]}}}
    elif what == "sub-slice":
        notes["cloud.google.com/gke-tpu-slice-topology"] = "2x2"
    elif what == "opt-out":
        notes[OURS + "inject"] = "false"
    elif what == "skip-check":
        notes["cloud.google.com/skip-tpu-webhook-check"] = "true"
    elif what == "count":
        notes[OURS + "worker-count"] = "4"
    elif what == "variable":
        pod["containers"][0]["env"] = [{"name": "TPU_WORKER_ID", "value": "0"}]
    elif what == "init":
        pod["initContainers"] = [{"name": "first", "image": "registry.example/look:1", "resources": {"limits": {"google.com/tpu": 4}}}]
    elif what == "gate":
        pod["schedulingGates"] = [{"name": "example.com/wait"}]
    elif what == "block":
        pod["nodeSelector"]["cloud.google.com/gke-tpu-partition-4x4x4-id"] = "one"
    if notes:
        template["metadata"]["annotations"] = notes
    return what


def _job(draw: random.Random, template: dict) -> dict:
    spec = {"template": template, "completions": _sizes(draw), "parallelism": _sizes(draw), "completionMode": draw.choice(["Indexed"] * 4 + ["NonIndexed"])}
    for key in ("completions", "parallelism"):
        if draw.random() < 0.1:
            del spec[key]
    if spec["completionMode"] == "Indexed":
        spec.setdefault("completions", 1)
    return spec


def _ray(draw: random.Random, templates: list) -> dict:
    head = {"rayStartParams": {}, "template": {"spec": {"containers": [{"name": "head", "image": "registry.example/ray:1"}]}}}
    groups = [{"groupName": f"group-{number}", "rayStartParams": {}, "replicas": 0, "minReplicas": 0, "maxReplicas": 4, "template": one,
               **({"numOfHosts": _sizes(draw)} if draw.random() < 0.9 else {})} for number, one in enumerate(templates)]
    return {"headGroupSpec": head, "workerGroupSpecs": groups}


def _queued(draw: random.Random, obj: dict, templates: list) -> str:
    """Perhaps in a queue, by its own label or by that of its Pods; and what only a Job is asked for in one. A flavor may select an accelerator."""
    if draw.random() < 0.3 and obj["kind"] == "Job":
        least = draw.choice(["0", "1", "2", "4", "7", "x", "-1", "64"])
        obj["metadata"]["annotations"] = {LEAST: least}
    if draw.random() < 0.6:
        return ""
    labelled = draw.choice([obj, obj, templates[0]])
    labelled["metadata"]["labels"] = {**labelled["metadata"].get("labels", {}), **QUEUE}
    chosen = all("cloud.google.com/gke-tpu-accelerator" in one["spec"]["nodeSelector"] for one in templates)
    return "" if chosen else "flavor"


def draw_object(draw: random.Random, number: int) -> Drawn:
    kind = draw.choice(list(KINDS))
    obj = {"apiVersion": KINDS[kind][0], "kind": kind, "metadata": {"name": f"drawn-{number}"}}
    parts = draw.choice([1, 1, 2]) if kind in ("JobSet", "RayCluster", "RayJob", "RayService") else 1
    templates = [_template(draw) for _ in range(parts)]
    others = " ".join(filter(None, [*(_changed(draw, one) for one in templates), _queued(draw, obj, templates)]))
    if kind == "Job":
        obj["spec"] = {**_job(draw, templates[0]), "suspend": True}
    elif kind == "JobSet":
        obj["spec"] = {"suspend": True, "replicatedJobs": [
            {"name": f"part-{place}", "replicas": 1, "template": {"spec": _job(draw, one)}} for place, one in enumerate(templates)]}
    elif kind == "RayCluster":
        obj["spec"] = _ray(draw, templates)
    elif kind == "RayJob":
        obj["spec"] = {"entrypoint": "true", "suspend": True, "shutdownAfterJobFinishes": True, "rayClusterSpec": _ray(draw, templates)}
    elif kind == "RayService":
        obj["spec"] = {"serveConfigV2": "applications: []", "rayClusterConfig": _ray(draw, templates)}
    else:
        for one in templates:
            one["spec"]["restartPolicy"] = "Always"
        if kind == "LeaderWorkerSet":
            obj["spec"] = {"replicas": 1, "leaderWorkerTemplate": {"size": _sizes(draw), "workerTemplate": templates[0]}}
            if draw.random() < 0.2:
                leader = {"spec": {"containers": [{"name": "leader", "image": "registry.example/lead:1"}]}}
                obj["spec"]["leaderWorkerTemplate"]["leaderTemplate"] = leader
                others += " leader"
        else:
            labels = {"app": obj["metadata"]["name"]}
            templates[0]["metadata"]["labels"] = {**templates[0]["metadata"].get("labels", {}), **labels}
            obj["spec"] = {"replicas": _sizes(draw), "serviceName": "drawn", "selector": {"matchLabels": labels}, "template": templates[0]}
    return Drawn(obj, others.strip())
