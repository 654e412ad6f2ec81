"""Story 13, dry runs: whether Pods reach a replica, and who is in the way. Each cause is made and named, and nothing stays.

`doctor --probe-only` sends a Pod of each workload API; the API server, its admission plug-ins and other webhooks say what
they say to any Pod.
"""

import contextlib
import json
import pathlib
import re
import socket
import subprocess
import tempfile

import pytest
import yaml

from controlplane import programs
from controlplane.state import write_kubeconfig
from harness import audit, chart
from harness.api import made, wait_for
from harness.namespace import manifest
from harness.release import NAME, NAMESPACE
from harness.rival import denial, patch, rival
from harness.trouble import down, slow, untrusted

WORKLOADS = ["ray", "lws", "jobset", "job", "statefulset", "pod"]
SHADOW = {"tpu-webhook.dev/mode": "shadow"}
TRIED = "tpu-webhook-tried"  # a namespace that the chart makes
ELSEWHERE = "tpu-webhook-elsewhere"  # where Helm installs


@pytest.fixture
def probe(plane, tools):
    """probe(namespace, ...): (exit code, the checks)."""
    def run(namespace, *more, kubeconfig=None):
        done = subprocess.run([str(tools), "doctor", "--probe-only", "--probe-namespace", namespace, "--output", "json",
                               "--kubeconfig", str(kubeconfig or plane.kubeconfig), *more],
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)["checks"]

    return run


@pytest.fixture
def explain(plane, tools, namespace, tmp_path):
    """explain(objects): (exit code, what the API server says to them, by what was tried)."""
    def run(objects, *more, kubeconfig=None):
        path = tmp_path / "manifest.yaml"
        path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        done = subprocess.run([str(tools), "explain", str(path), "-n", namespace.name, "--cluster", "--dry-run", "--kubeconfig",
                               str(kubeconfig or plane.kubeconfig), "-o", "json", *more],
                              capture_output=True, text=True, timeout=120, check=False)
        assert done.stdout, done.stderr
        return done.returncode, {tried["what"]: tried for tried in json.loads(done.stdout)["dryRun"]}

    return run


@pytest.fixture(scope="module")
def told(picture):
    """told(cause, check): a line of the table that is printed at the end."""
    rows = []
    yield lambda cause, check: rows.append(f"  {cause:<32} {check['verdict']:<8} {check['what']}")
    picture(f"doctor --probe: {len(rows)} causes", "\n".join(rows))


def each_is(checks, verdict, *parts):
    """The first check; all have this verdict, and say each of these."""
    assert [check["check"] for check in checks] == ["probe"] * len(checks) and checks
    for check in checks:
        assert check["verdict"] == verdict, check
        assert all(part in check["what"] for part in parts), (parts, check)
        assert bool(check["fix"]) == (verdict != "ok"), check
    return checks[0]


def label(api, namespace, labels):
    api.patch("v1", "Namespace", namespace.name, {"metadata": {"labels": labels}})


def test_each_workload_api_is_answered(release, namespace, probe, told):
    """By its entry, by the process that it names; with the operators' own webhooks beside."""
    code, checks = probe(namespace.name)
    told("answered", each_is(checks, "ok", f"is answered by replica {socket.gethostname()}, and is changed"))
    assert code == 0
    assert sorted(check["what"].split()[4] for check in checks) == sorted(WORKLOADS)


def test_a_probe_leaves_nothing_behind(release, plane, api, namespace, probe):
    """No Pod, no Event, no owner, no record of the ledger; each request was a dry run, and no nonce is in our log."""
    objects = lambda: {(one["kind"], one["metadata"]["name"]) for kind in  # noqa: E731
                       ("Pod", "Event", "ConfigMap", "Secret", "Service") for one in api.list("v1", kind, namespace.name)}
    ledger = lambda: {one["metadata"]["name"] for one in api.list("v1", "ConfigMap", NAMESPACE)}  # noqa: E731
    before, records, since = objects(), ledger(), audit.size(plane)
    assert probe(namespace.name)[0] == 0
    sent = wait_for("the audit log", lambda: len(all := audit.creations(plane, namespace.name, since)) == 6 and all, 20)
    assert {entry["requestURI"].partition("?")[2].partition("&")[0] for entry in sent} == {"dryRun=All"}
    assert objects() == before and ledger() == records
    logged = release.reviews(namespace.name)
    assert len(logged) >= 6 and all(line["dry_run"] for line in logged), logged
    nonces = {entry["requestObject"]["metadata"]["annotations"]["tpu-webhook.dev/probe"] for entry in sent}
    text = "".join(json.dumps(line) for line in logged)
    assert len(nonces) == 6 and not any(nonce in text for nonce in nonces)


