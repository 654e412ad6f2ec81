"""Story 5, what the API server sees and what a user of kubectl reads: golden/*.txt, to the letter.

At the end: upstream's conformance tests of admission webhooks, each with the case that is its like.
"""

import copy
import json

import pytest
import test_failure_policy
import test_reinvocation
import test_validation

from harness import audit, golden, report
from harness.api import Refused, wait_for
from harness.namespace import env_of
from harness.pods import INDEX, SLICE, container, injected, member, untouched, web
from harness.release import CONFIGURATION, NAME, NAMESPACE
from harness.trouble import configured

OURS = "pods.tpu-webhook.dev"  # of Pods without the labels of an API, so of a Job's
SHADOW = "shadow.pods.tpu-webhook.dev"
SHADOWED = {"metadata": {"labels": {"tpu-webhook.dev/mode": "shadow"}}}


# -- dry run ------------------------------------------------------------------------------------


def test_a_dry_run_shows_what_would_be_and_changes_nothing(release, namespace):
    """`kubectl create --dry-run=server` of a Pod shows the environment; the real one gets the same."""
    tried = namespace.api.create(namespace.here(member("one", 1)), dry_run=True)
    assert not namespace.api.pods(namespace.name)
    made = namespace.create(member("one", 1))
    assert injected(made) and without_tokens(tried) == without_tokens(made)
    reviews = wait_for("both reviews", lambda: two(release.reviews(namespace.name)), 5, every=0.02)
    assert [line["dry_run"] for line in reviews] == [True, False]


# -- messages -----------------------------------------------------------------------------------


def test_a_completion_index_out_of_range_is_denied(release, namespace):
    reads(namespace, "denied-completion-index", member("trainer", 2))


def test_a_pod_without_an_index_is_warned_of(release, namespace):
    pod = member("trainer", 0)
    del pod["metadata"]["labels"][INDEX]
    reads(namespace, "warned-no-index", pod)
    assert untouched(namespace.get("v1", "Pod", "trainer"))


def test_a_good_pod_is_created_without_a_word(release, namespace):
    reads(namespace, "created", member("trainer", 0))


def test_a_job_with_too_many_completions_says_so(release, namespace):
    """Three completions for two hosts: the third is denied, and `kubectl describe job` says why."""
    def three(obj):
        if obj["kind"] == "Job":
            obj["spec"].update(completions=3, parallelism=3)

    namespace.apply("job-2x4.yaml", edit=three)
    columns = "-ocustom-columns=TYPE:.type,REASON:.reason,MESSAGE:.message"
    text = wait_for("the Job's event", lambda: failures(namespace.kubectl("get", "events", columns).stdout), 20)
    golden.reads("event-too-many-completions", text)
    assert sorted(env_of(pod)["TPU_WORKER_ID"] for pod in namespace.running(2)) == ["0", "1"]


# -- audit --------------------------------------------------------------------------------------


def test_the_audit_log_says_what_was_done_and_why(release, namespace, plane):
    namespace.create(member("good", 1))
    with pytest.raises(Refused):
        namespace.create(member("bad", 2))
    good, bad = (audit.creation(plane, namespace.name, name) for name in ("good", "bad"))
    assert good[f"{OURS}/reason"] == "injected"
    assert good[f"{OURS}/slice"] == namespace.get("v1", "Pod", "good")["metadata"]["annotations"][SLICE]
    assert audit.rounds(good, OURS) == [True]
    assert bad[f"{OURS}/reason"] == "bad_index"


# -- the object ---------------------------------------------------------------------------------


def test_what_is_stored_is_valid_and_a_fixed_point(release, namespace, plane):
    """`kubectl get -o json | kubectl create --validate=strict` works, without a warning or a change."""
    for pod in (member("whole", 1), member("ironwood", 1, topology="2x2x2", accelerator="tpu7x", chips=(2, 2)),
                of_jobset("jobset", job_index=1, replicas=2)):
        made = namespace.create(pod)
        assert "TPU_WORKER_ID" in env_of(made)
        again = as_first_written(made, made["metadata"]["name"] + "-copy")
        text = golden.kubectl_create(namespace, again, "--dry-run=server", "--validate=strict", "-ojson")
        copied = json.loads(text.partition("\n")[2])
        assert copied["spec"] == made["spec"]
        assert copied["metadata"]["annotations"] == made["metadata"]["annotations"]


