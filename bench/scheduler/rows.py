"""What terms must hold, whatever they cost: each row is a small story, told to a real scheduler.

Sixteen pools of four fake nodes; nobody makes Pods but the story, which stands for the workload's
controller. A row returns what it saw; it is lost when it raises Lost.
"""

import contextlib
import copy
import dataclasses
import random
import time
from collections.abc import Callable

from . import variants
from .constraints import FOUR, POOL, PREFERRED, pool_name, slice_of
from .variants import PRIORITY, edited

POOLS = 16
BOUND, STILL = 13.0, 2.0  # seconds: longer than the scheduler's longest back-off; in which nothing may happen
FINISH = "e2e.tpu-webhook.dev/finish"
URGENT = "bench-urgent"
GROUP = "group"


class Lost(Exception):
    """The row does not hold."""


@dataclasses.dataclass(frozen=True)
class Terms:
    """What is written on a member; on a pinned one; on one that is created when others are bound; and by whom it is scheduled."""

    name: str
    member: Callable
    pinned: Callable = variants.pinned_apart
    later: Callable = lambda pod, pool: None
    profile: str = ""


TERMS = {one.name: one for one in (
    Terms("ours", variants.as_it_is),
    Terms("leader", variants.leader),
    Terms("prefer-pool", variants.as_it_is, later=variants.preferring),
    Terms("pinned", variants.as_it_is, variants.pinned),
    Terms("leader,pinned", variants.leader, variants.pinned),
    Terms("one-apart", variants.one_apart),
    Terms("terms-first", variants.as_it_is, profile="terms-first"),
    Terms("five-percent", variants.as_it_is, profile="five-percent"),
    Terms(GROUP, variants.grouped, variants.grouped),  # where the scheduler's gates for groups are on
)}


class Stage:
    """Slices with one kind of terms on the pools of a plane."""

    def __init__(self, plane, reviewed: Callable, terms: Terms, seed: int):
        self.plane, self.terms, self.random, self._reviewed = plane, terms, random.Random(seed), reviewed
        self.pool_of = plane.pool_of_nodes()

    def slice(self, number: int, first: bool = False, avoid: tuple = ()) -> list:
        """Its four Pods."""
        pods = edited(self._sent(number), self.terms.member)
        if first:
            edited(pods, urgent)
        if avoid:
            edited(pods, variants.prefer, "NotIn", list(avoid))  # the hint (decision 23)
        return pods

    def pinned(self, number: int, pool: str) -> list:
        pods = edited(self._sent(number), self.terms.pinned)
        for pod in pods:
            pod["spec"]["nodeSelector"][POOL] = pool
        return pods

    def again(self, number: int, index: int, pool: str) -> dict:
        """A member in place of one that went, while the others are bound there."""
        pod = self.slice(number)[index]
        self.terms.later(pod, pool)
        return pod

    def _sent(self, number: int) -> list:
        pods = self._reviewed(number)
        for pod in pods:
            if self.terms.profile:
                pod["spec"]["schedulerName"] = self.terms.profile
        return pods

    # -- what happens

    def create(self, pods: list, shuffled: bool = False) -> None:
        """One after another, as a controller does; or in any order. A group comes before its first Pod."""
        for group in {one["spec"]["schedulingGroup"]["podGroupName"]: one for one in pods if "schedulingGroup" in one["spec"]}.values():
            self._make(variants.pod_group(group))
        for pod in self.random.sample(pods, len(pods)) if shuffled else pods:
            self.plane.client.create(copy.deepcopy(pod))

    def _make(self, group: dict) -> None:
        path = f"/apis/{group['apiVersion']}/namespaces/{group['metadata']['namespace']}/podgroups"
        if group["metadata"]["name"] not in {one["metadata"]["name"] for one in self.plane.client.get(path)["items"]}:
            self.plane.client.create(group)

    def delete(self, pod: dict) -> None:
        self.plane.client.request("DELETE", _path(pod) + "?gracePeriodSeconds=0")
        self.until("a Pod to go", lambda: pod["metadata"]["name"] not in {one["metadata"]["name"] for one in self.plane.pods()})

    def finish(self, pod: dict, how: str) -> None:
        self._patch(_path(pod), {"metadata": {"annotations": {FINISH: how}}})
        phase = how.capitalize()
        self.until(f"{pod['metadata']['name']} to have {how}", lambda: self.plane.client.get(_path(pod))["status"]["phase"] == phase)

    @contextlib.contextmanager
    def only(self, *pools: str, but: tuple = ()):
        """Of all pools these alone take Pods, and of them no node of `but`."""
        shut = [node for node, pool in self.pool_of.items() if pool not in pools or node in but]
        self._cordon(shut, True)
        try:
            yield
        finally:
            self._cordon(shut, None)

    def nodes(self, pool: str) -> list:
        return [node for node, of in self.pool_of.items() if of == pool]

    def _cordon(self, nodes: list, value) -> None:
        for node in nodes:
            self._patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": value}})
        time.sleep(0.3)  # until the scheduler has heard of it

    def _patch(self, path: str, body: dict) -> None:
        self.plane.client.request("PATCH", path, body, "application/merge-patch+json")

    # -- what is seen

    def places(self, number: int) -> list:
        """The pools of the slice's bound Pods that have not ended."""
        return [self.pool_of[pod["spec"]["nodeName"]] for pod in self.plane.pods()
                if slice_of(pod) == number and pod["spec"].get("nodeName") and pod["status"]["phase"] in ("Pending", "Running")]

    def whole(self, number: int) -> bool:
        places = self.places(number)
        return len(places) == FOUR.hosts and len(set(places)) == 1

    def stands(self, number: int, seconds: float = BOUND) -> str:
        """The pool on which it is whole, or the row is lost."""
        self.until(f"slice {number} to stand", lambda: self.whole(number), seconds, lambda: self.places(number))
        return self.places(number)[0]

    def until(self, what: str, condition: Callable, seconds: float = BOUND, said: Callable = lambda: "") -> float:
        began = time.monotonic()
        while not condition():
            if time.monotonic() - began > seconds:
                raise Lost(f"no {what} in {seconds:.0f} s: {said()}")
            time.sleep(0.1)
        return time.monotonic() - began


