"""Ray workers as KubeRay makes them without index labels, their RayClusters, and reviews of them."""

import json
import uuid

from wire import post

NS = "ml"
PODS, OF_NS = "/api/v1/pods", f"/api/v1/namespaces/{NS}/pods"
CLUSTERS = "/apis/ray.io/v1/rayclusters"
TOKEN = "tpu-webhook.dev/token"
MANY = "many", "5f3c0e1c-0000-4000-8000-000000000002", [f"m{number}" for number in range(900)]  # a RayCluster


def ray_cluster(name, uid, groups, hosts=4, slices=2):
    specs = [{"groupName": group, "numOfHosts": hosts, "replicas": slices, "minReplicas": 0,
              "maxReplicas": slices} for group in groups]
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster",
            "metadata": {"name": name, "namespace": NS, "uid": uid, "resourceVersion": "5"},
            "spec": {"workerGroupSpecs": specs}}


def owner(cluster, uid):
    return [{"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": cluster, "uid": uid,
             "controller": True}]


def labels(cluster, group):
    return {"ray.io/node-type": "worker", "ray.io/cluster": cluster, "ray.io/group": group}


def worker(name, cluster, uid, group, chips=True):
    """A Pod that is to be created, on one of the four hosts of a 4x4."""
    resources = {"limits": {"google.com/tpu": "4"}} if chips else {}
    return {"metadata": {"name": name, "namespace": NS, "labels": labels(cluster, group),
                         "ownerReferences": owner(cluster, uid)},
            "spec": {"nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                      "cloud.google.com/gke-tpu-topology": "4x4"},
                     "containers": [{"name": "ray-worker", "image": "i", "resources": resources}]}}


def stored(pod, token, phase="Running"):
    """The same once it is there."""
    found = json.loads(json.dumps(pod))
    found["metadata"]["uid"] = str(uuid.uuid4())
    if token:
        found["metadata"]["labels"][TOKEN] = token
    found["status"] = {"phase": phase}
    return found


def creation(pod, review_uid=None):
    """(uid, request) of the review of its creation."""
    review_uid = review_uid or str(uuid.uuid4())
    request = {"uid": review_uid, "kind": {"group": "", "version": "v1", "kind": "Pod"},
               "resource": {"group": "", "version": "v1", "resource": "pods"}, "operation": "CREATE",
               "namespace": NS, "object": pod}
    return review_uid, post(json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                                        "request": request}).encode())