def test_shadow_mode_is_named(release, api, namespace, probe, told):
    """In a namespace in shadow mode a replica answers, and no Pod is changed."""
    label(api, namespace, SHADOW)
    checks = wait_for("shadow mode", lambda: (found := probe(namespace.name)[1]) and
                      all("shadow" in check["what"] for check in found) and found, 20)
    told("shadow mode", each_is(checks, "ok", "in shadow mode, so it is left unchanged"))


def test_an_outage_is_named(release, api, namespace, probe, told):
    """By the policy of the entry: Fail refuses, with the API server's words; Ignore hides it."""
    label(api, namespace, {})
    with down(release):
        code, checks = probe(namespace.name)
        told("nobody listens", each_is(checks, "fail", "blocked", "failurePolicy Fail", "connection refused"))
        assert code == 1
        label(api, namespace, SHADOW)
        ignored = wait_for("the entry that ignores", lambda: (found := probe(namespace.name)[1]) and
                           all("hides" in check["what"] for check in found) and found, 20)
    told("blocked, and ignored", each_is(ignored, "warn", "entry shadow.pods.tpu-webhook.dev", "failurePolicy Ignore hides"))


def test_what_is_in_the_way_is_named(release, namespace, probe, told):
    """An answer that does not come in time, as behind a firewall, and a certificate that nobody trusts."""
    with release.reinstalled({"timeoutSeconds": 1}):
        with slow(release, 2.5):
            told("no answer in time", each_is(probe(namespace.name)[1], "fail", "blocked", "deadline exceeded"))
        with untrusted(release):
            check = each_is(probe(namespace.name)[1], "fail", "blocked", "x509")
            told("a certificate that is not trusted", check)
            assert "does not trust the certificate" in check["fix"]


def test_an_outage_that_every_entry_ignores_is_named(release, namespace, probe, told):
    """failurePolicy: Ignore."""
    with release.reinstalled({"failurePolicy": "Ignore"}), down(release):
        told("blocked, failurePolicy Ignore", each_is(probe(namespace.name)[1], "fail", "failurePolicy Ignore hides that the way is blocked"))


def test_who_is_not_selected_is_named(release, namespace, probe, told):
    """A namespace that is left out; and nobody, where there is no configuration."""
    told("a namespace that is left out", each_is(probe("kube-system")[1], "fail", "is not selected: no entry is for"))
    with release.absent():
        told("no configuration", each_is(probe(namespace.name)[1], "fail", "is not sent to anybody"))


