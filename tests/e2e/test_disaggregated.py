"""Story 15: a DisaggregatedSet, whose controller makes a LeaderWorkerSet per role. It came with LeaderWorkerSet 0.9."""

import pytest

from harness import pools, slices
from harness.api import wait_for
from harness.live import Job, Live, jax_agrees
from test_operator import ask  # noqa: F401 (a fixture)

DISAGGREGATED_SET = "disaggregatedset.x-k8s.io/v1", "DisaggregatedSet", "chat"
EXCLUSIVE = {"leaderworkerset.sigs.k8s.io/exclusive-topology": pools.POOL}
REVISION = "disaggregatedset.x-k8s.io/revision"
PODS = 16  # of two roles, two groups each, four hosts each


def exclusive(obj):
    for role in obj["spec"]["roles"]:
        role["metadata"] = {"annotations": dict(EXCLUSIVE)}


def all_stand(namespace):
    """Each group is a slice that stands and that JAX sees whole. Returns the table of slices."""
    found = slices.of(namespace.pods(), pools.by_node(namespace.api))
    assert len(found) == 4 and all(one.stands for one in found), slices.table(found)
    live = Live(namespace)
    assert not jax_agrees({one.name: (live.part(one.pods), Job(processes=4, slices=1, chips=16, nodes=4)) for one in found})
    return slices.table(found)


@pytest.mark.parametrize("edit", (None, exclusive), ids=("as_it_is", "with_exclusive_placement"))
def test_every_role_is_slices_of_its_own(release, namespace, ask, picture, edit):
    namespace.apply("disaggregatedset.yaml", edit=edit)
    namespace.running(PODS, 90)
    picture(f"a DisaggregatedSet, {'with' if edit else 'without'} exclusive placement", all_stand(namespace))
    code, text = ask("audit", "-n", namespace.name)
    assert code == 0, text


def test_a_new_revision_replaces_every_slice(release, api, namespace, ask):
    """Its controller makes LeaderWorkerSets of another name, and takes the old ones down as these come up."""
    namespace.apply("disaggregatedset.yaml")
    old = revisions(namespace.running(PODS, 90))
    changed = namespace.get(*DISAGGREGATED_SET)["spec"]
    for role in changed["roles"]:
        role["spec"]["leaderWorkerTemplate"]["workerTemplate"]["metadata"] = {"annotations": {"release": "2"}}
    api.patch(*DISAGGREGATED_SET, {"spec": changed}, namespace.name)
    wait_for("the new revision", lambda: len(namespace.pods()) == PODS and not revisions(namespace.pods()) & old, 150)
    namespace.running(PODS, 60)
    all_stand(namespace)
    code, text = ask("audit", "-n", namespace.name)
    assert code == 0, text


def revisions(pods):
    return {pod["metadata"]["labels"][REVISION] for pod in pods}
