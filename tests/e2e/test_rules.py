"""Story: the rules of a team, as policies that the API server evaluates by itself, and as `policy test` reports them before."""

import collections
import contextlib
import json
import os
import pathlib
import random
import subprocess

import pytest
import yaml

from controlplane.state import write_kubeconfig
from harness.api import Api, made, wait_for
from harness.policies import applied
from harness.team_rules import by_policy, change_numbers, draw_asking, judged, review_of

DRAWN = int(os.environ.get("TPUWH_DRAWN", "300"))
SEED = int(os.environ.get("TPUWH_SEED", "41"))
JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "tpu-a"}, "spec": {"suspend": True, "template": {
    "metadata": {"labels": {"team": "a"}},
    "spec": {"restartPolicy": "Never", "serviceAccountName": "trainer", "containers": [
        {"name": "main", "image": "registry.example/train:1", "resources": {"limits": {"google.com/tpu": 4}}}],
        "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}}}}}
RULE = {"accelerators": ["tpu-v6e-*", "tpu7x"], "topologies": ["2x2", "2x4", "4x4", "2x2x2"], "capacity": ["on-demand", "spot"],
        "maxSliceChips": 16, "maxSlices": 3, "maxChips": 40, "names": "drawn-*2*", "resumable": True, "maxRunSeconds": 7200}


def ruled(plane, tools, api, folder, rules: list, **more):
    """The policies of these rules, held by the API server while this holds."""
    file = folder / "rules.yaml"
    file.write_text(yaml.safe_dump({"contact": "#tpu-platform", "rules": rules, **more}), encoding="utf-8")
    return held(plane, tools, api, file)


@contextlib.contextmanager
def held(plane, tools, api, file):
    text = subprocess.run([tools, "policy", "--team-rules", file], capture_output=True, text=True, check=True).stdout
    mine = [one for one in yaml.safe_load_all(text) if one["metadata"]["name"].startswith("tpu-rules-")]
    with applied(plane, api, yaml.safe_dump_all(mine)):
        yield file


def told(api, namespace, obj, **more) -> tuple[bool, set, str]:
    refused, text = api.told(namespace.here(obj), **more)
    return refused, by_policy(text), text


def wait_until_held(api, namespace) -> None:
    """Each kind's policy is read by a watch of its own."""
    kinds = ("Job", "CronJob", "JobSet", "RayCluster", "RayJob", "RayService", "LeaderWorkerSet", "StatefulSet", "Deployment")
    heard = set()

    def all_heard():
        for kind in kinds:
            draw = random.Random(kind)
            for number in range(400):
                if kind in heard:
                    break
                obj = draw_asking(draw, number)
                if obj["kind"] == kind and told(api, namespace, obj)[1]:
                    heard.add(kind)
        return heard >= set(kinds)

    wait_for("the policies to be held", all_heard, 60)


def test_rules_and_findings_agree(plane, api, tools, namespace, tmp_path):
    """Of objects that are drawn each says the same in the same words; and of another namespace."""
    draw = random.Random(SEED)
    drawn = [draw_asking(draw, number) for number in range(DRAWN)]
    broken, ids = 0, collections.Counter()
    with ruled(plane, tools, api, tmp_path, [{"name": "drawn", "namespaces": [namespace.name], **RULE}], otherNamespaces="deny") as file:
        wait_until_held(api, namespace)
        for obj, (found, refuses) in zip(drawn, judged(tools, file, [review_of(obj, namespace.name) for obj in drawn])):
            refused, said, text = told(api, namespace, obj)
            if refused and "ValidatingAdmissionPolicy" not in text.partition("\n")[0]:  # warnings follow
                continue  # by the API server or an operator, before
            assert said == found and refused == refuses, f"seed {SEED}: {json.dumps(obj)}\npolicies: {text}\npolicy test: {found}"
            broken += refused
            ids.update(sentence[:7] for sentence in said)
    print(f"{DRAWN} objects of seed {SEED}: {broken} refused; {dict(ids)}")
    assert DRAWN / 4 < broken < DRAWN
    assert {*ids} == {f"TPU-{number}" for number in range(652, 661)}


def test_updates_are_refused_for_what_they_make_worse(plane, api, tools, namespace, tmp_path):
    """Numbers of Pods go up and down in objects that keep the rule and in others that never did."""
    draw = random.Random(SEED + 1)
    kept = []
    while len(kept) < DRAWN // 10:
        obj = draw_asking(draw, len(kept))
        if obj["kind"] in ("CronJob", "RayCluster"):
            if obj["kind"] == "RayCluster":
                obj["spec"]["suspend"] = True
            obj["metadata"]["name"] = f"kept-{len(kept)}"
            change_numbers(draw, obj, most=8)  # a controller makes a list of them
            if told(api, namespace, obj)[0]:
                continue  # the API server refuses it
            kept.append(namespace.create(obj))
    worse = 0
    with ruled(plane, tools, api, tmp_path, [{"name": "drawn", "namespaces": [namespace.name], **RULE}]) as file:
        wait_until_held(api, namespace)
        for before in kept:
            changed = []
            for _ in range(4):
                changed.append(json.loads(json.dumps(before)))
                change_numbers(draw, changed[-1])
            reviews = [review_of(obj, namespace.name, before) for obj in changed]
            for obj, (found, refuses) in zip(changed, judged(tools, file, reviews)):
                refused, said, text = told(api, namespace, obj, update=True)
                if refused and "ValidatingAdmissionPolicy" not in text.partition("\n")[0]:  # warnings follow
                    continue  # by the API server, before
                assert said == found and refused == refuses, f"seed {SEED}: {json.dumps(before)}\n{json.dumps(obj)}\n{text}\n{found}"
                worse += refused
    print(f"{4 * len(kept)} updates of seed {SEED}: {worse} refused")
    assert 0 < worse < 4 * len(kept)


TRAINER = {"labels": {"team": ["a", "b-*"]}, "queue": True, "images": ["registry.example*"], "secretVariables": ["*_TOKEN"],
           "forbid": ["privileged", "hostPath", "hostNetwork", "defaultServiceAccount", "latest"]}


def changed(change) -> dict:
    obj = json.loads(json.dumps(JOB))
    obj["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team-a"}
    change(obj, obj["spec"]["template"]["spec"], obj["spec"]["template"]["spec"]["containers"][0])
    return obj


WRONG = {
    "TPU-671: label team is missing, expected one of a, b-*": lambda obj, spec, one: obj["spec"]["template"]["metadata"]["labels"].pop("team"),
    "TPU-671: label team is c, expected one of a, b-*": lambda obj, spec, one: obj["spec"]["template"]["metadata"]["labels"].update(team="c"),
    "TPU-672: label kueue.x-k8s.io/queue-name is missing": lambda obj, spec, one: obj["metadata"].pop("labels"),
    "TPU-672: label kueue.x-k8s.io/queue-name is missing ": lambda obj, spec, one: obj["metadata"].update(labels={"kueue.x-k8s.io/queue-name": ""}),
    "TPU-673: container main has image docker.io/train:1, expected one of registry.example*": lambda obj, spec, one: one.update(image="docker.io/train:1"),
    "TPU-673: container first has image docker.io/look:1, expected one of registry.example*": lambda obj, spec, one: spec.update(
        initContainers=[{"name": "first", "image": "docker.io/look:1"}]),
    "TPU-675: container main has image registry.example/train:latest, expected a tag other than latest": lambda obj, spec, one: one.update(
        image="registry.example/train:latest"),
    "TPU-675: container main has image registry.example:5000/train, expected a tag other than latest": lambda obj, spec, one: one.update(
        image="registry.example:5000/train"),
    "TPU-676: container main is privileged": lambda obj, spec, one: one.update(securityContext={"privileged": True}),
    "TPU-677: volume dev is a path of the node": lambda obj, spec, one: spec.update(volumes=[{"name": "dev", "hostPath": {"path": "/dev"}}]),
    "TPU-678: hostNetwork is true": lambda obj, spec, one: spec.update(hostNetwork=True),
    "TPU-679: serviceAccountName is default": lambda obj, spec, one: spec.pop("serviceAccountName"),
    "TPU-680: container main writes the value of variable HF_TOKEN down, expected valueFrom a Secret": lambda obj, spec, one: one.update(
        env=[{"name": "HF_TOKEN", "value": "hf_secret"}]),
}


def test_what_needs_no_slice(plane, api, tools, namespace, tmp_path):
    """Labels, a queue, images, who a Pod may be on its node, keys. Each is wrong by itself."""
    rules = [{"name": "train", "namespaces": [namespace.name], **TRAINER}]
    with ruled(plane, tools, api, tmp_path, rules):
        wait_for("the policy to be held", lambda: told(api, namespace, JOB)[0], 60)
        assert told(api, namespace, changed(lambda obj, spec, one: None)) == (False, set(), "")
        assert told(api, namespace, changed(lambda obj, spec, one: one.update(env=[
            {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "hf"}}}, {"name": "TOKENS", "value": "4"}])))[0] is False
        plain = changed(lambda obj, spec, one: one.pop("resources"))
        plain["spec"]["template"]["spec"]["hostNetwork"] = True
        assert told(api, namespace, plain) == (False, set(), ""), "asks for no chips"
        for sentence, change in WRONG.items():
            refused, said, text = told(api, namespace, changed(change))
            assert refused and said == {f"{sentence.strip()} (rule train; ask #tpu-platform)"}, text
            assert "hf_secret" not in text
            assert tried(tools, tmp_path / "rules.yaml", namespace, changed(change)) == said


def tried(tools, rules, namespace, obj) -> set:
    """What `policy test` says of it, without an API server."""
    done = subprocess.run([tools, "policy", "test", "--team-rules", rules, "--namespace", namespace.name, "--output", "json"], input=json.dumps(obj),
                          capture_output=True, text=True, check=False)
    return {f"{said['id']}: {said['sentence']}" for one in json.loads(done.stdout)["objects"] for said in one["findings"]}


def test_nobody_excuses_themselves(plane, api, tools, namespace, tmp_path):
    """What an object says of itself, and numbers that are none, keep no rule from it."""
    with ruled(plane, tools, api, tmp_path, [{"name": "small", "namespaces": [namespace.name], "maxChips": 2}]):
        wait_for("the policy to be held", lambda: told(api, namespace, JOB)[0], 60)
        excuses = [
            lambda obj, spec, one: obj["spec"]["template"]["metadata"].update(annotations={"tpu-webhook.dev/inject": "false"}),
            lambda obj, spec, one: obj["spec"]["template"]["metadata"].update(annotations={"cloud.google.com/skip-tpu-webhook-check": "true"}),
            lambda obj, spec, one: spec.update(schedulingGates=[{"name": "example.com/wait"}]),
            lambda obj, spec, one: one["resources"]["limits"].update({"google.com/tpu": "4k"}),
            lambda obj, spec, one: one.update(resources={"limits": {"deviceclass.resource.kubernetes.io/tpu.google.com": 4}}),
            lambda obj, spec, one: obj["spec"].update(parallelism=2147483647),
            lambda obj, spec, one: spec["nodeSelector"].update({"cloud.google.com/gke-tpu-topology": "999999x999999x999999"}),
            lambda obj, spec, one: (spec.update(initContainers=[{**one, "name": "first"}]), one.pop("resources")),
            lambda obj, spec, one: (spec.update(initContainers=[{**one, "name": "beside", "restartPolicy": "Always"}]),
                                    one.update(resources={"limits": {"google.com/tpu": 1}})),
        ]
        for number, change in enumerate(excuses):
            refused, said, text = told(api, namespace, changed(change))
            assert refused and any(one.startswith("TPU-656") for one in said), f"{number}: {text}"


def jobset(*jobs) -> dict:
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "made"}, "spec": {"replicatedJobs": list(jobs)}}


