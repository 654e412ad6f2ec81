#!/usr/bin/env python3
"""Tests of the harness itself, which need no reader: composing, naming, placing, judging."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import agree
import cluster
import container_env
import jax_verdict
import zone

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS / "support" / "workloads"))
import apiserver  # noqa: E402
import controllers  # noqa: E402
import stateful  # noqa: E402


def a_pod(host="w-0", subdomain="svc", env=(), chips="4", **spec):
    body = apiserver.pod(
        identity=(host,), generate_name=f"{host}-", namespace="ns", labels={"job-name": "w"},
        annotations={}, owner=controllers.owner("batch/v1", "Job", "w", "uid"), manager="test",
        hostname=host, subdomain=subdomain, restart_policy="Never",
        node_selector={"cloud.google.com/gke-tpu-topology": "2x4"},
        containers=[apiserver.container("c", "image", env=env, limits={"google.com/tpu": chips})])
    body["spec"].update(spec)
    return body


def a_service(name="svc", **spec):
    return {"kind": "Service", "metadata": {"name": name, "namespace": "ns"},
            "spec": {"clusterIP": "None", "selector": {"job-name": "w"}, **spec}}


def a_node(name, accelerator="tpu-v6e-slice", topology="2x4", chips=4, **labels):
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {
            "cloud.google.com/gke-tpu-accelerator": accelerator,
            "cloud.google.com/gke-tpu-topology": topology, **labels}},
        "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.9"}],
                   "allocatable": {"google.com/tpu": str(chips)}},
    }


class DevicePlugin(unittest.TestCase):
    def test_known_sets(self):
        cases = [
            # accelerator, topology, chips on the node, asked: type, host bounds, chip bounds
            (("tpu-v6e-slice", "2x4", 4, 4), ("v6e-8", "1,2,1", "2,2,1")),
            (("tpu-v6e-slice", "2x4", 8, 8), ("v6e-8", "1,1,1", "2,4,1")),
            (("tpu-v6e-slice", "4x4", 4, 4), ("v6e-16", "2,2,1", "2,2,1")),
            (("tpu-v5p-slice", "2x2x2", 4, 4), ("v5p-16", "1,1,2", "2,2,1")),
            (("tpu7x", "2x2x2", 4, 2), ("tpu7x-16", "2,1,2", "1,2,1")),
        ]
        for (accelerator, topology, chips, asked), want in cases:
            with self.subTest(accelerator=accelerator, topology=topology, asked=asked):
                env = container_env.device_plugin(a_node("n", accelerator, topology, chips), asked)
                self.assertEqual(want, (env["TPU_ACCELERATOR_TYPE"], env["TPU_HOST_BOUNDS"],
                                        env["TPU_CHIPS_PER_HOST_BOUNDS"]))

    def test_worker_id_only_on_a_single_host_before_tpu7x(self):
        self.assertEqual("0", container_env.device_plugin(a_node("n", chips=8), 8)["TPU_WORKER_ID"])
        self.assertNotIn("TPU_WORKER_ID", container_env.device_plugin(a_node("n"), 4))
        ironwood = a_node("n", "tpu7x", "2x2x1")
        self.assertNotIn("TPU_WORKER_ID", container_env.device_plugin(ironwood, 4))


class Install(unittest.TestCase):
    """Which Python it takes, by interpreters that only say their version and make an empty environment."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "requirements").mkdir()
        (self.folder / "requirements/new.txt").write_text("# needs Python 3.98, else old\n")
        (self.folder / "requirements/old.txt").write_text("# for every Python\n")
        shutil.copy(pathlib.Path(__file__).with_name("install"), self.folder)

    def python(self, path, minor):
        """An interpreter 3.`minor` at `path`; install asks for at least (3, N)."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"""#!/bin/bash
