#!/usr/bin/env python3
"""What `audit` says to do is done, and `audit` is asked again: mended.py PROGRAM [-k PART].

Each case is a cluster of states.py, what is wrong with it, a finding of it, and its fix by what it says alone: the words
that stand there, the command that is printed, or, where a person has to choose, one of the choices. Pods that are made
again come to the webhook first, as their templates have them. The finding has to go, and nothing may come in its place.
"""

import copy
import dataclasses
import json
import re
import shlex
import sys
import typing
import unittest

import states
from states import SERVICE, States, at, fails, job, lws, nodes, set_env, statefulset


def review(pods, around, *more):
    """As their controllers make them again, where the webhook has answered; on their nodes."""
    out = []
    with states.file_of(around) as file:
        for each in pods:
            new = copy.deepcopy(each)
            for name in [entry["name"] for entry in new["spec"]["containers"][0]["env"]]:
                set_env(new, name, None)
            status, node = new.pop("status"), new["spec"].pop("nodeName")
            new = json.loads(states.asked(json.dumps(new), "review", "-o", "object", "--cluster", file, *more).stdout)
            new["status"] = {**status, "phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": at(1)}],
                             "containerStatuses": [{"name": "jax", "state": {"running": {"startedAt": at(1)}}}]}
            new["spec"]["nodeName"] = node
            new["metadata"].pop("deletionTimestamp", None)
            out.append(new)
    return out


@dataclasses.dataclass
class Cluster:
    """What a case changes: Pods and what is beside them."""
    pods: list
    rest: list

    def all(self):
        return self.pods + self.rest

    def one(self, kind, name):
        return next(each for each in self.all() if each["kind"] == kind and each["metadata"]["name"] == name)

    def service(self, **spec):
        self.rest = [each for each in self.rest if each["kind"] != "Service"]
        self.rest.append({**SERVICE, "spec": {**SERVICE["spec"], **spec}})

    def again(self, *more, only=None):
        """They are deleted and made again."""
        self.pods = [review([each], self.rest, *more)[0] if only is None or each["metadata"]["name"] in only else each for each in self.pods]

    def ready(self):
        """The nodes are mended."""
        self.rest = [each for each in self.rest if each["kind"] != "Node"] + nodes("a", "b")


@dataclasses.dataclass
class Case:
    name: str
    pods: typing.Callable
    damage: typing.Callable  # of a Cluster
    check: str
    fix: str                 # a regular expression of all of it
    do: typing.Callable      # of a Cluster and what the expression found


def no_names(cluster):
    for each in cluster.pods:
        each["spec"]["subdomain"] = ""


def named_again(cluster, _):
    for each in cluster.pods:
        each["spec"]["subdomain"] = "svc"
    cluster.again()


def no_service(cluster):
    """Another is there, so that Services were listed."""
    cluster.one("Service", "svc")["metadata"].update(name="other", uid="other")


def ending(name, code, minutes=40):
    def damage(cluster):
        for each in cluster.pods if name is None else [cluster.one("Pod", name)]:
            each["status"]["containerStatuses"] = [
                {"name": "jax", "state": {"terminated": {"exitCode": code, "finishedAt": at(minutes)}}},
                {"name": "logs", "state": {"running": {"startedAt": at(150)}}}]
    return damage


def ended_by_hand(cluster, found):
    for each in cluster.pods:
        for status in each["status"]["containerStatuses"]:
            if status["name"] == found["container"]:
                status["state"] = {"terminated": {"exitCode": 0, "finishedAt": at(0)}}
        each["status"]["phase"] = "Succeeded"


def two(pods):
    """Another Pod in the place of the last."""
    def make():
        out = pods()
        more = copy.deepcopy(out[-1])
        more["metadata"].update(name=more["metadata"]["name"] + "-2", uid="two")
        return out + [more]
    return make


def own_ids(cluster):
    """So that the two are told of by their places, not by their ids."""
    for host, each in enumerate(cluster.pods):
        set_env(each, "TPU_WORKER_ID", str(host % 4))
    set_env(cluster.pods[-1], "TPU_WORKER_ID", None)


def stray(cluster):
    cluster.again()
    for each in cluster.pods:
        each["spec"]["nodeName"] = ""
        each["status"] = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "lastTransitionTime": at(1)}]}
    cluster.rest.append({"apiVersion": "v1", "kind": "Pod", "metadata": {
        "name": "web", "namespace": "ml", "uid": "web", "labels": {"tpu-webhook.dev/slice-key": cluster.pods[0]["metadata"]["labels"]["tpu-webhook.dev/slice-key"]}},
        "spec": {"nodeName": "b-0", "containers": [{"name": "web", "image": "web"}]}, "status": {"phase": "Running"}})