def _path(pod: dict) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def urgent(pod: dict) -> None:
    """As the program writes it for a Pod of that priority."""
    pod["spec"]["priorityClassName"], pod["metadata"]["labels"][PRIORITY] = URGENT, "1000"
    anti = pod["spec"].get("affinity", {}).get("podAntiAffinity", {})
    for term in [*anti.get(variants.REQUIRED, []), *(one["podAffinityTerm"] for one in anti.get(PREFERRED, []))]:
        for one in term["labelSelector"]["matchExpressions"]:
            if one["key"] == PRIORITY:
                one["values"] = ["1000"]


# -- the rows


def seven_slices(stage: Stage) -> str:
    """Seven slices at once, their Pods in any order."""
    failed = stage.plane.failed_attempts()
    stage.create([pod for number in range(7) for pod in stage.slice(number)], shuffled=True)
    began = time.monotonic()
    pools = {stage.stands(number) for number in range(7)}
    if len(pools) != 7:
        raise Lost(f"seven slices on {len(pools)} pools")
    return f"{time.monotonic() - began:.1f} s, {stage.plane.failed_attempts() - failed} failed attempts"


def higher_priority(stage: Stage) -> str:
    """Two pools are full of two slices; one of higher priority comes."""
    with stage.only(pool_name(0), pool_name(1)):
        for number in (0, 1):
            stage.create(stage.slice(number))
            stage.stands(number)
        stage.create(stage.slice(2, first=True))
        stage.stands(2)
        left = len(stage.places(0)) + len(stage.places(1))
    return f"{8 - left} evicted, where 4 are needed"


def broken_pools(stage: Stage) -> str:
    """Eight pools, of each second one node is cordoned; four slices one after another, with the hint."""
    pools = [pool_name(number) for number in range(8)]
    with stage.only(*pools, but=tuple(stage.nodes(pool)[1] for pool in pools[::2])):
        for number in range(4):
            stage.create(stage.slice(number, avoid=tuple(pools[::2])))
            stage.stands(number)
    return "four stand"


def leader_dies(stage: Stage) -> str:
    """The first member goes while another slice waits for a pool, and comes again."""
    return _comes_back(stage, 0)


def member_evicted(stage: Stage) -> str:
    """The third member goes while another slice waits for a pool, and comes again."""
    return _comes_back(stage, 2)


def _comes_back(stage: Stage, index: int) -> str:
    with stage.only(pool_name(0)):
        pods = stage.slice(0)
        stage.create(pods)
        pool = stage.stands(0)
        stage.create(stage.slice(1))
        time.sleep(1)
        stage.delete(pods[index])
        time.sleep(STILL)
        if stage.places(1):
            raise Lost("the other slice has taken its place")
        stage.create([stage.again(0, index, pool)])
        began = time.monotonic()
        stage.stands(0)
    return f"after {time.monotonic() - began:.1f} s"