def test_our_refusal_is_told_from_others(release, plane, namespace, probe, told):
    """Another team's webhook before ours changes the Pod so that no slice can be; one denies it before us, one after."""
    spoil = patch({"op": "replace", "path": "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "value": "3x3"})
    tpu = lambda request: "nodeSelector" in request["object"]["spec"]  # noqa: E731  (not the harness's own Pod)
    with rival(plane, namespace, "aaa-spoils", lambda request: spoil if tpu(request) else {}):
        told("our refusal", each_is(probe(namespace.name)[1], "fail", f"by replica {socket.gethostname()}, which refuses it: TPU-"))
    with rival(plane, namespace, "aaa-denies", lambda request: denial("not on Fridays") if tpu(request) else {}):
        code, checks = probe(namespace.name)
        told("another webhook, before", each_is(checks, "unknown", "webhook aaa-denies.example.com denied it: not on Fridays"))
        assert code == 2
    with rival(plane, namespace, "zzz-denies", lambda request: denial("exceeded quota: compute") if tpu(request) else {}):
        told("another webhook, after", each_is(probe(namespace.name)[1], "warn", "is answered by replica",
                                               "webhook zzz-denies.example.com denied it: exceeded quota: compute"))


def test_another_webhook_that_is_down_is_named(release, plane, api, namespace, probe, told):
    """It is not ours that cannot be asked."""
    webhook = {"name": "down.example.com", "clientConfig": {"url": "https://127.0.0.1:9/"}, "sideEffects": "None",
               "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
               "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace.name}},
               "admissionReviewVersions": ["v1"], "timeoutSeconds": 1}
    kind = "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
    with made(api, {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "down"}, "webhooks": [webhook]}):
        checks = until(probe, namespace, "down.example.com")
    told("another webhook that is down", each_is(checks, "warn", "is answered by replica", "webhook down.example.com could not be asked"))


def test_a_quota_is_named(release, api, namespace, probe, told):
    """After us: it is answered all the same."""
    with quota_of(api, namespace, "no-pods", {"pods": "0"}):
        checks = until(probe, namespace, "exceeded quota")
    told("a quota", each_is(checks, "warn", "is answered by replica", "ResourceQuota no-pods refused it"))


def test_pod_security_is_named(release, plane, api, namespace, probe, told):
    """The probe itself meets `restricted`; with the host's network, which another webhook adds, it does not."""
    label(api, namespace, {"pod-security.kubernetes.io/enforce": "restricted"})
    told("restricted", each_is(probe(namespace.name)[1], "ok", "is changed"))
    host = patch({"op": "add", "path": "/spec/hostNetwork", "value": True})
    with rival(plane, namespace, "zzz-network", lambda request: host if "nodeSelector" in request["object"]["spec"] else {}):
        told("Pod Security", each_is(probe(namespace.name)[1], "warn", "is answered by replica", "Pod Security at level restricted:latest refused it"))


def test_a_policy_is_named(release, api, namespace, probe, told):
    """A ValidatingAdmissionPolicy."""
    with policy_of(api, namespace, "no-chips", "no chips here", "", "pods"):
        checks = until(probe, namespace, "no chips here")
    told("a policy", each_is(checks, "warn", "is answered by replica", "admission policy no-chips denied it: no chips here"))


def test_a_limit_is_named(release, api, namespace, probe, told):
    """A LimitRange."""
    limit = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "large", "namespace": namespace.name},
             "spec": {"limits": [{"type": "Container", "min": {"cpu": "2"}}]}}
    with made(api, limit):
        checks = until(probe, namespace, "usage per")
    told("a limit", each_is(checks, "warn", "is answered by replica", "a LimitRange refused it", "minimum cpu usage per Container is 2"))


def test_who_may_not_ask_is_told(release, plane, api, namespace, probe, told, tmp_path):
    """No rights, no namespace: `could not be asked`, which is no refusal; and without the right to read, what is not known."""
    stranger = tmp_path / "stranger"
    write_kubeconfig(stranger, plane, token=plane.client().token(namespace.name, "default"))
    code, checks = probe(namespace.name, kubeconfig=stranger)
    told("no rights", each_is(checks, "unknown", "could not be asked about: the permission to create it is missing"))
    assert code == 2
    told("no namespace", each_is(probe("nowhere-at-all")[1], "unknown", "could not be asked about: its namespace does not exist"))
    with may_create(api, namespace, "pods"):
        checks = wait_for("the right", lambda: (found := probe(namespace.name, kubeconfig=stranger)[1]) and
                          found[0]["verdict"] == "ok" and found, 20)
        each_is(checks, "ok", "is changed")
        with release.absent():
            told("what may not be read", each_is(probe(namespace.name, kubeconfig=stranger)[1], "fail", "which of the two is not known"))