def kubectl_label(cluster, found):
    words = shlex.split(found["command"])
    assert words[:5] == ["kubectl", "-n", "ml", "label", "pod"] and words[-1].endswith("-"), words
    for name in words[5:-1]:
        del cluster.one("Pod", name)["metadata"]["labels"][words[-1][:-1]]


def lost_node(minutes):
    def damage(cluster):
        states.unready(cluster.one("Node", "a-3"), minutes)
        each = cluster.one("Pod", "web-3")
        each["metadata"].update(deletionTimestamp=at(minutes - 5), deletionGracePeriodSeconds=30)
        each["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": at(minutes)}]
    return damage


def node_deleted(cluster, _):
    """The Pod goes with it, and the controller makes another, which goes where there is a place."""
    cluster.ready()
    cluster.again(only=["web-3"])


def spoiled_pool(cluster):
    states.waits(cluster.pods[3], 100)
    states.unready(cluster.one("Node", "a-3"), 100)


def on_another_pool(cluster, _):
    for host, each in enumerate(cluster.pods):
        each["spec"]["nodeName"] = f"b-{host}"
    cluster.again()


def eight_chips(cluster):
    for each in cluster.rest:
        if each["kind"] == "Node":
            each["status"]["allocatable"]["google.com/tpu"] = "8"
            each["metadata"]["labels"]["cloud.google.com/gke-accelerator-count"] = "8"


def of_a_count(cluster, found):
    """Nodes of that count are there: pool b."""
    for each in cluster.rest:
        if each["kind"] == "Node" and each["metadata"]["name"].startswith("b-"):
            each["status"]["allocatable"]["google.com/tpu"] = found["count"]
            each["metadata"]["labels"]["cloud.google.com/gke-accelerator-count"] = found["count"]
    for each in cluster.pods:
        each["spec"]["nodeSelector"]["cloud.google.com/gke-accelerator-count"] = found["count"]
    on_another_pool(cluster, found)


def of_one_name(cluster):
    for each in cluster.pods:
        set_env(each, "TPU_NAME", "tpu")


def names_of_their_own(cluster, _):
    for index, each in enumerate(cluster.pods):
        set_env(each, "TPU_NAME", f"tpu-{index // 4}")


def bare():
    """Four Pods of nobody, with a slice's annotations."""
    names = [f"own-{host}" for host in range(4)]
    out = [states.pod(name, f"a-{host}", {}, ("Pod", "x"), states.ids(host, names), hostname=name,
                      annotations={"tpu-webhook.dev/slice": "own", "tpu-webhook.dev/worker-id": str(host), "tpu-webhook.dev/worker-count": "4",
                                   "tpu-webhook.dev/hostnames": ",".join(f"{each}.svc" for each in names)}) for host, name in enumerate(names)]
    for each in out:
        del each["metadata"]["ownerReferences"]
    return out


