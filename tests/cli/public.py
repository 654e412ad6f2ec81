#!/usr/bin/env python3
"""What `explain` says of what people publish for TPUs: public.py PROGRAM [-k PART].

Public manifests were read with what the program says of them. Each case is the smallest manifest of which something
false, or nothing, was said, and what is true of it; beside each stands what looks like it and is right.
"""

import sys
import unittest

from reports import Reports, Said, V5E, V6E, QUEUED, container, deployment, job, jobset, lws, named, pod, queue, ray, replicated

TPU7X = "tpu7x"
EXCLUSIVE = {"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"}


def single(**more):
    return pod(topology="2x2", **more)


class Pools(Reports):
    """Node pools that are printed hold the Pods, and of those that are not the reason is true."""

    def test_single_hosts_share_a_pool_by_name(self):
        self.fine(job(single(select={"cloud.google.com/gke-nodepool": "mine"}), hosts=2),
                  "node-pools create mine", "--num-nodes=2", "on any node of node pool mine that fits")

    def test_the_metadata_server(self):
        self.fine(job(pod(select={"iam.gke.io/gke-metadata-server-enabled": "true"})), "--workload-metadata=GKE_METADATA")
        self.assertNotIn("--workload-metadata", self.fine(job()).text)

    def test_of_jobs_that_jobset_keeps_apart(self):
        apart = jobset(replicated(single(), replicas=2, hosts=1), metadata={"annotations": EXCLUSIVE})
        said = self.fine(apart)
        self.assertIn("2 node pools of 1 ct6e-standard-4t each", said.text)
        self.assertIn("JobSet keeps each Job on one node pool, and other Jobs of the same priority off it", said.text)
        self.assertNotIn("on any node that fits", said.text)
        self.fine(jobset(replicated(single(), replicas=2, hosts=1)), "1 node pool of 2 ct6e-standard-4t", "on any node that fits")


class Stand(Reports):
    """Who keeps the hosts together."""

    def group(self, key, leader=None, **group):
        objects = lws(leader=leader, size=5 if leader else 4, **group)
        objects[0]["metadata"]["annotations"] = {f"leaderworkerset.sigs.k8s.io/{key}": "cloud.google.com/gke-nodepool"}
        return objects

    def without_chips(self):
        return {"spec": {"containers": [{"name": "head", "image": "a"}]}}

    def test_workers_of_a_leader_without_chips(self):
        self.fine(self.group("exclusive-topology", self.without_chips()),
                  "the workers select the node pool of their leader once it is bound (LeaderWorkerSet)", without="terms of tpu-webhook")
        self.assertIn("terms of tpu-webhook", self.fine(lws(leader=self.without_chips(), size=5)).text)

    def test_a_leader_that_is_a_host(self):
        self.fine(self.group("exclusive-topology"),
                  "terms of tpu-webhook", "LeaderWorkerSet keeps each group on one node pool, and other groups of the namespace off it")

    def test_subgroups(self):
        objects = self.group("subgroup-exclusive-topology", self.without_chips())
        objects[0]["spec"]["leaderWorkerTemplate"]["subGroupPolicy"] = {"subGroupSize": 2}
        objects[0]["spec"]["leaderWorkerTemplate"]["workerTemplate"] = pod(topology="2x4")
        self.assertIn("keeps each subgroup on one node pool, and other subgroups of the namespace off it", self.fine(objects).text)

    def dynamic(self, select=None, **metadata):
        template = pod(container(), accelerator=TPU7X, select=select, annotations={"cloud.google.com/gke-tpu-slice-topology": "4x4x4"})
        del template["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"]
        return self.fine(jobset(replicated(template, hosts=16), metadata=metadata)).text

    def test_a_slice_on_demand(self):
        self.assertIn("the slice is assembled on demand: Kueue places its Pods", self.dynamic(**QUEUED))
        said = self.dynamic()
        self.assertIn("its creator, which the manifest does not name, places its Pods", said)
        self.assertNotIn("Kueue", said)

    def test_a_slice_by_name(self):
        said = self.dynamic({"cloud.google.com/gke-tpu-slice": "mine"})
        self.assertIn("the Pods select slice mine of dynamic slicing, so tpu-webhook adds no terms", said)

    def test_a_part_of_a_slice(self):
        template = pod(annotations={"cloud.google.com/gke-tpu-slice-topology": "2x4",
                                    "kueue.x-k8s.io/podset-required-topology": "cloud.google.com/gke-tpu-slice-2x4-id"})
        self.fine(jobset(replicated(template, hosts=2), metadata=QUEUED), "2x4 is a part of 4x4: Kueue places its Pods")


