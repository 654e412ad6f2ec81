"""Objects that ask for TPUs, within the rules of a cluster and not, drawn by a seed; and what is said of them."""

import json
import random
import re
import subprocess

from .sizes import BY_CLASS, BY_PLUGIN, KINDS, draw_object
from .training import pod_templates

ALL_KINDS = {**KINDS, "CronJob": ("batch/v1", "cronjobs"), "Deployment": ("apps/v1", "deployments")}
CAPACITY = [{}, {}, {"cloud.google.com/gke-spot": "true"}, {"cloud.google.com/gke-provisioning": "spot"},
            {"cloud.google.com/gke-flex-start": "true"}, {"cloud.google.com/gke-queued": "true"}, {"cloud.google.com/reservation-name": "ours"},
            {"cloud.google.com/gke-spot": "false"}]
SAID = re.compile(r"TPU-\d{3}: .*?\((?:rule|ask) [^)]*\)")
REFUSED = {f"TPU-65{number}" for number in range(1, 8)}
DEADLINES = [{}, {}, {"activeDeadlineSeconds": 3600}, {"activeDeadlineSeconds": 60}, {"activeDeadlineSeconds": 2 ** 33}]
RETRIES = [{}, {}, {"backoffLimit": 0}, {"backoffLimit": 3}]
NODES = [{}, {}, {}, {"cloud.google.com/gke-max-run-duration-seconds": "600"}, {"cloud.google.com/gke-max-run-duration-seconds": "0600"}]


def draw_asking(draw: random.Random, number: int) -> dict:
    """An object of any kind that makes Pods, right or wrong in size, of any number of Pods."""
    obj = draw_object(draw, number).obj
    name, spec = obj["metadata"]["name"], obj["spec"]
    if obj["kind"] == "Job" and draw.random() < 0.5:
        obj = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": obj["metadata"], "spec": {
            "schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": spec}}}
    if obj["kind"] == "StatefulSet" and draw.random() < 0.5:
        spec.pop("serviceName")
        obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": obj["metadata"], "spec": spec}
    for template in pod_templates(obj):
        if any({BY_PLUGIN, BY_CLASS} & {*one.get("resources", {}).get("limits", {})} for one in template["spec"]["containers"]):
            template["spec"].setdefault("nodeSelector", {}).update({**draw.choice(CAPACITY), **draw.choice(NODES)})
            template["metadata"] = {**template.get("metadata", {}), **({"labels": {**template.get("metadata", {}).get("labels", {}), "team": "a"}}
                                                                       if draw.random() < 0.5 else {})}
            if draw.random() < 0.4:
                template["metadata"]["annotations"] = {**template["metadata"].get("annotations", {}), "tpu-webhook.dev/checkpoint": "gs://a/b"}
    limit_time(draw, obj)
    change_numbers(draw, obj)
    assert obj["metadata"]["name"] == name
    return obj


def limit_time(draw: random.Random, obj: dict) -> None:
    """Deadlines and restarts of what has them."""
    spec = obj["spec"]
    jobs = {"Job": [spec], "CronJob": [spec.get("jobTemplate", {}).get("spec")],
            "JobSet": [job["template"]["spec"] for job in spec.get("replicatedJobs", [])]}
    for job in jobs.get(obj["kind"], []):
        job.update({**draw.choice(DEADLINES), **draw.choice(RETRIES)})
    if obj["kind"] == "RayJob":
        spec.update(draw.choice(DEADLINES[:4]))
    if obj["kind"] == "JobSet" and draw.random() < 0.5:
        spec["failurePolicy"] = {"maxRestarts": draw.choice([0, 1, 2, 2147483647])}


def change_numbers(draw: random.Random, obj: dict, most: int = 2_000_000_000) -> None:
    """Other numbers of Pods, where they may be changed later."""
    spec, some = obj["spec"], lambda: draw.choice([0, 1, 1, 2, 3, 8, most])
    if obj["kind"] == "CronJob":
        spec["jobTemplate"]["spec"]["parallelism"] = some()
    for group in (spec.get("rayClusterSpec") or spec.get("rayClusterConfig") or spec).get("workerGroupSpecs", []):
        group.update(minReplicas=0, maxReplicas=most, replicas=draw.choice([-3, some()]) if draw.random() < 0.3 else some())
    for job in spec.get("replicatedJobs", []):
        job["replicas"] = draw.choice([-2, 1, 1, 2, 3])
    if obj["kind"] == "LeaderWorkerSet":
        spec["replicas"] = draw.choice([0, 1, 2, 8])


def review_of(obj: dict, namespace: str, before: dict | None = None) -> dict:
    """What an API server sends of its creation, or of its update."""
    group, _, version = obj["apiVersion"].rpartition("/")
    request = {"uid": "u", "kind": {"group": group, "version": version, "kind": obj["kind"]},
               "resource": {"group": group, "version": version, "resource": ALL_KINDS[obj["kind"]][1]}, "namespace": namespace,
               "operation": "UPDATE" if before else "CREATE", "object": obj, "oldObject": before}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def judged(tools, rules, reviews: list) -> list:
    """Of each review: what `policy test` says breaks a rule, and whether it would be refused."""
    out = []
    for review in reviews:
        done = subprocess.run([tools, "policy", "test", "--team-rules", str(rules), "--output", "json", "-"], input=json.dumps(review),
                              capture_output=True, text=True, check=False)
        objects = json.loads(done.stdout)["objects"]
        found = [one for obj in objects for one in obj["findings"]]
        assert all(one["refuses"] == (one["id"] in REFUSED) for one in found), found
        out.append(({f"{one['id']}: {one['sentence']}" for one in found}, any(one["refuses"] for one in found)))
    return out


def by_policy(text: str) -> set:
    return set(SAID.findall(text.replace("\\'", "'")))
