#!/usr/bin/env python3
"""snapshot.py STORY [--unpatched]: a cluster in which the Pods of golden/recorded/STORY live, as
`kubectl get pods,nodes,services -A -o json` would print it.

The Pods are those that a real API server sent, with the recorded patch in them. What comes after
admission is made up: a Pod's name where it was generated, one node for each Pod, one pool for each
slice or what the Pod selects, status Running, a headless Service for each subdomain. --unpatched
is the cluster without tpu-webhook.
"""

import json
import pathlib
import sys

GOLDEN = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(GOLDEN.parent / "support"))
import golden_reviews  # noqa: E402

RECORDED = GOLDEN / "recorded"
TPU = "google.com/tpu"
POOL = "cloud.google.com/gke-nodepool"
SLICE_KEY = "tpu-webhook.dev/slice-key"
# What tells the Pods of one generateName apart.
INDICES = ("batch.kubernetes.io/job-completion-index", "ray.io/worker-group-replica-index",
           "ray.io/replica-host-index")


def apply(document, patch):
    """JSON patch, as far as recorded ones need it: add and replace."""
    for operation in patch:
        parts = [p.replace("~1", "/").replace("~0", "~") for p in operation["path"].split("/")[1:]]
        at = document
        for part in parts[:-1]:
            at = at[int(part)] if isinstance(at, list) else at[part]
        last = parts[-1]
        if not isinstance(at, list):
            at[last] = operation["value"]
        elif operation["op"] == "add":
            at.insert(len(at) if last == "-" else int(last), operation["value"])
        else:
            at[int(last)] = operation["value"]


def members(story, patched):
    """The Pods after the patch; of one that came several times, as it came last."""
    folder = RECORDED / story
    reviews = [json.loads(line) for line in (folder / "reviews.jsonl").read_text().splitlines()]
    pods = {}
    for number, (review, response) in enumerate(zip(reviews, golden_reviews.responses(folder), strict=True)):
        pod = review["request"]["object"]
        if patched:
            apply(pod, response.get("patch", []))
        name = pod["metadata"].get("name")
        index = tuple(pod["metadata"].get("labels", {}).get(key) for key in INDICES)
        generated = (pod["metadata"].get("generateName"), *index) if any(index) else number
        pods[name or generated] = (review["request"]["namespace"], pod)
    return list(pods.values())


def chips(pod):
    return sum(int(c.get("resources", {}).get("limits", {}).get(TPU, 0))
               for c in pod["spec"]["containers"])


def slice_of(pod, number):
    """What the members of a slice have alike; the number where a Pod is none."""
    labels = pod["metadata"].get("labels", {})
    return labels.get(SLICE_KEY) or labels.get("batch.kubernetes.io/job-name") or number


def pools_of(pods):
    """A pool for each slice: what a member of it selects, else one of its own."""
    pools = {}
    for number, (_, pod) in enumerate(pods):
        key = slice_of(pod, number)
        selected = pod["spec"].get("nodeSelector", {}).get(POOL)
        if selected or key not in pools:
            pools[key] = selected or f"pool-{len(pools)}"
    return [pools[slice_of(pod, number)] for number, (_, pod) in enumerate(pods)]


def cluster(story, patched=True):
    pods, nodes, services = [], [], {}
    living = members(story, patched)
    for number, ((namespace, pod), pool) in enumerate(zip(living, pools_of(living), strict=True)):
        metadata, spec = pod["metadata"], pod["spec"]
        metadata["namespace"] = namespace
        metadata.setdefault("name", f"{metadata.get('generateName', '')}{number:05}")
        pod["status"] = {"phase": "Running", "podIP": f"10.0.0.{number + 1}"}
        spec["nodeName"] = f"node-{number}"
        nodes.append({"apiVersion": "v1", "kind": "Node",
                      "metadata": {"name": f"node-{number}",
                                   "labels": {POOL: pool}},
                      "status": {"allocatable": {TPU: str(chips(pod))} if chips(pod) else {}}})
        if spec.get("subdomain"):
            services[namespace, spec["subdomain"]] = {
                "apiVersion": "v1", "kind": "Service",
                "metadata": {"namespace": namespace, "name": spec["subdomain"]},
                "spec": {"clusterIP": "None", "publishNotReadyAddresses": True}}
        pods.append({**pod, "apiVersion": "v1", "kind": "Pod"})
    return {"apiVersion": "v1", "kind": "List", "items": [*pods, *nodes, *services.values()]}


if __name__ == "__main__":
    json.dump(cluster(sys.argv[1], "--unpatched" not in sys.argv), sys.stdout, indent=1)
