#!/usr/bin/env python3
"""What `slices` and `audit` say of clusters in the states of public reports: states.py PROGRAM [-k PART].

Each case is a cluster of one or two slices, in the state that somebody reported or through which a healthy workload
passes, with the fields that kubelets and controllers write; beside it stands what looks like it and is something else.
"""

import contextlib
import copy
import json
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ""
BEGIN, NOW = "2026-03-03T08:00:00Z", "2026-03-03T11:30:00Z"
SELECT = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"}
LEAVING = {"deletionTimestamp": NOW, "deletionGracePeriodSeconds": 30}


def listed(objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


@contextlib.contextmanager
def file_of(objects):
    """Writes the objects into a temporary file, and yields the file's name."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(listed(objects))
        file.flush()
        yield file.name


def asked(given, *arguments):
    """Runs the program with the text `given` as standard input, and returns the completed process."""
    return subprocess.run([PROGRAM, *arguments, "-"], input=given, capture_output=True, text=True, check=False)


def at(minutes):
    """That many minutes before NOW, at most 59 * 3."""
    hour, minute = divmod(11 * 60 + 30 - minutes, 60)
    return f"2026-03-03T{hour:02}:{minute:02}:00Z"


def pod(name, node, labels, owner, env=(), annotations=None, hostname="", subdomain="svc", chips=4, phase="Running"):
    kind, owner_name = owner
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "uid": name, "creationTimestamp": BEGIN, "labels": labels,
                     "annotations": annotations or {},
                     "ownerReferences": [{"apiVersion": "v1", "kind": kind, "name": owner_name, "uid": owner_name, "controller": True}]},
        "spec": {"nodeName": node, "hostname": hostname, "subdomain": subdomain, "restartPolicy": "Never",
                 "nodeSelector": dict(SELECT),
                 "tolerations": [{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
                                 for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")],
                 "containers": [{"name": "jax", "image": "jax", "env": [{"name": n, "value": v} for n, v in env],
                                 "resources": {"limits": {"google.com/tpu": str(chips)}, "requests": {"google.com/tpu": str(chips)}}}]},
        "status": {"phase": phase, "startTime": BEGIN,
                   "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": BEGIN}],
                   "containerStatuses": [{"name": "jax", "state": {"running": {"startedAt": BEGIN}}}]}}


def ids(host, names):
    return [("TPU_WORKER_ID", str(host)), ("TPU_WORKER_HOSTNAMES", ",".join(f"{name}.svc" for name in names))]


def job(pool="a", suffix="x", **more):
    """The Pods of Job train, one slice of four hosts."""
    names = [f"train-{host}" for host in range(4)]
    return [pod(f"train-{host}-{suffix}", f"{pool}-{host}",
                {"batch.kubernetes.io/job-name": "train", "batch.kubernetes.io/controller-uid": "train",
                 "batch.kubernetes.io/job-completion-index": str(host)}, ("Job", "train"), ids(host, names),
                annotations={"batch.kubernetes.io/job-completion-index": str(host)}, hostname=names[host], **more)
            for host in range(4)]


def jobset(index, pool, attempt="0", of=2):
    """The Pods of one Job of JobSet lm."""
    name = f"lm-slice-{index}"
    names = [f"{name}-{host}" for host in range(4)]
    mega = [("MEGASCALE_NUM_SLICES", str(of)), ("MEGASCALE_SLICE_ID", str(index)),
            ("MEGASCALE_COORDINATOR_ADDRESS", "lm-slice-0-0.svc")]
    return [pod(f"{name}-{host}-{attempt}", f"{pool}-{host}",
                {"jobset.sigs.k8s.io/jobset-name": "lm", "jobset.sigs.k8s.io/replicatedjob-name": "slice",
                 "jobset.sigs.k8s.io/replicatedjob-replicas": str(of), "jobset.sigs.k8s.io/job-index": str(index),
                 "jobset.sigs.k8s.io/restart-attempt": attempt, "batch.kubernetes.io/job-name": name,
                 "batch.kubernetes.io/controller-uid": f"{name}-{attempt}", "batch.kubernetes.io/job-completion-index": str(host)},
                ("Job", name), ids(host, names) + mega,
                annotations={"batch.kubernetes.io/job-completion-index": str(host)}, hostname=names[host])
            for host in range(4)]


def lws(group, pool):
    """The Pods of one group of LeaderWorkerSet serve."""
    names = [f"serve-{group}", *(f"serve-{group}-{i}" for i in range(1, 4))]
    out = []
    for host, name in enumerate(names):
        owner = ("StatefulSet", f"serve-{group}" if host else "serve")
        out.append(pod(name, f"{pool}-{host}",
                       {"leaderworkerset.sigs.k8s.io/name": "serve", "leaderworkerset.sigs.k8s.io/group-index": str(group),
                        "leaderworkerset.sigs.k8s.io/worker-index": str(host), "controller-revision-hash": owner[1],
                        "leaderworkerset.sigs.k8s.io/template-revision-hash": "one"}, owner, ids(host, names),
                       annotations={"leaderworkerset.sigs.k8s.io/size": "4", "leaderworkerset.sigs.k8s.io/leader-requests-tpus": "true"}, hostname=name))
    return out


def statefulset():
    names = [f"web-{host}" for host in range(4)]
    return [pod(name, f"a-{host}", {"apps.kubernetes.io/pod-index": str(host), "controller-revision-hash": "one"},
                ("StatefulSet", "web"), ids(host, names), hostname=name) for host, name in enumerate(names)]


def nodes(*pools, chips="4"):
    return [{"apiVersion": "v1", "kind": "Node",
             "metadata": {"name": f"{pool}-{host}", "uid": f"{pool}-{host}", "creationTimestamp": BEGIN,
                          "labels": {**SELECT, "cloud.google.com/gke-nodepool": pool}},
             "spec": {"taints": [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}]},
             "status": {"allocatable": {"google.com/tpu": chips} if chips else {},
                        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": BEGIN, "lastHeartbeatTime": NOW}]}}
            for pool in pools for host in range(4)]


SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "svc", "namespace": "ml", "uid": "svc"},
           "spec": {"clusterIP": "None", "publishNotReadyAddresses": True}}


def leaves(*pods):
    for each in pods:
        each["metadata"].update(LEAVING)


def waits(each, minutes=1):
    each["spec"]["nodeName"] = ""
    each["metadata"]["creationTimestamp"] = at(minutes)
    each["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "lastTransitionTime": at(minutes)}]}


def fails(each, minutes, reason="Evicted"):
    each["status"] = {"phase": "Failed", "reason": reason, "message": "The node was low on resource: memory.",
                      "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": at(minutes)}]}


def unready(node, minutes):
    node["status"]["conditions"][0].update(status="Unknown", lastTransitionTime=at(minutes))
    node["spec"]["taints"].append({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": at(minutes)})


def ends(each, code, beside=True):
    each["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": code, "finishedAt": at(5)}}
    if beside:
        each["status"]["containerStatuses"].append({"name": "logs", "state": {"running": {"startedAt": BEGIN}}})


class States(unittest.TestCase):
    def ask(self, command, objects):
        done = asked(listed(objects), command, "-o", "json", "--cluster")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, json.loads(done.stdout)

    def held(self, objects, phases, findings=()):
        """`slices` says these phases, and `audit` finds exactly "severity check"; its exit code is that of an error."""
        self.assertEqual([each["phase"] for each in self.ask("slices", objects)[1]["slices"]], phases)
        code, audit = self.ask("audit", objects)
        self.assertEqual([f"{each['severity']} {each['check']}" for each in audit["findings"]], list(findings), audit["findings"])
        self.assertEqual(code, int(any(each.startswith("error") for each in findings)))
        return audit["findings"]


class Replaced(States):
    """Pods that are being deleted."""

    def test_a_jobset_half_restarted(self):
        old, new = jobset(0, "a", of=1), jobset(0, "b", "1", of=1)
        leaves(*old)
        for each in new[2:]:
            waits(each)
        self.held(old + new + nodes("a", "b") + [SERVICE], ["forming"])

    def test_one_is_replaced_on_its_node(self):
        pods = job()
        old = copy.deepcopy(pods[2])
        old["metadata"].update(name="old", uid="old")
        leaves(old)
        self.held(pods + [old] + nodes("a") + [SERVICE], ["running"])
        _, said = self.ask("slices", pods + [old] + nodes("a"))
        self.assertEqual(len(said["slices"][0]["members"]), 5)

    def test_a_leader_and_its_workers_are_of_one_template(self):
        pods = lws(0, "a")
        pods[1]["spec"]["containers"][0]["env"][1]["value"] = "a,b,c,d"
        self.held(pods + nodes("a") + [SERVICE], ["running"], ["error list-differs"])


class Lost(States):
    """Members that do not run."""

    def test_a_node_that_is_not_ready(self):
        for minutes, phase, findings in (4, "forming", []), (6, "broken", ["warning member-lost"]):
            with self.subTest(minutes):
                around = nodes("a")
                unready(around[2], minutes)
                self.held(job() + around + [SERVICE], [phase], findings)

    def test_a_pod_that_is_being_deleted_from_a_dead_node(self):
        pods, around = jobset(0, "a", of=1), nodes("a")
        unready(around[2], 20)
        leaves(pods[2])
        self.held(pods + around + [SERVICE], ["broken"], ["warning member-lost", "warning unfit-pool"])

    def test_its_successor_waits_for_the_dead_node(self):
        for minutes, severity in (5, "warning"), (90, "error"):
            with self.subTest(minutes):
                pods, around = job(), nodes("a")
                unready(around[2], minutes)
                new = copy.deepcopy(pods[2])
                new["metadata"].update(name="new", uid="new")
                waits(new, minutes)
                leaves(pods[2])
                self.held(pods + [new] + around + [SERVICE], ["forming"], [f"{severity} unfit-pool"])

    def test_an_evicted_member(self):
        for minutes, phase, severity in (2, "forming", "warning"), (40, "broken", "error"):
            with self.subTest(minutes):
                pods = job()
                fails(pods[1], minutes)
                found = self.held(pods + nodes("a") + [SERVICE], [phase], [f"{severity} member-lost"])
                self.assertIn("Pod train-1-x (host 1) has failed (Evicted: The node was low on resource: memory.)", found[0]["what"])
                self.assertIn("involvedObject.kind=Job,involvedObject.name=train", found[0]["fix"])


class Read(States):
    """States of public reports, of which something false was said or nothing."""

    def test_pathways(self):
        """The coordinator is the head, another replicated job (google/pathways-job#3)."""
        pods = jobset(0, "a") + jobset(1, "b")
        everywhere(pods, "MEGASCALE_COORDINATOR_ADDRESS", "lm-head-0-0.svc")
        self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"])
        everywhere(pods, "MEGASCALE_COORDINATOR_ADDRESS", "other-head-0-0.svc")
        self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"], ["error megascale-coordinator"])

    def test_one_of_two_tpu_containers(self):
        """It waits for the one that has failed (AI-Hypercomputer/xpk#880)."""
        for minutes, severity in (5, "warning"), (20, "error"):
            with self.subTest(minutes):
                pods = job()
                for host, each in enumerate(pods):
                    first = each["spec"]["containers"][0]
                    each["spec"]["nodeSelector"] = {"cloud.google.com/gke-tpu-accelerator": "tpu7x", "cloud.google.com/gke-tpu-topology": "2x2x4"}
                    first["resources"] = {"limits": {"google.com/tpu": "2"}, "requests": {"google.com/tpu": "2"}}
                    each["spec"]["containers"].append({**copy.deepcopy(first), "name": "second"})
                    for process, container in enumerate(each["spec"]["containers"]):
                        container["env"] = [{"name": "TPU_WORKER_ID", "value": str(2 * host + process)}]
                    each["status"]["containerStatuses"].append({"name": "second", "state": {"running": {}}})
                pods[1]["status"]["containerStatuses"][0]["state"] = {"terminated": {"exitCode": 1, "finishedAt": at(minutes)}}
                self.held(pods + nodes("a") + [SERVICE], ["broken"], [f"{severity} member-lost"])

    def test_addresses_of_ready_pods_alone(self):
        """PrimeIntellect-ai/prime-rl#1718"""
        pods = statefulset()
        for each in pods:
            each["status"]["conditions"][0]["status"] = "False"
        service = copy.deepcopy(SERVICE)
        del service["spec"]["publishNotReadyAddresses"]
        self.held(pods + nodes("a") + [service], ["running"], ["warning no-service"])
        self.held(pods + nodes("a") + [SERVICE], ["running"])
        for each in pods:
            each["status"]["conditions"][0]["status"] = "True"
        self.held(pods + nodes("a") + [service], ["running"])
        first = statefulset()[:1]
        first[0]["status"]["conditions"][0]["status"] = "False"
        found = self.held(first + nodes("a") + [SERVICE], ["forming"], ["warning incomplete"])
        self.assertIn("Pod web-0 is not Ready, and a StatefulSet with podManagementPolicy OrderedReady", found[0]["fix"])

    def test_a_place_that_was_lost_twice(self):
        pods = job()
        again = copy.deepcopy(pods[2])
        again["metadata"].update(name="again", uid="again", creationTimestamp=at(30))
        fails(pods[2], 40)
        fails(again, 20)
        found = self.held(pods + [again] + nodes("a") + [SERVICE], ["broken"], ["error member-lost"])
        self.assertEqual(found[0]["pods"], ["again"])

    def test_a_chip_that_is_ill(self):
        """The node has fewer to give than its label says, and the Pod has them."""
        around = nodes("a")
        for each in around:
            each["metadata"]["labels"]["cloud.google.com/gke-accelerator-count"] = "4"
        around[1]["status"]["allocatable"]["google.com/tpu"] = "3"
        found = self.held(job() + around + [SERVICE], ["running"], ["warning chips-per-node"])
        self.assertIn("3 of 4 chips of node a-1 can be allocated, and Pod train-1-x on it asks for 4", found[0]["what"])

    def test_pods_of_which_nothing_says_which_host_they_are(self):
        """skypilot-org/skypilot#3947: two halves, of which each stood in the other's way."""
        pods = job()[:2]
        for each in pods:
            each["metadata"]["ownerReferences"], each["metadata"]["labels"], each["metadata"]["annotations"] = [], {}, {}
            each["spec"]["containers"][0]["env"] = []
        self.held(pods + nodes("a") + [SERVICE], ["broken", "broken"], ["error unmutated"] * 2)
        _, said = self.ask("slices", pods)
        self.assertEqual([each["missing"] for each in said["slices"]], [[], []])

    def test_a_slice_that_failed_while_another_runs(self):
        for minutes, severity in (5, "warning"), (60, "error"):
            with self.subTest(minutes):
                pods = jobset(0, "a") + jobset(1, "b")
                for each in pods[4:]:
                    fails(each, minutes, "Error")
                found = self.held(pods + nodes("a", "b") + [SERVICE], ["running", "ended"], [f"{severity} member-lost"])
                self.assertIn("involvedObject.name=lm-slice-1", found[0]["fix"])
        for each in pods[4:]:
            each["status"]["phase"] = "Succeeded"
        self.held(pods + nodes("a", "b") + [SERVICE], ["running", "ended"])


    def test_a_slice_that_was_retried_and_is_done(self):
        pods = jobset(0, "a") + jobset(1, "b")
        first = copy.deepcopy(pods[5])
        first["metadata"].update(name="first", uid="first")
        fails(first, 120, "Error")
        for each in pods[4:]:
            each["status"]["phase"] = "Succeeded"
        self.held(pods + [first] + nodes("a", "b") + [SERVICE], ["running", "ended"])

    def test_pathways_beside_a_job_of_a_like_name(self):
        pods = jobset(0, "a") + jobset(1, "b")
        everywhere(pods, "MEGASCALE_COORDINATOR_ADDRESS", "lm-slice-head-0-0.svc")
        self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"])

    def test_one_coordinator_short_and_long(self):
        pods = jobset(0, "a") + jobset(1, "b")
        everywhere(pods[4:], "MEGASCALE_COORDINATOR_ADDRESS", "lm-slice-0-0.svc.ml.svc.cluster.local")
        self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"])
        everywhere(pods[4:], "MEGASCALE_COORDINATOR_ADDRESS", "lm-slice-0-0.svc2")
        found = self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"], ["error megascale-differs"])
        self.assertIn("MEGASCALE_COORDINATOR_ADDRESS", found[0]["what"])

    def test_a_service_of_other_pods(self):
        """GoogleCloudPlatform/ai-on-gke#578"""
        service = copy.deepcopy(SERVICE)
        service["spec"]["selector"] = {"batch.kubernetes.io/job-name": "other"}
        found = self.held(job() + nodes("a") + [service], ["running"], ["error no-service"])
        self.assertIn("does not select Pods train-0-x", found[0]["what"])
        service["spec"]["selector"] = {"batch.kubernetes.io/job-name": "train"}
        self.held(job() + nodes("a") + [service], ["running"])

    def test_pods_that_a_sidecar_keeps(self):
        for minutes, findings in (5, []), (60, ["warning member-lost"]):
            with self.subTest(minutes):
                pods = job()
                for each in pods:
                    ends(each, 0)
                    each["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = at(minutes)
                self.held(pods + nodes("a") + [SERVICE], ["ended"], findings)

    def test_two_sidecars_that_keep_one(self):
        pods = job()
        ends(pods[1], 1)
        pods[1]["status"]["containerStatuses"].append({"name": "istio-proxy", "state": {"running": {"startedAt": BEGIN}}})
        found = self.held(pods + nodes("a") + [SERVICE], ["broken"], ["error member-lost"])
        self.assertIn("but containers logs and istio-proxy still run", found[0]["what"])
        self.assertIn("make logs and istio-proxy restartable init containers", found[0]["fix"])

    def test_a_pod_that_is_about_to_fail(self):
        """Its container has, and nothing but a restartable init container runs beside it."""
        for minutes, phase in (5, "forming"), (40, "broken"):
            with self.subTest(minutes):
                pods = job()
                ends(pods[1], 1, beside=False)
                pods[1]["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = at(minutes)
                self.held(pods + nodes("a") + [SERVICE], [phase])
        pods[1]["metadata"]["ownerReferences"] = []
        pods[1]["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"] = at(5)
        self.assertIn("broken", [each["phase"] for each in self.ask("slices", pods + nodes("a"))[1]["slices"]])

    def test_a_node_that_is_the_whole_slice(self):
        """2x4 is two hosts of four chips or one of eight."""
        shape = {"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice", "cloud.google.com/gke-tpu-topology": "2x4"}
        for chips, node, phases, findings in ("8", "a-0", ["running"] * 2, ["error chips-per-node"] * 2), ("4", "a-1", ["broken"], ["error unmutated"]):
            with self.subTest(chips):
                pods, around = [pod(f"nb-{i}", "a-0", {}, ("ReplicaSet", "nb")) for i in range(2)], nodes("a", chips=chips)[:2]
                for each in around:
                    each["metadata"]["labels"].update(shape, **{"cloud.google.com/gke-accelerator-count": chips})
                for each in pods:
                    each["spec"]["nodeSelector"] = dict(shape)
                pods[1]["spec"]["nodeName"] = node
                found = self.held(pods + around + [SERVICE], phases, findings)
                self.assertEqual("2 hosts" in json.dumps(found), chips == "4")

    def test_two_jobs_that_wait_for_each_other(self):
        """google/axlearn: half of each on one pool. One finding, and one of them begins again."""
        one, other = job(), json.loads(json.dumps(job(suffix="y")).replace("train", "later"))
        bind(other, "a-2", "a-3", "", "")
        for each in one[2:] + other[2:]:
            waits(each, 30)
        for each in other:
            each["metadata"]["creationTimestamp"] = at(20)
        found = self.held(one + other + nodes("a") + [SERVICE], ["forming", "forming"], ["error shared-pool"])
        self.assertEqual(found[0]["pods"], ["later-0-y", "later-1-y", "train-0-x", "train-1-x"])
        self.assertEqual(found[0]["fix"], "one of the two is enough: delete and recreate Job ml/later with tpu-webhook in place, which keeps slices apart")
        self.assertEqual([each["name"] for each in found[0]["others"]], ["train"])
        for name in "train", "later":
            self.assertIn("error shared-pool", asked(listed(one + other + nodes("a")), "audit", name, "--cluster").stdout, name)
        # A Pod of one host there is no other half.
        single = pod("single", "a-2", {}, ("ReplicaSet", "nb"))
        single["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x2"
        self.held(one + [single] + nodes("a") + [SERVICE], ["forming", "running"], ["error unfit-pool"])

    def test_one_cause_of_all_slices(self):
        """kubeflow/trainer#3408: a JobSet without the webhook, mixed on two pools."""
        pods = jobset(0, "a") + jobset(1, "b")
        bind(pods, "a-0", "a-1", "b-0", "b-1", "b-2", "b-3", "a-2", "a-3")
        for each in pods:
            each["spec"]["containers"][0]["env"] = []
        found = self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"], ["error unmutated", "error split-pools", "error shared-pool"])
        for each in found:
            self.assertEqual([other["slice"] for other in each["others"]], [1])
            self.assertEqual(len(each["pods"]), 8)
        self.assertIn("node pools a and b each hold members of 2", found[2]["what"])
        # What one deed does not mend stays apart.
        pods = lws(0, "a") + lws(1, "b")
        for each in pods:
            each["spec"]["containers"][0]["env"] = []
        self.held(pods + nodes("a", "b") + [SERVICE], ["running", "running"], ["error unmutated"] * 2)

    def test_advice_is_given_once(self):
        pods = [pod(f"tgi-{i}", f"a-{i}", {}, ("ReplicaSet", "tgi")) for i in range(4)]
        found = self.held(pods + nodes("a") + [SERVICE], ["broken"], ["error unmutated"])
        self.assertNotIn("use an Indexed Job", found[0]["what"])
        self.assertEqual(found[0]["fix"], "use an Indexed Job, a JobSet, a LeaderWorkerSet, a StatefulSet or a RayCluster")

    def test_a_last_life_of_another_shape(self):
        old, new = job(suffix="old"), job("b")[:2]
        leaves(*old)
        names = "train-0.svc,train-1.svc"
        for each in new:
            each["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "2x4"
            set_env(each, "TPU_WORKER_HOSTNAMES", names)
        self.held(old + new + nodes("a", "b") + [SERVICE], ["running"])

    def test_a_node_in_maintenance(self):
        pods, around = job(), nodes("a")
        waits(pods[3])
        around[3]["spec"]["taints"].append({"key": "cloud.google.com/impending-node-termination", "value": "true", "effect": "NoSchedule"})
        self.held(pods + around + [SERVICE], ["forming"], ["warning unfit-pool"])
        around[3]["spec"]["taints"][-1]["key"] = "team"
        self.held(pods + around + [SERVICE], ["forming"], ["error unfit-pool"])

    def test_nobody_who_runs_is_deleted_for_one_who_cannot(self):
        pods, around = statefulset(), nodes("a")
        unready(around[2], 150)
        leaves(pods[2])
        for each in self.held(pods + around + [SERVICE], ["broken"], ["error member-lost", "error unfit-pool"]):
            self.assertEqual(each["fix"], "repair or delete the node")

    def test_a_ray_worker_without_index_labels(self):
        """The ledger gives what nothing on the Pod says (GoogleCloudPlatform/ai-on-gke#453)."""
        group = {"groupName": "tpu", "replicas": 1, "minReplicas": 1, "maxReplicas": 1, "numOfHosts": 4, "template": {"spec": {}}}
        cluster = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "ray", "namespace": "ml", "uid": "ray"},
                   "spec": {"workerGroupSpecs": [group]}}
        service = copy.deepcopy(SERVICE)
        service["metadata"].update(name="ray-headless", labels={"ray.io/headless-worker-svc": "ray-headless", "ray.io/cluster": "ray"})
        pods = [pod(f"ray-tpu-{i}", f"a-{i}", {"ray.io/cluster": "ray", "ray.io/group": "tpu", "ray.io/node-type": "worker"},
                    ("RayCluster", "ray"), subdomain="ray-headless") for i in range(4)]
        found = self.held([cluster, service] + pods + nodes("a"), ["broken"], ["error unmutated"])
        self.assertTrue(found[0]["fix"].startswith("with tpu-webhook in place, delete all Pods of the slice together"), found[0]["fix"])
        group["numOfHosts"] = 3
        found = self.held([cluster, service] + pods + nodes("a"), ["broken"], ["error unmutated"])
        self.assertIn("has numOfHosts 3", found[0]["fix"])
        self.assertNotIn("delete", found[0]["fix"])


def ray(replica, pool, count):
    """The Pods of one replica of worker group tpu; `count` is what each says of the slices of its job."""
    names = [f"tpu-{replica}-{host}" for host in range(4)]
    mega = [("MEGASCALE_NUM_SLICES", str(count)), ("MEGASCALE_SLICE_ID", str(replica)), ("MEGASCALE_COORDINATOR_ADDRESS", "tpu-0-0.svc")]
    return [pod(f"ray-tpu-{replica}-{host}", f"{pool}-{host}",
                {"ray.io/cluster": "ray", "ray.io/group": "tpu", "ray.io/node-type": "worker",
                 "ray.io/worker-group-replica-index": str(replica), "ray.io/replica-host-index": str(host)},
                ("RayCluster", "ray"), [*ids(host, names), ("TPU_NAME", f"tpu-{replica}"), *mega], hostname=names[host])
            for host in range(4)]


class Reported(States):
    """States of which a thread outside tells (docs/workloads.md#reports-from-the-field)."""

    def test_a_replaced_slice_that_counts_one_that_is_gone(self):
        """ray-project/ray#62893: of three slices one was preempted, and its successor still says three."""
        self.held(ray(0, "a", 2) + ray(1, "b", 2) + nodes("a", "b") + [SERVICE], ["running", "running"])
        found = self.held(ray(0, "a", 2) + ray(1, "b", 3) + nodes("a", "b") + [SERVICE], ["running", "running"], ["error megascale-differs"])
        self.assertIn('MEGASCALE_NUM_SLICES is "3" here and "2" in RayCluster', found[0]["what"])

    def test_the_one_that_topology_aware_scheduling_leaves_over(self):
        """kubernetes-sigs/kueue#15277: of a group of four, three run and one is gated for ever, without an event."""
        pods = lws(0, "a")
        gated(pods[3])
        self.held(pods + nodes("a") + [SERVICE], ["forming"])
        _, said = self.ask("slices", pods + nodes("a"))
        self.assertEqual([(each["pods"], each["what"]) for each in said["slices"][0]["waits"]],
                         [(["serve-0-3"], "gated by kueue.x-k8s.io/topology for 2 h")])


REFUSED = "0/9 nodes are available: 9 Insufficient google.com/tpu."


def pending(each, status=None, init=None):
    """Bound 40 minutes ago; the status of its container, or of an init container."""
    each["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at(40)}]}
    each["spec"]["initContainers"] = [{"name": "wait", "image": "busybox"}] if init else []
    if init:
        each["status"]["initContainerStatuses"] = [{"name": "wait", **init}]
    each["status"]["containerStatuses"] = [{"name": "jax", **(status or {"state": {"waiting": {"reason": "PodInitializing"}}})}]


def refused(each, message=REFUSED, minutes=150):
    waits(each, minutes)
    each["status"]["conditions"][0].update(reason="Unschedulable", message=message)


def gated(each):
    waits(each, 150)
    each["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/topology"}]


def crashes(each, reason="OOMKilled", code=137, restarts=31):
    each["spec"]["restartPolicy"] = "Always"
    each["status"]["containerStatuses"][0] = {"name": "jax", "restartCount": restarts, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
                                              "lastState": {"terminated": {"exitCode": code, "reason": reason}}}


def waiting(reason, message=""):
    return {"state": {"waiting": {"reason": reason, "message": message}}}


# Name of the case: what becomes of host 1, and what is said of it behind "Pod train-1-x: ".
WAITS = {
    "a crash": (crashes, "waits for", "container jax is in CrashLoopBackOff (31 restarts, last OOMKilled)"),
    "an exit code": (lambda each: crashes(each, "Error", 1, 1), "waits for", "container jax is in CrashLoopBackOff (1 restart, last exit code 1)"),
    "between two attempts": (lambda each: [each["spec"].update(restartPolicy="OnFailure"), ends(each, 1, beside=False)],
                             "waits for", "container jax has ended and is to be started again (last exit code 1)"),
    "a gate": (gated, "waits for", "gated by kueue.x-k8s.io/topology for 2 h"),
    "no node": (refused, "waits for", f"not scheduled for 2 h ({REFUSED})"),
    "a moment ago": (lambda each: refused(each, minutes=1), "waits for", f"not scheduled ({REFUSED})"),
    "no word of the scheduler": (lambda each: waits(each, 50), "waits for", "not scheduled for 50 min"),
    "an image": (lambda each: pending(each, waiting("ImagePullBackOff", 'Back-off pulling image "jax"')), "waits for",
                 "container jax is in ImagePullBackOff for 40 min (Back-off pulling image 'jax')"),
    "a volume": (lambda each: pending(each, waiting("ContainerCreating")), "waits for", "container jax is in ContainerCreating for 40 min"),
    "a secret": (lambda each: pending(each, waiting("CreateContainerConfigError", 'secret "hf" not found')), "waits for",
                 "container jax is in CreateContainerConfigError for 40 min (secret 'hf' not found)"),
    "an init container": (lambda each: pending(each, init={"state": {"running": {"startedAt": at(170)}}}), "waits for", "init container wait runs for 2 h"),
    "an init container that crashes": (lambda each: pending(each, init={**waiting("CrashLoopBackOff"), "restartCount": 14}), "waits for",
                                       "init container wait is in CrashLoopBackOff (14 restarts)"),
    "an init container that is not started again": (lambda each: pending(each, init={"state": {"terminated": {"exitCode": 1}}}), "waits for",
                                                   "init container wait has ended and is not started again (last exit code 1)"),
    "an init container whose turn it is": (lambda each: pending(each, init=waiting("PodInitializing")), "waits for", "init container wait is not started for 40 min"),
    "an init container that is done": (lambda each: pending(each, waiting("ErrImagePull"), init={"state": {"terminated": {"exitCode": 0}}}), "waits for",
                                       "container jax is in ErrImagePull for 40 min"),
    "an odd one beside an ordinary one": (lambda each: [pending(each, waiting("ContainerCreating")),
                                                        each["status"]["containerStatuses"].append({"name": "logs", **waiting("InvalidImageName")})],
                                          "waits for", "container logs is in InvalidImageName for 40 min"),
    "no word of the kubelet": (lambda each: [pending(each), each["status"].pop("containerStatuses")], "waits for", "bound, and not started by the kubelet for 40 min"),
    "a failure": (lambda each: fails(each, 2), "waits for a successor of", "failed (Evicted: The node was low on resource: memory.)"),
    "a failure of long ago": (lambda each: fails(each, 40), "has lost", "failed (Evicted: The node was low on resource: memory.)"),
    "an end": (lambda each: ends(each, 1), "has lost", "container jax has ended with exit code 1 and is not started again"),
    "a finalizer": (lambda each: each["metadata"].update(deletionTimestamp=at(130), finalizers=["acme.io/copy"]), "waits for the end of",
                    "its grace period has been over for 2 h; finalizer acme.io/copy keeps it"),
    "a long grace period": (lambda each: each["metadata"].update(deletionTimestamp="2026-03-03T12:40:00Z"), "waits for the end of",
                            "being deleted, with a grace period for 1 h more"),
}


class Waits(States):
    """Why a slice does not run."""

    def lines(self, objects):
        return [line for line in asked(listed(objects), "slices", "--cluster").stdout.splitlines() if line.startswith(("Job ", "JobSet "))]

    def test_each(self):
        for name, (change, lead, what) in WAITS.items():
            with self.subTest(name):
                pods = job()
                change(pods[1])
                self.assertEqual(self.lines(pods + nodes("a") + [SERVICE]), [f"Job ml/train: {lead} Pod train-1-x: {what}"])
                _, said = self.ask("slices", pods + nodes("a"))
                self.assertEqual([(each["pods"], each["what"]) for each in said["slices"][0]["waits"]], [(["train-1-x"], what)])
                self.assertEqual([each["running"] for each in said["slices"][0]["members"] if each["host"] == 1], [] if "failure" in name else [False])

    def test_what_runs_or_is_done_says_nothing(self):
        pods = job()
        self.assertEqual(self.lines(pods + nodes("a") + [SERVICE]), [])
        crashes(pods[1])
        pods[1]["status"]["containerStatuses"][0]["name"] = "logs"  # beside the TPU container, which runs
        pods[1]["status"]["containerStatuses"].append({"name": "jax", "state": {"running": {"startedAt": BEGIN}}})
        ends(pods[2], 0)
        leaves(pods[3])  # seconds ago
        self.assertEqual(self.lines(pods + nodes("a") + [SERVICE]), [])

    def test_nodes(self):
        around = nodes("a")
        unready(around[2], 2)
        self.assertEqual(self.lines(job() + around + [SERVICE]), ["Job ml/train: waits for Pod train-2-x: node a-2 is not ready"])
        self.assertEqual(self.lines(job() + nodes("a")[:3] + [SERVICE]), ["Job ml/train: has lost Pod train-3-x: node a-3 was deleted: it is not among the Nodes"])

    def test_many_are_one_line(self):
        pods = jobset(0, "a") + jobset(1, "b")
        for each in pods:
            refused(each)
        names = "Pods lm-slice-{0}-0-0, lm-slice-{0}-1-0, lm-slice-{0}-2-0 and lm-slice-{0}-3-0"
        self.assertEqual(self.lines(pods + nodes("a", "b") + [SERVICE]),
                         [f"JobSet ml/lm/slice, slice {i} of 2: waits for {names.format(i)}: not scheduled for 2 h ({REFUSED})" for i in range(2)])

    def test_a_strangers_text(self):
        pods = job()
        refused(pods[1], "no\x1b[2J node\n" + "x" * 300)
        pods[2]["metadata"]["finalizers"] = ["a\x1b[2Jb"]
        pods[2]["metadata"]["deletionTimestamp"] = at(130)
        lines = self.lines(pods + nodes("a") + [SERVICE])
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertNotIn("\x1b", line)
            self.assertLess(len(line), 400)


class Compared(States):
    """What `explain --cluster` says of a workload that is there."""

    def said(self, objects, kind="Job", name="train", slices=1, completions=4):
        template = {"spec": {key: objects[0]["spec"][key] for key in ("nodeSelector", "containers", "subdomain")} | {"restartPolicy": "Never"}}
        template = copy.deepcopy(template)
        del template["spec"]["containers"][0]["env"]
        spec = {"completions": completions, "parallelism": completions, "completionMode": "Indexed", "template": template}
        manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "ml"}, "spec": spec}
        if kind == "JobSet":
            manifest = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": name, "namespace": "ml"},
                        "spec": {"replicatedJobs": [{"name": "slice", "replicas": slices, "template": {"spec": spec}}]}}
        with file_of(objects) as around:
            text = asked(json.dumps(manifest), "explain", "--cluster", around).stdout
            told = asked(json.dumps(manifest), "explain", "--cluster", around, "-o", "json").stdout
        outlook = json.loads(told)["workloads"][0]["outlook"]
        self.assertIn(outlook["sentence"], text)
        return outlook, text

    def sentence(self, *args, **more):
        return self.said(*args, **more)[0]["sentence"]

    def test_what_runs(self):
        self.assertEqual(self.sentence(job() + nodes("a") + [SERVICE]), "runs on a")
        self.assertEqual(self.sentence(jobset(0, "b") + jobset(1, "a") + nodes("a", "b") + [SERVICE], "JobSet", "lm", 2),
                         "runs: slice 0 of 2 on b, slice 1 of 2 on a")

    def test_a_slice_on_two_pools(self):
        pods = job()
        bind(pods[3:], "b-3")
        outlook, _ = self.said(pods + nodes("a", "b") + [SERVICE])
        self.assertEqual((outlook["verdict"], outlook["sentence"]), ("broken", "is bound on a and b, but audit reports a fault (split-pools)"))
        pods = jobset(0, "a") + jobset(1, "b")
        bind(pods, "a-0", "a-1", "b-0", "b-1", "b-2", "b-3", "a-2", "a-3")
        self.assertEqual(self.sentence(pods + nodes("a", "b") + [SERVICE], "JobSet", "lm", 2),
                         "is bound, but audit reports a fault (split-pools, shared-pool): slice 0 of 2 on a and b, slice 1 of 2 on a and b")

    def test_slices_that_differ(self):
        pods = jobset(0, "a") + jobset(1, "b")
        for each in pods[4:]:
            fails(each, 60, "Error")
        outlook, text = self.said(pods + nodes("a", "b") + [SERVICE], "JobSet", "lm", 2)
        self.assertEqual(outlook["sentence"], "runs: slice 0 of 2 on a; has failed: slice 1 of 2")
        self.assertNotIn("forms", text)
        for each in pods[4:]:
            each["status"]["phase"] = "Succeeded"
        # A pool that is gone is not waited for.
        self.assertEqual(self.sentence(pods + nodes("a") + [SERVICE], "JobSet", "lm", 2), "runs: slice 0 of 2 on a; has ended: slice 1 of 2")
        self.assertEqual(self.sentence(pods[:4] + nodes("a", "b") + [SERVICE], "JobSet", "lm", 2), "runs (audit warns: incomplete): slice 0 of 2 on a; forms now: slice 1 of 2 on b")

    def test_members_that_are_done(self):
        pods = job()
        for each in pods[1:]:
            each["status"]["phase"] = "Succeeded"
        self.assertEqual(self.sentence(pods + nodes("a") + [SERVICE]), "runs on a")

    def test_what_does_not_run(self):
        pods = job()
        crashes(pods[1])
        self.assertEqual(self.sentence(pods + nodes("a") + [SERVICE]), "is bound on a, but does not all run")
        around = nodes("a")
        unready(around[2], 8)
        self.assertEqual(self.sentence(job() + around + [SERVICE]), "is bound on a, but cannot form as it is")

    def test_what_audit_finds(self):
        service = copy.deepcopy(SERVICE)
        service["spec"]["selector"] = {"app": "other"}
        self.assertEqual(self.sentence(job() + nodes("a") + [service]), "is bound on a, but audit reports a fault (no-service)")
        del service["spec"]["selector"], service["spec"]["publishNotReadyAddresses"]
        pods = job()
        for each in pods:
            each["status"]["conditions"][0]["status"] = "False"
        self.assertEqual(self.sentence(pods + nodes("a") + [service]), "runs on a (audit warns: no-service)")

    def test_what_the_scheduler_refuses(self):
        for change, why in (refused, f"is not scheduled ({REFUSED})"), (gated, "is gated by kueue.x-k8s.io/topology"):
            pods = job()
            change(pods[3])
            outlook, text = self.said(pods + nodes("a") + [SERVICE])
            self.assertEqual(outlook["verdict"], "not_known")
            self.assertEqual(outlook["sentence"], f"not known whether it forms now: Pod ml/train-3-x {why}, though by its nodes a can hold it")
            self.assertEqual(text.count(why), 1)

    def test_a_cordon_is_not_ours_to_take_off(self):
        around = nodes("a")
        for each in around[:2]:
            each["spec"]["unschedulable"] = True
        outlook, _ = self.said(job("b")[:1] + around + [SERVICE], name="new")
        wait = next(each for each in outlook["waits"] if each["cause"] == "pool_unusable")
        self.assertIn("GKE cordons nodes that it upgrades or repairs and uncordons them itself", wait["what"])
        self.assertEqual(wait["help"], ["kubectl describe node a-0", "kubectl describe node a-1", "kubectl uncordon a-0", "kubectl uncordon a-1"])

    def test_nodes_of_no_pool(self):
        around = nodes("a")
        for each in around:
            del each["metadata"]["labels"]["cloud.google.com/gke-nodepool"]
        outlook, text = self.said(job()[:3] + around + [SERVICE])
        self.assertIn("4 nodes of tpu-v6e-slice 4x4 have no label cloud.google.com/gke-nodepool, so their node pools are not known", outlook["waits"][0]["what"])
        self.assertNotIn("create", text.split("\n\n")[0])
        self.assertEqual(self.sentence(job() + around + [SERVICE]), "runs")


class Told(States):
    """What is said to be done."""

    def fix(self, objects, phases, findings):
        return self.held(objects, phases, findings)[0]["fix"]

    def test_events_are_those_of_the_maker(self):
        for pods, missing, maker in ((jobset(0, "a", of=1), 2, "Job,involvedObject.name=lm-slice-0"),
                                     (lws(0, "a"), 2, "StatefulSet,involvedObject.name=serve-0"),
                                     (lws(0, "a"), 0, "StatefulSet,involvedObject.name=serve"),
                                     (statefulset(), 1, "StatefulSet,involvedObject.name=web")):
            with self.subTest(maker):
                del pods[missing]
                fix = self.fix(pods + nodes("a") + [SERVICE], ["forming"], ["warning incomplete"])
                self.assertTrue(fix.endswith("involvedObject.kind=" + maker), fix)

    def test_nobody_is_told_to_recreate_what_would_get_nothing(self):
        pods = job(subdomain="")
        for each in pods:
            each["spec"]["containers"][0]["env"] = []
        fix = self.fix(pods + nodes("a") + [SERVICE], ["running"], ["error unmutated"])
        self.assertIn("has no spec.subdomain", fix)
        self.assertNotIn("delete", fix)

    def test_nor_what_asks_to_be_left_alone(self):
        pods = job()
        for each in pods:
            each["spec"]["containers"][0]["env"] = []
            each["metadata"]["annotations"]["tpu-webhook.dev/inject"] = "false"
        fix = self.fix(pods + nodes("a") + [SERVICE], ["running"], ["error unmutated"])
        self.assertIn('its annotation tpu-webhook.dev/inject is "false"', fix)

    def test_who_would_get_them_is(self):
        pods = job()
        for each in pods:
            each["spec"]["containers"][0]["env"] = []
        self.assertIn("delete and recreate Job ml/train", self.fix(pods + nodes("a") + [SERVICE], ["running"], ["error unmutated"]))

    def test_a_job_of_more_pods_than_hosts(self):
        pods = job()
        for host, each in enumerate(pods, 4):
            each["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] = str(host)
            each["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"] = str(host)
            each["spec"]["containers"][0]["env"][0]["value"] = str(host)
        found = self.held(pods + nodes("a") + [SERVICE], ["broken"], ["error worker-id-out-of-range", "warning identity-not-known"])
        for each in found:
            self.assertNotIn("use an Indexed Job", each["fix"])
        self.assertIn("for 4 processes", found[0]["what"])

    def test_a_part_of_a_node(self):
        pods = [pod(f"nb-{i}", "a-0", {}, ("ReplicaSet", "nb"), chips=1) for i in range(3)]
        for each in pods:
            each["spec"]["nodeSelector"] = {"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice", "cloud.google.com/gke-tpu-topology": "2x4"}
        found = self.held(pods + nodes("a", chips="8")[:1] + [SERVICE], ["running"] * 3, ["error chips-per-node"] * 3)
        self.assertNotIn("8 hosts", json.dumps(found))

    def test_a_shape_that_only_the_nodes_say(self):
        pods = job()
        for each in pods:
            each["spec"]["nodeSelector"] = {"cloud.google.com/gke-nodepool": "a"}
        self.held(pods + nodes("a") + [SERVICE], ["running"])
        _, said = self.ask("slices", pods + nodes("a"))
        self.assertEqual([(each["topology"], each["hosts"]) for each in said["slices"]], [("4x4", 4)])
        for each in pods:
            each["spec"]["containers"][0]["env"] = []
        fix = self.fix(pods + nodes("a") + [SERVICE], ["running"], ["error unmutated"])
        self.assertTrue(fix.startswith("first fix the reason why tpu-webhook gives such Pods no variables"), fix)

    def test_an_id_from_a_label(self):
        for index, phase, findings in ("3", "running", []), ("2", "broken", ["error duplicate-worker-id"]):
            with self.subTest(index):
                pods = job()
                pods[3]["metadata"]["labels"]["id"] = index
                pods[3]["spec"]["containers"][0]["env"][0] = {"name": "TPU_WORKER_ID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['id']"}}}
                self.held(pods + nodes("a") + [SERVICE], [phase], findings)

    def test_nodes_of_the_dra_driver(self):
        pods = job()
        waits(pods[3])
        template = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "tpu4", "namespace": "ml"},
                    "spec": {"spec": {"devices": {"requests": [{"name": "tpu", "exactly": {"deviceClassName": "tpu.google.com", "count": 4}}]}}}}
        for each in pods:
            each["spec"]["resourceClaims"] = [{"name": "tpu", "resourceClaimTemplateName": "tpu4"}]
            each["spec"]["containers"][0]["resources"] = {"claims": [{"name": "tpu"}]}
        self.held(pods + nodes("a", chips=None) + [SERVICE, template], ["forming"])
        new = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "new", "namespace": "ml"},
               "spec": {"completions": 4, "parallelism": 4, "completionMode": "Indexed",
                        "template": {"spec": {key: pods[0]["spec"][key] for key in ("containers", "nodeSelector", "resourceClaims", "restartPolicy", "subdomain")}}}}
        del new["spec"]["template"]["spec"]["containers"][0]["env"]
        hosts = nodes("a", chips=None)
        for there, taken_for, want in (([], "4x4", "forms now on a"), (pods, "4x4", "waits for a node pool"),
                                       ([], "2x2", "waits for nodes that their driver of claims takes for the slice"),
                                       ([], None, "not known whether it forms now: what the driver of claims takes the nodes of a for")):
            driven = [driven_node(each["metadata"]["name"], taken_for) for each in hosts if taken_for]
            with file_of([*there, *hosts, SERVICE, template, *driven]) as around:
                said = asked(json.dumps(new), "explain", "--cluster", around).stdout
            self.assertIn(want, said)
            if taken_for == "2x2":
                self.assertIn("takes node " + hosts[0]["metadata"]["name"] + " for 4 chips of 2x2, not of 4x4", said)