def replicated(name: str, replicas: int, pods: int = 2) -> dict:
    spec = {"parallelism": pods, "completions": pods, "backoffLimit": 0, "template": JOB["spec"]["template"]}
    return {"name": name, "replicas": replicas, "template": {"spec": spec}}


def test_a_negative_number_hides_no_chips(plane, api, tools, namespace, tmp_path):
    """Neither JobSet nor KubeRay refuses one by its schema."""
    ray = yaml.safe_load((TEAM.parents[2] / "tests/golden/findings/TPU-401-two-of-four.yaml").read_text(encoding="utf-8"))
    (group,) = ray["spec"]["workerGroupSpecs"]
    numbers = {"numOfHosts": 4, "replicas": -9, "minReplicas": -9, "maxReplicas": -9}
    ray["spec"]["workerGroupSpecs"] = [{**group, "numOfHosts": 4}, {**group, **numbers, "groupName": "less"}]
    with ruled(plane, tools, api, tmp_path, [{"name": "small", "namespaces": [namespace.name], "maxChips": 2}]):
        wait_until_held(api, namespace)
        for obj in (jobset(replicated("real", 2), replicated("less", -1000)), jobset(replicated("real", 2), replicated("less", 1000, -2)), ray):
            refused, said, text = told(api, namespace, obj)
            assert refused and any(one.startswith("TPU-656: 16 chips") for one in said), text


