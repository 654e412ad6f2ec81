#!/usr/bin/env python3
"""Clusters as they are written down: clusters.py PROGRAM [PART].

One cluster in every form in which kubectl, curl, must-gather and people keep it gives one answer, by every command that
reads files. What cannot be read is exit 2 with its line, and what is left out is named. The controls, forms that were
read before, stay.
"""

import copy
import functools
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "server"))

import checks  # noqa: E402
import program  # noqa: E402
from checks import check, row  # noqa: E402

LABELS = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"}


def run(*arguments, stdin=None):
    return program.run(program.of(*arguments), *arguments, stdin=stdin)


def member(index, uid=None, version="5", **metadata):
    name = f"train-{index}-abcde"
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": "ml", "uid": uid or f"uid-{name}", "resourceVersion": version,
                         "creationTimestamp": "2026-03-03T08:00:00Z",
                         "labels": {"batch.kubernetes.io/job-completion-index": str(index),
                                    "batch.kubernetes.io/job-name": "train"},
                         "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "job",
                                              "controller": True}], **metadata},
            "spec": {"nodeSelector": dict(LABELS), "hostname": f"train-{index}", "subdomain": "svc", "nodeName": f"n-{index}",
                     "containers": [{"name": "jax", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}},
                                     "env": [{"name": "TPU_WORKER_ID", "value": str(index)},
                                             {"name": "TPU_WORKER_HOSTNAMES",
                                              "value": "train-0.svc,train-1.svc"}]}]},
            "status": {"phase": "Running"}}