def test_the_account_of_helm_test(release, plane, api, probe, told, tmp_path):
    """What the chart renders for the test, made by hand: the account tries all Pods, and may do nothing else."""
    objects = hooks({**release.values, "probe": {"namespace": TRIED, "createNamespace": True}})
    with contextlib.ExitStack() as stack:
        order = ["Namespace", "ServiceAccount", "Role", "RoleBinding"]
        for obj in sorted((one for one in objects if one["kind"] in order), key=lambda one: order.index(one["kind"])):
            stack.enter_context(made(api, obj))
        wait_for("the ServiceAccount", lambda: api.get("v1", "ServiceAccount", "default", TRIED), 20)
        (known,) = [obj["data"]["installed.yaml"] for obj in objects if obj["kind"] == "ConfigMap"]
        (tmp_path / "installed.yaml").write_text(known, encoding="utf-8")
        account = tmp_path / "account"
        write_kubeconfig(account, plane, token=plane.client().token(NAMESPACE, "tpu-webhook-probe"))
        with_file = ["--cluster", str(tmp_path / "installed.yaml")]
        since = audit.size(plane)
        checks = wait_for("the right", lambda: (found := probe(TRIED, *with_file, kubeconfig=account)) [0] == 0 and found[1], 20)
        told("helm test's account", each_is(checks, "ok", "is answered by replica", "is changed"))
        asked = {(entry["verb"], entry["objectRef"]["resource"]) for entry in entries_of(plane, "tpu-webhook-probe", since)
                 if "objectRef" in entry}  # not GET /version, by which kubectl proxy logs in
        assert asked == {("create", "pods")}, asked
        with release.absent():
            told("helm test, nobody is asked", each_is(probe(TRIED, *with_file, kubeconfig=account)[1], "fail", "is not selected: entry"))
        with down(release):
            each_is(probe(TRIED, *with_file, kubeconfig=account)[1], "fail", "blocked")
        each_is(probe("default", *with_file, kubeconfig=account)[1], "unknown", "the permission to create it is missing")
        for verb, what, where in (("get", "pods", TRIED), ("list", "pods", TRIED), ("delete", "pods", TRIED), ("update", "pods", TRIED),
                                  ("create", "pods/exec", TRIED), ("create", "configmaps", TRIED), ("create", "jobs.batch", TRIED),
                                  ("create", "pods", "default"), ("get", "secrets", NAMESPACE), ("get", "namespaces", ""),
                                  ("get", "mutatingwebhookconfigurations.admissionregistration.k8s.io", "")):
            assert allowed(plane, account, verb, what, where) == "no", (verb, what, where)
        assert allowed(plane, account, "create", "pods", TRIED) == "yes"


@pytest.mark.parametrize("helm", ["helm", "helm3"])
def test_helm_test_leaves_nothing(release, plane, api, helm, told):
    """KWOK ends its Pod as a Pod that succeeds ends. Everything of the test goes with it, and a namespace stays that the
    chart made, until it is uninstalled; one that somebody else made is not taken."""
    finish = {"commonAnnotations": {"e2e.tpu-webhook.dev/finish": "succeeded"}}
    values = {**release.values, **finish, "image": {"repository": "tpu-webhook"}, "probe": {"namespace": TRIED, "createNamespace": True}}
    release.uninstall()
    try:
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ELSEWHERE}})
        wait_for("the ServiceAccount", lambda: api.get("v1", "ServiceAccount", "default", ELSEWHERE), 20)
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TRIED}})
        taken = run_helm(plane, helm, "install", values)
        assert taken.returncode != 0 and TRIED in taken.stderr and api.get("v1", "Namespace", TRIED), taken.stderr
        run_helm(plane, helm, "uninstall", None)
        api.delete("v1", "Namespace", TRIED)
        wait_for("the namespace to go", lambda: not api.get("v1", "Namespace", TRIED), 60)
        done = run_helm(plane, helm, "install", values)
        assert done.returncode == 0, done.stderr
        wait_for("the ServiceAccount", lambda: api.get("v1", "ServiceAccount", "default", TRIED), 20)
        tried = run_helm(plane, helm, "test", None)
        assert tried.returncode == 0 and "Succeeded" in tried.stdout, tried.stdout + tried.stderr
        left = [(kind, one["metadata"]["name"]) for version, kind in
                (("v1", "Pod"), ("v1", "ConfigMap"), ("v1", "ServiceAccount"), ("rbac.authorization.k8s.io/v1", "Role"),
                 ("rbac.authorization.k8s.io/v1", "RoleBinding"))
                for where in (ELSEWHERE, TRIED) for one in api.list(version, kind, where) if "probe" in one["metadata"]["name"]]
        assert not left, left
        assert run_helm(plane, helm, "uninstall", None).returncode == 0
        wait_for("the namespace to go", lambda: not api.get("v1", "Namespace", TRIED), 60)
    finally:
        run_helm(plane, helm, "uninstall", None)
        for name in (ELSEWHERE, TRIED):
            api.delete("v1", "Namespace", name)
        wait_for("the namespaces to go", lambda: not any(api.get("v1", "Namespace", name) for name in (ELSEWHERE, TRIED)), 60)
        release.install()


