"""Reduced manifests with the structure of public ones, written here: nothing of a repository is copied.

A row of files.tsv names its shape as an expression of these functions. Each returns objects, or the text of a file that
is no list of objects.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from reports import QUEUED, V5E, V6E, container, deployment, job, jobset, lws, named, pod, ray, replicated  # noqa: E402

V4, TPU7X, ANY = "tpu-v4-podslice", "tpu7x", None
POOL = "cloud.google.com/gke-nodepool"
HOST_NETWORK = {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
EXCLUSIVE = {"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": POOL}}
SLICE_TOPOLOGY = "cloud.google.com/gke-tpu-slice-topology"
TWO_SLICES = [{"name": "MEGASCALE_NUM_SLICES", "value": "2"}, {"name": "MEGASCALE_PORT", "value": "9915"}]
EMPTY_NUM_SLICES = [{"name": "MEGASCALE_NUM_SLICES", "value": ""}]
PORT_8476 = [{"name": "TPU_PROCESS_PORT", "value": "8476"}]


def template(accelerator, topology, *containers, **more):
    """The template of a Pod; without the label of an accelerator or a topology that is None."""
    made = pod(*containers, accelerator=accelerator, topology=topology, **more)
    selector = {key: value for key, value in made["spec"]["nodeSelector"].items() if value is not None}
    made["spec"]["nodeSelector"] = selector
    return made


def renamed(objects, name):
    objects[0]["metadata"]["name"] = name
    return objects


# --- objects whose Pods are one host each

def server(accelerator, topology, chips, replicas=1, **more):
    return deployment(template(accelerator, topology, container(chips), **more), replicas)


def before_a_tab(objects):
    """YAML with a tab after a value, which kubectl reads and some libraries do not."""
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: serve}\nspec:\n  type: LoadBalancer\t\n  ports: [{port: 80}]\n"
    return "---\n".join([f"{json.dumps(each)}\n" for each in objects] + [service])


def plain_job(accelerator, topology, chips, name="convert", **more):
    made = template(accelerator, topology, container(chips), restartPolicy="Never", **more)
    return [named("Job", name, {"template": made})]


def plain_pod(accelerator, topology, chips, **more):
    made = template(accelerator, topology, container(chips), **more)
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shell", "namespace": "ml"}, "spec": made["spec"]}]


# --- objects whose Pods are the hosts of slices

def indexed(accelerator, topology, hosts, name="train", service=True, metadata=None, chips=4, env=(), **more):
    made = template(accelerator, topology, container(chips, env=list(env)), **more)
    objects = renamed(job(made, hosts=hosts, metadata=metadata), name)
    return objects if service else objects[:1]


def set_of_jobs(accelerator, topology, hosts, slices=1, name="train", processes=1, metadata=None, namespace=None,
                env=(), **more):
    containers = [container(4 // processes, f"main-{i}", env=list(env)) for i in range(processes)]
    made = template(accelerator, topology, *containers, **more)
    objects = jobset(replicated(made, replicas=slices, hosts=hosts), name=name, metadata=metadata)
    if namespace:
        objects[0]["metadata"]["namespace"] = namespace
    return objects


def dynamic(topology, hosts, slices=1, name="train", processes=1, metadata=None, **more):
    return set_of_jobs(TPU7X, None, hosts, slices, name, processes, metadata, annotations={SLICE_TOPOLOGY: topology}, **more)


def group(accelerator, topology, size, replicas=1, leader=True, select=None, **more):
    """A LeaderWorkerSet; each of its Pods is a host, or all but the leader are ("without chips")."""
    worker = template(accelerator, topology, container(), select=select, **more)
    leaders = {True: template(accelerator, topology, container(name="leader"), select=select),
               "without chips": template(accelerator, topology, {"name": "proxy", "image": "example.com/a"}), False: None}
    return lws(worker, leaders[leader], size, replicas=replicas)


def subgroups(accelerator, topology, size, of):
    objects = group(accelerator, topology, size, leader="without chips")
    objects[0]["metadata"]["annotations"] = {"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology": POOL}
    objects[0]["spec"]["leaderWorkerTemplate"]["subGroupPolicy"] = {"subGroupSize": of}
    return objects


def ray_group(kind, accelerator, topology, hosts, replicas=1, chips=4, name="ray", env=(), metadata=None, **more):
    made = template(accelerator, topology, container(chips, env=list(env)), **more)
    objects = ray(made, kind, name, hosts, replicas=replicas)
    objects[0]["metadata"].update(metadata or {})
    return objects


# --- objects that make no Pods, that are no objects, or that are parts of them

def queues(quota=16, label=V6E):
    return [named("ResourceFlavor", "tpu", {"nodeLabels": {"cloud.google.com/gke-tpu-accelerator": label}}),
            named("ClusterQueue", "all", {"namespaceSelector": {}, "resourceGroups": [
                {"coveredResources": ["google.com/tpu"], "flavors": [
                    {"name": "tpu", "resources": [{"name": "google.com/tpu", "nominalQuota": quota}]}]}]}),
            named("LocalQueue", "team", {"clusterQueue": "all"})]


def facts_of_a_cluster():
    return [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "facts"}, "data": {"taint": "google.com/tpu"}}]


def patch(kind, chips, replicas=None):
    """What an overlay of kustomize adds to a base: an object without what the API server requires."""
    spec = {"template": {"spec": {"containers": [container(chips)]}}}
    return [named(kind, "overlay", spec if replicas is None else {"replicas": replicas, **spec})]


def by_class(chips):
    made = template(None, None, container(chips), select={"cloud.google.com/compute-class": "of-eight"}, restartPolicy="Never")
    return [named("Job", "train", {"template": made})]


def inference_service():
    spec = {"model": {"uri": "hf://a/b"}, "template": template(V6E, "2x2", container())["spec"]}
    return [{"apiVersion": "serving.kserve.io/v1alpha1", "kind": "LLMInferenceService", "metadata": {"name": "a"}, "spec": spec}]


def values_of_a_chart():
    return "decode:\n  resources:\n    limits: {google.com/tpu: 4}\n"


def unrendered():
    return "kind: Job\nmetadata:\n  labels:\n  %{~ for key in labels ~}\n    a: b\n  %{~ endfor ~}\n"


def names_in_braces():
    return "kind: PersistentVolume\nspec:\n  csi:\n    volumeHandle: {PROJECT}/{LOCATION}\n    driver: d\n"


def value_in_braces(replicas):
    objects = server(TPU7X, "2x2x1", 4, replicas)
    objects[0]["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "FOLDER", "value": {"FOLDER_PATH": None}}]
    return objects
