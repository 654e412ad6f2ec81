"""Chips by resource claim (DRA) on real nodes: whose value wins inside of a container, and what of it a slice survives.

The driver is the tests' own (controlplane/modules/nodes/driver): it writes what the TPU DRA driver writes
(docs/facts.md#dra), and whatever a case adds.
"""

import json
import subprocess
import time

import pytest
from test_values import CDI, DEVICE, pod, shown, value

from controlplane.nodes import Pool
from controlplane.real import node
from controlplane.real.node import dra_driver
from harness import by_claim, training
from harness.api import wait_for
from harness.namespace import manifest
from harness.pods import env_of

TEMPLATE = by_claim.template("chips", 4)
CLAIMED = Pool("claimed", "ct5lp-hightpu-4t", "2x4")  # no other pool is of v5e
TAINTED = {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}


@pytest.fixture(scope="module")
def device_class(api):
    made = api.create(dra_driver.DEVICE_CLASS)
    yield made
    api.delete(made["apiVersion"], made["kind"], made["metadata"]["name"])


@pytest.fixture
def host(machines, device_class, namespace):
    """A host of slice-a whose driver does what a case says; its device plugin is there too."""
    one = machines["slice-a"][0]
    one.know(CDI)
    namespace.create(TEMPLATE)
    yield one
    one.offer()


def claiming(host, env=(), limit=False) -> dict:
    """A Pod that has a claim; `limit`: and asks the device plugin too."""
    made = pod(host, env)
    made["spec"].update(tolerations=[TAINTED], resourceClaims=[{"name": "chips", "resourceClaimTemplateName": "chips"}])
    resources = made["spec"]["containers"][0]["resources"]
    resources["claims"] = [{"name": "chips"}]
    if not limit:
        del resources["limits"]
    return made


def test_a_claim_over_the_pod_over_the_image(release, namespace, host):
    """A driver's edits have the last word, and so has a value of it that we would write."""
    host.drive({"WHO": "driver", "FROM_DRIVER": "yes", "LANG": "driver"})
    said = shown(namespace, claiming(host, [value("WHO", "pod"), value("TPU_TOPOLOGY", "pod"), value("TPU_WORKER_ID", "1")]))
    assert said["WHO"] == "driver" and said["FROM_DRIVER"] == "yes"
    assert said["LANG"] == "driver", "the image says C.UTF-8"
    assert said["TPU_TOPOLOGY"] == "2x4", "what the driver takes the node's to be"
    assert said["TPU_WORKER_ID"] == "1", "on a host of two it writes none"


def test_a_claim_over_the_device_plugin(release, namespace, host):
    """Of both, the driver's edits; of a CDI device of either, the device plugin's, which comes later."""
    host.offer({"WHO": "plugin", "FROM_PLUGIN": "yes"})
    host.drive({"WHO": "driver"})
    said = shown(namespace, claiming(host, limit=True))
    assert said["WHO"] == "driver" and said["FROM_PLUGIN"] == "yes"


def test_a_device_plugins_cdi_over_a_claims(release, namespace, host):
    host.offer(cdi=[DEVICE])
    host.drive({"WHO": "driver"})
    assert shown(namespace, claiming(host, [value("WHO", "pod")], limit=True))["WHO"] == "cdi"


def test_an_empty_value_is_none_to_a_driver(release, namespace, host):
    """What opts out of a device plugin's variable opts out of nothing here."""
    host.drive({"WHO": "driver"})
    assert shown(namespace, claiming(host, [value("WHO", "")]))["WHO"] == "driver"


def test_a_reference_meets_no_variable_of_a_driver(release, namespace, host):
    host.drive({"FROM_DRIVER": "yes"})
    said = shown(namespace, claiming(host, [value("A", "$(FROM_DRIVER)"), value("B", "$(TPU_TOPOLOGY)")]))
    assert [said[name] for name in "AB"] == ["$(FROM_DRIVER)", "$(TPU_TOPOLOGY)"]


def test_a_host_that_is_taken_for_a_slice(release, namespace, host):
    """Where nothing tells the driver the topology, a host of two becomes worker 0 of one, whatever the Pod says."""
    host.drive(topology="2x2")
    env = [value("TPU_WORKER_ID", "1"), value("TPU_WORKER_HOSTNAMES", "a.svc,b.svc"), value("TPU_PROCESS_BOUNDS", "pod")]
    said = shown(namespace, claiming(host, env))
    assert (said["TPU_WORKER_ID"], said["TPU_WORKER_HOSTNAMES"], said["TPU_TOPOLOGY"]) == ("0", "localhost", "2x2")
    assert said["TPU_PROCESS_BOUNDS"] == "pod"


# -- a slice whose chips are a driver's ----------------------------------------------------------


@pytest.fixture(scope="module")
def claimed(plane, release):
    """Two hosts of a slice whose chips no device plugin offers."""
    hosts = node.start(plane, [CLAIMED], first=40, claims=True)
    yield hosts
    for one in hosts:
        one.remove()


@pytest.fixture
def by_name(api, device_class):
    """google.com/tpu is the driver's: Pods ask for it as ever, and the scheduler makes their claims."""
    which = "resource.k8s.io/v1", "DeviceClass", device_class["metadata"]["name"]
    api.patch(*which, {"spec": {"extendedResourceName": "google.com/tpu"}})
    yield
    api.patch(*which, {"spec": {"extendedResourceName": None}})