@pytest.mark.parametrize("file", ["job-2x4", "jobset-multislice", "statefulset", "lws", "job-tpu7x-two-containers"])
def test_the_running_webhook_answers_as_explain_does(release, plane, api, namespace, explain, file):
    """Every object and one Pod of each template is admitted, nothing differs, and nothing is stored."""
    since = audit.size(plane)
    code, tried = explain(list(manifest(f"{file}.yaml")))
    job = f"Job {namespace.name}/v6e-multislice-slice-0 (first of 2) of JobSet {namespace.name}/v6e-multislice"
    unasked = {what: one["sentence"] for what, one in tried.items() if one["said"] != "accepted"}
    assert code == 0 and set(unasked) == {"statefulset": {"ControllerRevision of StatefulSet"}, "jobset-multislice": {job},
                                          "lws": {"ControllerRevision of LeaderWorkerSet"}}.get(file, set()), tried
    # Kueue's webhook looks for the JobSet.
    assert job not in unasked or "without its owner, which is not stored, it is admitted; with it, webhook mjob.kb.io denied it" in unasked[job]
    pods = {what: one for what, one in tried.items() if "Pod" in what.split()[:2] or "Pods" in what.split()[:2]}
    assert pods and all("answers as this program does" in one["sentence"] and not one["differs"] for one in pods.values()), tried
    assert not api.pods(namespace.name) and not api.list("batch/v1", "Job", namespace.name)
    sent = audit.creations(plane, namespace.name, since)
    assert all("dryRun=All" in entry["requestURI"] for entry in sent) and len(sent) >= len(pods)


# What controllers make on the way to Pods, as a webhook hears of it.
MADE = ({"apiGroups": ["", "apps", "batch", "ray.io"], "apiVersions": ["v1"], "operations": ["CREATE"],
         "resources": ["services", "statefulsets", "replicasets", "jobs", "rayclusters"]},)
# What a cluster gives out, and what controllers note for themselves.
GIVEN = ("jobset.sigs.k8s.io/jobset-uid", "leaderworkerset.sigs.k8s.io/template-revision-hash", "pod-template-hash")
NOTED = ("deployment.kubernetes.io/", "ray.io/hash-")


def test_what_the_controllers_make_is_what_was_sent(release, plane, api, namespace, explain):
    """Jobs, Services, StatefulSets, a ReplicaSet, RayClusters: as explain sent them, then as they come. Nothing was left before."""
    files = ["jobset-multislice", "lws", "raycluster", "rayjob", "deployment"]
    objects = [one for file in files for one in manifest(f"{file}.yaml")]
    for one in objects:
        one["metadata"].pop("labels", None)  # Kueue's queue
    sent, came = {}, {}

    def see(request):
        one = request["object"]
        if "ownerReferences" in one["metadata"] and one["kind"] != "Pod":
            (sent if request["dryRun"] else came).setdefault((one["kind"], known_name(one)), comparable(one))
        return {}

    with rival(plane, namespace, "aaa-sees", see, also=MADE):
        _, tried = explain(objects)
        assert not came and sorted({kind for kind, _ in sent}) == ["Job", "RayCluster", "ReplicaSet", "Service", "StatefulSet"]
        for kind in ("Job", "StatefulSet", "ReplicaSet"):
            assert not api.list("batch/v1" if kind == "Job" else "apps/v1", kind, namespace.name)
        for one in objects:
            namespace.create(one)
        wait_for("what the controllers make", lambda: set(sent) <= set(came), 60)
    assert len(sent) == 12, sorted(sent)
    different = {key: (one, came[key]) for key, one in sent.items() if one != came[key]}
    assert not different, different
    made_of = {what for what, one in tried.items() if one["said"] != "refused" and " of " in what and "Pod" not in what.split(" of ")[0]}
    assert {f"Job {namespace.name}/v6e-multislice-slice-0 (first of 2) of JobSet {namespace.name}/v6e-multislice",
            f"StatefulSet {namespace.name}/vllm-0 (first of 2) of Pod {namespace.name}/vllm-0",
            f"Service {namespace.name}/tpu-job-*-head-svc of RayCluster {namespace.name}/tpu-job-*"} <= made_of, tried


