"""Story 11: a slice begins on a node pool that can hold it, as long as there is one.

The scheduler's ties are not random: of equal pools it prefers the same one again and again, and the
terms hold a slice together wherever it began. Eight pools of four nodes, some with one node that is
cordoned, not ready, tainted, gone, held by somebody or short of a chip.

TPUWH_WHOLE_POOL_RUNS=5 plays each case so often, in shuffled order, and prints all of them.
"""

import contextlib
import dataclasses
import json
import os
import random
import time

import pytest

from harness import broken, pools, slices
from harness.namespace import manifest, node_of
from test_operator import ask  # noqa: F401 (a fixture)

RUNS = int(os.environ.get("TPUWH_WHOLE_POOL_RUNS", "1"))
EIGHT = pools.SLICES[:8]
CHOSEN = "preferredDuringSchedulingIgnoredDuringExecution"
# The replica's watch shows it what the story did to a node within milliseconds.
SEEN_SECONDS = 1.0


@dataclasses.dataclass
class Played:
    whole: int
    partial: int
    held: int  # nodes of slices that are not whole
    found: list

    def __str__(self):
        return f"{self.whole} whole, {self.partial} partial, {self.held} nodes held in vain"


def lone(namespace, number: int, edit=None):
    """A Job of one slice. The Pods of these stories look up no names, so the manifest's Service is left out."""
    (job,) = [obj for obj in manifest("job-4x4.yaml") if obj["kind"] == "Job"]

    def named(obj):
        obj["metadata"]["name"] = f"lone-{number}"
        if edit:
            edit(obj)

    namespace.create(job, edit=named)


def play(namespace, count: int, together: bool = True, edit=None, seed: int = 1) -> Played:
    """Jobs of a slice each, at once or one after another, and what became of them."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    for number in order:
        lone(namespace, number, edit)
        if not together:
            namespace.quiet(0.8, limit=10)
    namespace.quiet(2, limit=20)
    found = slices.of(namespace.pods(), pools.by_node(namespace.api))
    partial = [one for one in found if one.pools and not one.stands]
    return Played(sum(one.stands for one in found), len(partial),
                  sum(bool(node_of(pod)) for one in partial for pod in one.pods), found)


@contextlib.contextmanager
def eight_pools(api, spoiled: int, way):
    """Until the end of the `with` block, only the eight pools of EIGHT take Pods.

    Chooses `spoiled` of the eight pools at random (`spoiled` is a number), breaks one node of each chosen pool with
    `way`, and yields the names of the chosen pools.
    """
    chosen = random.Random(spoiled).sample(EIGHT, spoiled)
    with pools.only(api, *EIGHT), broken.one_node(api, chosen, way):
        time.sleep(SEEN_SECONDS)
        yield chosen


def without_hint(release):
    return release.reinstalled({"config": {"mode": "enforce", "placementHint": False, "log": {"format": "json"}}})


def played_often(namespace, count: int, together: bool = True, edit=None) -> list:
    out = []
    for run in range(RUNS):
        out.append(play(namespace, count, together, edit, seed=run))
        namespace.empty()
    return out


def test_before_without_the_hint(release, namespace, api, picture):
    """What happens with terms alone: it shows that the next cases are not idle."""
    with without_hint(release), eight_pools(api, 4, broken.cordoned):
        runs = played_often(namespace, 4)
    picture("without the hint: four Jobs, eight pools, four with a cordoned node", "\n".join(map(str, runs)))
    assert any(run.partial for run in runs), "all stand without the hint: this story shows nothing"


@pytest.mark.parametrize("way", broken.WAYS, ids=lambda way: way.__name__)
def test_four_jobs_find_the_four_whole_pools(release, namespace, api, picture, way):
    with eight_pools(api, 4, way) as spoiled:
        runs = played_often(namespace, 4)
    picture(f"four Jobs, eight pools, four with a node that is {way.__name__.replace('_', ' ')}",
            "\n".join(map(str, runs)))
    for run in runs:
        assert (run.whole, run.partial) == (4, 0), slices.table(run.found)
        assert not {pool for one in run.found for pool in one.pools} & set(spoiled)


def test_one_after_another(release, namespace, api, picture):
    with eight_pools(api, 3, broken.cordoned):
        runs = played_often(namespace, 5, together=False)
    picture("five Jobs one after another, eight pools, three with a cordoned node", "\n".join(map(str, runs)))
    assert all((run.whole, run.partial) == (5, 0) for run in runs), slices.table(runs[-1].found)


def test_more_slices_than_whole_pools(release, namespace, api, picture, ask):
    """It is a preference: what is left begins where it can, and audit says what is wrong there."""
    with eight_pools(api, 4, broken.cordoned):
        runs = played_often(namespace, 7) if RUNS > 1 else []
        last = play(namespace, 7)
        code, text = ask("audit", "-n", namespace.name, "--output", "json")
    picture("seven Jobs, eight pools, four with a cordoned node", "\n".join(map(str, [*runs, last])))
    assert all(run.whole == 4 for run in [*runs, last]), slices.table(last.found)
    found = [one["what"] for one in json.loads(text)["findings"] if one["check"] == "unfit-pool"]
    assert code == 1 and len(found) == last.partial, text
    assert all("is cordoned; 3 of 4 hosts are bound" in what for what in found), found


def two_slices(namespace, name: str) -> None:
    """A JobSet of two slices that nobody but the webhook places."""
    (jobset,) = manifest("jobset-multislice.yaml")

    def named(obj):
        obj["metadata"] = {"name": name}
        obj["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"].pop("hostNetwork")

    namespace.create(jobset, edit=named)


def test_two_jobsets_of_two_slices_each(release, namespace, api, picture):
    """A slice that begins is whole; but a preference holds no pool free for a job's other slice."""
    told = []
    for _ in range(RUNS):
        with pools.only(api, *EIGHT[:3]):
            time.sleep(SEEN_SECONDS)
            for name in ("one", "two"):
                two_slices(namespace, name)
            namespace.quiet(2, limit=20)
            found = slices.of(namespace.pods(), pools.by_node(api))
            namespace.empty()
        standing = sorted(one.name.split("/")[0] for one in found if one.stands)
        told.append("pools of 3 held by: " + ", ".join(standing))
        assert len(standing) == 3 and not any(one.pools and not one.stands for one in found), slices.table(found)
    picture("two JobSets of two slices each, three pools", "\n".join(told))