def node(index):
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": f"n-{index}", "uid": f"uid-n-{index}",
                         "labels": {**LABELS, "cloud.google.com/gke-nodepool": "pool"}},
            "status": {"allocatable": {"google.com/tpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]}}


PODS = [member(0), member(1)]
NODES = [node(0), node(1)]
SERVICES = [{"apiVersion": "v1", "kind": "Service",
             "metadata": {"name": "svc", "namespace": "ml", "uid": "uid-svc"}, "spec": {"clusterIP": "None"}}]
EVERYTHING = PODS + NODES + SERVICES


def listed(items, kind="List", **metadata):
    """As kubectl writes it: keys by name, kind and metadata last."""
    return {"apiVersion": "v1", "items": items, "kind": kind, "metadata": metadata or {"resourceVersion": ""}}


def typed(items):
    """As the API server writes it: items carry neither kind nor version."""
    kind = items[0]["kind"] if items else "Pod"
    bare = [{key: value for key, value in item.items() if key not in ("kind", "apiVersion")} for item in items]
    return {"kind": kind + "List", "apiVersion": "v1", "metadata": {"resourceVersion": "99"}, "items": bare}


def printed(*values):
    return "".join(json.dumps(value, indent=4) + "\n" for value in values)


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def as_yaml(value, indent=0):
    """Block YAML, enough for what is here."""
    space = " " * indent
    if isinstance(value, dict) and value:
        return "".join(f"{space}{key}:" + (f"\n{as_yaml(each, indent + 2)}" if each and isinstance(each, (dict, list))
                                           else f" {json.dumps(each)}\n") for key, each in value.items())
    if isinstance(value, list) and value:
        return "".join(f"{space}- {as_yaml(each, indent + 2).lstrip()}" if each and isinstance(each, (dict, list))
                       else f"{space}- {json.dumps(each)}\n" for each in value)
    return f"{space}{json.dumps(value)}\n"


def events(values):
    gone = member(7, uid="gone")
    stale = [{"type": "ADDED", "object": {**each, "metadata": {**each["metadata"], "resourceVersion": "1"},
                                          "status": {"phase": "Pending"}}} for each in PODS]
    return [{"type": "ADDED", "object": gone}, *stale, *({"type": "ADDED", "object": each} for each in values),
            {"type": "BOOKMARK", "object": {"kind": "Pod", "metadata": {"resourceVersion": "9"}}},
            {"type": "DELETED", "object": {**gone, "metadata": {**gone["metadata"], "resourceVersion": "8"}}}]


PLAIN = json.dumps(listed(EVERYTHING))

# The same cluster in different forms of input. documents_test.cpp tests all forms of the bytes (lines, comments,
# document marks, ends, encodings); here is one of each.
FORMS = {
    "list": PLAIN,                                                  # controls: read before
    "list_with_crlf": printed(listed(EVERYTHING)).replace("\n", "\r\n"),
    "list_in_utf16": ("\ufeff" + PLAIN).encode("utf-16-le"),
    "yaml_list": as_yaml(listed(EVERYTHING)),
    "yaml_documents": "---\n".join(map(as_yaml, EVERYTHING)),
    "typed_lists": printed(typed(PODS), typed(NODES), typed(SERVICES)),
    "typed_lists_in_a_list": json.dumps(listed([typed(PODS), typed(NODES), typed(SERVICES)])),
    "lists_in_a_list": json.dumps(listed([listed(PODS), listed([listed(NODES), *SERVICES])])),
    "lists_behind_lists": printed(listed(PODS), listed(NODES), listed(SERVICES), listed([])),
    "lines": lines(EVERYTHING),
    "yaml_typed_lists": "---\n".join(map(as_yaml, (typed(PODS), typed(NODES), typed(SERVICES)))),
    "watch_events": lines(events(EVERYTHING)),
    "watch_events_printed": printed(*events(EVERYTHING)),
    "every_object_twice": printed(listed(EVERYTHING), listed(EVERYTHING)),
    "older_states_behind": printed(listed(EVERYTHING), listed(
        [{**each, "metadata": {**each["metadata"], "resourceVersion": "1"}, "status": {"phase": "Pending"}}
         for each in PODS])),
    "with_an_empty_typed_list": printed(listed(EVERYTHING), typed([])),
}


def with_input(text, action, name="cluster.json"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return action(str(path))


def answer(text, *command):
    return with_input(text, lambda path: run(*command, "--cluster", path))


COMMANDS = (("slices",), ("slices", "-o", "json"), ("audit",), ("audit", "-o", "json"))


@functools.cache
def control(*command):
    found = answer(PLAIN, *command)
    assert found[0] == 0 and not found[2], found
    return found


def same_answer(form):
    for command in COMMANDS:
        got = answer(form, *command)
        assert got == control(*command), (command, got, control(*command))


for name, form in FORMS.items():
    row("form." + name, lambda form=form: same_answer(form))


@check
def the_control_is_a_slice_that_runs():
    code, out, _ = answer(PLAIN, "slices")
    assert code == 0 and "2 of 2" in out and "pool" in out and "running" in out, out


FOLDERS = {
    "flat": {"pods.json": printed(typed(PODS)), "nodes.json": printed(typed(NODES)), "services.yaml": as_yaml(typed(SERVICES))},
    "cluster_info_dump": {"nodes.json": printed(typed(NODES)), "ml/pods.json": printed(typed(PODS)),
                          "ml/services.json": printed(typed(SERVICES)), "ml/train-0/logs.txt": "{"},
    "must_gather": {**{f"cluster-scoped-resources/core/nodes/{each['metadata']['name']}.yaml": as_yaml(each) for each in NODES},
                    "namespaces/ml/core/pods.yaml": "---\n" + as_yaml(typed(PODS)),
                    "namespaces/ml/core/services.yaml": "---\n" + as_yaml(typed(SERVICES)),
                    **{f"namespaces/ml/pods/p{i}/p{i}.yaml": "---\n" + as_yaml(each) for i, each in enumerate(PODS)}},
    "hidden_copies": {"all.json": PLAIN, ".old/all.json": json.dumps(listed([member(9)])), ".all.json.swp": "{"},
}


def same_answer_of_a_folder(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for command in COMMANDS:
            got = run(*command, "--cluster", folder)
            assert got == control(*command), (command, got, control(*command))


for name, files in FOLDERS.items():
    row("folder." + name, lambda files=files: same_answer_of_a_folder(files))


# --- what cannot be read

YAML_LIST = as_yaml(listed(EVERYTHING))
YAML_LINES = YAML_LIST.splitlines(keepends=True)
HEAD = "".join(YAML_LINES[:YAML_LINES.index('kind: "List"\n')])
TABLE = {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "columnDefinitions": [], "rows": [
    {"cells": ["a"], "object": {"kind": "PartialObjectMetadata", "metadata": {"name": "a"}}}]}
REVIEW = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
          "request": {"uid": "u", "operation": "CREATE", "object": member(0)}}
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "ml"},
       "spec": {"completions": 2, "parallelism": 2, "completionMode": "Indexed",
                "template": {"spec": {"subdomain": "svc", "restartPolicy": "Never", "nodeSelector": LABELS,
                                      "containers": [{"name": "jax", "image": "i",
                                                      "resources": {"limits": {"google.com/tpu": "4"}}}]}}}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "svc", "namespace": "ml"},
           "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"job-name": "train"}}}

REFUSED = {  # what is said, of slices and audit
    "a_table": (printed(TABLE), "holds no Pod, but 1 Table (columns for people; expected -o json); create it with for kind"),
    "a_review": (json.dumps(REVIEW), "holds no Pod, but 1 AdmissionReview (kubectl tpu review answers it)"),
    "a_manifest": (printed(JOB, SERVICE), "holds no Pod, but 1 Job (a manifest, which kubectl tpu explain reads) and 1 Service"),
    "nodes_alone": (json.dumps(listed(NODES)), "holds no Pod, but 2 Nodes"),
    "config_maps": (lines([{"kind": "ConfigMap"}] * 3), "holds no Pod, but 3 ConfigMaps"),
    "items_without_kind": (json.dumps(listed(typed(PODS)["items"])), "holds no Pod, but 2 items without kind"),
    "no_access": (json.dumps({"kind": "Status", "status": "Failure", "message": "pods is forbidden"}), "1 Status ("),
    "names_alone": (json.dumps({"kind": "PartialObjectMetadataList", "items": typed(PODS)["items"]}),
                    "2 PartialObjectMetadatas (only names and labels)"),
    "an_empty_list": (json.dumps(listed([])), "holds no objects"),
    "yaml_cut_off": (HEAD, f"line {HEAD.count(chr(10))}: the text ends inside a list"),
    "yaml_cut_off_in_a_line": (YAML_LIST[:len(YAML_LIST) // 2], "line "),
    "a_second_list_cut_off": (printed(listed(PODS)) + '{\n  "items": [', "the text ends inside a value: it is cut off"),
    "yaml_behind_yaml": (as_yaml(listed(PODS)) + as_yaml(listed(NODES)),
                         f"line {as_yaml(listed(PODS)).count(chr(10)) + 1}: duplicate key apiVersion"),
    "gzip": (gzip.compress(PLAIN.encode()), "is packed by gzip"),
    "empty": ("\n", "is empty"),
}


def is_refused(text, said):
    for command in COMMANDS:
        code, out, err = answer(text, *command)
        assert code == 2 and not out and err.count("\n") == 1, (command, code, out, err)
        assert said in err and "cluster.json" in err and "create it with" in err, (said, err)


for name, (text, said) in REFUSED.items():
    row("refused." + name, lambda text=text, said=said: is_refused(text, said))


@check
def a_packed_file_is_read_when_it_is_unpacked_as_is_said():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cluster.json.gz")
        path.write_bytes(gzip.compress(PLAIN.encode()))
        code, _, err = run("slices", "--cluster", str(path))
        assert code == 2 and "(gzip -dc)" in err, err
        text = subprocess.run(["gzip", "-dc", str(path)], capture_output=True, check=True, text=True).stdout
    assert run("slices", "--cluster", "-", stdin=text) == answer(PLAIN, "slices")


@check
def an_empty_typed_list_is_an_answer():
    for command in COMMANDS:
        code, out, err = answer(json.dumps(typed([])), *command)
        assert code == 0 and out and not err, (command, out, err)


# --- what is left out is named, and where a Pod's chips are not known

def not_known(text, *command):
    code, out, err = answer(text, *command, "-o", "json")
    assert code == 0 and not err, (code, out, err)
    return json.loads(out)["notKnown"]


@check
def what_is_left_out_is_named_by_kind_and_number():
    more = [{"kind": "Event"}] * 3 + [TABLE, {"metadata": {}}]
    for command in "slices", "audit":
        assert not_known(json.dumps(listed(EVERYTHING + more)), command) == [
            "left out, since nothing of them is read: 3 Events, 1 Table (columns for people; expected -o json) and "
            "1 item without kind"]
        code, out, _ = answer(json.dumps(listed(EVERYTHING + more)), command)
        assert code == 0 and "not known: left out, since nothing of them is read: 3 Events" in out, out


@check
def a_list_that_goes_on_says_so():
    page = {**typed(PODS), "metadata": {"continue": "abc", "remainingItemCount": 12}}
    assert not_known(json.dumps(page), "slices") == ["the PodList at line 1 continues elsewhere: 12 more are not in it"]


@check
def who_may_have_made_pods_is_not_left_out():
    owners = [{**JOB, "metadata": {**JOB["metadata"], "uid": "job"}}, {"kind": "Namespace", "metadata": {"name": "ml"}}]
    assert not_known(json.dumps(listed(EVERYTHING + owners)), "slices") == []


def claiming(index):
    pod = member(index)
    del pod["spec"]["containers"][0]["resources"]
    pod["spec"]["resourceClaims"] = [{"name": "tpu", "resourceClaimTemplateName": "chips"}]
    pod["spec"]["containers"][0]["resources"] = {"claims": [{"name": "tpu"}]}
    return pod


TEMPLATE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": "chips", "namespace": "ml"},
            "spec": {"spec": {"devices": {"requests": [{"name": "tpu", "exactly": {"deviceClassName": "tpu.google.com",
                                                                                   "count": 4}}]}}}}


@check
def pods_whose_claims_are_not_in_the_file_are_not_known():
    claims = [claiming(0), claiming(1), *NODES, *SERVICES]
    said = "whether 2 Pods ask for chips: ResourceClaimTemplate ml/chips is not in the snapshot"
    for command in "slices", "audit":
        assert not_known(json.dumps(listed(claims)), command) == [said]
    assert not_known(json.dumps(listed([*claims, TEMPLATE])), "slices") == []
    driver, = not_known(json.dumps(listed([*claims, TEMPLATE])), "audit")
    assert "no ResourceSlice says it" in driver, driver
    code, out, _ = answer(json.dumps(listed([*claims, TEMPLATE])), "slices")
    assert code == 0 and "2 of 2" in out, out


# --- the other commands

def explained(text, name="cluster.json"):
    return with_input(text, lambda path: run("explain", path), name)


@check
def explain_reads_what_stands_behind_the_first_value():
    want = explained("---\n".join(map(as_yaml, (JOB, SERVICE))))
    assert want[0] == 0 and "svc" in want[1], want
    for text in (printed(JOB, SERVICE), lines((JOB, SERVICE)), json.dumps(listed([JOB, listed([SERVICE])])),
                 "\ufeff" + printed(JOB, SERVICE), "# a\n" + printed(JOB) + "# b\n" + printed(SERVICE),
                 as_yaml(JOB) + "...\n" + as_yaml(SERVICE), printed(JOB) + "---\n" + as_yaml(SERVICE)):
        assert explained(text) == want, text
    code, out, err = explained(printed(JOB) + "{")
    assert code == 2 and not out and "the text ends inside a value: it is cut off" in err, err


@check
def explain_compares_with_a_cluster_in_any_form():
    def compared(cluster):
        return with_input(printed(JOB, SERVICE), lambda path: with_input(
            cluster, lambda other: run("explain", path, "--cluster", other)))
    want = compared(json.dumps(listed(NODES + SERVICES)))
    assert want[0] == 0 and "forms now" in want[1], want
    for text in (printed(typed(NODES), typed(SERVICES)), lines(NODES + SERVICES), json.dumps(listed([typed(NODES), *SERVICES])),
                 printed(listed(NODES + NODES + SERVICES))):
        assert compared(text) == want, compared(text)
    code, _, err = compared(printed(TABLE))
    assert code == 2 and "nothing of a cluster that is read here, but 1 Table (" in err and "localqueues" in err, err


@check
def review_answers_what_stands_behind_the_first_value():
    def reviewed(text):
        code, out, err = with_input(text, lambda path: run("review", "-o", "json", path))
        return code, [json.loads(line)["name"] for line in out.splitlines()], err
    for text in (printed(*PODS), lines(PODS), printed(typed(PODS)), as_yaml(typed(PODS)), json.dumps(listed([listed(PODS)])),
                 "\ufeff" + printed(*PODS), printed(*PODS).encode("utf-16"), "# a\n" + printed(*PODS)):
        assert reviewed(text) == (0, ["train-0-abcde", "train-1-abcde"], ""), (text, reviewed(text))
    code, names, err = reviewed(printed(PODS[0]) + "{\n")
    assert code == 2 and names[0] == "train-0-abcde" and "it is cut off" in err, (code, names, err)


@check
def review_reads_a_cluster_in_any_form():
    def reviewed(cluster):
        return with_input(json.dumps(claiming(0)), lambda path: with_input(
            cluster, lambda other: run("review", path, "--cluster", other)))
    want = reviewed(json.dumps(listed([TEMPLATE])))
    assert want[0] == 0, want
    bare = {key: value for key, value in TEMPLATE.items() if key not in ("kind", "apiVersion")}
    page = {"kind": "ResourceClaimTemplateList", "apiVersion": "resource.k8s.io/v1", "items": [bare]}
    for text in (json.dumps(page), printed(listed([]), page), as_yaml(TEMPLATE)):
        assert reviewed(text) == want, reviewed(text)
    code, _, err = reviewed(json.dumps(listed([{"kind": "Secret"}])))
    assert code == 2 and "but 1 Secret" in err, err


CONFIGURATION = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
                 "metadata": {"name": "tpu-webhook"}, "webhooks": [{"name": "x", "clientConfig": {
                     "service": {"name": "tpu-webhook", "namespace": "tpu-webhook-system"}}}]}


@check
def doctor_reads_a_cluster_in_any_form():
    want = answer(json.dumps(listed([CONFIGURATION, *PODS])), "doctor")
    assert want[0] == 1, want
    for text in (printed(typed([CONFIGURATION]), typed(PODS)), json.dumps(listed([typed([CONFIGURATION]), *PODS])),
                 printed(CONFIGURATION, *PODS), as_yaml(listed([CONFIGURATION, *PODS])),
                 printed(listed([CONFIGURATION, *PODS, CONFIGURATION]))):
        assert answer(text, "doctor") == want, answer(text, "doctor")
    code, _, err = answer(json.dumps(typed(PODS)), "doctor")
    assert code == 2 and "but 2 Pods" in err, err
    _, out, _ = answer(json.dumps(listed([CONFIGURATION, *PODS, *NODES])), "doctor", "-o", "json")
    assert json.loads(out)["notKnown"] == ["left out, since nothing of them is read: 2 Nodes"], out


LEDGER = {"apiVersion": "v1", "kind": "ConfigMap",
          "metadata": {"name": "tpu-ledger-298c37df2d05cda6cd8454f82a28c1cd", "namespace": "tpu-webhook-system", "uid": "l",
                       "labels": {"app.kubernetes.io/name": "tpu-webhook", "app.kubernetes.io/component": "ledger"}},
          "data": {"format": "1", "namespace": "ml", "ray-cluster": "c", "ray-cluster-uid": "u", "group": "g",
                   "hosts-per-slice": "2", "state": "whole", "entries": ""}}


@check
def ledger_list_reads_a_cluster_in_any_form():
    want = answer(json.dumps(listed([LEDGER, *PODS])), "ledger", "list")
    assert want[0] == 0 and "ml/c" in want[1], want
    for text in (printed(typed([LEDGER]), typed(PODS)), lines([LEDGER, *PODS]), json.dumps(listed([typed([LEDGER]), *PODS])),
                 printed(listed([LEDGER, *PODS, copy.deepcopy(LEDGER)]))):
        assert answer(text, "ledger", "list") == want, answer(text, "ledger", "list")
    code, _, err = answer(json.dumps(typed(PODS)), "ledger", "list")
    assert code == 2 and "holds no ConfigMap, but 2 Pods" in err, err


if __name__ == "__main__":
    checks.main(__doc__)