def test_the_pod_security_level_stays(release, namespace):
    """What the API server's own check says of a Pod is the same with us and without: of one that keeps to the level
    `restricted`, nothing."""
    levels = {f"pod-security.kubernetes.io/{what}": "restricted" for what in ("warn", "audit")}
    namespace.api.patch("v1", "Namespace", namespace.name, {"metadata": {"labels": levels}})
    pods = [member("plain", 1), member("restricted", 1), member("host-network", 1), member("privileged", 1),
            member("containers", 1, topology="2x2x2", accelerator="tpu7x", chips=(2, 2)), of_jobset("jobset", job_index=1, replicas=2)]
    keep_to_restricted(pods[1])
    pods[2]["spec"].update(hostNetwork=True, dnsPolicy="ClusterFirstWithHostNet")
    pods[3]["spec"]["containers"][0]["securityContext"] = {"privileged": True}
    with_us = wait_for("the level to be seen", lambda: said_of(namespace, pods), 10)
    assert with_us["restricted"] == [] and all(with_us[pod["metadata"]["name"]] for pod in pods if pod is not pods[1])
    namespace.api.patch("v1", "Namespace", namespace.name, SHADOWED)
    wait_for("the label to be seen", lambda: untouched(namespace.api.create(namespace.here(member("probe", 0)), dry_run=True)), 10)
    assert said_of(namespace, pods) == with_us


# -- which Pods are sent ------------------------------------------------------------------------


def test_excluded_namespaces(release, namespace):
    """kube-system, kube-node-lease, our own, and whichever a value names: admitted as they are, and we are not asked."""
    for name in ("kube-system", "kube-node-lease", NAMESPACE):
        pod = member("outside", 0)
        pod["metadata"]["namespace"] = name
        assert untouched(namespace.api.create(pod, dry_run=True))
    assert injected(namespace.create(member("inside", 0)))
    # This one is reviewed after those: had they been, too, they would be in the log by then.
    wait_for("its review", lambda: release.reviews(namespace.name), 5, every=0.02)
    assert not release.reviews("kube-system") and not release.reviews(NAMESPACE)
    with configured(release, {"namespaces": {"exclude": [namespace.name]}}):
        assert untouched(namespace.create(member("outside", 0)))
    assert len(release.reviews(namespace.name)) == 1


def test_a_shadowed_namespace(release, namespace, plane):
    """Its Pods are created as they are; what would have been done is a warning, in the log and the audit log."""
    namespace.api.patch("v1", "Namespace", namespace.name, SHADOWED)
    wait_for("the label to be seen", lambda: untouched(namespace.api.create(namespace.here(member("probe", 0)), dry_run=True)), 10)
    reads(namespace, "shadow-patched", member("trainer", 0))
    reads(namespace, "shadow-denied", member("misfit", 2))
    assert all(untouched(pod) for pod in namespace.pods()) and len(namespace.pods()) == 2
    said = audit.creation(plane, namespace.name, "misfit")
    assert said[f"{SHADOW}/mode"] == "shadow" and said[f"{SHADOW}/reason"] == "bad_index"


def test_the_match_conditions(release, namespace):
    """Stored as rendered; they let Pods through with chips, claims or our annotations, and no others."""
    stored = namespace.api.get(*CONFIGURATION, release.configuration)
    assert [one["matchConditions"] for one in stored["webhooks"]] == [one["matchConditions"] for one in release.rendered["webhooks"]]
    sent = {"chips": chips_in("containers"), "chips-at-first": chips_in("initContainers"), "claim": with_claim, "ours": with_annotation}
    for name, edit in sent.items():
        pod = web(name)
        edit(pod)
        before = len(release.reviews(namespace.name))
        namespace.api.create(namespace.here(pod), dry_run=True)
        assert wait_for(name, lambda: len(release.reviews(namespace.name)) == before + 1, 5, every=0.02)
    before = len(release.reviews(namespace.name))
    for name, edit in {"plain": lambda pod: None, "gpu": with_gpu, "others": with_others_annotation}.items():
        pod = web(name)
        edit(pod)
        namespace.create(pod)
    namespace.create(member("last", 0))
    wait_for("the last", lambda: len(release.reviews(namespace.name)) > before, 5, every=0.02)
    assert len(release.reviews(namespace.name)) == before + 1


def test_conditions_that_do_not_compile_are_refused(release, namespace):
    """An API server that knows no such field would say so when the chart is installed, not at the first Pod."""
    broken = copy.deepcopy(release.rendered)
    broken["metadata"]["name"] = f"{NAME}-broken"
    broken["webhooks"][0]["matchConditions"][0]["expression"] = "object.spec.containers.exists("
    with pytest.raises(Refused, match="compilation failed"):
        namespace.api.create(broken, dry_run=True)