def test_what_comes_of_an_object_is_refused_and_the_object_is_not(release, plane, api, namespace, explain):
    """A quota of Services and a policy on Jobs: the JobSet would be stored, and nothing of it would run."""
    jobset = jobset_of(namespace)
    (service, job, of) = (f"{kind} of JobSet {namespace.name}/{jobset['metadata']['name']}" for kind in (
        f"Service {namespace.name}/v6e-multislice", f"Job {namespace.name}/v6e-multislice-slice-0 (first of 2)", "8 Pods"))
    with quota_of(api, namespace, "few", {"services": "0", "count/jobs.batch": "1"}), \
            policy_of(api, namespace, "no-jobs", "no Jobs here", "batch", "jobs"):
        code, tried = wait_for("the policy", lambda: (found := explain([jobset])) and found[1][job]["said"] == "refused" and found, 30)
        assert code == 1 and tried[f"JobSet {namespace.name}/v6e-multislice"]["said"] == tried[of]["said"] == "accepted", tried
        assert "admission policy no-jobs denied it: no Jobs here" in tried[job]["sentence"], tried
        assert tried[service]["said"] == "refused" and "ResourceQuota few refused it" in tried[service]["sentence"], tried
        sum_of_jobs = tried[f"all 2 Jobs of namespace {namespace.name}"]
        assert "the Jobs ask together for 2 of count/jobs.batch, and 0 of 1 are used" in sum_of_jobs["sentence"], tried
    assert not api.list("batch/v1", "Job", namespace.name) and not api.services(namespace.name)


def test_quotas_with_scopes_count_the_pods_that_have_them(release, api, namespace, explain):
    """A quota for one PriorityClass and one for Pods without cpu and memory, by the sum; others count none of these Pods."""
    jobset = jobset_of(namespace)
    jobset["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["priorityClassName"] = "dry-run-high"
    of_class = lambda name: {"scopeSelector": {"matchExpressions": [  # noqa: E731
        {"scopeName": "PriorityClass", "operator": "In", "values": [name]}]}}
    said = lambda: {one["sentence"] for one in explain([jobset])[1].values() if one["said"] == "refused"}  # noqa: E731
    with made(api, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "dry-run-high"}, "value": 7}), \
            quota_of(api, namespace, "low", {"pods": "0"}, **of_class("dry-run-low")), \
            quota_of(api, namespace, "ends", {"pods": "0"}, scopes=["Terminating"]):
        with quota_of(api, namespace, "high", {"requests.google.com/tpu": "16"}, **of_class("dry-run-high")):
            assert said() == {"ResourceQuota high, which counts 8 of these 8 Pods (PriorityClass In dry-run-high): the Pods ask together "
                              "for 32 of requests.google.com/tpu, and 0 of 16 are used"}
        with quota_of(api, namespace, "idle", {"pods": "5"}, scopes=["BestEffort"]):
            assert said() == {"ResourceQuota idle, which counts 8 of these 8 Pods (BestEffort): the Pods ask together for 8 of pods, "
                              "and 0 of 5 are used"}