def on_v5e(obj):
    training.training(obj)
    if obj["kind"] == "Job":
        obj["spec"]["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-accelerator"] = "tpu-v5-lite-podslice"


def and_stays(obj):
    on_v5e(obj)
    if obj["kind"] == "Job":
        obj["spec"]["template"]["spec"]["containers"][0]["command"][-1] += "\nimport signal; signal.pause()\n"


def audited(tools, plane, namespace) -> dict:
    command = [tools, "audit", "--kubeconfig", plane.kubeconfig, "--namespace", namespace.name, "--output", "json"]
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert answer.returncode in (0, 1), answer.stderr
    return json.loads(answer.stdout)


def served(namespace, count: int) -> list:
    """The Pods, once the containers of so many run, each with a claim that the scheduler has made."""
    pods = namespace.running(count)
    assert all(pod["status"]["extendedResourceClaimStatus"]["requestMappings"] for pod in pods)
    return pods


def test_a_job_served_by_a_driver_trains(namespace, claimed, by_name, tools, plane, picture):
    """google.com/tpu by DeviceClass: the Job of the guide as it is, injected as ever; the driver knows the topology."""
    for one in claimed:
        one.drive()
    began = time.monotonic()
    namespace.apply("job-2x4.yaml", edit=and_stays)
    served(namespace, 2)
    found = audited(tools, plane, namespace)
    words = said_so_far(namespace)
    picture("a Job whose chips a driver of claims serves", f"  {time.monotonic() - began:.1f} s: {words[0].line[:120]}")
    assert not training.trained_as_one(words)
    assert not found["findings"] and not [line for line in found["notKnown"] if "driver" in line], found


def test_a_driver_that_contradicts_is_found(namespace, claimed, by_name, tools, plane, picture):
    """Each host is worker 0 of its own: nobody meets anybody, and audit says so while they run."""
    for one in claimed:
        one.drive(topology="2x2")
    namespace.apply("job-2x4.yaml", edit=and_stays)
    served(namespace, 2)
    found = audited(tools, plane, namespace)
    words = said_so_far(namespace)
    (one,) = found["findings"]
    picture("a driver that takes two hosts for two slices", f"  audit: {one['check']}: {one['what']}\n  Pod 0: {words[0].line[:120]}")
    assert (one["check"], one["severity"], len(one["pods"])) == ("driver-differs", "error", 2)
    assert training.trained_as_one(words), "it trains: this story shows nothing"


@pytest.fixture(scope="module")
def reading(release):
    """The server reads claims."""
    release.upgrade({"config": {"mode": "enforce", "claims": True}})
    yield release
    release.upgrade({})


@pytest.mark.parametrize("taken_for", ("2x4", "2x2"))
def test_a_job_by_claim(reading, namespace, claimed, device_class, tools, plane, picture, taken_for):
    """The guide's Job by claim, its template applied behind it: its Pods train as one where the driver knows the slice. Where
    it takes each host for one of its own, `explain` says so before and audit while they run; they say nothing, and do not fail."""
    for one in claimed:
        one.drive(topology=taken_for)
    service, job = manifest("job-2x4.yaml")
    and_stays(job)
    template = job["spec"]["template"]
    template["spec"] = by_claim.converted(template["spec"], lambda _: TEMPLATE["metadata"]["name"])
    template["spec"].setdefault("tolerations", []).append(TAINTED)
    before = explained(tools, plane, namespace, [service, job, TEMPLATE])
    began = time.monotonic()
    for obj in service, job, TEMPLATE:
        namespace.create(obj)
    pods = namespace.running(2)
    assert {env_of(one)["TPU_WORKER_ID"] for one in pods} == {"0", "1"}
    assert not [one for one in pods if "extendedResourceClaimStatus" in one["status"]]
    found, at = audited(tools, plane, namespace), time.monotonic() - began
    words = said_so_far(namespace)
    wrong = training.trained_as_one(words)
    picture(f"a Job by claim, whose driver takes its hosts for {taken_for}",
            f"  explain before: {before['sentence']}\n  Pod 0: {words[0].line[:100]}\n"
            f"  audit after {at:.1f} s: {[one['what'] for one in found['findings']]}")
    if taken_for == "2x4":
        assert not wrong and not found["findings"], found
        assert before["verdict"] == "forms", before
    else:
        assert wrong and [one["check"] for one in found["findings"]] == ["driver-differs"], found
        assert [one["cause"] for one in before["waits"]] == ["driver"], before


def explained(tools, plane, namespace, objects: list) -> dict:
    """What `explain` says of the Job on this cluster, before it is applied."""
    text = "---\n".join(json.dumps(obj) + "\n" for obj in objects)
    command = [tools, "explain", "-", "--cluster", "--kubeconfig", plane.kubeconfig, "--namespace", namespace.name, "--output", "json"]
    answer = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)["workloads"][0]["outlook"]


def said_so_far(namespace) -> list:
    """Of each container, once it has said how it went."""

    def all_said():
        said = [training.said(namespace, pod, pod["status"]["containerStatuses"][0]) for pod in namespace.pods()]
        return said if len(said) == 2 and all(one.answer for one in said) else None

    return sorted(wait_for("what both containers say", all_said, training.SECONDS, every=0.5), key=lambda one: one.pod)