def driven_node(name, topology):
    device = {"name": "0", "attributes": {"chipCount": {"int": 4}, "topology": {"string": topology}}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": name + "-tpu"},
            "spec": {"driver": "tpu.google.com", "nodeName": name, "pool": {"name": name}, "devices": [device]}}


def set_env(each, name, value):
    env = [entry for entry in each["spec"]["containers"][0]["env"] if entry["name"] != name]
    each["spec"]["containers"][0]["env"] = env + ([{"name": name, "value": value}] if value is not None else [])


def everywhere(pods, name, value):
    for each in pods:
        set_env(each, name, value)


def bind(pods, *names):
    for each, name in zip(pods, names, strict=True):
        each["spec"]["nodeName"] = name


def spoil(number, name, value):
    return lambda pods: set_env(pods[number], name, value)


ADDRESSES = ",".join(f"train-{host}.svc:8471" for host in range(4))
# Name of the case: the Pods, what spoils them, what audit finds.
SPOILED = {
    "an id twice": (job, spoil(3, "TPU_WORKER_ID", "2"), "duplicate-worker-id"),
    "an id out of range": (job, spoil(3, "TPU_WORKER_ID", "4"), "worker-id-out-of-range"),
    "no id": (job, spoil(3, "TPU_WORKER_ID", None), "missing-worker-id"),
    "nothing": (job, lambda pods: [everywhere(pods, name, None) for name in ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES")], "unmutated"),
    "another list": (job, spoil(3, "TPU_WORKER_HOSTNAMES", "a,b,c,d"), "list-differs"),
    "a shorter list": (job, lambda pods: everywhere(pods, "TPU_WORKER_HOSTNAMES", "localhost"), "list-length"),
    "another order": (job, lambda pods: everywhere(pods, "TPU_WORKER_HOSTNAMES", "train-1.svc,train-0.svc,train-2.svc,train-3.svc"), "list-entry"),
    "another port": (job, lambda pods: [everywhere(pods, "TPU_PROCESS_ADDRESSES", ADDRESSES), everywhere(pods, "TPU_PROCESS_PORT", "1")], "process-port"),
    "a coordinator of one's own": (lambda: jobset(0, "a") + jobset(1, "b"), spoil(1, "MEGASCALE_COORDINATOR_ADDRESS", "x.svc"), "megascale-differs"),
    "a coordinator of a slice": (lambda: jobset(0, "a") + jobset(1, "b"), lambda pods: everywhere(pods[4:], "MEGASCALE_COORDINATOR_ADDRESS", "x.svc"), "megascale-differs"),
    "a coordinator of all": (lambda: jobset(0, "a") + jobset(1, "b"), lambda pods: everywhere(pods, "MEGASCALE_COORDINATOR_ADDRESS", "lm-slice-1-0.svc"), "megascale-coordinator"),
    "a count": (lambda: jobset(0, "a") + jobset(1, "b"), lambda pods: everywhere(pods, "MEGASCALE_NUM_SLICES", "3"), "megascale-slices"),
    "a slice's id": (lambda: jobset(0, "a") + jobset(1, "b"), lambda pods: everywhere(pods[4:], "MEGASCALE_SLICE_ID", "0"), "megascale-slices"),
    "two names": (job, lambda pods: [set_env(pods[0], "TPU_NAME", "a"), set_env(pods[1], "TPU_NAME", "b")], "tpu-name-differs"),
    "two pools": (job, lambda pods: bind(pods[3:], "b-3"), "split-pools"),
    "a pool of two": (lambda: jobset(0, "a") + jobset(1, "b"), lambda pods: bind(pods, "a-0", "a-1", "b-0", "b-1", "b-2", "b-3", "a-2", "a-3"), "shared-pool"),
    "an id twice in a StatefulSet": (statefulset, spoil(3, "TPU_WORKER_ID", "2"), "duplicate-worker-id"),
    "a list in a LeaderWorkerSet": (lambda: lws(0, "a"), spoil(3, "TPU_WORKER_HOSTNAMES", "a,b,c,d"), "list-differs"),
}
RECREATE = re.compile(r"delete and recreate (\S+ \S+) with tpu-webhook in place(?:, (.*))?$"
                      r"|with tpu-webhook in place(?:, (.*?))?, delete all Pods of the slice together; .*: kubectl -n ml delete pod (.*)$")


class Mended(States):
    """Each fix that says to recreate Pods is done: they come to the webhook again, as their template has them."""

    def admitted(self, each, without, around):
        """The Pod after its template was mended and the webhook has answered; it is on the node where it was."""
        new = copy.deepcopy(each)
        for name in without:
            set_env(new, name, None)
        status = new.pop("status")
        node = new["spec"].pop("nodeName")
        done = asked(json.dumps(new), "review", "-o", "object", "--cluster", around)
        self.assertEqual(done.returncode, 0, done.stderr)
        new = json.loads(done.stdout)
        new["status"], new["spec"]["nodeName"] = status, node
        return new

    def do(self, fix, pods, around):
        """The Pods after the fix, by what it says alone."""
        told = RECREATE.search(fix)
        self.assertTrue(told, fix)
        whole, also, also_pods, names = told.groups()
        owner = {"Job ml/train": "train-", "JobSet ml/lm": "lm-"}.get(whole)
        said = also or also_pods or ""
        without = re.findall(r"[A-Z]+(?:_[A-Z]+)+", said)
        chosen = [each for each in pods if each["metadata"]["name"] in (names or "").split() or (owner and each["metadata"]["name"].startswith(owner))]
        self.assertTrue(chosen, fix)
        out = [each if each not in chosen else self.admitted(each, without, around) for each in pods]
        if "keeps" in said:  # what the scheduler makes of the terms: each slice on a pool
            for index, each in enumerate(out):
                self.assertIn("tpu-webhook.dev/slice-key", each["metadata"]["labels"])
                each["spec"]["nodeName"] = f"{'ab'[index // 4]}-{index % 4}"
        return out

    def test_each(self):
        for name, (make, damage, check) in SPOILED.items():
            pods, rest = make(), nodes("a", "b") + [SERVICE]
            damage(pods)
            with self.subTest(name), file_of(rest) as around:
                _, before = self.ask("audit", pods + rest)
                found = [each for each in before["findings"] if each["check"] == check]
                self.assertTrue(found, before["findings"])
                for each in {each["fix"]: each for each in before["findings"]}.values():
                    pods = self.do(each["fix"], pods, around)
                _, after = self.ask("audit", pods + rest)
                self.assertEqual(after["findings"], [])

    def test_the_fix_of_a_stray_label(self):
        with file_of([SERVICE]) as around:
            pods = [self.admitted(each, [], around) for each in job()]
        stray = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "ml", "uid": "web",
                 "labels": {"tpu-webhook.dev/slice-key": pods[0]["metadata"]["labels"]["tpu-webhook.dev/slice-key"]}},
                 "spec": {"containers": [{"name": "web", "image": "web"}]}, "status": {"phase": "Running"}}
        found = self.held(pods + [stray] + nodes("a") + [SERVICE], ["running"], ["warning stray-slice-key"])
        self.assertTrue(found[0]["fix"].endswith("kubectl -n ml label pod web tpu-webhook.dev/slice-key-"), found)
        del stray["metadata"]["labels"]["tpu-webhook.dev/slice-key"]
        self.held(pods + [stray] + nodes("a") + [SERVICE], ["running"])

    def test_values_that_the_webhook_wrote_are_nobodys_own(self):
        with file_of([SERVICE]) as around:
            pods = [self.admitted(each, ["TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES"], around) for each in job()]
        twice = copy.deepcopy(pods[2])
        twice["metadata"].update(name="twice", uid="twice")
        found = self.held(pods + [twice] + nodes("a") + [SERVICE], ["broken"], ["error duplicate-worker-id"])
        self.assertNotIn("of your own", found[0]["fix"])

    def test_pods_that_ask_for_one_pool_are_not_told_to_ask(self):
        with file_of([SERVICE]) as around:
            pods = [self.admitted(each, [], around) for each in job()]
        bind(pods[3:], "b-3")
        found = self.held(pods + nodes("a", "b") + [SERVICE], ["running"], ["error split-pools"])
        self.assertIn("already require it", found[0]["fix"])
        self.assertNotIn("delete", found[0]["fix"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