@pytest.mark.parametrize("weight", (1, 100))
def test_beside_what_the_user_prefers(release, namespace, api, weight):
    """Two pools of which one is spoiled, and the user would rather have that one."""
    with pools.only(api, *EIGHT[:2]), broken.one_node(api, EIGHT[:1], broken.cordoned):
        time.sleep(SEEN_SECONDS)
        theirs = {"weight": weight, "preference": {"matchExpressions": [
            {"key": pools.POOL, "operator": "In", "values": [EIGHT[0]]}]}}

        def prefer(obj):
            obj["spec"]["template"]["spec"]["affinity"] = {"nodeAffinity": {CHOSEN: [theirs]}}

        run = play(namespace, 1, edit=prefer)
        (one,) = run.found
        preferences = [pod["spec"]["affinity"]["nodeAffinity"][CHOSEN] for pod in one.pods]
    assert all(each[0] == theirs for each in preferences)
    # Members that are created after the first is bound are not told.
    assert any(len(each) == 2 for each in preferences)
    # At 100 the two are equal, and the scheduler may begin on either.
    assert weight == 100 or one.stands and one.pools == [EIGHT[1]], slices.table(run.found)


def test_pools_that_change_while_a_slice_waits(release, namespace, api, picture):
    """A hint is written once: a slice that waited carries what was true when it was created."""
    gate = {"name": "example.com/wait"}

    def gated(obj):
        obj["spec"]["template"]["spec"]["schedulingGates"] = [gate]

    with pools.only(api, *EIGHT[:2]):
        with broken.one_node(api, EIGHT[:1], broken.cordoned):
            time.sleep(SEEN_SECONDS)
            lone(namespace, 0, gated)
            namespace.quiet(1, limit=10)
        with broken.one_node(api, EIGHT[1:2], broken.cordoned):
            time.sleep(SEEN_SECONDS)
            for pod in namespace.pods():
                api.patch("v1", "Pod", pod["metadata"]["name"], {"spec": {"schedulingGates": None}}, namespace.name)
            namespace.quiet(2, limit=15)
            (old,) = slices.of(namespace.pods(), pools.by_node(api))
            lone(namespace, 1)
            namespace.quiet(2, limit=15)
            found = slices.of(namespace.pods(), pools.by_node(api))
    picture("two pools that swap while a slice waits; then another slice", slices.table(found))
    assert old.pools == [EIGHT[1]] and not old.stands  # what it was told is no longer so
    (new,) = [one for one in found if one.name == "lone-1"]
    assert new.stands and new.pools == [EIGHT[0]], slices.table(found)


def test_a_node_cordoned_after_the_first_member(release, namespace, api):
    """The others go where the first one is: no hint sends them elsewhere, and audit says what became of it."""
    def one_by_one(obj):
        if obj["kind"] == "StatefulSet":
            obj["spec"]["podManagementPolicy"] = "OrderedReady"
            obj["spec"]["replicas"] = 1

    with pools.only(api, *EIGHT[:2]):
        namespace.apply("statefulset.yaml", edit=one_by_one)
        (first,) = namespace.running(1)
        pool = pools.by_node(api)[node_of(first)]
        taken = sorted(name for name, of in pools.by_node(api).items() if of == pool).index(node_of(first))
        with broken.one_node(api, [pool], broken.cordoned, (taken + 1) % 4):
            time.sleep(SEEN_SECONDS)
            api.patch("apps/v1", "StatefulSet", "sax", {"spec": {"replicas": 4}}, namespace.name)
            namespace.quiet(2, limit=20)
            members = namespace.pods()
    assert {pools.by_node(api)[node_of(pod)] for pod in members if node_of(pod)} == {pool}
    assert not any(CHOSEN in pod["spec"]["affinity"].get("nodeAffinity", {}) for pod in members)
