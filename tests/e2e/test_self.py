"""The suite fails when it should, and its relay does what a Service does.

The stories themselves are told again, word for word, while something stands between API server and
program that spoils one thing; each must be the story that notices, by the complaint named.
"""

import pathlib
import signal

import pytest
import test_first_training
import test_multislice
import test_ray
import yaml

from harness import pools
from harness.api import Refused, wait_for
from harness.namespace import manifest
from harness.release import CONFIGURATION
from harness.tamper import tampering


def swapped(text, old, new):
    """Every string of a JSON value, changed."""
    if isinstance(text, dict):
        return {key: swapped(value, old, new) for key, value in text.items()}
    if isinstance(text, list):
        return [swapped(value, old, new) for value in text]
    return text.replace(old, new) if isinstance(text, str) else text


def worker_id(request, patch):
    """Worker 1 of slice 0 says that it is worker 2."""
    if not request["object"]["spec"].get("hostname", "").endswith("slice-0-1"):
        return patch
    return [_with_id(operation, "2") for operation in patch]


def subdomain(request, patch):
    """One letter of the Service's name is missing, everywhere alike."""
    return swapped(patch, "tpu-cluster-headless", "tpu-cluster-headles")


def first_job_id(request, patch):
    """Both workers say that they are worker 0."""
    return [_with_id(operation, "0") for operation in patch]


def outside(request, patch):
    """A member of an object that does not exist."""
    return [*patch, {"op": "add", "path": "/spec/overheadOfOurs/chips", "value": "4"}]


def test_a_wrong_worker_id_in_a_jobset(release, namespace, api, picture):
    with pools.only(api, *test_multislice.TWO_POOLS), tampering(release, worker_id):
        namespace.apply("jobset-multislice.yaml", edit=test_multislice.not_queued)
        pods = namespace.running(8)
        with pytest.raises(AssertionError) as caught:
            test_multislice.one_job_on_two_pools(namespace, pods)
        complaints = test_multislice.jax_complaints(namespace, pods)
    assert "'2' == '1'" in str(caught.value)
    assert any("process ids are [0, 2, 2, 3, 4, 5, 6, 7]" in complaint for complaint in complaints), complaints
    picture("noticed: worker 1 says it is worker 2", f"  JAX: {complaints[0]}")


def test_a_wrong_worker_id_in_the_first_job(release, namespace):
    with tampering(release, first_job_id), pytest.raises(AssertionError, match="'0' == '1'"):
        test_first_training.test_two_hosts_train_as_one(release, namespace)


def test_a_wrong_subdomain(release, namespace, picture):
    with tampering(release, subdomain), pytest.raises(AssertionError, match="does not resolve|coordinator") as caught:
        test_ray.test_two_slices_are_one_cluster(release, namespace)
    picture("noticed: a subdomain without its last letter", f"  {caught.value}"[:300])


def test_a_patch_outside_an_existing_parent(release, namespace, picture):
    """The API server refuses to apply it, and the Job has no Pod."""
    namespace.apply("job-2x4.yaml")  # before, so that what is told next is about the same template
    namespace.running(2)
    namespace.empty()
    with tampering(release, outside):
        namespace.apply("job-2x4.yaml")
        refused = wait_for("the Job's event", lambda: [
            event["message"] for event in namespace.api.list("v1", "Event", namespace.name)
            if event["reason"] == "FailedCreate"], 20)[0]
        assert "doc is missing path" in refused, refused
        assert not namespace.pods()
        (job,) = [obj for obj in manifest("job-2x4.yaml") if obj["kind"] == "Job"]
        with pytest.raises(Refused, match="doc is missing path"):
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": namespace.name}}
            namespace.api.create({**pod, "spec": job["spec"]["template"]["spec"]})
    picture("noticed: a patch outside an existing parent", f"  {refused}"[:300])


def test_the_relay_is_a_service(release, namespace):
    """Connections go round the ready replicas; one that is killed or leaves gets no more."""
    release.scale(3)
    try:
        release.route(cut=True)
        release.wait_ready()
        start = release.relay()["total"]
        for _ in range(6):
            release.route(cut=True)  # the API server makes one new connection for each review
            release.wait_called()
        now = release.relay()["total"]
        assert all(now[one.name] > start.get(one.name, 0) for one in release.replicas), now
        first, second, third = release.replicas
        second.kill()
        release.wait_ready([first.name, third.name])
        third.signal(signal.SIGTERM)
        release.wait_ready([first.name])  # not ready at once, though it serves on
        assert third.alive()
        release.wait_called()
        assert third.wait_exit() == 0
        for one in (second, third):
            one.start()
        release.wait_ready()
    finally:
        release.scale(1)


def test_the_chart_is_installed_anew_with_other_values(release, namespace, api):
    """What the next stories stand on: other values reach the API server and the program."""
    values = {"replicas": 2, "failurePolicy": "Ignore", "config": {"mode": "enforce", "basePort": 9471, "perWorkload": {"lws": {"placement": False}}}}
    with release.reinstalled(values):
        configuration = api.get(*CONFIGURATION, release.configuration)
        assert configuration["webhooks"][0]["failurePolicy"] == "Ignore"
        assert len(release.replicas) == len(release.relay()["ready"]) == 2
        mounted = yaml.safe_load((release.mounts["/config"] / "config.json").read_text(encoding="utf-8"))
        assert mounted.items() >= values["config"].items()
        (file,) = [argument.partition("=")[2] for argument in release.replicas[0].command() if argument.startswith("--config=")]
        copied = yaml.safe_load(pathlib.Path(file).read_text(encoding="utf-8"))
        assert {key for key in mounted if mounted[key] != copied[key]} == {"listen", "healthListen", "metricsListen", "tls"}
    assert api.get(*CONFIGURATION, release.configuration)["webhooks"][0]["failurePolicy"] == "Fail"


def _with_id(operation, value):
    """The operation, in which TPU_WORKER_ID has this value, wherever it is set."""
    entries = operation.get("value")
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict) and entry.get("name") == "TPU_WORKER_ID":
            entry["value"] = value
    return operation
