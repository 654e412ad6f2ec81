#!/usr/bin/env python3
"""What each release has written into a cluster is read by this one: run.py KUBECTL_TPU [-k PART].

VERSION.json, beside this file, is a List that a real API server had: a RayCluster, five workers of it as that release left
them, and the ledger's ConfigMap, which gave them their places (tests/e2e, harness/workers.py). Nothing of it is ever
changed; a release adds its own when a format changes. What docs/contract.md says of these formats is tried on each.
"""

import base64
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
RECORDED = sorted(pathlib.Path(__file__).resolve().parent.glob("*.json"))


def of_kind(cluster, kind):
    return [one for one in cluster["items"] if one["kind"] == kind]


class Formats(unittest.TestCase):
    def asked(self, *arguments, cluster, code=0):
        """What a command prints about this cluster, as JSON."""
        answer = subprocess.run([PROGRAM, *arguments, "--output", "json", "--cluster", "-"], input=json.dumps(cluster),
                                capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return json.loads(answer.stdout)

    def patch(self, pod, cluster):
        """What changes when this Pod is created, as a copy or by reinvocation: operations."""
        request = {
            "uid": "1", "operation": "CREATE", "name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"],
            "kind": {"group": "", "version": "v1", "kind": "Pod"}, "resource": {"group": "", "version": "v1", "resource": "pods"},
            "object": pod,
        }
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as around:
            json.dump(cluster, around)
            around.flush()
            answer = subprocess.run([PROGRAM, "review", "--cluster", around.name, "-"], input=json.dumps(review),
                                    capture_output=True, text=True, timeout=30, check=True)
        return json.loads(base64.b64decode(json.loads(answer.stdout)["response"].get("patch", "W10=")))

    def of_each(self):
        self.assertTrue(RECORDED)
        return [json.loads(file.read_text(encoding="utf-8")) for file in RECORDED]

    def test_the_ledger_is_whole_and_each_entry_has_its_pod(self):
        for cluster in self.of_each():
            (group,) = self.asked("ledger", "list", cluster=cluster)["groups"]
            self.assertEqual((group["state"], group["withoutPod"]), ("whole", []))
            self.assertEqual(group["withPod"], ["0-0", "0-1", "0-2", "0-3", "1-0"])

    def test_of_a_later_format_nothing_is_claimed(self):
        for cluster in self.of_each():
            (ledger,) = of_kind(cluster, "ConfigMap")
            self.assertEqual(ledger["data"]["format"], "1")
            ledger["data"]["format"] = "2"
            found = self.asked("ledger", "list", cluster=cluster)
            self.assertEqual(found["groups"], [])
            self.assertIn('format is "2", expected "1"', found["notKnown"][0])

    def test_each_worker_is_the_host_that_it_was(self):
        for cluster in self.of_each():
            found = self.asked("slices", cluster=cluster)["slices"]
            self.assertEqual([one["workerIds"] for one in found], [[0, 1, 2, 3], [0]])

    def test_a_pod_that_was_done_is_done(self):
        for cluster in self.of_each():
            for pod in of_kind(cluster, "Pod"):
                self.assertEqual(self.patch(pod, cluster), [], pod["metadata"]["name"])

    def test_what_another_has_changed_since_is_kept(self):
        for cluster in self.of_each():
            pod = copy.deepcopy(of_kind(cluster, "Pod")[0])
            (env,) = [one for one in pod["spec"]["containers"][0]["env"] if one["name"] == "TPU_NAME"]
            env["value"] = "mine"
            self.assertEqual([each["path"] for each in self.patch(pod, cluster)], ["/metadata/annotations/tpu-webhook.dev~1injected"])

    def test_a_pod_without_its_marks_is_looked_at_anew(self):
        """Or nothing could be seen of the two above."""
        for cluster in self.of_each():
            pod = copy.deepcopy(of_kind(cluster, "Pod")[0])
            del pod["metadata"]["annotations"]
            self.assertNotEqual(self.patch(pod, cluster), [])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