class Placeholders(Reports):
    """Told once, of every form, and wherever the API server refuses them."""

    def test_of_one_host_too(self):
        for name in ("${NAME}", "<NAME>", "{{ name }}"):
            objects = job(single(), hosts=1)
            objects[0]["metadata"]["name"] = name
            said = self.refused(objects, f"metadata.name {name}")
            self.assertEqual(len(said.findings), 1, said)

    def test_a_namespace(self):
        objects = job()
        objects[0]["metadata"]["namespace"] = "${NAMESPACE}"
        self.refused(objects, "metadata.namespace ${NAMESPACE} contains a placeholder")

    def test_numbers_and_chips(self):
        self.refused(job(completions="<N>"), "spec.completions <N>")
        said = self.refused(deployment(single_of("${CHIPS}")), "${CHIPS} contains a placeholder", "1 ", "field")
        self.assertEqual({"TPU-101"}, said.ids)

    def test_beside_the_slices(self):
        self.warned(job(pod(serviceAccountName="${ACCOUNT}")), "TPU-101", "serviceAccountName ${ACCOUNT}")
        shell = container(args=["echo ${HOME} <in >out"], env=[{"name": "A", "value": "${B}"}])
        self.fine(job(pod(shell)))

    def test_a_quota(self):
        self.fine(jobset(metadata=QUEUED) + queue(("google.com/tpu", "${CHIPS}")),
                  "not known: how much flavor v6e of ClusterQueue all has of google.com/tpu: nominalQuota is ${CHIPS}, not a quantity", without="short by")


def single_of(chips):
    template = single()
    both = {"google.com/tpu": chips}
    template["spec"]["containers"][0]["resources"] = {"limits": both, "requests": both}
    return template


class Refused(Reports):
    """What the API server says of a name, and each thing once."""

    def test_a_name_in_upper_case(self):
        objects = job(single(), hosts=1)
        objects[0]["metadata"]["name"] = "eval-Instruct"
        self.refused(objects, "metadata.name eval-Instruct has other characters")

    def test_a_name_for_the_label_of_a_job(self):
        for size in (63, 64):
            objects = job(single(), hosts=1, completionMode=None)
            objects[0]["metadata"]["name"] = "j" * size
            if size == 64:
                self.refused(objects, "metadata.name", "has 64 characters, but the API server accepts at most 63 for a Job")
            else:
                self.fine(objects)
        objects[0]["spec"].update(manualSelector=True, selector={"matchLabels": {"app": "own"}})
        objects[0]["spec"]["template"]["metadata"]["labels"] = {"app": "own"}
        self.fine(objects)

    def test_the_path_of_the_manifest(self):
        objects = deployment(single())
        objects[0]["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "A", "value": {"B": None}}]
        said = self.refused(objects, "spec.template.spec.containers[0].env[0].value: expected a string, got an object")
        self.assertNotIn("request.object", said.text)
        self.assertEqual(len(said.findings), 1, said)

    def test_a_warning_of_object_and_pods(self):
        template = single()
        del template["spec"]["nodeSelector"]
        said = self.warned(deployment(template), "TPU-105")
        self.assertEqual(len(said.findings), 1, said)
        self.assertIn("HOSTS", said.text)
        self.assertIn(" ?  ", said.text)


class Queued(Reports):
    """Flavors by Pod set."""

    def flavors(self, *more):
        names = [("cpu-only", 0), ("on-demand", 16), *more]
        quotas = [{"name": name, "resources": [{"name": "google.com/tpu", "nominalQuota": chips}, {"name": "cpu", "nominalQuota": 9}]}
                  for name, chips in names]
        pools = [named("ResourceFlavor", name, {"nodeLabels": {"cloud.google.com/gke-nodepool": name}}) for name, _ in names]
        return queue(flavors=quotas) + pools

    def cluster(self):
        objects = ray()
        objects[0]["metadata"]["labels"] = QUEUED["labels"]
        spec = objects[0]["spec"]["headGroupSpec"]["template"]["spec"]
        spec["nodeSelector"] = {"cloud.google.com/gke-nodepool": "cpu-only"}
        spec["containers"][0]["resources"] = {"requests": {"cpu": 1}}
        return objects

    def test_of_workers_there_are_two(self):
        said = self.fine(self.cluster() + self.flavors(("spot", 1000)))
        self.assertIn("Pods of headgroup with flavor cpu-only; those of g with flavor on-demand or spot", said.text)
        self.assertIn("none: which of the flavors on-demand and spot the Pods get is not known", said.text)
        self.assertNotIn("gcloud", said.text)

    def test_affinity_chooses_a_flavor(self):
        def pinned(pool):
            terms = [{"matchExpressions": [{"key": "cloud.google.com/gke-nodepool", "operator": "In", "values": [pool]}]}]
            return pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}})

        flavors = self.flavors(("spot", 1000))
        self.assertIn("with flavor spot", self.fine(jobset(replicated(pinned("spot")), metadata=QUEUED) + flavors).text)
        self.assertIn("with flavor on-demand", self.fine(jobset(replicated(pinned("on-demand")), metadata=QUEUED) + flavors).text)
        self.warned(jobset(replicated(pinned("other")), metadata=QUEUED) + flavors, "quota", "which the Pods' required node affinity excludes")

    def test_labels_of_other_flavors_do_not_count(self):
        objects = jobset(replicated(pod(select={"team": "a"})), metadata=QUEUED)
        quotas = [{"name": name, "resources": [{"name": "google.com/tpu", "nominalQuota": 16}]} for name in ("v6e", "b")]
        self.fine(objects + queue(flavors=quotas) + [named("ResourceFlavor", "b", {"nodeLabels": {"team": "b"}})], "with flavor v6e")

    def test_topology_of_a_flavor_without_one(self):
        asks = jobset(replicated(pod(annotations={"kueue.x-k8s.io/podset-required-topology": "cloud.google.com/gke-nodepool"})), metadata=QUEUED)
        queues = queue(("google.com/tpu", 16))
        self.warned(asks + queues, "quota", "v6e: it names no Topology, and the Pods ask for topology-aware scheduling")
        self.fine(jobset(metadata=QUEUED) + queues)
        next(each for each in queues if each["kind"] == "ResourceFlavor")["spec"]["topologyName"] = "pools"
        self.fine(asks + queues)

    def test_a_queue_that_is_not_there(self):
        self.fine(jobset(metadata=QUEUED), "queue team of Kueue is not in the input")
        self.assertNotIn("is not in the input", self.fine(jobset(metadata=QUEUED) + queue(("google.com/tpu", 16))).text)
        self.assertNotIn("Kueue", self.fine(jobset()).text)

    def test_of_workers_there_is_one(self):
        self.fine(self.cluster() + self.flavors(), "with flavors on-demand and cpu-only", "node-pools create on-demand")


