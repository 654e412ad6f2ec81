"""A recording of a cluster, and the states in it.

An event a line: {"story", "type", "object"}, as tests/e2e/harness/watch.py writes them. In a reduced one (reduce.py)
an event without "story" is of the same one as before, and an object may be a JSON merge patch ("patch"): of what it was
("of": kind, namespace, name), or of the object of its kind that was added before it ("like"). A namespace that is
deleted takes its objects with it. An event with "more" makes no state: more is told before the cluster is as it once was.
"""

import dataclasses
import hashlib
import json

READ = {"Pod", "Node", "Service", "RayCluster", "ResourceClaimTemplate"}
# Of the others audit reads whose they are.
OWNERS = {"Deployment", "ReplicaSet", "StatefulSet", "Job", "JobSet", "LeaderWorkerSet", "RayJob", "RayService", "ResourceClaim"}
# Two states that differ in nothing else are one for audit.
NOT_READ = {
    "creationTimestamp", "startTime", "startedAt", "finishedAt", "lastTransitionTime", "lastProbeTime", "lastHeartbeatTime",
    "lastUpdateTime", "timeAdded", "deletionGracePeriodSeconds", "resourceVersion", "generation", "observedGeneration",
    "managedFields", "message",
}


@dataclasses.dataclass
class Kept:
    text: str  # as JSON
    number: int  # of what audit reads of it


class Cluster:
    """The objects that are there, after each event."""

    def __init__(self):
        self.objects: dict = {}  # (kind, namespace, name) -> Kept
        self._sum = 0

    def apply(self, event: dict) -> bool:
        """False where nothing that audit reads has changed."""
        thing = event["object"]
        if thing["kind"] not in READ | OWNERS:
            return False
        name, before = name_of(thing), self._sum
        if gone := self.objects.get(name) if event["type"] != "DELETED" else self.objects.pop(name, None):
            self._sum -= gone.number
        if event["type"] != "DELETED":
            kept = Kept(json.dumps(thing, separators=(",", ":")), number_of(thing))
            self.objects[name] = kept
            self._sum += kept.number
        return self._sum != before

    @property
    def number(self) -> int:
        """Equal for two states that are one for audit."""
        return self._sum

    def text(self) -> str:
        """A list of all objects, and one of each kind that was watched and of which there is none: as an API server
        lists it, so that nobody takes it for one that was not asked for."""
        there = {kind for kind, _, _ in self.objects}
        items = [kept.text for kept in self.objects.values()]
        items += [f'{{"apiVersion":"v1","kind":"{kind}List","items":[]}}' for kind in sorted((READ | OWNERS) - there)]
        return f'{{"apiVersion":"v1","kind":"List","items":[{",".join(items)}]}}'


def events(file):
    """Of one recording, in their order, each with its object."""
    there, added, story = {}, {}, ""
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            story = event.setdefault("story", story)
            if event.get("of", [""])[0] == "Namespace":
                for name in [name for name in there if name[1] == event["of"][2]]:
                    yield {"story": story, "type": "DELETED", "object": there.pop(name), "more": True}
                continue
            if "object" not in event:
                before = there[tuple(event["of"])] if "of" in event else added[event["like"]]
                event["object"] = merged(before, event.get("patch", {}))
            thing = event["object"]
            if event["type"] == "ADDED":
                added[thing["kind"]] = thing
            there[name_of(thing)] = thing
            if event["type"] == "DELETED":
                del there[name_of(thing)]
            yield event


def name_of(thing: dict) -> tuple:
    metadata = thing["metadata"]
    return thing["kind"], metadata.get("namespace", ""), metadata["name"]


def number_of(thing: dict) -> int:
    read = timeless(thing if thing["kind"] in READ else {"kind": thing["kind"], "metadata": thing["metadata"]})
    digest = hashlib.blake2b(json.dumps(read, sort_keys=True).encode(), digest_size=16)
    return int.from_bytes(digest.digest(), "big")


def timeless(value):
    if isinstance(value, dict):
        return {key: "is set" if key == "deletionTimestamp" else timeless(each)
                for key, each in value.items() if key not in NOT_READ}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def merged(value, patch):
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    out = dict(value) if isinstance(value, dict) else {}
    for key, each in patch.items():
        if each is None:
            out.pop(key, None)
        else:
            out[key] = merged(out.get(key), each)
    return out


def difference(old, new):
    """The merge patch that makes `new` of `old`, both objects."""
    patch = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif old[key] != value:
            both = isinstance(old[key], dict) and isinstance(value, dict)
            patch[key] = difference(old[key], value) if both else value
    return patch
