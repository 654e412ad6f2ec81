"""Story 8: objects whose slices could never start, as their author reads it: golden/*.txt, to the letter."""

import pathlib
import sys

import pytest

from harness import golden
from harness.api import Refused, wait_for
from harness.namespace import manifest
from harness.release import NAME

RAY = ("ray.io/v1", "RayCluster")
FINDINGS = pathlib.Path(__file__).resolve().parents[1] / "golden/findings"
sys.path.append(str(FINDINGS.parents[1] / "support"))
import golden_manifests  # noqa: E402

SHADOWED = {"metadata": {"labels": {"tpu-webhook.dev/mode": "shadow"}}}
ENFORCED = {"metadata": {"labels": {"tpu-webhook.dev/mode": None}}}


def ray_cluster(**hosts):
    """The guide's RayCluster with a worker group for each of these, none of which has a replica."""
    (cluster,) = manifest("raycluster.yaml")
    (group,) = cluster["spec"]["workerGroupSpecs"]
    cluster["spec"]["workerGroupSpecs"] = [
        {**group, "groupName": name, "numOfHosts": number, "replicas": 0} for name, number in hosts.items()]
    return cluster


def jobset(*sizes):
    """The guide's JobSet, not in a queue, with a replicated job for each (completions, parallelism, topology)."""
    (js,) = [obj for obj in manifest("jobset-multislice.yaml") if obj["kind"] == "JobSet"]
    del js["metadata"]["labels"]
    (pod,) = [job["template"]["spec"]["template"] for job in js["spec"]["replicatedJobs"]]
    pod["spec"]["containers"][0]["command"] = ["sleep", "1"]
    js["spec"]["suspend"] = True
    js["spec"]["replicatedJobs"] = [
        {"name": f"slice-{number}", "template": {"spec": {"completions": completions, "parallelism": parallelism,
                                                          "template": {"spec": {**pod["spec"], "nodeSelector": {
                                                              **pod["spec"]["nodeSelector"],
                                                              "cloud.google.com/gke-tpu-topology": topology}}}}}}
        for number, (completions, parallelism, topology) in enumerate(sizes)]
    return js


# Manifests of tests/golden/findings with one fault each: one of each kind that no other case here creates.
WRONG = ("TPU-407-three-of-four", "TPU-409-three-replicas", "TPU-410-deployment", "TPU-410-cron-job")


def checks(release, namespace):
    return [line["reason"] for line in release.checks(namespace.name)]


def test_a_wrong_raycluster_is_refused_with_all_that_is_wrong(release, namespace):
    text = golden.kubectl_create(namespace, ray_cluster(whole=4, short=2, long=8))
    golden.reads("refused-raycluster", text)
    assert not namespace.get(*RAY, "tpu-cluster")


def test_a_wrong_jobset_is_refused_with_all_that_is_wrong(release, namespace):
    text = golden.kubectl_create(namespace, jobset((2, 2, "4x4"), (4, 4, "4x4"), (4, 2, "4x4"), (2, 2, "3x3")))
    golden.reads("refused-jobset", text)


def test_a_wrong_rayjob_is_refused_before_its_cluster_is(release, namespace):
    (job,) = manifest("rayjob.yaml")
    job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0]["numOfHosts"] = 3
    golden.reads("refused-rayjob", golden.kubectl_create(namespace, job))


def test_a_doubtful_job_is_warned_of(release, namespace):
    (job,) = [obj for obj in manifest("job-2x4.yaml") if obj["kind"] == "Job"]
    job["spec"].update(completions=1, parallelism=1, suspend=True)
    golden.reads("warned-job", golden.kubectl_create(namespace, job))


def test_wrong_manifests_as_their_author_reads_them(release, namespace):
    """A dry run asks the webhooks as well."""
    for name in WRONG:
        (obj,) = golden_manifests.objects_of(FINDINGS / f"{name}.yaml")
        golden.reads(f"wrong-{name}", golden.kubectl_create(namespace, obj, "--dry-run=server"))


def test_servers_without_tpus_are_not_sent(release, namespace):
    """The conditions of the entry let a Deployment, a StatefulSet or a CronJob through that asks for TPUs, and no other."""
    for name in ("right/deployment-cpu", "right/job-cpu", "TPU-410-deployment", "TPU-409-three-replicas", "TPU-410-cron-job"):
        (obj,) = golden_manifests.objects_of(FINDINGS / f"{name}.yaml")
        namespace.create(obj)
    wait_for("the three", lambda: len(checks(release, namespace)) >= 3, 5, every=0.02)
    assert sorted(line["owner"] for line in release.checks(namespace.name)) == [
        "CronJob/nightly", "Deployment/serve", "StatefulSet/serve"]


def test_an_update_that_makes_it_wrong_is_refused(release, namespace):
    """And nobody asks about what changes nothing of the specification: labels, status, finalizers."""
    namespace.create(ray_cluster(tpu=4))
    wait_for("its check", lambda: checks(release, namespace) == ["checked"], 5, every=0.02)
    assert namespace.kubectl("label", "raycluster", "tpu-cluster", "color=blue").returncode == 0
    wrong = '[{"op": "replace", "path": "/spec/workerGroupSpecs/0/numOfHosts", "value": 2}]'
    refused = namespace.kubectl("patch", "raycluster", "tpu-cluster", "--type=json", "-p", wrong)
    assert refused.returncode != 0 and "worker group tpu: numOfHosts is 2" in refused.stderr, refused
    # Twice where KubeRay wrote the status meanwhile: the API server then patches anew, and asks again.
    wait_for("the refusal", lambda: checks(release, namespace) in (["checked", *["never_works"] * n] for n in (1, 2)), 5, every=0.02)


def test_what_was_wrong_before_can_be_changed_and_deleted(release, namespace):
    """A shadowed namespace takes it with a warning; out of the shadow it can still be worked on."""
    namespace.api.patch("v1", "Namespace", namespace.name, SHADOWED)
    wrong = ray_cluster(short=2)
    wait_for("the label to be seen", lambda: tried(namespace, wrong), 10)
    golden.reads("shadow-raycluster", golden.kubectl_create(namespace, wrong))
    namespace.api.patch("v1", "Namespace", namespace.name, ENFORCED)
    wait_for("the label to go", lambda: not tried(namespace, {**wrong, "metadata": {"name": "other"}}), 10)
    more = '[{"op": "replace", "path": "/spec/workerGroupSpecs/0/maxReplicas", "value": 5}]'
    changed = namespace.kubectl("patch", "raycluster", "tpu-cluster", "--type=json", "-p", more)
    assert changed.returncode == 0 and "the object was already like this: worker group short: numOfHosts is 2" in changed.stderr, changed
    assert namespace.kubectl("delete", "raycluster", "tpu-cluster", "--timeout=20s").returncode == 0


def test_validation_can_be_switched_off(release, namespace):
    listed = ("get", "validatingwebhookconfigurations", "-l", f"app.kubernetes.io/name={NAME}", "-oname")
    assert namespace.kubectl(*listed).stdout.split() == [f"validatingwebhookconfiguration.admissionregistration.k8s.io/{NAME}"]
    with release.reinstalled({"validation": False}):
        assert tried(namespace, ray_cluster(short=2))
        assert namespace.kubectl(*listed).stdout == ""
    with pytest.raises(Refused):
        namespace.api.create(namespace.here(ray_cluster(short=2)), dry_run=True)


def tried(namespace, obj):
    """Whether a dry run of its creation is allowed."""
    try:
        return namespace.api.create(namespace.here(obj), dry_run=True)
    except Refused:
        return None