def test_only_creation_is_sent(release, namespace):
    """Labels, status, eviction, attaching, an ephemeral container, deletion: none of them waits for us."""
    namespace.create(member("one", 0))
    kubectl = namespace.kubectl
    assert kubectl("label", "pod", "one", "color=blue").returncode == 0
    assert kubectl("annotate", "pod", "one", "tpu-webhook.dev/inject=false").returncode == 0
    assert kubectl("patch", "pod", "one", "--subresource=status", "-p", '{"status":{"reason":"Test"}}').returncode == 0
    assert kubectl("debug", "one", "--image=i", "--attach=false").returncode == 0
    (debugger,) = namespace.get("v1", "Pod", "one")["spec"]["ephemeralContainers"]
    assert "env" not in debugger
    attached = kubectl("attach", "one", "--request-timeout=5s").stderr
    assert "webhook" not in attached, attached
    assert kubectl("delete", "pod", "one", "--wait=false").returncode == 0
    namespace.create(member("two", 1))
    wait_for("its review", lambda: len(release.reviews(namespace.name)) > 1, 5, every=0.02)
    assert len(release.reviews(namespace.name)) == 2


# -- the configuration as an object -------------------------------------------------------------


def test_a_changed_configuration_is_followed(release, namespace):
    """An administrator narrows the rules to nothing that happens, and takes it back."""
    def operations(names):
        changed = namespace.api.get(*CONFIGURATION, release.configuration)
        for one in changed["webhooks"]:
            one["rules"][0]["operations"] = names
        namespace.api.patch(*CONFIGURATION, release.configuration, {"webhooks": changed["webhooks"]})

    operations(["UPDATE"])
    try:
        release.wait_called(False)
        assert untouched(namespace.create(member("meanwhile", 0)))
    finally:
        operations(["CREATE"])
        release.wait_called()
    assert injected(namespace.create(member("afterwards", 0)))


def test_listed_and_deleted_by_label(release, namespace):
    """`kubectl get` and `kubectl delete` with the chart's labels find it; then we are not called."""
    labels = f"app.kubernetes.io/name={NAME},app.kubernetes.io/instance={NAME}"
    what = ("mutatingwebhookconfigurations", "-l", labels)
    assert namespace.kubectl("get", *what, "-oname").stdout.split()[-1].endswith(f"/{release.configuration}")
    with release.absent():
        assert namespace.kubectl("get", *what, "-oname").stdout == ""
        assert untouched(namespace.create(member("meanwhile", 0)))
    assert namespace.kubectl("delete", *what, "--dry-run=server", "-oname").stdout.split()[-1].endswith(release.configuration)


# -- Pods ---------------------------------------------------------------------------------------


def of_jobset(name, job_index, replicas):
    """Host 0 of slice `job_index` of a JobSet of `replicas` slices of 2x4."""
    prefix = "jobset.sigs.k8s.io/"
    pod = member(name, 0, job=f"set-w-{job_index}")
    pod["metadata"]["labels"] |= {prefix + "jobset-name": "set", prefix + "replicatedjob-name": "w", prefix + "job-index": str(job_index),
                                  prefix + "replicatedjob-replicas": str(replicas), prefix + "restart-attempt": "0"}
    pod["metadata"]["annotations"] = {key: value for key, value in pod["metadata"]["labels"].items() if key.startswith(prefix)}
    pod["spec"]["subdomain"] = "set"
    return pod


def chips_in(kind):
    def edit(pod):
        pod["spec"][kind] = [*pod["spec"].get(kind, []), container("tpu", 4)]
    return edit


def with_claim(pod):
    pod["spec"]["resourceClaims"] = [{"name": "tpu", "resourceClaimName": "tpu"}]


def with_annotation(pod):
    pod["metadata"]["annotations"] = {"tpu-webhook.dev/worker-id": "0"}


def with_others_annotation(pod):
    pod["metadata"]["annotations"] = {"tpu-webhook.development/worker-id": "0"}