def of_no_shape(cluster):
    for each in cluster.pods:
        each["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "3x5"


def of_its_shape(cluster, _):
    for each in cluster.pods:
        each["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "4x4"


def ill(cluster):
    cluster.one("Node", "a-2")["metadata"]["labels"]["cloud.google.com/gke-accelerator-count"] = "4"
    cluster.one("Node", "a-2")["status"]["allocatable"]["google.com/tpu"] = "3"


def long_name(cluster):
    """KubeRay up to 1.3 shortens the Service's name to 50 characters, and nothing that the webhook writes says so."""
    for each in cluster.pods:
        each["spec"]["subdomain"] = LONG
        for name, value in states.ids(0, []):
            set_env(each, name, None)
    cluster.service(selector={"ray.io/cluster": LONG.removesuffix("-headless")})
    cluster.one("Service", "svc")["metadata"].update(name=LONG[-50:])


def workers():
    """One slice of KubeRay's, as 1.5 labels it."""
    cluster = LONG.removesuffix("-headless")
    return [states.pod(f"worker-{host}", f"a-{host}", {
        "ray.io/cluster": cluster, "ray.io/group": "tpu", "ray.io/node-type": "worker", "ray.io/is-ray-node": "yes",
        "ray.io/worker-group-replica-index": "0", "ray.io/worker-group-replica-name": "tpu-0", "ray.io/replica-host-index": str(host)},
        ("RayCluster", cluster), states.ids(host, [f"tpu-0-{i}" for i in range(4)]), hostname=f"tpu-0-{host}") for host in range(4)]


LONG = "a-cluster-with-a-name-that-is-far-too-long-for-a-label-headless"
RECREATE = r"delete and recreate \S+ \S+ with tpu-webhook in place"
TOGETHER = r"with tpu-webhook in place, delete all Pods of the slice together; their controller recreates them: kubectl .*"
CASES = [
    Case("a shape that is none", job, of_no_shape, "bad-shape",
         r"give the Pods a topology and a number of chips that match: kubectl tpu catalog lists them", of_its_shape),
    Case("a chip that is ill", job, ill, "chips-per-node", r"no action while the node is being repaired; otherwise repair or delete it",
         lambda cluster, _: cluster.ready()),
    Case("a member that was never made", lambda: job()[:3], lambda cluster: None, "incomplete",
         r"if the slice is not just starting or ending, see why its Pods are not created: kubectl -n ml get events .*",
         lambda cluster, _: cluster.pods.append(job()[3])),
    Case("a Pod of nobody that failed", bare, lambda cluster: fails(cluster.pods[3], 40), "member-lost",
         r"recreate the Pod: nothing else does", lambda cluster, _: cluster.again(only=["own-3"])),
    Case("Pods without a subdomain", job, no_names, "no-subdomain",
         rf"set spec\.subdomain in the Pod template to a headless Service that selects the Pods, then {RECREATE}", named_again),
    Case("no Service of a Job", job, no_service, "no-service",
         r"create a headless Service (?P<name>svc) \(clusterIP: None, publishNotReadyAddresses: true\) in namespace ml that selects the Pods, "
         r"by their label batch\.kubernetes\.io/job-name", lambda cluster, _: cluster.service(selector={"batch.kubernetes.io/job-name": "train"})),
    Case("no Service of a StatefulSet", statefulset, no_service, "no-service",
         r"create a headless Service svc \(clusterIP: None, publishNotReadyAddresses: true\) in namespace ml that selects the Pods",
         lambda cluster, _: cluster.service(selector={"controller-revision-hash": "one"})),
    Case("a Service that is not headless", job, lambda cluster: cluster.service(clusterIP="10.0.0.7"), "no-service",
         r"delete the Service and create it with clusterIP: None", lambda cluster, _: cluster.service()),
    Case("a Service of others", job, lambda cluster: cluster.service(selector={"app": "other"}), "no-service",
         r"set spec\.selector of Service svc in namespace ml to labels of the Pods",
         lambda cluster, _: cluster.service(selector={"batch.kubernetes.io/job-name": "train"})),
    Case("a Service of Ready Pods", job, lambda cluster: [cluster.service(publishNotReadyAddresses=False), *(
        each["status"]["conditions"][0].update(status="False") for each in cluster.pods)], "no-service",
         r"set spec\.publishNotReadyAddresses of Service svc in namespace ml to true", lambda cluster, _: cluster.service()),
    Case("a container beside one that failed", job, ending("train-2-x", 1), "member-lost",
         r"delete the Pod, and make (?P<container>logs) a restartable init container in the template",
         lambda cluster, _: cluster.again(only=["train-2-x"])),
    Case("a container beside those that are done", job, ending(None, 0), "member-lost",
         r"end container (?P<container>logs) in these Pods, and make it a restartable init container in the template", ended_by_hand),
    Case("a member that failed and is not made again", lambda: job()[:3] + [dict(job()[3])],
         lambda cluster: fails(cluster.pods[3], 40), "member-lost",
         r"see why no other is created: kubectl -n ml get events --field-selector involvedObject\.kind=Job,involvedObject\.name=train",
         lambda cluster, _: cluster.again(only=["train-3-x"])),
    Case("a node that is lost", statefulset, lost_node(150), "member-lost", r"repair or delete the node", node_deleted),
    Case("a pool that cannot hold it: the pool", job, spoiled_pool, "unfit-pool",
         r"repair the pool; or, to start it again on another, delete and recreate Job ml/train",
         lambda cluster, _: [cluster.ready(), cluster.again()]),
    Case("a pool that cannot hold it: another", job, spoiled_pool, "unfit-pool",
         r"repair the pool; or, to start it again on another, delete and recreate Job ml/train", on_another_pool),
    Case("nodes of eight chips", job, eight_chips, "chips-per-node",
         r'ask for all chips of a node, or select nodes with cloud\.google\.com/gke-accelerator-count: "(?P<count>4)"', of_a_count),
    Case("a Pod that the scheduler takes for a member", job, stray, "stray-slice-key",
         r"remove the label from it: (?P<command>kubectl .*)", kubectl_label),
    Case("one TPU_NAME of two slices", lambda: lws(0, "a") + lws(1, "b"), of_one_name, "tpu-name-shared",
         r"if Ray runs in these Pods, set a TPU_NAME for each slice before it starts; else no action is needed", names_of_their_own),
    Case("two Pods in one place", two(job), own_ids, "duplicate-member", r"keep the one that belongs there, and delete the others",
         lambda cluster, _: cluster.pods.pop()),
]


class Bare(States):
    """Pods of nobody that say by annotations which hosts of one slice they are."""

    def test_they_are_one_slice(self):
        self.held(bare() + nodes("a") + [SERVICE], ["running"])

    def test_by_their_list_and_no_other(self):
        other = bare()
        for host, each in enumerate(other):
            each["metadata"].update(name=f"two-{host}", uid=f"two-{host}")
            each["metadata"]["annotations"]["tpu-webhook.dev/hostnames"] = ",".join(f"two-{i}.svc" for i in range(4))
            set_env(each, "TPU_WORKER_HOSTNAMES", each["metadata"]["annotations"]["tpu-webhook.dev/hostnames"])
            each["spec"].update(nodeName=f"b-{host}", hostname=f"two-{host}")
        self.held(bare() + other + nodes("a", "b") + [SERVICE], ["running", "running"])

    def test_one_is_missing(self):
        self.held(bare()[1:] + nodes("a") + [SERVICE], ["forming"], ["warning incomplete"])

    def manifests(self):
        pods = bare()
        for each in pods:
            del each["status"], each["spec"]["nodeName"], each["spec"]["containers"][0]["env"]
        return states.listed(pods)

    def test_they_are_explained_together(self):
        for there, outlook in ([], "forms now on a"), (bare(), "runs on a"):
            with states.file_of(there + nodes("a") + [SERVICE]) as cluster:
                workloads = json.loads(states.asked(self.manifests(), "explain", "--cluster", cluster, "-o", "json").stdout)["workloads"]
            self.assertEqual([(each["name"], each["verdict"]) for each in workloads], [("own-0", "fine")])
            self.assertEqual([len(each["members"]) for each in workloads[0]["groups"][0]["slices"]], [4])
            self.assertEqual(workloads[0]["outlook"]["sentence"], outlook)

    def test_what_the_cluster_stops_is_not_called_nothing(self):
        cordoned = nodes("a")
        for each in cordoned:
            each["spec"]["unschedulable"] = True
        for around, said in (nodes("a"), "nothing in the input stops its slices"), (cordoned, "nothing in the manifest stops its slices"):
            with states.file_of(around + [SERVICE]) as cluster:
                self.assertIn(f"\n  {said}\n", states.asked(self.manifests(), "explain", "--cluster", cluster).stdout)

    def test_all_of_them_are_named(self):
        pods = bare()
        set_env(pods[3], "TPU_WORKER_ID", "2")
        found = self.held(pods + nodes("a") + [SERVICE], ["broken"], ["error duplicate-worker-id"])
        self.assertIn("delete and recreate Pods own-0, own-1, own-2 and own-3 with", found[0]["fix"])


class Mended(States):
    def findings(self, cluster):
        return self.ask("audit", cluster.all())[1]["findings"]

    def test_each(self):
        for case in CASES:
            with self.subTest(case.name):
                cluster = Cluster(copy.deepcopy(case.pods()), nodes("a", "b") + [copy.deepcopy(SERVICE)])
                case.damage(cluster)
                before = self.findings(cluster)
                found = [each for each in before if each["check"] == case.check]
                self.assertTrue(found, before)
                told = [re.fullmatch(case.fix, each["fix"]) for each in found]
                self.assertTrue(all(told), found)
                for each in told:
                    case.do(cluster, each)
                after = self.findings(cluster)
                others = {(each["check"], each["what"]) for each in before}
                self.assertEqual([each for each in after if each["check"] == case.check or (each["check"], each["what"]) not in others], [])


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
