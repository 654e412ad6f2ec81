#!/usr/bin/env python3
"""reduce.py PATTERN[=FIRST-LAST]… -- RECORDING… > passing.jsonl: the part of recordings that is replayed in CI.

Of the stories whose FILE::CASE matches a pattern, or of these events of each, with what stands around their slices: the
nodes of their pools. Left out are fields that nothing here reads, and events after which the cluster is the same for audit. A change is written as
a merge patch; a new object as the patch of one that was like it.
"""

import collections
import fnmatch
import json
import sys

import recording
from replay import POOL

TPU = "google.com/tpu"
# Of any object, at any depth: how programs are run, and what other tools keep there.
LEFT_OUT = {
    "managedFields", "resourceVersion", "generation", "observedGeneration", "selfLink", "blockOwnerDeletion", "generateName",
    "command", "args", "image", "imageID", "imagePullPolicy", "volumes", "volumeMounts", "terminationMessagePath",
    "terminationMessagePolicy", "terminationGracePeriodSeconds", "securityContext", "schedulerName", "serviceAccount",
    "serviceAccountName", "enableServiceLinks", "preemptionPolicy", "dnsConfig", "qosClass", "hostIP", "hostIPs", "podIPs",
    "nodeInfo", "addresses", "capacity", "images", "daemonEndpoints", "providerID", "message", "lastProbeTime",
    "lastHeartbeatTime", "startTime", "restartCount", "lastState", "internalTrafficPolicy", "ipFamilies", "ipFamilyPolicy",
    "sessionAffinity", "clusterIPs", "ports", "finalizers",
}
# Of the Ready condition of a Node and the conditions of a Pod the rest says nothing of the slice.
CONDITIONS = {"Ready", "DisruptionTarget", "PodScheduled"}
LABELS_LEFT_OUT = ("kubernetes.io/", "beta.kubernetes.io/", "topology.kubernetes.io/", "node.kubernetes.io/",
                   "cloud.google.com/machine-family")


def reduced(thing: dict) -> dict:
    if thing["kind"] not in recording.READ:
        thing = {"apiVersion": thing["apiVersion"], "kind": thing["kind"], "metadata": thing["metadata"]}
    if thing["kind"] == "RayCluster":
        thing = {key: value for key, value in thing.items() if key != "status"}
    out = stripped(thing)
    metadata = out["metadata"]
    if thing["kind"] == "Pod":  # what the suite tells its kubelet is not read
        metadata["annotations"] = {k: v for k, v in metadata.get("annotations", {}).items() if not k.startswith("e2e.")}
    else:
        metadata.pop("annotations", None)
    metadata["uid"] = metadata.get("uid", "")[:8]
    for owner in metadata.get("ownerReferences", []):
        owner["uid"] = owner["uid"][:8]
    if thing["kind"] == "Node":
        del metadata["uid"]
        metadata["labels"] = {k: v for k, v in metadata["labels"].items() if not k.startswith(LABELS_LEFT_OUT)}
        allocatable = out["status"].get("allocatable", {})
        out["status"]["allocatable"] = {TPU: allocatable[TPU]} if TPU in allocatable else {}
    if "conditions" in out.get("status", {}):
        out["status"]["conditions"] = [each for each in out["status"]["conditions"] if each["type"] in CONDITIONS]
    return out


def stripped(value):
    if isinstance(value, dict):
        return {key: stripped(each) for key, each in value.items() if key not in LEFT_OUT}
    return [stripped(each) for each in value] if isinstance(value, list) else value


class Parts:
    """Which events of which stories are told."""

    def __init__(self, arguments: list):
        self._parts = [argument.partition("=")[::2] for argument in arguments]
        self._seen: collections.Counter = collections.Counter()

    def of(self, story: str) -> range:
        """The numbers of its events; none where it matches no pattern."""
        for pattern, part in self._parts:
            if fnmatch.fnmatchcase(story, pattern):
                first, _, last = part.partition("-")
                return range(int(first or 1), int(last or sys.maxsize - 1) + 1)
        return range(0)

    def has_next(self, story: str) -> bool:
        self._seen[story] += 1
        return self._seen[story] in self.of(story)


def asks_for_chips(pod: dict) -> bool:
    return any(TPU in each.get("resources", {}).get("limits", {}) for each in pod["spec"].get("containers", []))