def test_who_may_not_create_jobs_is_told(release, plane, api, namespace, explain, tmp_path):
    """Rights to read, and to create the JobSet and Pods: what its controller creates could not be asked, and nothing is refused."""
    stranger = tmp_path / "stranger"
    write_kubeconfig(stranger, plane, token=plane.client().token(namespace.name, "default"))
    jobset = f"JobSet {namespace.name}/v6e-multislice"
    with may_create(api, namespace, "pods", "jobsets.jobset.x-k8s.io"), made(api, {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": namespace.name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace.name}]}):
        code, tried = wait_for("the right", lambda: (found := explain([jobset_of(namespace)], kubeconfig=stranger)) and
                               found[1][jobset]["said"] == "accepted" and found, 20)
    assert code == 0 and tried[f"8 Pods of {jobset}"]["said"] == "accepted", tried
    unasked = {what: one["sentence"] for what, one in tried.items() if one["said"] == "notAsked"}
    assert len(unasked) == 2, tried  # a Service and a Job
    assert all("which its controller needs, and you do not" in one for one in unasked.values()), tried


def test_ray_workers_without_indices_could_not_be_asked(release, namespace, explain):
    """Their ids are given for a RayCluster that is stored, and by a dry run none is."""
    _, tried = explain(list(manifest("raycluster.yaml")))
    workers = [one for one in tried.values() if "index labels" in one["sentence"]]
    assert workers and {one["said"] for one in workers} == {"notAsked"}, tried


def test_explain_names_who_refuses(release, namespace, explain):
    """An unknown field and a missing namespace are refused. An object is not tried if its namespace is in the input,
    too, or if an object of its name exists. The tests of `probe` have refusals for other reasons."""
    def job(**changes):
        service, one = manifest("job-2x4.yaml")
        one["spec"]["template"]["spec"]["containers"][0]["securityContext"] = {}
        return [service, {**one, **changes}]

    name = f"Job {namespace.name}/tpu-training-job"
    wrong = job()
    wrong[1]["spec"]["template"]["spec"]["fieldOfTomorrow"] = 1
    code, tried = explain(wrong)
    assert code == 1 and 'unknown field "spec.template.spec.fieldOfTomorrow"' in tried[name]["sentence"], tried
    elsewhere = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "comes-with-it"}}, *job()]
    for one in elsewhere[1:]:
        one["metadata"]["namespace"] = "comes-with-it"
    code, tried = explain(elsewhere)
    assert code == 0 and tried["Job comes-with-it/tpu-training-job"]["said"] == "notAsked", tried
    code, tried = explain(elsewhere[1:])
    assert code == 1 and tried["Job comes-with-it/tpu-training-job"]["said"] == "refused", tried
    namespace.create(job()[0])
    _, tried = explain(job())
    there = tried[f"Service {namespace.name}/headless-svc"]
    assert there["said"] == "notAsked" and "an object of this name exists" in there["sentence"], tried


def test_explain_differs_where_the_running_webhook_is_told_otherwise(release, namespace, explain):
    """The difference is named; and shadow mode and an absent webhook are no difference."""
    with release.reinstalled({"config": {"mode": "enforce", "basePort": 9000, "tpuNameEverywhere": True}}):
        _, tried = explain(list(manifest("job-2x4.yaml")))
        (pods,) = [one for what, one in tried.items() if what.startswith("2 Pods")]
        assert "otherwise than this program" in pods["sentence"], tried
        assert any("TPU_NAME of container tpu-job" in one and "not there by this program" in one for one in pods["differs"]), tried
    with release.absent():
        _, tried = explain(list(manifest("job-2x4.yaml")))
        (pods,) = [one for what, one in tried.items() if what.startswith("2 Pods")]
        assert "no replica of tpu-webhook answered" in pods["sentence"] and not pods["differs"], tried


@contextlib.contextmanager
def may_create(api, namespace, *resources):
    """While this holds the namespace's own account may create these in it: "pods", "jobsets.jobset.x-k8s.io"."""
    group, where = "rbac.authorization.k8s.io/v1", {"name": "create-some", "namespace": namespace.name}
    rules = [{"apiGroups": [one.partition(".")[2]], "resources": [one.partition(".")[0]], "verbs": ["create"]} for one in resources]
    role = {"apiVersion": group, "kind": "Role", "metadata": where, "rules": rules}
    binding = {"apiVersion": group, "kind": "RoleBinding", "metadata": where,
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": where["name"]},
               "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace.name}]}
    with made(api, role), made(api, binding):
        yield


@contextlib.contextmanager
def quota_of(api, namespace, name, hard, **more):
    """While this holds there is a quota, and it is counted."""
    with made(api, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name, "namespace": namespace.name},
                    "spec": {"hard": hard, **more}}):
        wait_for(name, lambda: api.get("v1", "ResourceQuota", name, namespace.name).get("status", {}).get("used"), 20)
        yield