def with_gpu(pod):
    pod["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "1"}}


def keep_to_restricted(pod):
    pod["spec"]["securityContext"] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    for one in pod["spec"]["containers"]:
        one["securityContext"] = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def said_of(namespace, pods):
    """What PodSecurity says of each when it is created, by name; nothing where it says nothing of any."""
    found = {pod["metadata"]["name"]: [line for line in golden.kubectl_create(namespace, pod, "--dry-run=server").splitlines()
                                       if "PodSecurity" in line] for pod in pods}
    return found if any(found.values()) else None


def two(found):
    return found if len(found) == 2 else None


def without_tokens(pod):
    """The spec without the token's volume, whose name is another each time."""
    spec = copy.deepcopy(pod["spec"])
    spec.pop("volumes")
    for one in spec["containers"]:
        one.pop("volumeMounts")
    return spec


def as_first_written(pod, name):
    """What is left of a stored Pod when the server's own fields are taken off."""
    kept = {key: pod["metadata"][key] for key in ("labels", "annotations", "namespace") if key in pod["metadata"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**kept, "name": name}, "spec": pod["spec"]}


def reads(namespace, name, pod):
    """What `kubectl create` of this Pod prints is golden/NAME.txt."""
    golden.reads(name, golden.kubectl_create(namespace, pod))


def failures(events):
    """The first line, and each FailedCreate once."""
    lines = events.splitlines()
    found = [line.rstrip() for line in lines if "FailedCreate" in line]
    return "\n".join([lines[0].rstrip(), *sorted(set(found)), ""]) if found else ""


# -- upstream's list ----------------------------------------------------------------------------

# kubernetes/kubernetes test/e2e/apimachinery/webhook.go, `[sig-api-machinery] AdmissionWebhook`, of
# 1.36: every test, with the cases that tell the same about a webhook that changes Pods when they
# are created. A text says why a test has no like here.
CONFORMANCE = {
    "should include webhook resources in discovery documents": "of the API server alone; the chart could not be installed else",
    "should be able to deny pod and configmap creation": (
        test_a_completion_index_out_of_range_is_denied, test_excluded_namespaces, test_failure_policy.test_fail_refuses_tpu_pods_alone),
    "should be able to deny attaching pod": (test_only_creation_is_sent,),
    "should be able to deny custom resource creation, update and deletion": (
        test_validation.test_a_wrong_raycluster_is_refused_with_all_that_is_wrong,
        test_validation.test_an_update_that_makes_it_wrong_is_refused),
    "should unconditionally reject operations on fail closed webhook": (test_failure_policy.test_fail_refuses_tpu_pods_alone,),
    "should mutate configmap": (
        test_reinvocation.test_a_topology_filled_in_before_us, test_reinvocation.test_a_topology_filled_in_after_us),
    "should mutate pod and apply defaults after mutation": (test_reinvocation.test_a_container_added_after_us_gets_its_place,),
    "should not be able to mutate or prevent deletion of webhook configuration objects": (
        test_failure_policy.test_the_configuration_can_be_removed_while_the_webhook_is_down,),
    "should mutate custom resource": "custom resources are checked, not changed",
    "should deny crd creation": "definitions are not sent to us",
    "should mutate custom resource with different stored version": "custom resources are checked, not changed",
    "should mutate custom resource with pruning": "custom resources are checked, not changed",
    "should honor timeout": (
        test_failure_policy.test_fail_refuses_tpu_pods_alone, test_failure_policy.test_ignore_lets_tpu_pods_through,
        test_failure_policy.test_late_but_in_time),
    "patching/updating a validating webhook should work": (test_validation.test_validation_can_be_switched_off,),
    "patching/updating a mutating webhook should work": (test_a_changed_configuration_is_followed,),
    "listing validating webhooks should work": (test_validation.test_validation_can_be_switched_off,),
    "listing mutating webhooks should work": (test_listed_and_deleted_by_label,),
    "should be able to create and update validating webhook configurations with match conditions": (
        test_validation.test_servers_without_tpus_are_not_sent, test_validation.test_an_update_that_makes_it_wrong_is_refused),
    "should be able to create and update mutating webhook configurations with match conditions": (
        test_the_match_conditions, test_a_changed_configuration_is_followed),
    "should reject validating webhook configurations with invalid match conditions": "as of mutating ones, by the same code",
    "should reject mutating webhook configurations with invalid match conditions": (test_conditions_that_do_not_compile_are_refused,),
    "should mutate everything except 'skip-me' configmaps": (test_the_match_conditions,),
}


def test_upstreams_conformance_list(picture):
    """Each test that concerns us names cases, and stories.txt has them all."""
    listed = set(report.listed()[0])
    lines = []
    for name, cases in CONFORMANCE.items():
        if isinstance(cases, str):
            lines.append(f"  {name}\n      not ours: {cases}")
            continue
        ids = [f"{case.__module__}.py::{case.__name__}" for case in cases]
        assert listed >= set(ids), f"{name}: not in stories.txt: {sorted(set(ids) - listed)}"
        lines += [f"  {name}", *(f"      {one}" for one in ids)]
    picture("upstream's conformance tests of admission webhooks", "\n".join(lines))
