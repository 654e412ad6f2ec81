#!/usr/bin/env python3
"""What `explain` says of the manifests of public reports: reports.py PROGRAM [-k PART].

Each case is one that somebody ran into: the smallest manifest that shows it, and what is true of it. Beside
each stands what looks like it and is right, of which nothing may be said.
"""

import copy
import functools
import json
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
V6E, V5E = "tpu-v6e-slice", "tpu-v5-lite-podslice"
PROBE = {"readinessProbe": {"tcpSocket": {"port": 8000}}}


# --- manifests

def container(chips=4, name="main", **more):
    return {"name": name, "image": "example.com/a:1", "resources": {"limits": {"google.com/tpu": str(chips)}}, **more}


def pod(*containers, topology="4x4", accelerator=V6E, select=None, labels=None, annotations=None, **spec):
    selector = {"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": topology}
    return {"metadata": {"labels": labels or {}, "annotations": annotations or {}},
            "spec": {"nodeSelector": {**selector, **(select or {})}, "containers": list(containers) or [container()], **spec}}


def named(kind, name, spec, **metadata):
    versions = {"Job": "batch/v1", "CronJob": "batch/v1", "Deployment": "apps/v1", "StatefulSet": "apps/v1",
                "JobSet": "jobset.x-k8s.io/v1alpha2", "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1", "Service": "v1",
                "LocalQueue": "kueue.x-k8s.io/v1beta1", "ClusterQueue": "kueue.x-k8s.io/v1beta1",
                "ResourceFlavor": "kueue.x-k8s.io/v1beta1", "RayCluster": "ray.io/v1", "RayJob": "ray.io/v1",
                "RayService": "ray.io/v1", "ConfigMap": "v1", "ResourceClaimTemplate": "resource.k8s.io/v1",
                "ResourceClaim": "resource.k8s.io/v1", "DeviceClass": "resource.k8s.io/v1",
                "PodGroup": "scheduling.k8s.io/v1alpha2"}
    return {"apiVersion": versions[kind], "kind": kind, "metadata": {"name": name, "namespace": "ml", **metadata}, "spec": spec}


def job(template=None, hosts=4, metadata=None, **spec):
    template = template or pod()
    template["spec"].setdefault("subdomain", "train")
    template["spec"].setdefault("restartPolicy", "Never")
    both = {"completions": hosts, "parallelism": hosts, "completionMode": "Indexed", **spec}
    spec = {key: value for key, value in both.items() if value is not None}
    return [named("Job", "train", {**spec, "template": template}, **(metadata or {})),
            named("Service", "train", {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"job-name": "train"}})]


def replicated(template=None, name="slice", replicas=1, hosts=4, job_spec=None, **more):
    spec = {"completions": hosts, "parallelism": hosts, **(job_spec or {}), "template": template or pod()}
    return {"name": name, "replicas": replicas, "template": {"spec": {key: value for key, value in spec.items() if value is not None}},
            **more}


def jobset(*jobs, name="train", metadata=None, **spec):
    return [named("JobSet", name, {**spec, "replicatedJobs": list(jobs) or [replicated()]}, **(metadata or {}))]


def lws(worker=None, leader=None, size=4, **spec):
    group = {"size": size, "workerTemplate": worker or pod()}
    if leader:
        group["leaderTemplate"] = leader
    return [named("LeaderWorkerSet", "serve", {"replicas": 1, **spec, "leaderWorkerTemplate": group})]


def ray(template=None, kind="RayCluster", name="ray", hosts=4, cluster=None, **group):
    spec = {"headGroupSpec": {"rayStartParams": {}, "template": {"spec": {"containers": [{"name": "head", "image": "example.com/ray"}]}}},
            "workerGroupSpecs": [{"groupName": "g", "replicas": 1, "numOfHosts": hosts, "rayStartParams": {}, **group,
                                  "template": template or pod()}], **(cluster or {})}
    holder = {"RayCluster": spec, "RayJob": {"entrypoint": "true", "rayClusterSpec": spec}, "RayService": {"rayClusterConfig": spec}}
    return [named(kind, name, holder[kind])]


def stateful_set(template=None, replicas=4, **spec):
    template = template or pod()
    template["metadata"]["labels"]["app"] = "serve"
    return [named("StatefulSet", "serve", {"serviceName": "serve", "replicas": replicas, "selector": {"matchLabels": {"app": "serve"}},
                                           **spec, "template": template}),
            named("Service", "serve", {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"app": "serve"}})]


def deployment(template, replicas=1):
    template["metadata"]["labels"]["app"] = "serve"
    return [named("Deployment", "serve", {"replicas": replicas, "selector": {"matchLabels": {"app": "serve"}}, "template": template})]


def queue(*resources, flavors=None, covered=None):
    quotas = [{"name": name, "nominalQuota": quota} for name, quota in resources]
    flavors = flavors or [{"name": "v6e", "resources": quotas}]
    names = sorted({each["name"] for flavor in flavors for each in flavor["resources"]})
    return [named("LocalQueue", "team", {"clusterQueue": "all"}),
            named("ResourceFlavor", "v6e", {"nodeLabels": {"cloud.google.com/gke-tpu-accelerator": V6E}}),
            named("ClusterQueue", "all", {"namespaceSelector": {}, "resourceGroups": [
                {"coveredResources": covered or names, "flavors": flavors}]})]


QUEUED = {"labels": {"kueue.x-k8s.io/queue-name": "team"}}


# --- what is said of them

class Said:
    def __init__(self, objects):
        self.lines = "\n".join(json.dumps(each) for each in objects)
        ran = self.ask("-o", "json")
        self.code, self.all = ran.returncode, json.loads(ran.stdout) if ran.stdout else {}
        self.first = self.all.get("workloads", [{}])[0]
        self.ids = {each["id"] for each in self.first.get("findings", [])}

    def ask(self, *flags):
        return subprocess.run([PROGRAM, "explain", *flags, "-"], input=self.lines, capture_output=True, text=True, timeout=60, check=False)

    @functools.cached_property
    def text(self):
        return self.ask().stdout

    __str__ = text.func  # a message of an assertion is asked for where it fails

    @property
    def findings(self):
        return [f"{each['id']}: {each['sentence']}" for each in self.first["findings"]]


class Reports(unittest.TestCase):
    maxDiff = None

    def fine(self, objects, *parts, without=()):
        """Asserts that there are no findings, and that the text has each of `parts` and none of `without`."""
        said = Said(objects)
        self.assertEqual((said.first.get("verdict"), said.findings), ("fine", []), said)
        for part in parts:
            self.assertIn(part, said.text)
        for part in [without] if isinstance(without, str) else without:
            self.assertNotIn(part, said.text)
        return said

    def warned(self, objects, finding, *parts):
        said = Said(objects)
        self.assertEqual(said.first["verdict"], "doubtful", said)
        self.tells(said, finding, parts)
        return said

    def refused(self, objects, finding, *parts):
        said = Said(objects)
        self.assertEqual((said.first["verdict"], said.code), ("refused", 1), said)
        for part in (finding, *parts):  # all that an object is refused for stands in one sentence
            self.assertIn(part, said.first["sentence"], said)
        return said

    def tells(self, said, finding, parts):
        self.assertIn(finding, said.ids, said)
        told = "\n".join(each for each in said.findings if each.startswith(finding))
        for part in parts:
            self.assertIn(part, told, said)