case "$*" in
  *platform*) echo 3.{minor}.0 ;;
  "-m venv "*) mkdir -p "$3/bin"; printf '#!/bin/bash\\n' >"$3/bin/pip"; chmod +x "$3/bin/pip" ;;
  *) asked=${{2##*(3, }}; asked=${{asked%%)*}}; (({minor} >= asked)) ;;
esac
""")
        file.chmod(0o755)
        return file

    def installs(self, name, **environment):
        """What it says of `new` where the packages are, and on stderr."""
        result = subprocess.run([self.folder / "install", name], capture_output=True, text=True, check=True,
                                env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"),
                                     "TPUWH_CACHE": str(self.folder / "cache"), **environment})
        return pathlib.Path(result.stdout.strip()).name, result.stderr

    def test_a_python_that_is_new_enough(self):
        made, said = self.installs("new", TPUWH_PYTHON=str(self.python("python", 98)))
        self.assertRegex(made, "^readers-new-")
        self.assertEqual("", said)

    def test_none_new_enough(self):
        made, said = self.installs("new", TPUWH_PYTHON=str(self.python("python", 97)))
        self.assertRegex(made, "^readers-old-")
        self.assertIn("no Python >= 3.98 with venv for new, so old is installed in its place", said)

    def test_pyenvs_own_path(self):
        self.python("home/.pyenv/versions/3.98.0/bin/python3", 98)
        made, _ = self.installs("new", TPUWH_PYTHON=str(self.python("python", 97)))
        self.assertRegex(made, "^readers-new-")


class PodEnvironment(unittest.TestCase):
    def env(self, *entries):
        pod = a_pod(env=entries)
        return container_env.pod_env(pod, pod["spec"]["containers"][0], a_node("n"), "127.0.1.1", "xyz")

    def test_references_reach_back_only(self):
        env = self.env({"name": "EARLY", "value": "$(LATE)"}, {"name": "LATE", "value": "1"},
                       {"name": "BOTH", "value": "$(LATE)-$(EARLY)-$$(LATE)-$"})
        self.assertEqual({"EARLY": "$(LATE)", "LATE": "1", "BOTH": "1-$(LATE)-$(LATE)-$"}, env)

    def test_the_last_of_a_name_wins(self):
        self.assertEqual({"A": "2"}, self.env({"name": "A", "value": "1"},
                                              {"name": "A", "value": "2"}))

    def test_fields(self):
        fields = {"metadata.labels['job-name']": "w", "metadata.labels['none']": "",
                  "status.hostIP": "10.0.0.9", "status.podIP": "127.0.1.1",
                  "metadata.name": "w-0-xyz", "spec.nodeName": "n"}
        for path, want in fields.items():
            with self.subTest(path=path):
                got = self.env({"name": "F", "valueFrom": {"fieldRef": {"fieldPath": path}}})
                self.assertEqual({"F": want}, got)

    def test_the_pod_wins_over_the_device_plugin(self):
        pod = a_pod(env=[{"name": "TPU_WORKER_ID", "value": "7"}], chips="8")
        around = cluster.Cluster([a_node("n", chips=8)])
        self.assertEqual("7", container_env.processes([pod], around)[0].env["TPU_WORKER_ID"])


class Zone(unittest.TestCase):
    def test_a_name_needs_a_service_of_exactly_that_name(self):
        cases = [
            ("all there", a_pod(), a_service(), True),
            ("no subdomain", a_pod(subdomain=None), a_service(), False),
            ("no hostname", a_pod(host=""), a_service(), False),
            ("another name", a_pod(), a_service("svc-2"), False),
            ("another selector", a_pod(), a_service(selector={"job-name": "v"}), False),
            ("not headless", a_pod(), a_service(clusterIP="10.0.0.1"), False),
        ]
        for what, pod, service, want in cases:
            with self.subTest(what):
                self.assertEqual(want, bool(zone.names(pod, [service])))

    def test_a_pod_that_is_not_ready_needs_it_published(self):
        pod = a_pod()
        pod["spec"]["containers"][0]["readinessProbe"] = {}
        self.assertFalse(zone.names(pod, [a_service()]))
        self.assertTrue(zone.names(pod, [a_service(publishNotReadyAddresses=True)]))

    def test_hosts_file(self):
        text = zone.hosts_file([a_pod("w-0"), a_pod("w-1")], [a_service()])
        self.assertIn("127.0.1.2 w-1.svc w-1.svc.ns w-1.svc.ns.svc w-1.svc.ns.svc.cluster.local\n",
                      text)

    def test_dns_policy(self):
        for network, policy, want in [(False, "ClusterFirst", True), (False, "Default", False),
                                      (True, "ClusterFirst", False),
                                      (True, "ClusterFirstWithHostNet", True)]:
            pod = a_pod(hostNetwork=network, dnsPolicy=policy)
            self.assertEqual(want, zone.asks_cluster_dns(pod), (network, policy))


class Placing(unittest.TestCase):
    def test_pinned_pods_go_first(self):
        nodes = [a_node("a", pool="x"), a_node("b", pool="y")]
        pinned = a_pod(nodeSelector={"pool": "x"})
        placed = cluster.place([a_pod(nodeSelector={}), pinned], nodes)
        self.assertEqual(["b", "a"], [n["metadata"]["name"] for n in placed])

    def test_two_hosts_do_not_share_a_full_node(self):
        with self.assertRaisesRegex(RuntimeError, "no node has room"):
            cluster.place([a_pod(), a_pod()], [a_node("a")])

    def test_node_affinity(self):
        not_in = {"key": "size", "operator": "NotIn", "values": ["8"]}
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [not_in]}]}}}
        placed = cluster.place([a_pod(affinity=affinity)],
                               [a_node("a", size="8"), a_node("b", size="4")])
        self.assertEqual("b", placed[0]["metadata"]["name"])


class Bounds(unittest.TestCase):
    def test_list_of_the_wrong_length(self):
        around = cluster.Cluster([a_node("n")])
        for hosts, want in (("w-0.svc,w-1.svc", 0), ("w-0.svc", 1)):
            pod = a_pod(env=[{"name": "TPU_WORKER_HOSTNAMES", "value": hosts}])
            self.assertEqual(want, len(jax_verdict.bounds(container_env.processes([pod], around))))


class JaxVerdict(unittest.TestCase):
    def probes(self):
        return [{"label": f"p{i}", "name": f"w-{i}.svc", "chosen": "GkeTpuCluster", "count": 2,
                 "id": i, "slice": 0, "list": ["w-0.svc", "w-1.svc"],
                 "coordinator": "w-0.svc:8482"} for i in range(2)]

    def test_a_crash_is_not_agreement(self):
        probes = [*self.probes(), {"label": "p2", "name": "w-2.svc", "crash": "the fork ended"}]
        self.assertEqual(["p2: the fork ended"], jax_verdict.derived(probes))

    def test_a_job_that_met_others_than_the_lists_say(self):
        outcome = {"label": "p0", "error": None, "id": 0, "count": 1, "names": ["x.svc"]}
        self.assertEqual(1, len(jax_verdict.formed([outcome], ["w-0.svc"])))


class Agree(unittest.TestCase):
    def report(self, *ids):
        hosts = {"name": "TPU_WORKER_HOSTNAMES", "value": "w-0.svc,w-1.svc"}
        return agree.reports([a_pod(f"w-{i}", env=[hosts, {"name": "TPU_WORKER_ID", "value": v}])
                              for i, v in enumerate(ids)])

    def test_right(self):
        self.assertEqual([("job ns/w: 2 Pods, 1 slice of 2 processes: all members agree", True)],
                         self.report("0", "1"))

    def test_an_id_twice(self):
        line, agreed = self.report("0", "0")[0]
        self.assertFalse(agreed)
        self.assertIn("worker ids are 0,0, not 0 to 1", line)

    def test_a_variable_twice(self):
        pod = a_pod(env=[{"name": "A", "value": "1"}] * 2)
        self.assertEqual(["w-0/c has A 2 times"], list(agree.twice(pod)))


class LwsWebhook(unittest.TestCase):
    maxDiff = None

    def test_writes_what_was_recorded(self):
        """Each Pod of lws-first came before LeaderWorkerSet's webhook; those of lws, after it."""
        before, after = recorded_lws("lws-first"), recorded_lws("lws")
        self.assertEqual(8, len(after))
        for name, pod in after.items():
            self.assertEqual(stateful.lws_written(before[name]), pod)


def recorded_lws(story):
    """By name, each Pod as it came first, without what depends on the hour and the cluster."""
    pods = {}
    with open(TESTS / "golden" / "recorded" / story / "reviews.jsonl") as file:
        for line in file:
            pod = json.loads(line)["request"]["object"]
            for field in ("managedFields", "uid", "creationTimestamp", "ownerReferences"):
                pod["metadata"].pop(field, None)
            pods.setdefault(pod["metadata"]["name"], pod)
    return pods


if __name__ == "__main__":
    unittest.main()
