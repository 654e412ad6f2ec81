"""Story 5, other webhooks: whoever else changes the Pod, before us or after us, the slice comes out right."""

from harness import audit
from harness.api import wait_for
from harness.namespace import env_of
from harness.pods import ACCELERATOR, TOPOLOGY, container, injected, member
from harness.rival import denial, patch, rival

OURS = "pods.tpu-webhook.dev"  # of a Job's Pods, as of others without the labels of an API
BEFORE, AFTER = "a-rival", "z-rival"  # configurations are called in the order of their names
PROXY = {"name": "HTTPS_PROXY", "value": "http://proxy.example.com:3128"}


def test_a_container_added_after_us_gets_its_place(release, namespace, plane):
    """Another webhook adds a second container to a Pod with one container. The Pod is then the same as a Pod
    that was created with both containers, also in the fields that the API server defaults."""
    whole = namespace.create(ironwood("whole", chips=(2, 2)))
    with rival(plane, namespace, AFTER, adds_second_container) as other:
        grown = namespace.create(ironwood("grown", chips=(2,)))
    assert other.asked and [env_of(whole, i)["TPU_WORKER_ID"] for i in (0, 1)] == ["2", "3"]
    assert [env_of(grown, i) for i in (0, 1)] == [env_of(whole, i) for i in (0, 1)]
    assert repeated(grown) == []
    added = grown["spec"]["containers"][1]
    assert added["terminationMessagePolicy"] == "File" and added["resources"]["requests"] == {"google.com/tpu": "2"}
    assert labels_of_ours(grown) == labels_of_ours(whole)
    assert grown["spec"].get("affinity") == whole["spec"].get("affinity")
    assert audit.rounds(audit.creation(plane, namespace.name, "grown"), OURS) == [True, True]


def test_variables_put_in_front_of_ours(release, namespace, plane):
    """Another webhook puts its variable first: ours are called again and find nothing to do."""
    alone = namespace.create(member("alone", 1))
    with rival(plane, namespace, AFTER, puts_proxy_first):
        beside = namespace.create(member("beside", 1))
    assert beside["spec"]["containers"][0]["env"] == [PROXY, *alone["spec"]["containers"][0]["env"]]
    assert audit.rounds(audit.creation(plane, namespace.name, "beside"), OURS) == [True, False]


def test_variables_there_before_ours(release, namespace, plane):
    """The same webhook, called before us: the user's side of the list stays together, once."""
    with rival(plane, namespace, BEFORE, puts_proxy_first):
        pod = namespace.create(member("behind", 1))
    assert pod["spec"]["containers"][0]["env"][-1] == PROXY
    assert injected(pod) and repeated(pod) == []


def test_a_topology_filled_in_before_us(release, namespace, plane):
    """Two webhooks in order: the platform's chooses the topology, and we see its choice."""
    with rival(plane, namespace, BEFORE, chooses_topology):
        pod = namespace.create(without_topology("chosen"))
    assert injected(pod)
    assert audit.rounds(audit.creation(plane, namespace.name, "chosen"), OURS) == [True]


def test_a_topology_filled_in_after_us(release, namespace, plane):
    """In the other order we find nothing to do at first; called again, we do it."""
    with rival(plane, namespace, AFTER, chooses_topology):
        pod = namespace.create(without_topology("chosen"))
    assert injected(pod)
    assert audit.rounds(audit.creation(plane, namespace.name, "chosen"), OURS) == [False, True]


def test_a_webhook_after_us_rejects(release, namespace, plane):
    """A Job whose Pods somebody else refuses: when they are let in, nobody's id was used up."""
    with rival(plane, namespace, AFTER, lambda request: denial("the quota is used up")):
        namespace.apply("job-2x4.yaml", edit=with_retries)
        wait_for("the refusal", lambda: audit.refused(plane, namespace.name), 20)
        assert not namespace.pods()
    pods = namespace.running(2)
    assert sorted(env_of(pod)["TPU_WORKER_ID"] for pod in pods) == ["0", "1"] and all(map(injected, pods))


# -- what the others do -------------------------------------------------------------------------


def adds_second_container(request):
    if len(request["object"]["spec"]["containers"]) > 1:
        return patch()
    return patch({"op": "add", "path": "/spec/containers/-", "value": container("main-1", 2)})


def puts_proxy_first(request):
    entries = request["object"]["spec"]["containers"][0].get("env", [])
    return patch({"op": "add", "path": "/spec/containers/0/env", "value": [PROXY, *entries]})


def chooses_topology(request):
    return patch({"op": "add", "path": "/spec/nodeSelector/" + TOPOLOGY.replace("/", "~1"), "value": "2x4"})


# -- Pods ---------------------------------------------------------------------------------------


def ironwood(name, chips):
    """Host 1 of two tpu7x hosts, 2x2x2, with a container for each of `chips`."""
    return member(name, 1, topology="2x2x2", accelerator="tpu7x", chips=chips)


def without_topology(name):
    pod = member(name, 1)
    pod["spec"]["nodeSelector"] = {ACCELERATOR: "tpu-v6e-slice"}
    return pod


def with_retries(obj):
    if obj["kind"] == "Job":
        obj["spec"]["backoffLimit"] = 3


def repeated(pod):
    names = [(number, entry["name"]) for number, one in enumerate(pod["spec"]["containers"]) for entry in one["env"]]
    return [name for name in set(names) if names.count(name) > 1]


def labels_of_ours(pod):
    return {key: value for key, value in pod["metadata"]["labels"].items() if key.startswith("tpu-webhook.dev/")}
