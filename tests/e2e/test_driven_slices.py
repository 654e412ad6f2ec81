"""The seven slices of story 0 on nodes whose chips no device plugin offers: a driver of claims (DRA) has them.

Its ResourceSlices are what the TPU DRA driver publishes (../readers/dra_driver.py); the real scheduler allocates from them,
and nothing runs in the Pods. Pods ask for google.com/tpu, which the DeviceClass gives to the driver.
"""

import pytest

from controlplane import kube, nodes
from controlplane.nodes import Pool
from controlplane.real.node import dra_driver
from harness import pools, slices, training
from test_seven_slices import ALL, JOB, JOBSET, LWS, PODS, RAY, unqueued

COUNT = 7
OWN = "e2e.tpu-webhook.dev/slice"  # a label of whoever runs the cluster: which nodes are one slice
GKES = "cloud.google.com/"
DRIVEN = tuple(Pool(f"driven-{letter}", "ct6e-standard-4t", "4x4") for letter in "abcdefghijklmnop"[:COUNT])


@pytest.fixture
def driver(api):
    """google.com/tpu is the driver's, where no device plugin has it."""
    made = api.create({**dra_driver.DEVICE_CLASS, "spec": {**dra_driver.DEVICE_CLASS["spec"], "extendedResourceName": "google.com/tpu"}})
    yield made
    api.delete(made["apiVersion"], made["kind"], made["metadata"]["name"])


@pytest.fixture
def driven(plane, api, driver):
    """driven(labelled): seven slices of four hosts each, with GKE's labels or without one; all others take no Pods.

    A story names it before its namespace, which then goes first: a Pod whose node is gone is removed by the Pod garbage
    collector alone, which waits for 40 s first.
    """
    client, made = plane.client(), []

    def make(labelled: bool) -> None:
        objects = [one for pool in DRIVEN for number in range(pool.size()) for one in of_driver(pool, number, labelled)]
        made.extend(objects)
        client.create_all(objects, threads=16)

    with pools.only(api):
        yield make
    for one in made:
        client.request("DELETE", f"{kube.collection(one)}/{one['metadata']['name']}")


def of_driver(pool: Pool, number: int, labelled: bool) -> list:
    """A Node without the resource, and what the driver says of it. Without GKE's labels it reads its own ones."""
    one = nodes.node(pool, number)
    for which in "capacity", "allocatable":
        one["status"][which].pop(nodes.TPU, None)
    labels = one["metadata"]["labels"]
    known = {dra_driver.ACCELERATOR: "tpu-v6e-slice", dra_driver.TOPOLOGY: pool.topology}
    if not labelled:
        labels = {key: value for key, value in labels.items() if not key.startswith(GKES)}
        labels.update(known)
    one["metadata"]["labels"] = {**labels, OWN: pool.name}
    return [one, dra_driver.resource_slice(one["metadata"]["name"], labels, nodes.MACHINES[pool.machine].chips)]


def seen(namespace) -> list:
    by_node = {node["metadata"]["name"]: node["metadata"]["labels"].get(OWN, "") for node in namespace.api.nodes()}
    return slices.of(namespace.pods(), by_node)


def allocated(namespace) -> list:
    """The claims that the scheduler made for the Pods, of four devices each."""
    claims = namespace.api.list("resource.k8s.io/v1", "ResourceClaim", namespace.name)
    return [len(one["status"]["allocation"]["devices"]["results"]) for one in claims if one.get("status", {}).get("allocation")]


def stand(namespace, picture, what: str, files: list, edit) -> None:
    for each in files:
        namespace.apply(*each, edit=edit)
    namespace.running(sum(PODS[each] for each in files), seconds=120)
    found = seen(namespace)
    picture(what, slices.table(found))
    wanted = {JOBSET: 2, LWS: 2, RAY: 2, JOB: 1}
    assert sum(one.stands for one in found) == len(found) == sum(wanted[each] for each in files), slices.table(found)
    assert allocated(namespace) == [4] * (4 * len(found))


def test_seven_slices_of_a_driver(release, driven, namespace, picture):
    """Every manifest as it is: only who serves google.com/tpu is another."""
    driven(labelled=True)
    stand(namespace, picture, "seven slices whose chips a driver of claims has", ALL, unqueued)


def without_labels(obj) -> None:
    """What is asked of a workload where no node has a label of GKE's: its topology, and which label is a slice's domain."""
    unqueued(obj)
    for kind in "alpha.jobset.sigs.k8s.io", "leaderworkerset.sigs.k8s.io":
        obj["metadata"].get("annotations", {}).pop(f"{kind}/exclusive-topology", None)
    for template in training.pod_templates(obj):
        if not slices.chips(template):
            continue
        template["spec"].pop("nodeSelector", None)
        annotations = template.setdefault("metadata", {}).setdefault("annotations", {})
        annotations.update({f"{GKES}gke-tpu-topology": "4x4", "tpu-webhook.dev/exclusive-topology": OWN})


def test_slices_of_a_driver_without_one_label_of_gke(release, driven, namespace, picture):
    """Six of the seven: Kueue's flavour of the seventh selects GKE's labels. A label of somebody's own says which nodes are
    one slice, since no ResourceSlice does."""
    driven(labelled=False)
    stand(namespace, picture, "slices of a driver on nodes without a label of GKE's", [JOBSET, LWS, RAY], without_labels)