class Coordinators(Reports):  # C
    def worker(self, address):
        return pod(container(env=[{"name": "MEGASCALE_COORDINATOR_ADDRESS", "value": address}]))

    def head(self):
        return replicated({"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}, "head", hosts=1)

    def test_the_head_of_pathways(self):
        self.fine(jobset(self.head(), replicated(self.worker("train-head-0-0.train"), replicas=2)))

    def test_made_of_another_variable(self):
        self.fine(jobset(replicated(self.worker("$(HEAD)"), replicas=2)))

    def test_the_same_host_by_a_longer_name(self):
        for more in (":8080", ".ml", ".ml.svc.cluster.local", ".ml.svc.cluster.local:8080"):
            self.fine(jobset(replicated(self.worker("train-slice-0-0.train" + more), replicas=2)))
        self.warned(jobset(replicated(self.worker("train-slice-0-0.trainer"), replicas=2)), "TPU-502")

    def test_the_same_hosts_by_longer_names(self):
        def listed(*hosts):
            names = ",".join(f"train-{each}.train.ml.svc.cluster.local" for each in hosts)
            return job(pod(container(env=[{"name": "TPU_WORKER_HOSTNAMES", "value": names}])))
        self.fine(listed(0, 1, 2, 3))
        self.warned(listed(1, 0, 2, 3), "TPU-502")
        self.warned(listed(0, 1, 2), "TPU-502")

    def test_somebody_elses(self):
        self.warned(jobset(replicated(self.worker("other-0-0.other"), replicas=2)), "TPU-502")
        self.warned(jobset(replicated(self.worker("train-slice-1-0.train"), replicas=2)), "TPU-502")


class Quotas(Reports):  # D
    def test_of_what_the_templates_ask(self):
        objects = ray()
        objects[0]["metadata"].update(QUEUED)  # what KubeRay adds to the Pods, Kueue does not count
        self.assertNotIn("not known", self.fine(objects + queue(("google.com/tpu", 16))).text)

    def test_of_pod_sets_one_after_the_other(self):
        objects = lws(pod(labels=QUEUED["labels"])) + queue(("google.com/tpu", 8))
        self.warned(objects, "quota", "4 of 8 chips are reserved (4 of them by its other Pods), Pods of workers need 12: short by 8 chips")

    def test_of_the_head_too(self):
        objects = ray()
        objects[0]["metadata"].update(QUEUED)
        workers = objects[0]["spec"]["workerGroupSpecs"][0]
        workers["template"]["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "1"}
        objects[0]["spec"]["headGroupSpec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "7"}}
        self.warned(objects + queue(("google.com/tpu", 16), ("cpu", 10)), "quota", "short by 1 of cpu")

    def test_the_first_flavor_has_none(self):
        flavors = [{"name": name, "resources": [{"name": "google.com/tpu", "nominalQuota": quota}]}
                   for name, quota in (("v6e", 0), ("spare", 32))]
        spare = named("ResourceFlavor", "spare", {"nodeLabels": {"cloud.google.com/gke-tpu-accelerator": V6E, "team": "b"}})
        self.fine(jobset(metadata=QUEUED) + queue(flavors=flavors) + [spare], "with flavor spare")


class Children(Reports):  # E
    def test_parallelism_alone(self):
        self.refused(job(completions=None), "TPU-412", "completions is missing")
        self.fine(job(pod(topology="2x2"), completions=None, parallelism=None))

    def test_selectors(self):
        self.refused(job(selector={"matchLabels": {"app": "train"}}), "TPU-412", "selector does not match")
        self.fine(job(selector={}))
        self.assertNotIn("TPU-412", Said(job(selector={"matchLabels": {"app": "train"}}, manualSelector=True)).text)

    def test_selectors_of_a_cron_job(self):
        for more in ({"selector": {}}, {"manualSelector": True}):
            nightly = named("CronJob", "nightly", {"schedule": "0 0 * * *", "jobTemplate": {"spec": job(**more)[0]["spec"]}})
            self.refused([nightly], "TPU-412", "neither a selector nor manualSelector")

    def test_names_that_kuberay_refuses(self):
        self.warned(ray(hosts=4, name="a" * 54), "TPU-412", "54 characters, and 53 are allowed")
        self.warned(ray(kind="RayService", name="70b-vllm"), "TPU-412", "KubeRay 1.4 and later")
        self.fine(ray(kind="RayJob", name="a" * 47))


class HostsOfOne(Reports):  # H
    def test_two_for_one(self):
        said = self.warned(ray(pod(topology="2x2"), hosts=2), "TPU-401", "2x2 with 4 chips per Pod has 1 host")
        self.assertIn("no Pod of slice ", said.first["sentence"])
        self.assertNotIn("0 of 1 hosts", said.first["sentence"])


class Containers(Reports):  # E1
    two = [container(2, "a"), container(2, "b")]

    def test_two_of_them(self):
        for objects in (ray(pod(*copy.deepcopy(self.two))), job(pod(*copy.deepcopy(self.two)))):
            said = self.warned(objects, "TPU-109", f"on {V6E} one container must ask for all chips of its node")
            self.assertNotIn("TPU_WORKER_HOSTNAMES", said.text)

    def test_an_exporter_beside(self):
        for hosts in (2, 4):
            said = self.warned(ray(pod(container(name="exporter"), container()), hosts=hosts), "TPU-109")
            self.assertNotIn("TPU-401", said.ids)

    def test_a_sidecar(self):
        monitor = container(name="monitor", restartPolicy="Always")
        self.warned(job(pod(accelerator=V5E, initContainers=[monitor])), "TPU-109")

    def test_two_of_tpu7x(self):
        self.fine(job(pod(*copy.deepcopy(self.two), accelerator="tpu7x", topology="2x2x4")))


class Order(Reports):  # F
    def test_of_a_leader(self):
        self.warned(lws(leader=pod(container(**PROBE)), startupPolicy="LeaderReady"), "TPU-413", "startupPolicy is LeaderReady")
        self.fine(lws(pod(container(**PROBE)), leader=pod(), startupPolicy="LeaderReady"))

    def test_of_a_job_set(self):
        both = [replicated(pod(container(**PROBE)), name) for name in ("a", "b")]
        self.warned(jobset(*both, startupPolicy={"startupPolicyOrder": "InOrder"}), "TPU-413", "startupPolicyOrder: InOrder")
        self.fine(jobset(*both))

    def test_of_names(self):
        probed = job(pod(container(**PROBE)))
        self.fine(probed)
        del probed[1]["spec"]["publishNotReadyAddresses"]
        self.warned(probed, "no-service", "resolves only Pods that are Ready, which is decided by readinessProbe of container main")
        unpublished = {"network": {"publishNotReadyAddresses": False}}
        self.warned(jobset(replicated(pod(container(**PROBE))), **unpublished), "TPU-303", "publishNotReadyAddresses is false")
        self.fine(jobset(**unpublished))


class Sizes(Reports):  # G, H, L, M, O
    def test_suspended(self):
        self.fine(ray(cluster={"suspend": True}), "it is suspended")

    def test_scaled_to_none(self):
        for objects in (deployment(pod(container(1), topology="1x1", accelerator=V5E), replicas=0),
                        ray(cluster={"enableInTreeAutoscaling": True}, replicas=0, minReplicas=0, maxReplicas=4)):
            said = self.fine(objects)
            self.assertIn("0 Pods with chips now", said.first["sentence"])
        self.assertIn("(0 to 16)", said.first["sentence"])
        lines = json.dumps(objects[0])
        pods = subprocess.run([PROGRAM, "explain", "-o", "pods", "-"], input=lines, capture_output=True, text=True, check=False).stdout
        self.assertEqual([json.loads(line)["metadata"]["labels"]["ray.io/node-type"] for line in pods.splitlines()], ["head"])
        self.assertIn("4x4 on tpu-v6e-slice", said.first["sentence"])

    def test_scaled_to_none_of_several_hosts(self):
        said = self.fine(stateful_set(replicas=0))
        self.assertIn("0 Pods with chips now; 4 Pods are 1 slice of 4x4", said.first["sentence"])
        said = self.warned(deployment(pod(), replicas=0), "TPU-410")
        self.assertIn("0 Pods with chips now", said.first["sentence"])

    def test_chips_that_no_node_has(self):
        for objects in (deployment(pod(container(1), topology="2x2", accelerator=V5E)),
                        job(pod(container(1), topology="2x2", accelerator=V5E)),
                        deployment(pod(container(1), topology="2x4", accelerator=V5E))):
            said = self.warned(objects, "TPU-108", "ask for all chips of a node")
            self.assertEqual(said.ids, {"TPU-108"}, said)
            self.assertIn("of slices of unknown size", said.first["sentence"])
            self.assertNotRegex(said.text, r"[0-9] hosts")

    def test_slices_that_the_user_counted(self):
        counted = pod(container(env=[{"name": "MEGASCALE_NUM_SLICES", "value": "2"}]))
        cluster = {"enableInTreeAutoscaling": True}
        self.warned(ray(counted, cluster=cluster, replicas=2, minReplicas=2, maxReplicas=4), "TPU-403", "the autoscaler may make replica 3")
        self.refused(ray(counted, cluster=cluster, replicas=3, minReplicas=2, maxReplicas=4), "4 of 12 Pods would be refused")
        self.refused(ray(counted, replicas=0, minReplicas=3, maxReplicas=4), "4 of 12 Pods would be refused")
        self.fine(ray(counted, replicas=9, minReplicas=0, maxReplicas=2))

    def test_admitted_with_fewer(self):
        fewer = {"annotations": {"kueue.x-k8s.io/job-min-parallelism": "2"}, **QUEUED}
        self.warned(job(metadata=fewer, suspend=True), "TPU-405", "lets Kueue start it with 2 Pods")


class Placement(Reports):  # B, I
    def pinned(self, **more):
        return pod(select={"cloud.google.com/gke-nodepool": "p"}, **more)

    def test_two_slices_on_one_pool(self):
        self.warned(jobset(replicated(self.pinned(), replicas=2)), "TPU-604", "2 slices select node pool p")
        self.fine(jobset(replicated(self.pinned())))

    def test_two_slices_of_a_job(self):
        self.warned(job(self.pinned(annotations={"tpu-webhook.dev/slice-count": "2"}), hosts=8), "TPU-604")

    def test_two_slices_one_after_the_other(self):
        self.fine(jobset(replicated(self.pinned(), "a"), replicated(self.pinned(), "b", dependsOn=[{"name": "a", "status": "Complete"}])))

    def test_two_workloads_on_one_pool(self):
        both = [job(self.pinned())[0], jobset(replicated(self.pinned()), name="other")[0], job()[1]]
        said = self.fine(both)
        self.assertIn("node pool p is also selected by JobSet ml/other", said.text + json.dumps(said.all))
        both[1]["spec"]["suspend"] = True
        self.assertNotIn("is also selected", json.dumps(self.fine(both).all))

    def test_affinity_to_one_pool(self):
        terms = [{"matchExpressions": [{"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": ["a"]}]}]
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
        self.fine(job(pod(affinity=affinity)), "the Pods select node pool a", without="nothing keeps")

    def test_topology_of_kueue(self):
        template = pod(annotations={"kueue.x-k8s.io/podset-required-topology": "cloud.google.com/gke-nodepool"})
        self.fine(job(template, metadata=QUEUED, suspend=True),
                  "Kueue's topology-aware scheduling places the Pods: all Pods of a Pod set on one node pool", without="nothing keeps")

    def asking(self, size=None, level="cloud.google.com/gke-nodepool", **more):
        each = {"kueue.x-k8s.io/podset-slice-required-topology": level, "kueue.x-k8s.io/podset-slice-size": size}
        return pod(annotations=each if size else {"kueue.x-k8s.io/podset-required-topology": level}, **more)

    def test_topology_that_kueue_never_finds(self):
        for two in (jobset(replicated(self.asking(), replicas=2), metadata=QUEUED), ray(self.asking(), replicas=2)):
            self.warned(two, "kueue-topology", "asks for all 8 Pods of", "on one node pool, which holds 4")
        self.warned(job(self.asking(level="kubernetes.io/hostname"), metadata=QUEUED), "kueue-topology", "on one node, which holds 1")
        self.warned(jobset(replicated(self.asking("2"), replicas=2), metadata=QUEUED), "kueue-topology", "Kueue keeps 2 Pods together")
        self.warned(jobset(replicated(self.asking("8"), replicas=2), metadata=QUEUED), "kueue-topology", "8 Pods on one node pool")
        for right in (replicated(self.asking("4"), replicas=2), replicated(self.asking()), replicated(self.asking(level="example.com/block"), replicas=2),
                      replicated(self.asking(topology="2x2"), replicas=2, hosts=1)):
            self.fine(jobset(right, metadata=QUEUED))


class NodePools(Reports):  # K
    def test_a_machine_that_the_shape_has_not(self):
        for key, value in (("cloud.google.com/gke-accelerator-count", "8"), ("node.kubernetes.io/instance-type", "ct6e-standard-8t"),
                           ("cloud.google.com/machine-family", "ct5lp")):
            required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}
            affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
            for asks in ({"select": {key: value}}, {"affinity": affinity}):
                self.warned(jobset(replicated(pod(**asks))), "no-node", f"the Pods select {key}={value}, and nodes of tpu-v6e-slice with topology 4x4 have ")
        # Of 2x4 there are machines of 4 chips and of 8.
        self.assertNotIn("no-node", Said(jobset(replicated(pod(topology="2x4", select={"cloud.google.com/gke-accelerator-count": "8"}), hosts=2))).ids)

    def test_a_pool_by_name_in_affinity(self):
        required = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": ["mine"]}]}]}
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        self.assertIn("node-pools create mine", self.fine(jobset(replicated(pod(affinity=affinity)))).text)

    def test_two_ways_to_pay(self):
        both = {"cloud.google.com/gke-spot": "true", "cloud.google.com/reservation-name": "r"}
        self.warned(jobset(replicated(pod(select=both))), "TPU-112", "Spot nodes and nodes of a reservation")
        def affinity(*keys):
            terms = [{"matchExpressions": [{"key": each, "operator": "In", "values": ["true"]}]} for each in keys]
            return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
        reserved = {"cloud.google.com/reservation-name": "r"}
        self.warned(jobset(replicated(pod(select=reserved, affinity=affinity("cloud.google.com/gke-spot")))), "TPU-112")
        self.fine(jobset(replicated(pod(affinity=affinity("cloud.google.com/gke-spot", "cloud.google.com/gke-flex-start")))))

    def test_selector_against_affinity(self):
        def affinity(*values):
            terms = [{"matchExpressions": [{"key": "cloud.google.com/gke-tpu-topology", "operator": "In", "values": [each]}]} for each in values]
            return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
        self.warned(job(pod(affinity=affinity("2x4"))), "TPU-112", "the required node affinity for other nodes")
        self.fine(job(pod(affinity=affinity("2x4", "4x4"))))


class Running(Reports):  # A
    def node(self, name="n0", chips=8, topology="2x4", accelerator=V5E, pool="p"):
        labels = {"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": topology,
                  "cloud.google.com/gke-nodepool": pool}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
                "status": {"allocatable": {"google.com/tpu": str(chips)}, "conditions": [{"type": "Ready", "status": "True"}]}}

    def runs(self, template, owner, node="n0", **labels):
        template = copy.deepcopy(template)
        template["metadata"] = {"name": "p-0", "namespace": "ml", "uid": "u-1", "labels": labels,
                                "ownerReferences": [{"kind": owner[0], "name": owner[1], "uid": "u-2", "controller": True}]}
        template["spec"]["nodeName"] = node
        return {"apiVersion": "v1", "kind": "Pod", **template, "status": {"phase": "Running"}}

    def outlook(self, objects, *cluster):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": cluster}, file)
            file.flush()
            lines = "\n".join(json.dumps(each) for each in objects)
            ran = subprocess.run([PROGRAM, "explain", "-o", "json", "--cluster", file.name, "-"], input=lines,
                                 capture_output=True, text=True, timeout=60, check=False)
        found = json.loads(ran.stdout)["workloads"][0]["outlook"]
        self.assertNotIn("delete", json.dumps(found))
        return found["sentence"]

    def test_a_deployment(self):
        template = pod(container(8), topology="2x4", accelerator=V5E)
        running = self.runs(template, ("ReplicaSet", "serve-7d8f6c5b4"), **{"pod-template-hash": "7d8f6c5b4"})
        self.assertEqual(self.outlook(deployment(template), self.node(), running), "runs on p")

    def test_a_ray_service_and_a_cron_job(self):
        template = pod(container(8), topology="2x4", accelerator=V5E)
        worker = self.runs(template, ("RayCluster", "ray-x1y2z"), **{
            "ray.io/cluster": "ray-x1y2z", "ray.io/group": "g", "ray.io/node-type": "worker"})
        self.assertEqual(self.outlook(ray(template, kind="RayService", hosts=1), self.node(), worker), "runs on p")
        template["spec"]["restartPolicy"] = "Never"
        nightly = named("CronJob", "nightly", {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": template}}})
        before = self.runs(template, ("Job", "nightly-29000000"), **{"job-name": "nightly-29000000"})
        self.assertEqual(self.outlook([nightly], self.node(), before), "runs on p")

    def test_another_ones(self):
        template = pod(container(8), topology="2x4", accelerator=V5E)
        other = self.runs(template, ("ReplicaSet", "other-7d8f6c5b4"), **{"pod-template-hash": "7d8f6c5b4"})
        self.assertIn("waits for", self.outlook(deployment(template), self.node(), other))


class Updates(Reports):  # P
    def test_of_a_deployment(self):
        objects = deployment(pod(topology="2x2"), replicas=2)
        self.assertIn("an update makes 1 Pod more (maxSurge)", self.fine(objects).text)
        objects[0]["spec"]["strategy"] = {"type": "Recreate"}
        self.assertNotIn("an update", self.fine(objects).text)

    def test_of_a_ray_service(self):
        self.assertIn("which takes 1 slice more", self.fine(ray(kind="RayService")).text)


class Jax(Reports):  # of Kubeflow Trainer's template
    index = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}

    def slices(self, count, replicas):
        env = [{"name": "JAX_NUM_PROCESSES", "value": str(count)}, {"name": "JAX_PROCESS_ID", "valueFrom": self.index}]
        return jobset(replicated(pod(container(env=env)), replicas=replicas))

    def test_the_address_of_a_template(self):
        def led_by(address):
            return job(pod(container(env=[{"name": "JAX_COORDINATOR_ADDRESS", "value": address}])))
        self.warned(led_by("train-1.train:1234"), "jax", "JAX_COORDINATOR_ADDRESS is train-1.train, but process 0 of the slice is on train-0.train")
        for right in ("train-0.train:1234", "train-0.train.ml.svc.cluster.local:1234", "a-service:1234", "$(LEADER):1234"):
            self.fine(led_by(right))

    def test_numbers_of_a_template(self):
        self.fine(self.slices(4, 1))
        self.fine(self.slices(4, 2))
        self.warned(self.slices(8, 2), "jax", "JAX_PROCESS_ID is 0, but this Pod is process 4 of 8")
        self.warned(self.slices(2, 1), "jax", "JAX_NUM_PROCESSES is 2, but the slice has 4 processes")


class Reading(Reports):  # as kubectl reads it, and what nobody reads
    def explained(self, text, *flags):
        return subprocess.run([PROGRAM, "explain", *flags, "-"], input=text, capture_output=True, text=True, timeout=60, check=False)

    def test_a_key_twice(self):
        good, bad = json.dumps(pod()["spec"]["containers"]), json.dumps([])
        line = json.dumps(named("JobSet", "train", {"replicatedJobs": [replicated()]}))
        twice = line.replace(f'"containers": {good}', f'"containers": {bad}, "containers": {good}')
        self.assertNotEqual(line, twice)
        for text in (twice, "# YAML\n" + twice):
            said = self.explained(text)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn("duplicate key", said.stdout)
            self.assertIn("1 slice of 4x4", said.stdout)

    def test_merge_keys(self):
        text = """
base: &base {completions: 4, parallelism: 4}
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  <<: *base
  completionMode: Indexed
  template:
    spec: &pod
      subdomain: train
      restartPolicy: Never
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
      containers: [{name: a, image: a, resources: {limits: {google.com/tpu: 4}}}]
"""
        self.assertIn("1 slice of 4x4", self.explained(text).stdout)

    def test_what_is_not_read(self):
        for kind in ("PathwaysJob", "TrainJob", "DaemonSet"):
            text = json.dumps({"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "x"}})
            said = self.explained(text)
            self.assertEqual(said.returncode, 0)
            self.assertIn(f"not read, though Pods are made of it: {kind} x", said.stdout)
            self.assertEqual(self.explained(text, "--strict").returncode, 1)

    def test_what_is_not_followed(self):
        for kind, version in (("InferenceService", "serving.kserve.io/v1beta1"), ("LLMInferenceService", "serving.kserve.io/v1alpha1"),
                              ("Workflow", "argoproj.io/v1alpha1"), ("CronWorkflow", "argoproj.io/v1alpha1")):
            said = self.explained(json.dumps({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}}))
            self.assertIn(f"not read, though Pods are made of it: {kind} x\n  the Pods of such objects, and their slices, are not known", said.stdout)

    def test_placeholders(self):
        named_so = [jobset(replicated(pod(topology=topology)), name=name)
                    for topology in ("4x4", "2x2") for name in ("${NAME}", "$NAME", "$(name)", "<name>", "{{ .Values.name }}")]
        within = [jobset(replicated(pod(accelerator="${ACCELERATOR}"))), jobset(replicated(pod(container("${CHIPS}")))),
                  jobset(replicated(hosts="${HOSTS}")), ray(groupName="${GROUP}"), jobset(metadata={"namespace": "$NAMESPACE"})]
        for objects in named_so + within:
            said = Said(objects)
            self.assertEqual([each["id"] for each in said.first["findings"]], ["TPU-101"], said.text)
            self.assertIn("envsubst", said.text)
        self.fine(jobset(replicated(pod(container(command=["sh", "-c", "echo ${HOME} $(hostname) <a>"])))))

    def test_kinds_that_nobody_knows(self):
        text = json.dumps({"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": {"name": "x"}, "spec": {"template": pod()}})
        self.assertIn("not read, though Pods are made of it: Rollout x", self.explained(text).stdout)
        text = json.dumps({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "x"}, "spec": {"hard": {"requests.google.com/tpu": "8"}}})
        self.assertIn("nothing is read of: ResourceQuota", self.explained(text).stdout)


class Wrapped(Reports):
    def held(self, objects, **metadata):
        """The same in an AppWrapper, whose webhook wants no other namespace."""
        return [{"apiVersion": "workload.codeflare.dev/v1beta2", "kind": "AppWrapper",
                 "metadata": {"name": "all", "namespace": "ml", **metadata},
                 "spec": {"components": [{"template": each} for each in objects]}}]

    def test_says_of_a_child_what_it_says_of_it_alone(self):
        for objects in (job(), jobset(), lws(), ray(), job(hosts=2), jobset(replicated(pod(topology="3x3")))):
            alone, held = Said(objects), Said(self.held(objects))
            self.assertEqual((held.first["verdict"], held.first["sentence"]), (alone.first["verdict"], alone.first["sentence"]))
            self.assertEqual(held.findings, alone.findings)
            self.assertEqual(held.first["within"], [{"kind": "AppWrapper", "namespace": "ml", "name": "all",
                                                     "path": "spec.components[0].template"}])
            self.assertIn("in AppWrapper ml/all: spec.components[0].template", held.first["notes"])

    def test_the_fix_is_in_the_wrapper(self):
        said = Said(self.held(jobset(replicated(hosts=2))))
        edits = [edit for finding in said.first["findings"] for edit in finding["how"].get("edits", [])]
        self.assertEqual({edit["object"]["kind"] for edit in edits}, {"AppWrapper"}, said.text)
        self.assertTrue(all(edit["path"].startswith("/spec/components/0/template/spec/") for edit in edits), edits)

    def test_a_queue_of_the_whole(self):
        chips = queue(("google.com/tpu", "8"))
        self.warned(self.held(jobset(), **QUEUED) + chips, "quota")

    def test_what_is_missing_is_not_known(self):
        train_job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "t"},
                     "spec": {"runtimeRef": {"name": "jax"}}}
        for objects in ([train_job], self.held([train_job])):
            said = self.warned(objects, "not-made", "ClusterTrainingRuntime jax is not in the input")
            self.assertIn("kubectl get clustertrainingruntime jax -o yaml", said.text)

    def ruled(self, rules, *objects):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(rules if isinstance(rules, str) else json.dumps(rules))
            file.flush()
            return subprocess.run([PROGRAM, "explain", "--rules", file.name, "-o", "json", "-"], timeout=60, check=False,
                                  input="\n".join(json.dumps(each) for each in objects), capture_output=True, text=True)

    def test_own_kinds(self):
        rule = {"apiVersion": "x.dev/v1", "kind": "Hosts", "pods": [{"template": "spec.template", "count": "spec.size", "as": "Job"}]}
        template = job()[0]["spec"]["template"]
        own = {"apiVersion": "x.dev/v2", "kind": "Hosts", "metadata": {"name": "train", "namespace": "ml"},
               "spec": {"size": 4, "template": template}}
        alone = Said(job())
        said = json.loads(self.ruled({"wrappers": [rule]}, own, job()[1]).stdout)["workloads"][0]
        self.assertEqual((said["kind"], said["verdict"], said["sentence"]), ("Job", "fine", alone.first["sentence"]))
        del rule["pods"][0]["as"]
        said = json.loads(self.ruled({"wrappers": [rule]}, own, job()[1]).stdout)["workloads"][0]
        self.assertEqual((said["kind"], said["name"], said["pods"]), ("Hosts", "train", 4))

    def test_rules_that_are_wrong(self):
        for rules, words in (("wrappers:\n- kind: A\n  childs: [b]\n", ":2: wrappers[0].apiVersion: is missing"), ("[", ":1: "),
                             ("wrappers:\n- kind: A\n  childs: [b]\n", ":3: wrappers[0].childs: unknown key")):
            ran = self.ruled(rules, *job())
            self.assertEqual((ran.returncode, ran.stdout), (2, ""))
            self.assertIn(words, ran.stderr)


class ComputeClasses(Reports):
    def test_of_one_shape(self):
        priorities = [{"tpu": {"type": V6E, "count": 4, "topology": "4x4"}, "flexStart": {"enabled": True}},
                      {"tpu": {"type": V6E, "count": 4, "topology": "4x4"}, "spot": True}]
        name = {"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass", "metadata": {"name": "v6e"}, "spec": {"priorities": priorities}}
        objects = job(pod(select={"cloud.google.com/compute-class": "v6e"}))
        del objects[0]["spec"]["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"]
        self.assertIn("all that it tries is 4x4", self.warned(objects + [name], "TPU-105").text)
        two_by_four = job(pod(topology="2x4", select={"cloud.google.com/compute-class": "v6e"}), hosts=2)
        self.warned(two_by_four + [name], "no-node", "ComputeClass v6e makes no node that the Pods select")
        four_by_four = job(pod(select={"cloud.google.com/compute-class": "v6e"}))
        self.fine(four_by_four + [name])
        priorities[1]["tpu"]["topology"] = "2x4"
        self.fine(two_by_four + [name])
        self.assertNotIn("all that it tries", self.warned(objects + [name], "TPU-105").text)


class NoNode(Reports):  # Q, K3
    def apart(self, **labels):
        term = {"labelSelector": {"matchLabels": labels}, "topologyKey": "cloud.google.com/gke-nodepool"}
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}

    def test_hosts_that_are_kept_apart(self):
        self.warned(job(pod(affinity=self.apart(**{"job-name": "train"}))), "no-node", "but the 4 hosts of a slice must be on one")
        self.fine(job(pod(affinity=self.apart(**{"job-name": "other"}))))

    def keyed(self, kind, key):
        term = {"labelSelector": {"matchLabels": {"job-name": "train"}}, "topologyKey": key}
        return job(pod(affinity={kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}))

    def test_hosts_that_no_pool_holds(self):
        self.warned(self.keyed("podAntiAffinity", "topology.kubernetes.io/zone"), "no-node")
        self.fine(self.keyed("podAntiAffinity", "kubernetes.io/hostname"))
        self.warned(self.keyed("podAffinity", "kubernetes.io/hostname"), "no-node", "keeps these Pods on one node")
        self.fine(self.keyed("podAffinity", "topology.kubernetes.io/zone"))

    def test_hosts_that_are_spread(self):
        def spread(key, **more):
            return job(pod(topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
                                                       "labelSelector": {"matchLabels": {"job-name": "train"}}, **more}]))
        self.warned(spread("cloud.google.com/gke-nodepool"), "no-node", "over node pools")
        self.fine(spread("kubernetes.io/hostname"))
        self.fine(spread("cloud.google.com/gke-nodepool", whenUnsatisfiable="ScheduleAnyway"))

    def test_gpus_beside(self):
        both = container()
        both["resources"]["limits"]["nvidia.com/gpu"] = "1"
        self.warned(job(pod(both)), "no-node", "no node has both TPUs and GPUs")

    def test_gpus_of_an_init_container(self):
        gpu = {"name": "warm", "image": "a", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        self.warned(job(pod(initContainers=[gpu])), "no-node", "container warm asks for nvidia.com/gpu")

    def test_an_init_container_with_more(self):
        self.warned(job(pod(initContainers=[container(8, "warm")])), "no-node", "init container warm asks for 8 chips")

    def test_a_request_without_a_limit(self):
        alone = container()
        alone["resources"] = {"requests": alone["resources"]["limits"]}
        self.refused(jobset(replicated(pod(alone))), "without a limit")
        both = container()
        both["resources"]["requests"] = {"google.com/tpu": "2"}
        self.refused(jobset(replicated(pod(both))), "requests google.com/tpu 2 with a limit of 4")
        both["resources"]["requests"] = both["resources"]["limits"]
        self.fine(jobset(replicated(pod(both))))


class Claims(Reports):  # H
    def template(self, kind="ResourceClaimTemplate", name="tpus", **request):
        spec = {"devices": {"requests": [{"name": "a", **request}]}}
        return named(kind, name, {"spec": spec} if kind == "ResourceClaimTemplate" else spec)

    def asks(self, of="resourceClaimTemplateName", **more):
        return pod({"name": "main", "image": "a", "resources": {"claims": [{"name": "c"}]}}, resourceClaims=[{"name": "c", of: "tpus"}], **more)

    def anywhere(self, template):
        del template["spec"]["nodeSelector"]
        return template

    chips = {"deviceClassName": "tpu.google.com"}

    def said_of(self, template, verdict, *parts, findings=()):
        for objects in (deployment(self.anywhere(self.asks())), jobset(replicated(self.anywhere(self.asks()), hosts=1)),
                        ray(self.anywhere(self.asks()), hosts=1), lws(self.anywhere(self.asks()), size=1)):
            said = Said(objects + template)
            self.assertEqual((said.first["verdict"], said.ids, said.first["claimingPods"]), (verdict, set(findings), 1), said.text)
            for part in ("1 Pod ", *parts, "not known", "nothing is injected"):
                self.assertIn(part, said.first["sentence"])
            self.assertNotIn("asks for no TPU chips", said.text)

    def test_of_all_chips(self):
        for request in ({"exactly": {**self.chips, "allocationMode": "All"}}, {**self.chips, "allocationMode": "All"}):
            self.said_of([self.template(**request)], "doubtful", "asks for all chips of a node by ResourceClaimTemplate tpus",
                         findings=["TPU-113"])

    def test_of_the_first_that_there_is(self):
        several = [{"name": name, "allocationMode": "All", **self.chips} for name in ("v6e", "v5p")]
        self.said_of([self.template(firstAvailable=several)], "doubtful", "chips of the first available of v6e, v5p", findings=["TPU-113"])

    def test_of_a_class_of_their_own(self):
        expression = {"cel": {"expression": 'device.driver == "tpu.google.com"'}}
        own = named("DeviceClass", "ours", {"selectors": [expression]})
        del own["metadata"]["namespace"]
        request = {"exactly": {"deviceClassName": "ours", "allocationMode": "All"}}
        self.said_of([self.template(**request), own], "doubtful", "asks for all chips of a node", findings=["TPU-113"])
        counted = self.template(exactly={"deviceClassName": "ours", "count": 4})
        self.assertIn("1 slice of 4x4", self.fine(stateful_set(self.asks()) + [counted, own]).first["sentence"])

    def test_that_is_not_in_the_input(self):
        self.said_of([], "no_tpu", "has resource claims", "ResourceClaimTemplate tpus is not in the input")

    def test_by_name(self):
        shared = self.template("ResourceClaim", exactly={**self.chips, "count": 4})
        said = self.warned(deployment(self.anywhere(self.asks("resourceClaimName")), replicas=2) + [shared], "TPU-115")
        self.assertIn("2 Pods name ResourceClaim tpus: they share its chips, which are on one node", said.text)
        said = Said(stateful_set(self.asks("resourceClaimName")) + [shared])
        self.assertEqual(said.ids, {"TPU-115"}, said)
        self.assertIn("the slice never forms; name a ResourceClaimTemplate", said.text)

    def test_of_several_hosts(self):
        everything = self.template(exactly={**self.chips, "allocationMode": "All"})
        self.assertIn("1 slice of 4x4", self.fine(stateful_set(self.asks()) + [everything]).first["sentence"])
        either = self.asks()
        either["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x4"  # hosts of 4 chips or of 8
        said = self.warned(stateful_set(either) + [everything], "TPU-113")
        self.assertIn("4 Pods, each asks for all chips of a node by ResourceClaimTemplate tpus (2x4 on tpu-v6e-slice)", said.first["sentence"])

    def test_by_the_resource_of_their_class(self):
        alone = {"name": "main", "image": "a", "resources": {"limits": {"deviceclass.resource.kubernetes.io/tpu.google.com": "4"}}}
        self.assertIn("1 slice of 4x4", self.fine(stateful_set(pod(alone))).first["sentence"])
        self.refused(jobset(replicated(pod(alone), hosts=2)), "TPU-404", "4x4 with 4 chips per Pod has 4 hosts")
        own = named("DeviceClass", "ours", {"selectors": [{"cel": {"expression": 'device.driver == "tpu.google.com"'}}],
                                            "extendedResourceName": "acme.example/chips"})
        del own["metadata"]["namespace"]
        for name in ("deviceclass.resource.kubernetes.io/ours", "acme.example/chips"):
            alone["resources"]["limits"] = {name: "4"}
            self.assertIn("1 slice of 4x4", self.fine(stateful_set(pod(alone)) + [own]).first["sentence"])
            self.refused(jobset(replicated(pod(alone), hosts=2)) + [own], "TPU-404", "4x4 with 4 chips per Pod has 4 hosts")
        alone["resources"]["limits"] = {"deviceclass.resource.kubernetes.io/gpu.nvidia.com": "4"}
        self.assertNotIn("TPU-113", Said(stateful_set(pod(alone))).text)

    def test_that_are_no_chips(self):
        gpus = self.template(exactly={"deviceClassName": "gpu.nvidia.com", "allocationMode": "All"})
        said = Said(deployment(self.anywhere(self.asks())) + [gpus])
        self.assertEqual((said.first["verdict"], said.first["sentence"]), ("no_tpu", "asks for no TPU chips"))

    def test_that_are_counted(self):
        counted = self.template(exactly={**self.chips, "count": 4})
        self.assertIn("1 slice of 4x4", self.fine(stateful_set(self.asks()) + [counted]).first["sentence"])
        self.refused(jobset(replicated(self.asks(), hosts=2)) + [counted], "TPU-404", "4x4 with 4 chips per Pod has 4 hosts")


class Rules(unittest.TestCase):  # `explain --team-rules` is what `policy test` is, object by object
    rules = {"contact": "#ask", "otherNamespaces": "deny", "rules": [
        {"name": "train", "namespaces": ["ml"], "accelerators": [V6E], "topologies": ["2x2", "4x4"], "maxSliceChips": 16, "maxSlices": 2, "maxChips": 32,
         "capacity": ["on-demand"], "names": "train*", "maxRunSeconds": 60, "resumable": True, "labels": {"team": ["*"]}, "queue": True,
         "images": ["example.com/*"], "secretVariables": ["*_TOKEN"],
         "forbid": ["tags", "latest", "privileged", "hostPath", "hostNetwork", "defaultServiceAccount"]}]}
    image = "example.com/a@sha256:" + "0" * 64

    def clean(self, metadata=None, template=None, **spec):
        kept = template or pod(container(image=self.image), labels={"team": "a"}, serviceAccountName="trainer")
        return job(kept, metadata=metadata or dict(QUEUED), activeDeadlineSeconds=60, suspend=True, **spec)[:1]

    def changed(self, **spec):
        more = {key: spec.pop(key) for key in ("image", "env", "securityContext") if key in spec}
        select, labels = spec.pop("select", None), spec.pop("labels", {"team": "a"})
        shape = {key: spec.pop(key) for key in ("topology", "accelerator") if key in spec}
        return self.clean(template=pod(container(**{"image": self.image, **more}), labels=labels, select=select, **shape,
                                       **{"serviceAccountName": "trainer", **spec}))

    def said(self, *command):
        done = subprocess.run([PROGRAM, *command, "-"], input="\n".join(json.dumps(each) for each in self.objects), capture_output=True, text=True,
                              timeout=60, check=False)
        return json.loads(done.stdout)

    def test_agree(self):
        owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "u", "controller": True}
        cases = {
            "": self.clean(), "TPU-652": self.changed(accelerator="tpu-v5-lite-podslice"), "TPU-653": self.changed(topology="2x4"),
            "TPU-654": self.changed(topology="8x8"), "TPU-656": self.clean(hosts=16),
            "TPU-657": self.changed(select={"cloud.google.com/gke-spot": "true"}), "TPU-671": self.changed(labels={}),
            "TPU-672": self.clean(metadata={"labels": {"a": "b"}}), "TPU-673": self.changed(image=self.image.replace("example", "other")),
            "TPU-674": self.changed(image="example.com/a:1"), "TPU-675": self.changed(image="example.com/a"),
            "TPU-676": self.changed(securityContext={"privileged": True}),
            "TPU-677": self.changed(volumes=[{"name": "d", "hostPath": {"path": "/dev"}}]), "TPU-678": self.changed(hostNetwork=True),
            "TPU-679": self.changed(serviceAccountName="default"), "TPU-680": self.changed(env=[{"name": "HF_TOKEN", "value": "x"}]),
            "TPU-651": [{**self.clean()[0], "metadata": {"name": "train", "namespace": "elsewhere", **QUEUED}}],
            "TPU-658": [{**self.clean()[0], "metadata": {"name": "other", "namespace": "ml", **QUEUED}}],
            "none": [{**self.changed(hostNetwork=True)[0], "metadata": {"name": "made", "namespace": "ml", "ownerReferences": [owner]}}],
        }
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump(self.rules, file)
            file.flush()
            for expected, self.objects in cases.items():
                tried = self.said("policy", "test", "--team-rules", file.name, "--output", "json")["objects"]
                told = self.said("explain", "--team-rules", file.name, "-o", "json")["workloads"][0]
                found = {each["id"] for each in told["findings"] if "TPU-651" <= each["id"] <= "TPU-680" and each["level"] == "deny"}
                ids = {each["id"] for one in tried for each in one["findings"] if each["refuses"]}
                self.assertEqual(found, ids, expected)
                if expected.startswith("TPU"):
                    self.assertIn(expected, {each["id"] for each in told["findings"]}, told)
                self.assertEqual(any(one["outcome"] == "refused" for one in tried), told["verdict"] == "refused", expected)


class Elsewhere(Reports):  # Q: variables by envFrom, Ray's own numbers, groups, names that are made up
    def taking(self, **source):
        return job(pod(container(envFrom=[source])))

    def holds(self, **data):
        config_map = named("ConfigMap", "env", None)
        return [{**config_map, "data": data}]

    def test_a_config_map_of_the_input(self):
        ours = self.taking(configMapRef={"name": "env"})
        self.warned(ours + self.holds(TPU_WORKER_HOSTNAMES="train-3.train,train-2.train"), "env-from", "takes TPU_WORKER_HOSTNAMES from ConfigMap env")
        self.fine(ours + self.holds(TPU_WORKER_HOSTNAMES=",".join(f"train-{i}.train" for i in range(4))))
        self.fine(ours + self.holds(LOG_LEVEL="debug"))
        prefixed = self.taking(configMapRef={"name": "env"}, prefix="TPU_")
        self.warned(prefixed + self.holds(WORKER_ID="0"), "env-from", "takes TPU_WORKER_ID")
        counts = ray(pod(container(envFrom=[{"configMapRef": {"name": "env"}}])), replicas=2)
        self.warned(counts + self.holds(MEGASCALE_NUM_SLICES="2"), "env-from", "which tpu-webhook does not read")

    def test_what_is_not_in_the_input(self):
        for source, name in (({"secretRef": {"name": "keys"}}, "Secret keys"), ({"configMapRef": {"name": "env"}}, "ConfigMap env")):
            self.assertIn(f"not known: the content of {name},", self.fine(self.taking(**source)).text)

    def test_chips_that_ray_is_told_of(self):
        told = {"resources": '\'"{\\"TPU\\": 8}"\''}
        self.warned(ray(rayStartParams=told), "ray-chips", "worker group g: resources report TPU: 8 to Ray, but container main asks for 4")
        self.fine(ray(rayStartParams={"resources": '\'"{\\"TPU\\": 4}"\''}))
        self.fine(ray(rayStartParams={"resources": '\'{"custom": 1}\''}))
        self.fine(ray(rayStartParams={"resources": '\'{"TPU": 0}\''}))

    def test_slices_that_ray_waits_for(self):
        counted = pod(container(env=[{"name": "MEGASCALE_NUM_SLICES", "value": "2"}]))
        self.assertIn("MEGASCALE_NUM_SLICES is 2, and worker group g makes 1 slice now", self.fine(ray(counted, replicas=1)).text)
        self.assertNotIn("makes 1 slice", self.fine(ray(counted, replicas=2)).text)

    def test_a_head_on_a_slice_of_several_hosts(self):
        head = {"rayStartParams": {}, "template": pod(container(name="head"))}
        said = self.warned(ray(cluster={"headGroupSpec": head}), "TPU-202", "the head of a RayCluster is one Pod")
        self.assertNotIn("or a RayCluster", said.text)

    def test_slices_of_one_host(self):
        alone = jobset(replicated(pod(container(8), topology="2x4"), replicas=2, hosts=1))
        self.assertIn('are not one job: each is of one host', self.fine(alone).text)
        joined = pod(container(8), topology="2x4", annotations={"tpu-webhook.dev/slice-count": "2"})
        self.fine(jobset(replicated(joined, replicas=2, hosts=1)), "one job over MegaScale", without="are not one job")
        self.assertNotIn("are not one job", self.fine(lws(pod(container(8), topology="2x4"), size=1, replicas=2)).text)

    def test_names_of_others_on_one_host(self):
        single = pod(topology="2x2")
        self.warned(lws(single, size=4), "host-names", "has 4 names, but 2x2 with 4 chips per Pod is one host")
        self.fine(lws(single, size=1, replicas=4))
        self.fine(deployment(pod(container(env=[{"name": "TPU_WORKER_HOSTNAMES", "value": "localhost"}]), topology="2x2")))

    def test_names_that_are_made_up(self):
        made = jobset()
        made[0]["metadata"] = {"generateName": "fuji-", "namespace": "ml"}
        self.assertIn("fuji-*-slice-0-0.fuji-*", self.fine(made).text)
        self.assertIn("g-0-0.ray-*-headless", self.fine(ray(kind="RayJob")).text)
        nightly = named("CronJob", "nightly", {"schedule": "0 0 * * *", "jobTemplate": {"spec": job()[0]["spec"]}})
        self.assertIn("nightly-*-0.train", Said([nightly]).text)

    def test_another_ones_jobs(self):
        self.assertIn("managedBy is kueue.x-k8s.io/multikueue: the controller of this cluster leaves the Job", self.fine(job(managedBy="kueue.x-k8s.io/multikueue")).text)
        self.assertNotIn("managedBy", self.fine(job(managedBy="kubernetes.io/job-controller")).text)

    def test_groups_of_the_scheduler(self):
        grouped = job(pod(schedulingGroup={"podGroupName": "g"}))
        self.warned(grouped, "TPU-603")
        said = self.fine(grouped + [named("PodGroup", "g", {"schedulingPolicy": {"gang": {"minCount": 4}}})])
        self.assertIn("PodGroup g has no topology constraint", said.text)
        placed = named("PodGroup", "g", {"schedulingConstraints": {"topology": [{"key": "cloud.google.com/gke-nodepool"}]}})
        said = self.warned(grouped + [placed], "TPU-603")
        self.assertIn("PodGroup g keeps its Pods on one domain of cloud.google.com/gke-nodepool", said.text)

    def test_gangs_that_wait_for_themselves(self):
        """tests/e2e/by_label/test_groups.py: what is warned of here does wait, and what is not runs."""
        def gang(count, name="g"):
            return named("PodGroup", name, {"schedulingPolicy": {"gang": {"minCount": count}}})

        member = pod(schedulingGroup={"podGroupName": "g"})
        exclusive = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"}

        def jobs(**annotations):
            return jobset(replicated(member, replicas=2), metadata={"annotations": annotations})

        self.warned(jobs(**exclusive) + [gang(8)], "gang", "only 2 of them exist before one is bound: JobSet lets")
        self.assertNotIn("TPU-809", self.fine(jobs(**exclusive) + [gang(2)]).text)
        self.assertNotIn("TPU-809", self.fine(jobs() + [gang(8)]).text)
        self.assertNotIn("TPU-809", self.fine(jobs(**exclusive, **{"alpha.jobset.sigs.k8s.io/node-selector": "true"}) + [gang(8)]).text)
        self.assertNotIn("TPU-809", Said(jobs(**exclusive) + [gang(8, "other")]).text)
        self.warned(job(member) + [gang(5)], "gang", "the input has only 4 Pods that name it; unless other Pods")
        self.assertNotIn("TPU-809", self.fine(job(member) + [gang(4)]).text)
        basic = named("PodGroup", "g", {"schedulingPolicy": {"basic": {}}})
        self.assertNotIn("TPU-809", self.fine(jobs(**exclusive) + [basic]).text)


class Names(Reports):  # N
    def test_search_paths(self):
        own, other = {"searches": ["ml.svc.cluster.local"]}, {"searches": ["b.svc.cluster.local"]}
        self.fine(job(pod(dnsPolicy="None", dnsConfig=own)))
        self.warned(job(pod(dnsPolicy="None", dnsConfig=other)), "TPU-303", "dnsConfig.searches has no ml.svc")
        self.warned(job(pod(dnsPolicy="Default", dnsConfig=own)), "TPU-303", "the node's name servers")


if __name__ == "__main__":
    unittest.main(verbosity=1)