def test_chips_that_kuberay_takes_from_elsewhere(plane, api, tools, namespace, tmp_path):
    """The Pod that submits a RayJob, and the container that scales a RayCluster."""
    pods = JOB["spec"]["template"]
    container = {"name": "main", "image": "rayproject/ray:2.9.0"}
    head = {"rayStartParams": {}, "template": {"spec": {"containers": [container]}}}
    job = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "submits"}, "spec": {
        "entrypoint": "true", "suspend": True, "shutdownAfterJobFinishes": True, "submitterPodTemplate": pods, "rayClusterSpec": {"headGroupSpec": head}}}
    scaled = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "scales"}, "spec": {
        "enableInTreeAutoscaling": True, "headGroupSpec": head, "autoscalerOptions": {"resources": {"limits": {"google.com/tpu": 4}}}}}
    with ruled(plane, tools, api, tmp_path, [{"name": "small", "namespaces": [namespace.name], "maxChips": 2}]):
        wait_until_held(api, namespace)
        for obj in (job, scaled):
            refused, said, text = told(api, namespace, obj)
            assert refused and any(one.startswith("TPU-656: 4 chips") for one in said), text


def owned(obj: dict, version: str, kind: str, uid: str = "u") -> dict:
    owner = {"apiVersion": version, "kind": kind, "name": "maker", "uid": uid, "controller": True}
    return {**obj, "metadata": {**obj["metadata"], "ownerReferences": [owner]}}