def pool_goes(stage: Stage) -> str:
    """The nodes of its pool are drained and shut; its Pods come again, in any order."""
    pods = stage.slice(0)
    stage.create(pods)
    pool = stage.stands(0)
    with stage.only(*(name for name in map(pool_name, range(POOLS)) if name != pool)):
        for pod in pods:
            stage.delete(pod)
        stage.create([stage.again(0, index, pool) for index in range(FOUR.hosts)], shuffled=True)
        stage.stands(0)
    return "stands on another"


def pinned_beside_followers(stage: Stage) -> str:
    """A slice's first member is gone; a slice comes that selects this pool."""
    pods = stage.slice(0)
    stage.create(pods)
    pool = stage.stands(0)
    stage.delete(pods[0])
    stage.create(stage.pinned(1, pool))
    time.sleep(STILL)
    if stage.places(1):
        raise Lost("a Pod of the pinned slice has taken its place")
    stage.create([stage.again(0, 0, pool)])
    stage.stands(0)
    return "kept away"


def followers_first(stage: Stage) -> str:
    """Two pools, two slices; their first members come three seconds after the others."""
    failed = stage.plane.failed_attempts()
    with stage.only(pool_name(0), pool_name(1)):
        slices = [stage.slice(0), stage.slice(1)]
        stage.create([pod for pods in slices for pod in pods[1:]], shuffled=True)
        time.sleep(3)
        stage.create([pods[0] for pods in slices])
        began = time.monotonic()
        for number in (0, 1):
            stage.stands(number)
    return f"{time.monotonic() - began:.1f} s after the first members, {stage.plane.failed_attempts() - failed} failed attempts"


def leader_finished(stage: Stage) -> str:
    """The first member has ended well; the third fails, and comes again."""
    pods = stage.slice(0)
    stage.create(pods)
    pool = stage.stands(0)
    stage.finish(pods[0], "succeeded")
    stage.delete(pods[2])
    stage.create([stage.again(0, 2, pool)])
    took = stage.until("third member", lambda: len(stage.places(0)) == FOUR.hosts - 1, said=lambda: stage.places(0))
    if set(stage.places(0)) != {pool}:
        raise Lost(f"it is on {set(stage.places(0))}")
    return f"after {took:.1f} s"


def two_pinned(stage: Stage) -> str:
    """Two slices select the same pool; their Pods come in turns."""
    pool = pool_name(0)
    stage.create([pod for pair in zip(stage.pinned(0, pool), stage.pinned(1, pool)) for pod in pair])
    stage.until("slice to stand", lambda: stage.whole(0) or stage.whole(1), 5.0,
                lambda: f"{len(stage.places(0))} and {len(stage.places(1))} Pods of them share it")
    return "one stands, one waits"


ROWS = (seven_slices, higher_priority, broken_pools, leader_dies, member_evicted, pool_goes, pinned_beside_followers,
        followers_first, leader_finished, two_pinned)


# -- all of them


def play(plane, reviewed: Callable, names: list, rounds: int, say: Callable) -> dict:
    """row -> terms -> what was seen, one text a round; a lost one begins with "lost"."""
    plane.client.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": URGENT}, "value": 1000})
    seen: dict = {row.__name__: {name: [] for name in names} for row in ROWS}
    for number in range(rounds):
        for row in ROWS:
            for name in names:
                try:
                    said = row(Stage(plane, reviewed, TERMS[name], number))
                except Lost as lost:
                    said = f"lost: {lost}"
                finally:
                    plane.empty()
                seen[row.__name__][name].append(said)
                say(f"  {row.__name__:<24} {name:<20} {said}")
    return seen


def table(seen: dict) -> str:
    """In Markdown: how often each row was held, and what was seen."""
    names = list(next(iter(seen.values())))
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for row in ROWS:
        cells = [_cell(seen[row.__name__][name]) for name in names]
        lines.append(f"| {row.__doc__.rstrip('.')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(said: list) -> str:
    lost = [one for one in said if one.startswith("lost")]
    first = "; ".join(dict.fromkeys(lost or said))
    return (f"**lost, {len(lost)} of {len(said)}**: " if lost else "") + first.removeprefix("lost: ")
