"""Chips by resource claim (DRA) on real nodes: whose value wins inside of a container, and what of it a slice survives.

The driver is the tests' own (controlplane/modules/nodes/driver): it writes what the TPU DRA driver writes
(docs/facts.md#dra), and whatever a case adds.
"""

import pytest
from test_values import CDI, DEVICE, pod, shown, value

from controlplane.real.node import dra_driver

TEMPLATE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "chips"},
            "spec": {"spec": {"devices": {"requests": [{"name": "tpu", "exactly": {"deviceClassName": "tpu.google.com", "count": 4}}]}}}}
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