@contextlib.contextmanager
def a_team(plane, api, namespace, folder):
    """Whoever may edit the objects of the namespace."""
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "team", "namespace": namespace.name},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
               "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace.name}]}
    write_kubeconfig(folder / "team", plane, token=plane.client().token(namespace.name, "default"))
    with made(api, binding):
        yield Api(folder / "team")


def test_a_forged_owner_excuses_nobody(plane, api, tools, namespace, tmp_path):
    """A team writes whole objects and no status: whatever owner it names, real or not, what it creates is held to the rules."""
    plain = JOB["spec"]["template"]["spec"]["containers"][0]
    spec = {"restartPolicy": "Never", "containers": [{key: plain[key] for key in ("name", "image")}]}
    maker = namespace.create({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "maker"}, "spec": {
        "schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": {"spec": {"template": {"spec": spec}}}}})
    real = "batch/v1", "CronJob", maker["metadata"]["uid"]
    rules = [{"name": "small", "namespaces": [namespace.name], "maxChips": 2}]
    with a_team(plane, api, namespace, tmp_path) as team, ruled(plane, tools, api, tmp_path, rules):
        wait_for("the policy to be held", lambda: told(team, namespace, JOB)[1], 60)
        for owner in (real, ("jobset.x-k8s.io/v1alpha2", "JobSet"), ("none.example/v1", "CronJob"), ("batch/v1", "JobSet")):
            refused, said, text = told(team, namespace, owned(JOB, *owner))
            if refused and "ValidatingAdmissionPolicy" not in text.partition("\n")[0]:  # warnings follow
                continue  # by Kueue, which looks for a JobSet
            assert refused and any(one.startswith("TPU-656") for one in said), f"{owner}: {text}"
        # Who may write the owner's status is taken for its controller, of a kind that has one.
        assert told(api, namespace, owned(JOB, *real)) == (False, set(), "")
        assert told(api, namespace, owned(JOB, "none.example/v1", "CronJob"))[0]