class Classes(Reports):
    """A ComputeClass that tries one host."""

    def class_of(self, *shapes):
        priorities = [{"tpu": {"type": accelerator, "count": 4, "topology": topology}} for accelerator, topology in shapes]
        return {"apiVersion": "cloud.google.com/v1", "kind": "ComputeClass", "metadata": {"name": "c"}, "spec": {"priorities": priorities}}

    def server(self):
        template = single()
        template["spec"]["nodeSelector"] = {"cloud.google.com/compute-class": "c"}
        return deployment(template)

    def test_of_one_shape(self):
        self.fine(self.server() + [self.class_of((V6E, "2x2"), (V6E, "2x2"))], "1 slice of 2x2 on tpu-v6e-slice")

    def test_of_others(self):
        for shapes in (((V6E, "2x2"), (V5E, "2x2")), ((V6E, "4x4"),), ((TPU7X, "2x2x1"),)):
            self.warned(self.server() + [self.class_of(*shapes)], "TPU-105")

    def test_that_is_not_there(self):
        said = self.warned(self.server(), "TPU-105")
        self.assertIn("ComputeClass c determines the nodes, and is not in the input", said.text)


class Words(Reports):
    def test_lists_that_differ_late(self):
        names = "train-0.train,train-1.train,train-2.train,"
        told = container(env=[{"name": "TPU_WORKER_HOSTNAMES", "value": names + "other.train"}])
        self.warned(job(pod(told)), "TPU-502", "is ...,other.train and was kept", "gives ...,train-3.train")
        told["env"][0]["value"] = "other.train"
        self.warned(job(pod(told)), "TPU-502", "is other.train and was kept")

    def test_nothing_beside_nothing(self):
        said = Said(deployment({"metadata": {"labels": {}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}))
        self.assertNotIn("beside them", said.text)
        self.assertIn("beside them 1 Pod without chips", self.fine(ray()).text)

    def test_what_the_manifest_sets_itself(self):
        self.fine(lws(worker=pod(container(env=[{"name": "TPU_PROCESS_PORT", "value": "9000"}]))),
                  "TPU_PROCESS_PORT=9000 (already set)", "TPU_NAME=serve-0 (LeaderWorkerSet's)")

    def test_one_value_of_all(self):
        self.fine(lws(leader=pod(container(name="leader"))), "main: TPU_PROCESS_PORT=8476 (LeaderWorkerSet's)", without="values)")


class Updates(Reports):
    def test_a_group_more(self):
        rollout = {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxSurge": 1}}
        said = self.fine(lws(replicas=2, rolloutStrategy=rollout))
        self.assertIn("an update makes 1 group more (maxSurge) before it ends old ones, which takes 1 slice more", said.text)
        self.assertNotIn("maxSurge", self.fine(lws(replicas=2)).text)

    def test_none_more_and_none_less(self):
        objects = deployment(single())
        self.assertIn("maxSurge: 0, or strategy Recreate", self.fine(objects).text)
        objects[0]["spec"]["strategy"] = {"rollingUpdate": {"maxUnavailable": 0}}
        self.assertIn("maxSurge: 0 with maxUnavailable: 1, or strategy Recreate", self.fine(objects).text)


if __name__ == "__main__":
    unittest.main(verbosity=1)
