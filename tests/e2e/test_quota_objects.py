"""Story: who may hold how many chips, by the objects that `kubectl tpu policy --quota` prints, applied as printed."""

import contextlib
import subprocess

import pytest

from controlplane import programs
from harness.api import wait_for
from harness.by_claim import CLAIMS, template
from harness.namespace import manifest

KUEUE = "kueue.x-k8s.io/v1beta2"


@pytest.fixture
def kubectl(plane):
    def run(*arguments, text):
        done = subprocess.run([programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig), *arguments, "-f", "-"], input=text,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr}\n{text}"
        return done.stdout

    return run


@pytest.fixture
def printed(tools, namespace):
    """printed("12,tpu-v6e-slice", "--quota-of", "kueue"): of this case's namespace."""
    def run(share, *more):
        return subprocess.run([tools, "policy", "--quota", f"{namespace.name}={share}", *more], capture_output=True, text=True,
                              check=True).stdout

    return run


@pytest.fixture
def applied(kubectl, api, namespace):
    """applied(text): while this holds the objects are there, and a ResourceQuota is counted."""
    @contextlib.contextmanager
    def hold(text):
        kubectl("apply", "--validate=strict", text=text)
        try:
            if "ResourceQuota" in text:
                wait_for("the quota to be counted", lambda: namespace.get("v1", "ResourceQuota", "tpu").get("status", {}).get("used"), 20)
            yield
        finally:
            namespace.empty()
            kubectl("delete", "--wait=false", text=text)

    return hold


def pod(name: str) -> dict:
    container = {"name": "c", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}}}
    selector = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"nodeSelector": selector, "containers": [container]}}


def claim(name: str) -> dict:
    return {"apiVersion": CLAIMS, "kind": "ResourceClaim", "metadata": {"name": name}, "spec": template("t", 4)["spec"]["spec"]}


def test_the_objects_are_taken_as_they_are_printed(kubectl, printed):
    for share in "64", "64,tpu-v6e-slice", "0":
        told = kubectl("apply", "--dry-run=server", "--validate=strict", text=printed(share))
        assert told.count("created (server dry run)") == 4, told


def test_what_is_over_the_quota_is_refused(namespace, api, printed, applied):
    """Chips that Pods ask for, and chips by claim: each up to the number."""
    with applied(printed("8", "--quota-of", "kubernetes")):
        for make in pod, claim:
            for name in "a", "b":
                namespace.create(make(name))
            refused, text = api.told(namespace.here(make("c")))
            assert refused and "exceeded quota: tpu" in text and "limited" in text, text


def four_hosts(namespace, **labels) -> None:
    """A Job of a slice of 16 chips."""
    service, job = manifest("job-4x4.yaml")
    namespace.create(service)
    job["metadata"].setdefault("labels", {}).update(labels)
    namespace.create(job)


def test_a_resource_quota_lets_a_part_of_a_slice_begin(namespace, printed, applied):
    """It counts Pods: of the four of a slice it lets three be made, which hold their chips. The page says so."""
    with applied(printed("12", "--quota-of", "kubernetes")):
        four_hosts(namespace)
        wait_for("Pods", lambda: len(namespace.pods()) == 3, 30)
        assert len(namespace.quiet(3, limit=20)) == 3, namespace.table()


def test_kueue_begins_a_slice_whole_or_not_at_all(namespace, api, kubectl, printed, applied):
    kueue = "--quota-of", "kueue"
    with applied(printed("12,tpu-v6e-slice", *kueue)):
        four_hosts(namespace, **{"kueue.x-k8s.io/queue-name": "tpu"})

        def reserved():
            for one in api.list(KUEUE, "Workload", namespace.name):
                for condition in one.get("status", {}).get("conditions", []):
                    if condition["type"] == "QuotaReserved":
                        return condition["status"], condition.get("message", "")
            return None

        status, why = wait_for("Kueue's answer", reserved, 30)
        assert status == "False" and "google.com/tpu" in why, why
        assert not namespace.quiet(2, limit=10), "Pods of a Job that waits"
        kubectl("apply", "--validate=strict", text=printed("16,tpu-v6e-slice", *kueue))
        wait_for("all Pods", lambda: len(namespace.pods()) == 4, 60)