@contextlib.contextmanager
def policy_of(api, namespace, name, message, group, resource):
    """While this holds a policy denies these objects there; the API server hears of it a little later."""
    registration = "admissionregistration.k8s.io/v1"
    policy = {"apiVersion": registration, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
              "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"],
                                                               "resources": [resource]}]},
                       "validations": [{"expression": "false", "message": message}]}}
    binding = {"apiVersion": registration, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
               "spec": {"policyName": name, "validationActions": ["Deny"], "matchResources": {
                   "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace.name}}}}}
    with made(api, policy), made(api, binding):
        yield


def jobset_of(namespace):
    """Two slices of four hosts, without Kueue's queue."""
    (jobset,) = manifest("jobset-multislice.yaml")
    del jobset["metadata"]["labels"]
    jobset["metadata"]["namespace"] = namespace.name
    return jobset


def known_name(one):
    """Without what a cluster gives out: of a RayCluster of a RayJob, of a ReplicaSet."""
    name = one["metadata"]["name"]
    return "-".join("*" if len(part) in (5, 7, 8, 9, 10) and re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]+", part) else part for part in name.split("-"))


def comparable(one):
    """What its maker wrote, with one word for all that a cluster gives out."""
    metadata = one["metadata"]
    kept = {key: metadata.get(key, {}) for key in ("labels", "annotations", "ownerReferences")}
    kept["annotations"] = {key: value for key, value in kept["annotations"].items() if not key.startswith(NOTED)}
    text = json.dumps({**kept, "spec": one["spec"]}, sort_keys=True)
    given = [metadata.get("labels", {}).get(key) for key in GIVEN] + [owner["uid"] for owner in metadata["ownerReferences"]]
    for value in filter(None, given):
        text = text.replace(value, "GIVEN")
    return without_empty(json.loads(re.sub("tpu-job-[bcdfghjklmnpqrstvwxz2456789]{5}", "tpu-job-GIVEN", text)))


def without_empty(value):
    """Go writes a map that nobody filled as {}."""
    if isinstance(value, dict):
        return {key: inner for key, inner in ((key, without_empty(one)) for key, one in value.items()) if inner not in ({}, [])}
    return [without_empty(one) for one in value] if isinstance(value, list) else value


def until(probe, namespace, words):
    """The checks, once each says this: the API server hears of a policy, a limit or a webhook some time after it is written."""
    return wait_for(words, lambda: (found := probe(namespace.name)[1]) and all(words in check["what"] for check in found) and found, 30)


def hooks(values):
    """What `helm test` makes, and the namespace."""
    values = {**values, "image": {"repository": "tpu-webhook"}}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(values, file)
        file.flush()
        text = subprocess.run([programs.path("helm"), "template", NAME, str(chart.CHART), "--namespace", NAMESPACE, "--values", file.name,
                               "--show-only", "templates/probe.yaml"], capture_output=True, text=True, check=True).stdout
    return [one for one in yaml.safe_load_all(text) if one]


def run_helm(plane, program, verb, values):
    command = [programs.path(program), "--kubeconfig", str(plane.kubeconfig), "--namespace", ELSEWHERE, verb, NAME]
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(values or {}, file)
        file.flush()
        command += [str(chart.CHART), "--values", file.name] if verb == "install" else []
        command += ["--timeout", "60s"] if verb == "test" else []
        return subprocess.run(command, capture_output=True, text=True, check=False)


def entries_of(plane, account, since):
    """What this ServiceAccount asked the API server for."""
    with open(pathlib.Path(plane.directory) / "logs" / "audit.log", "rb") as log:
        log.seek(since)
        found = [json.loads(line) for line in log if line.startswith(b"{") and line.endswith(b"\n") and account.encode() in line]
    return [entry for entry in found if entry["user"]["username"] == f"system:serviceaccount:{NAMESPACE}:{account}"]


def allowed(plane, kubeconfig, verb, resource, namespace):
    """kubectl's word for it: yes or no."""
    command = [programs.path("kubectl"), "--kubeconfig", str(kubeconfig), "auth", "can-i", verb, *resource.split("/")[:1]]
    command += ["--subresource", resource.split("/")[1]] if "/" in resource else []
    command += ["-n", namespace] if namespace else []
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