class Surroundings:
    """Which namespaces and node pools the chosen stories use."""

    def __init__(self, files: list, parts: Parts):
        self._pool_of: dict = {}
        self._nodes: dict = {}  # story -> the nodes of its Pods
        self.namespaces: set = set()
        for file in files:
            for event in recording.events(file):
                thing = event["object"]
                if thing["kind"] == "Node":
                    self._pool_of[thing["metadata"]["name"]] = thing["metadata"]["labels"].get(POOL)
                if thing["kind"] == "Pod" and parts.of(event["story"]) and asks_for_chips(thing):
                    self.namespaces.add(thing["metadata"]["namespace"])
                    self._nodes.setdefault(event["story"], set()).add(thing["spec"].get("nodeName"))
        self.pools = set().union(*(self.own(story) for story in self._nodes))

    def own(self, story: str) -> set:
        return {self._pool_of.get(node) for node in self._nodes.get(story, ())} - {None}

    def has(self, thing: dict) -> bool:
        if thing["kind"] not in recording.READ | recording.OWNERS:
            return False
        if thing["kind"] == "Node":
            return thing["metadata"]["labels"].get(POOL) in self.pools
        # Some Service is always there: without one audit does not know whether anybody has asked.
        return thing["metadata"].get("namespace") in self.namespaces or recording.name_of(thing) == ("Service", "default", "kubernetes")


def not_cordoned(node: dict) -> dict:
    """The suite keeps the nodes of other pools from a story's Pods."""
    spec = {key: value for key, value in node["spec"].items() if key != "unschedulable"}
    spec["taints"] = [each for each in spec.get("taints", []) if each["key"] != "node.kubernetes.io/unschedulable"]
    return {**node, "spec": spec}


class Writer:
    """Prints the events that make of what was printed so far what is there."""

    def __init__(self, out):
        self._out, self._there, self._numbers, self._like, self._story = out, {}, {}, {}, ""
        self._more: dict = {}  # in each event

    def put(self, story: str, thing: dict) -> None:
        name, number = recording.name_of(thing), recording.number_of(thing)
        if self._numbers.get(name) == number:
            return
        old = self._there.get(name)
        if old is not None:
            self._write({"story": story, "type": "MODIFIED", "of": list(name), "patch": recording.difference(old, thing)})
        else:
            like = self._like.get(thing["kind"])
            self._write({"story": story, "type": "ADDED", "object": thing} if like is None else
                        {"story": story, "type": "ADDED", "like": thing["kind"], "patch": recording.difference(like, thing)})
            self._like[thing["kind"]] = thing
        self._there[name], self._numbers[name] = thing, number

    def remove(self, story: str, name: tuple) -> None:
        if self._there.pop(name, None) is not None:
            del self._numbers[name]
            self._write({"story": story, "type": "DELETED", "of": list(name)})

    def become(self, story: str, things: dict) -> None:
        """As one step."""
        self._more = {"more": True}
        for space in {name[1] for name in self._there} - {name[1] for name in things} - {""}:
            self._there = {name: thing for name, thing in self._there.items() if name[1] != space}
            self._numbers = {name: number for name, number in self._numbers.items() if name[1] != space}
            self._write({"story": story, "type": "DELETED", "of": ["Namespace", "", space]})
        for name in [name for name in self._there if name not in things]:
            self.remove(story, name)
        for thing in sorted(things.values(), key=lambda thing: thing["kind"] == "Pod"):
            self.put(story, thing)
        self._more = {}

    def _write(self, event: dict) -> None:
        if event["story"] == self._story:
            del event["story"]
        self._story = event.get("story", self._story)
        self._out.write(json.dumps({**event, **self._more}, separators=(",", ":")) + "\n")


def main() -> None:
    split = sys.argv.index("--")
    parts, files = Parts(sys.argv[1:split]), sys.argv[split + 1:]
    around, writer = Surroundings(files, parts), Writer(sys.stdout)
    for file in files:
        there: dict = {}
        told = False
        for event in recording.events(file):
            thing, story = event["object"], event["story"]
            wanted = parts.has_next(story)
            if wanted and not told:
                writer.become(story, there)
            told = wanted
            if not around.has(thing):
                continue
            name, small = recording.name_of(thing), reduced(thing)
            if thing["kind"] == "Node" and thing["metadata"]["labels"].get(POOL) not in around.own(story):
                small = not_cordoned(small)
            if event["type"] == "DELETED":
                there.pop(name, None)
                if told:
                    writer.remove(story, name)
            else:
                there[name] = small
                if told:
                    writer.put(story, small)


if __name__ == "__main__":
    main()
