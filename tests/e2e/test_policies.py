"""Story: the size law as admission policies, printed by `kubectl tpu policy` and held by the API server alone. No webhook runs."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys

import pytest

from harness.api import wait_for
from harness.policies import applied
from harness.sizes import KINDS, draw_object

FINDINGS = pathlib.Path(__file__).resolve().parents[1] / "golden/findings"
sys.path.append(str(FINDINGS.parents[1] / "support"))
import golden_manifests  # noqa: E402

DENIED, WARNED = {"TPU-102", "TPU-103", "TPU-401", "TPU-404", "TPU-407"}, {"TPU-405", "TPU-406", "TPU-409"}
# What the program says and allows, and no policy says.
SOFTER = re.compile(r"; allowed, because |lets Kueue start it with")
DRAWN = int(os.environ.get("TPUWH_DRAWN", "300"))
SEED = int(os.environ.get("TPUWH_SEED", "41"))


@pytest.fixture(scope="module")
def policies(plane, tools, api):
    """As they are printed: refused is what the findings deny, and warned of what they warn of."""
    text = subprocess.run([tools, "policy"], capture_output=True, text=True, check=True).stdout
    with applied(plane, api, text) as names:
        wait_for("the policies to be held", lambda: held(api) >= names, 60)
        yield names


def ids(text: str, of: set) -> set:
    return set(re.findall(r"TPU-\d+", text)) & of


def answer(api, namespace, obj, **more) -> tuple[bool, str]:
    return api.told(namespace.here(obj), **more)


def judged(files):
    """Each object of `files` that a policy looks at."""
    for file in sorted(files):
        for obj in golden_manifests.objects_of(file):
            if obj["kind"] in KINDS:
                yield file, obj


def held(api) -> set:
    """The policies that say something. The API server reads each of them, and its binding, by a watch of its own."""
    draw = random.Random(SEED)
    wrong = [obj for _, obj in judged(FINDINGS.glob("TPU-*.yaml"))] + [draw_object(draw, number).obj for number in range(DRAWN)]
    said = [api.told({**obj, "metadata": {**obj["metadata"], "namespace": "default"}})[1] for obj in wrong]
    return {name for text in said for name in re.findall(r"ValidatingAdmissionPolicy '([^']+)'", text)}


def test_what_each_policy_says(api, policies, namespace):
    """Each manifest that is wrong in one way, of which policies can say something; and those that are right."""
    said = set()
    for files in FINDINGS.glob("TPU-*.yaml"), (FINDINGS / "right").glob("*.yaml"):
        for file, obj in judged(files):
            refused, text = answer(api, namespace, obj)
            expected = ids(file.name, DENIED | WARNED)
            assert ids(text, DENIED | WARNED) == expected, f"{file.name}: {text}"
            assert ("ValidatingAdmissionPolicy" in text) == bool(expected), f"{file.name}: {text}"
            assert not expected or refused == (expected <= DENIED), f"{file.name}: {text}"
            said |= expected
    assert said == DENIED | WARNED


def test_an_update_is_refused_for_what_it_makes_wrong(api, policies, namespace):
    """What was wrong before, in a namespace that was only watched then, can be changed otherwise."""
    wrong, right = read("TPU-401-two-of-four"), read("TPU-401-two-of-four")
    groups = {}
    for obj, name, hosts in (wrong, "wrong", 2), (right, "right", 4):
        obj["metadata"]["name"] = name
        groups[name], = obj["spec"]["workerGroupSpecs"]
        groups[name].update(numOfHosts=hosts, replicas=0, minReplicas=0)
    mode = {"metadata": {"labels": {"tpu-webhook.dev/mode": "shadow"}}}
    api.patch("v1", "Namespace", namespace.name, mode)
    wait_for("the namespace to be only watched", lambda: not answer(api, namespace, wrong)[0], 20)
    for obj in wrong, right:
        namespace.create(obj)
    mode["metadata"]["labels"]["tpu-webhook.dev/mode"] = None
    api.patch("v1", "Namespace", namespace.name, mode)
    wait_for("the namespace to be looked at", lambda: answer(api, namespace, read("TPU-401-two-of-four"))[0], 20)

    groups["wrong"]["maxReplicas"] = 7
    assert answer(api, namespace, wrong, update=True) == (False, "")
    groups["wrong"]["numOfHosts"] = 3
    refused, text = answer(api, namespace, wrong, update=True)
    assert refused and "numOfHosts is 3" in text, text
    groups["right"]["numOfHosts"] = 2
    refused, text = answer(api, namespace, right, update=True)
    assert refused and "numOfHosts is 2" in text, text


def test_what_is_being_deleted_is_judged(api, policies, namespace):
    """A finalizer keeps it, and its operator may go on making Pods of it. Taking the finalizer away adds no fault."""
    obj = read("TPU-401-two-of-four")
    group, = obj["spec"]["workerGroupSpecs"]
    group.update(numOfHosts=4, replicas=0, minReplicas=0)
    obj["metadata"].update(name="going", finalizers=["tests.example/keep"])
    namespace.create(obj)
    which = obj["apiVersion"], obj["kind"], "going", namespace.name
    api.delete(*which)
    try:
        assert wait_for("the deletion", lambda: api.get(*which)["metadata"].get("deletionTimestamp"), 20)
        group["numOfHosts"] = 2
        refused, text = answer(api, namespace, obj, update=True)
        assert refused and "numOfHosts is 2" in text, text
        group["numOfHosts"] = 4
        del obj["metadata"]["finalizers"]
        assert answer(api, namespace, obj, update=True) == (False, "")
    finally:
        api.patch(*which[:3], {"metadata": {"finalizers": None}}, namespace.name)


def test_what_another_object_made_is_its_makers(api, policies, namespace):
    """A RayCluster of a RayJob, say: whoever made that was told."""
    obj, right = read("TPU-401-two-of-four"), read("TPU-401-two-of-four")
    right["spec"]["workerGroupSpecs"][0]["numOfHosts"] = 4
    job = namespace.create({"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "maker"}, "spec": {
        "entrypoint": "true", "suspend": True, "shutdownAfterJobFinishes": True, "rayClusterSpec": right["spec"]}})
    assert answer(api, namespace, obj)[0]
    owner = {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "maker", "uid": job["metadata"]["uid"], "controller": True}
    obj["metadata"]["ownerReferences"] = [owner]
    assert answer(api, namespace, obj) == (False, "")
    owner["controller"] = False
    assert answer(api, namespace, obj)[0]


def test_what_an_exemption_ends_at(api, policies, namespace):
    """docs/governance.md#exemptions: each as it is, and the smallest step outside."""
    wrong = read("TPU-404-two-of-four")
    assert answer(api, namespace, wrong)[0]
    job = wrong["spec"]["replicatedJobs"][0]["template"]["spec"]
    pods = job["template"]
    wrong["spec"]["suspend"] = True
    wrong["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "none"}
    assert answer(api, namespace, wrong)[0], "a queue changes no number of a JobSet"
    accelerator = pods["spec"]["nodeSelector"].pop("cloud.google.com/gke-tpu-accelerator")
    assert not answer(api, namespace, wrong)[0], "its flavor selects the accelerator"
    wrong["metadata"]["labels"] = {}
    assert answer(api, namespace, wrong)[0]
    pods["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] = accelerator
    for change, back in (
            (lambda: pods["spec"].update(schedulingGates=[{"name": "example.com/wait"}]), lambda: pods["spec"].pop("schedulingGates")),
            (lambda: pods["spec"]["containers"][0].update(env=[{"name": "TPU_WORKER_ID", "value": "0"}]),
             lambda: pods["spec"]["containers"][0].update(env=[{"name": "TPU_WORKER_IDS", "value": "0"}])),
            (lambda: pods.update(metadata={"annotations": {"tpu-webhook.dev/worker-count": "2"}}),
             lambda: pods.update(metadata={"annotations": {"tpu-webhook.dev/worker": "2"}})),
            (lambda: pods.update(metadata={"annotations": {"cloud.google.com/skip-tpu-webhook-check": "true"}}),
             lambda: pods.update(metadata={"annotations": {"cloud.google.com/skip-tpu-webhook-check": "yes"}}))):
        change()
        assert not answer(api, namespace, wrong)[0], json.dumps(pods)
        back()
        assert answer(api, namespace, wrong)[0], json.dumps(pods)


def test_kueue_lowers_a_job_alone(api, policies, namespace):
    """More Pods than hosts, of a Job in a queue that says how few it takes."""
    job = read("TPU-406-eight-of-four")
    job["spec"].update(parallelism=8, suspend=True)
    assert "TPU-406" in answer(api, namespace, job)[1]
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "none"}
    for least, lowered in {"0": False, "1": True, "7": True, "8": False, "four": False, None: False}.items():
        job["metadata"]["annotations"] = {"kueue.x-k8s.io/job-min-parallelism": least} if least else {}
        refused, text = answer(api, namespace, job)
        if refused:
            assert not lowered and text.startswith("admission webhook"), text  # Kueue takes no such number
        else:
            assert ("TPU-406" in text) == (not lowered), f"{least}: {text}"


def read(name: str) -> dict:
    return golden_manifests.objects_of(FINDINGS / f"{name}.yaml")[0]


def test_policies_and_findings_agree(api, tools, policies, namespace):
    """Of objects that are drawn: nothing is refused or warned of that the findings let pass, and what both can say, both say."""
    draw = random.Random(SEED)
    drawn = [draw_object(draw, number) for number in range(DRAWN)]
    refused, warned, strict = 0, 0, 0
    for one, (denied, found) in zip(drawn, reviewed(tools, [one.obj for one in drawn])):
        by_policy, text = answer(api, namespace, one.obj)
        if by_policy and ("ValidatingAdmissionPolicy" not in text or text.startswith("admission webhook")):
            continue  # by the API server or an operator, before
        place = f"seed {SEED}, {one.obj['metadata']['name']} ({one.others}): {json.dumps(one.obj)}\npolicies: {text}\nfindings: {denied} {found}"
        assert ids(text, DENIED) <= denied, place
        assert ids(text, WARNED) <= found, place
        assert by_policy == bool(ids(text, DENIED)), place
        if not one.others:
            assert ids(text, DENIED) == denied, place
            assert bool(ids(text, WARNED)) == bool(found), place  # of one template it says the first
        refused, warned, strict = refused + by_policy, warned + bool(ids(text, WARNED)), strict + (not one.others)
    print(f"{DRAWN} objects of seed {SEED}: {refused} refused, {warned} warned of, {strict} of which both can say all")
    assert refused > DRAWN / 10 and warned > DRAWN / 50 and strict > DRAWN / 4


def reviewed(tools, objects: list) -> list:
    """Of each, for what the findings deny it, and what they warn of: what policies can say."""
    done = subprocess.run([tools, "review", "--output", "review", "-"], input="\n---\n".join(map(json.dumps, objects)), capture_output=True,
                          text=True, check=False)
    answers = [json.loads(line)["response"] for line in done.stdout.splitlines()]
    assert len(answers) == len(objects), done.stderr
    # A placeholder in a topology is malformed, too.
    return [(ids(one.get("status", {}).get("message", "").replace("TPU-101", "TPU-102"), DENIED),
             ids(" ".join(text for text in one.get("warnings", []) if not SOFTER.search(text)), WARNED)) for one in answers]
