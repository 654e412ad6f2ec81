#!/usr/bin/env python3
"""What commands cost: costs.py PROGRAM [PART]. CPU time in proportion to the input, memory bounded.

Each is run on an input and on one of four times its size; CPU time may grow to eight times, and what
takes less than 0.3 s grows as it likes.
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "server"))

import checks  # noqa: E402
import program  # noqa: E402
from checks import check, row  # noqa: E402

MIB = 1 << 20
LABELS = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"}


def run(*arguments, memory=None):
    """(exit code, CPU seconds, peak of resident bytes, bytes printed, error output)"""
    def bounded():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([program.of(*arguments), *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=program.ENVIRONMENT, preexec_fn=bounded)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        return (process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss << 10, out.seek(0, 2),
                err.read().decode())


def tpu_pod(name, **metadata):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "ml", "uid": name, **metadata},
            "spec": {"nodeSelector": LABELS, "subdomain": "s",
                     "containers": [{"name": "c", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}}}]},
            "status": {"phase": "Running"}}


def annotations(size):
    return tpu_pod("a", annotations={f"key-{i}": "x" for i in range(size)})


def args(size):
    pod = tpu_pod("a", ownerReferences=[], labels={"batch.kubernetes.io/job-completion-index": "0",
                                                   "batch.kubernetes.io/job-name": "a"})
    pod["spec"]["containers"][0]["args"] = [f"--{i}" for i in range(size)]
    return pod


def one_pool(size):
    """Members of different slices, all on one node."""
    pods = []
    for i in range(size):
        pod = tpu_pod(f"j{i}-0", labels={"batch.kubernetes.io/job-completion-index": "0",
                                         "batch.kubernetes.io/job-name": f"j{i}"},
                      ownerReferences=[{"apiVersion": "batch/v1", "kind": "Job", "name": f"j{i}", "uid": f"u{i}",
                                        "controller": True}])
        pod["spec"]["nodeName"] = "n"
        pods.append(pod)
    node = {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n", "labels": {**LABELS, "cloud.google.com/gke-nodepool": "p"}},
            "status": {"allocatable": {"google.com/tpu": "4"}}}
    return {"kind": "List", "items": [*pods, node]}


def beside_strays(size):
    """Slices of one host and Pods without chips, all of one slice-key."""
    label = {"tpu-webhook.dev/slice-key": "k"}
    slices = [tpu_pod(f"p{i}", labels=label) for i in range(size)]
    strays = [tpu_pod(f"s{i}", labels=label) for i in range(size)]
    for pod in slices:
        pod["spec"]["nodeSelector"] = {**LABELS, "cloud.google.com/gke-tpu-topology": "2x2"}
        pod["status"]["phase"] = "Pending"
    for pod in strays:
        del pod["spec"]["containers"][0]["resources"]
    return {"kind": "List", "items": [*slices, *strays]}


def containers(size):
    pod = tpu_pod("a", labels={"apps.kubernetes.io/pod-index": "0"},
                  ownerReferences=[{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "a", "uid": "u",
                                    "controller": True}])
    pod["spec"]["containers"] = [{"name": f"c{i}", "image": "i", "resources": {"limits": {"google.com/tpu": "1"}}}
                                 for i in range(size)]
    return pod


def unknown_fields(size):
    """Fields that nobody looks at, of the Pod and of one container after the other."""
    pod = tpu_pod("a")
    pod["spec"].update({f"field{i}": i for i in range(size)})
    pod["spec"]["containers"] += [{"name": f"c{i}", f"field{i}": i} for i in range(size)]
    return pod


def ports_of_the_host(size):
    pod = tpu_pod("a")
    pod["spec"]["hostNetwork"] = True
    pod["spec"]["containers"][0]["ports"] = [{"containerPort": i % 60_000 + 1} for i in range(size)]
    return pod


def flavors(size):
    """A Job whose queue has many flavors, none with a node for it."""
    job = {"apiVersion": "batch/v1", "kind": "Job",
           "metadata": {"name": "j", "namespace": "ml", "labels": {"kueue.x-k8s.io/queue-name": "q"}},
           "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed",
                    "template": {"spec": tpu_pod("a")["spec"]}}}
    quota = [{"name": f"f{i}", "resources": [{"name": "google.com/tpu", "nominalQuota": 1}]} for i in range(size)]
    queues = [{"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "LocalQueue", "metadata": {"name": "q", "namespace": "ml"},
               "spec": {"clusterQueue": "cq"}},
              {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": "cq"},
               "spec": {"resourceGroups": [{"coveredResources": ["google.com/tpu"], "flavors": quota}]}}]
    return {"kind": "List", "items": [job, *queues, *(
        {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ResourceFlavor", "metadata": {"name": f"f{i}"},
         "spec": {"nodeLabels": {"x": "y"}}} for i in range(size))]}


def expressions(size):
    """A configuration one of whose entries selects by many labels."""
    keys = [{"key": f"{operation}-{i}", "operator": operation}
            for operation in ("Exists", "DoesNotExist") for i in range(size)]
    return {"kind": "List", "items": [{
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": "tpu-webhook"}, "webhooks": [{"name": "x", "objectSelector": {"matchExpressions": keys}}]}]}


def as_yaml(value):
    """JSON is YAML, but in one line that no JSON reader takes."""
    return "metadata: " + json.dumps(value["metadata"]) + "\n" + "\n".join(
        f"{key}: {json.dumps(value[key])}" for key in value if key != "metadata") + "\n"


# name, command, input by size, size
GROWS = [("explain_annotations", ("explain", "FILE"), lambda n: json.dumps(annotations(n)), 12_000),
         ("explain_annotations_in_yaml", ("explain", "FILE"), lambda n: as_yaml(annotations(n)), 8_000),
         ("review_annotations", ("review", "FILE"), lambda n: json.dumps(annotations(n)), 12_000),
         ("review_diff", ("review", "-o", "diff", "FILE"), lambda n: json.dumps(args(n)), 20_000),
         ("slices_annotations", ("slices", "--cluster", "FILE"),
          lambda n: json.dumps({"kind": "List", "items": [annotations(n)]}), 12_000),
         ("slices_on_one_pool", ("slices", "--cluster", "FILE"), lambda n: json.dumps(one_pool(n)), 500),
         ("audit_of_one_pool", ("audit", "--cluster", "FILE"), lambda n: json.dumps(one_pool(n)), 500),
         ("audit_beside_strays", ("audit", "--cluster", "FILE"), lambda n: json.dumps(beside_strays(n)), 250),
         ("audit_of_many_containers", ("audit", "--cluster", "FILE"),
          lambda n: json.dumps({"kind": "List", "items": [containers(n)]}), 500),
         ("explain_many_containers", ("explain", "FILE"), lambda n: json.dumps(containers(n)), 1_500),
         ("explain_unknown_fields", ("explain", "FILE"), lambda n: json.dumps(unknown_fields(n)), 10_000),
         ("explain_ports_of_the_host", ("explain", "FILE"), lambda n: json.dumps(ports_of_the_host(n)), 30_000),
         ("explain_many_flavors", ("explain", "FILE"), lambda n: json.dumps(flavors(n)), 1_500),
         ("doctor_of_many_expressions", ("doctor", "--cluster", "FILE"), lambda n: json.dumps(expressions(n)), 1_000)]


def grows_with_the_text_and_not_faster(command, text, size):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for factor in (1, 4):
            path = pathlib.Path(folder, "input")
            path.write_text(text(size * factor), encoding="utf-8")
            code, seconds, peak, printed, err = run(*[str(path) if word == "FILE" else word for word in command])
            assert code in (0, 1), err
            found.append((seconds, peak, printed))
    (small, _, few), (large, peak, many) = found
    print(f"     {small:.2f} s, {large:.2f} s of four times as much; {peak >> 20} MiB")
    assert large < max(0.3, 8 * small), found
    assert many < max(8 * few, 100_000), found


for name, *each in GROWS:
    row("growth." + name, lambda each=each: grows_with_the_text_and_not_faster(*each))


def refused_within(words, arguments):
    code, _, peak, _, err = run(*arguments, memory=512 * MIB)
    assert code == 2 and all(word in err for word in words) and len(err.splitlines()) == 1, (code, err)
    assert peak < 450 * MIB, peak


def with_file(text, words, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a.yaml")
        path.write_text(text, encoding="utf-8")
        refused_within(words, [str(path) if word == "FILE" else word for word in arguments])


BOMB = "a: &a " + "x" * 60_000 + "\nb: &b [" + "*a," * 1_000 + "]\nc: [" + "*b," * 900 + "]\n"
NESTED = "a0: &a0 " + "x" * 1_000 + "\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9))
MERGED = "a: &a\n  k: " + "x" * 60_000 + "\nb:\n" + "  - <<: *a\n" * 2_000

for kind, text in (("aliases", BOMB), ("nested_aliases", NESTED), ("merges", MERGED)):
    for command in (("explain", "FILE"), ("review", "FILE"), ("config", "check", "FILE"),
                    ("slices", "--cluster", "FILE")):
        if command[0] in ("slices", "config") and kind != "aliases":
            continue
        row(f"memory.{kind}.{command[0]}", lambda text=text, command=command:
            with_file(text, ("aliases repeat", "33554432"), *command))

for command in (("explain", "/dev/zero"), ("review", "/dev/zero"), ("slices", "--cluster", "/dev/zero"),
                ("audit", "--cluster", "/dev/zero"), ("ledger", "list", "--cluster", "/dev/zero"),
                ("doctor", "--cluster", "/dev/zero"), ("config", "check", "/dev/zero"),
                ("rules", "--diff", "/dev/zero"), ("explain", "--cluster", "/dev/zero", "POD"),
                ("review", "--cluster", "/dev/zero", "POD")):
    arguments = [str(TESTS.parent / "docs/samples/job-pod.yaml") if word == "POD" else word for word in command]
    row("memory.no_end." + ".".join(command), lambda arguments=arguments:
        refused_within(["1048576 bytes" if arguments[0] == "config" else " MiB"], arguments))


@check
def review_goes_on_behind_what_is_no_json():
    good = json.dumps(tpu_pod("a"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a.json")
        for bad in ("nul", '"\\ud800"', "1e400", "01"):
            broken = good.replace('"image": "i"', f'"image": "i", "command": {bad}')
            path.write_text("\n".join((good, broken, good)), encoding="utf-8")
            code, out, err = program.run(program.tools(), "review", "-o", "json", str(path))
            lines = [json.loads(line)["verdict"] for line in out.splitlines()]
            assert code == 2 and lines == ["allowed", "unusable", "allowed"], (code, out, err)
            assert re.search(r"line 2, column \d+: not JSON\n", err), err
            code, _, err = program.run(program.tools(), "explain", str(path))
            assert code == 2 and re.search(r"line 2, column \d+: not JSON\n", err), err


if __name__ == "__main__":
    checks.main(__doc__)