def test_what_controllers_make_passes_until_somebody_changes_it(plane, api, tools, namespace, tmp_path):
    """Of Jobs and StatefulSets that JobSet and LeaderWorkerSet make none names a queue; and nobody makes them larger."""
    queue = {"labels": {"kueue.x-k8s.io/queue-name": "team-a"}}
    pods = JOB["spec"]["template"]
    groups = {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "groups", **queue}, "spec": {
        "replicas": 1, "leaderWorkerTemplate": {"size": 2, "workerTemplate": {**pods, "spec": {**pods["spec"], "restartPolicy": "Always"}}}}}
    api.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "trainer", "namespace": namespace.name}})
    rules = [{"name": "queued", "namespaces": [namespace.name], "maxChips": 8, "queue": True}]
    with ruled(plane, tools, api, tmp_path, rules):
        wait_until_held(api, namespace)
        jobs = jobset(replicated("a", 1))
        assert told(api, namespace, jobs)[0]
        jobs["metadata"].update(queue)
        namespace.create(jobs)
        namespace.create(groups)
        job = wait_for("the JobSet's Job", lambda: api.get("batch/v1", "Job", "made-a-0", namespace.name), 60)
        for name in ("groups", "groups-0"):
            wait_for(f"StatefulSet {name}", lambda name=name: api.get("apps/v1", "StatefulSet", name, namespace.name), 60)
        assert told(api, namespace, job, update=True) == (False, set(), "")
        job["spec"].update(parallelism=3, completions=3)
        refused, said, text = told(api, namespace, job, update=True)
        assert refused and any(one.startswith("TPU-656: 12 chips") for one in said), text


def test_that_policies_only_warn(plane, api, tools, namespace, tmp_path):
    """Tried before they refuse anybody."""
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"rules": [{"name": "a", "namespaces": ["*"], "maxChips": 0}]}), encoding="utf-8")
    text = subprocess.run([tools, "policy", "--team-rules", file, "--at-most", "warn", "--output", "json"], capture_output=True, text=True, check=True).stdout
    mine = [one for one in json.loads(text)["items"] if one["metadata"]["name"] == "tpu-rules-jobs"]
    with contextlib.ExitStack() as held_by:
        for one in mine:
            held_by.enter_context(made(api, one))
        wait_for("the policy to be held", lambda: told(api, namespace, JOB)[1], 60)
        refused, said, _ = told(api, namespace, JOB)
        assert (refused, said) == (False, {"TPU-656: 4 chips, expected at most 0 (rule a)"})


TEAM = pathlib.Path(__file__).resolve().parents[2] / "docs/samples/team"


@pytest.fixture
def team(api):
    """The namespaces of docs/samples/team."""
    names = ("vision-dev", "vision-test", "vision-prod", "sandbox")
    for name in names:
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield names
    for name in names:
        api.delete("v1", "Namespace", name)


def test_a_team_with_development_test_and_production(plane, api, tools, team):
    """The sample of docs/governance.md: what passes, is warned of and refused is what `policy test` and its file say."""
    expected = {one["object"]: one for one in yaml.safe_load((TEAM / "expected.yaml").read_text(encoding="utf-8"))}
    jobs = list(yaml.safe_load_all((TEAM / "jobs.yaml").read_text(encoding="utf-8")))
    assert len(jobs) == len(expected)

    def name_of(job):
        return f"{job['metadata']['namespace']}/Job/{job['metadata']['name']}"

    done = subprocess.run([tools, "policy", "test", "--team-rules", TEAM / "rules.yaml", TEAM / "jobs.yaml", "--output", "json"],
                          capture_output=True, text=True, check=False)
    tried = {f"{one['namespace']}/{one['kind']}/{one['name']}": one for one in json.loads(done.stdout)["objects"]}
    with held(plane, tools, api, TEAM / "rules.yaml"):
        # The API server begins to apply each policy at a time of its own.
        for job in jobs:
            if expected[name_of(job)]["outcome"] != "allowed":
                wait_for(f"what is said of {name_of(job)}", lambda: api.told(job)[1], 60)
        for job in jobs:
            name = name_of(job)
            refused, text = api.told(job)
            assert refused == (expected[name]["outcome"] == "refused"), f"{name}: {text}"
            sentences = {f"{one['id']}: {one['sentence']}" for one in tried[name]["findings"]}
            assert by_policy(text) == sentences, f"{name}: {text}"
            assert tried[name]["outcome"] == expected[name]["outcome"]
