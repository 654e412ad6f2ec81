"""Deleted Pods with forged labels, and an API server that refuses, while Ray workers want places."""

import base64
import contextlib
import json
import threading
import time
import uuid

import ray_workers
from attack import started
from checks import check
from honest import Author
from made_up_api import Account, Living, Server, status
from memory import Resident, in_mib
from ray_workers import CLUSTERS, NS, OF_NS, PODS, TOKEN
from rates import busiest_second
from wire import Kept, tls

HOOKS = "hooks"
RECORDS = f"/api/v1/namespaces/{HOOKS}/configmaps"
CLUSTER, UID = "ray", "5f3c0e1c-0000-4000-8000-000000000001"
GROUPS, SLICES, HOSTS = 4, 64, 4

FORGED = 5000
# Seconds from the first asking until a worker has its place: docs/threat-model.md#what-holds-meanwhile
AWAITED = 5.0
GIVEN_UP = 20.0  # by the asker, so that a check ends
PER_SECOND, BURST = 50, 100  # requests: less than all budgets of server/limits/limits.hpp together


# --- the cluster

def worker(name, group):
    return ray_workers.worker(name, CLUSTER, UID, group)


def forged(number, cluster, group, owners):
    """What anybody may create and delete; it asks for no TPU, so nobody is asked about it."""
    token = f"0-0-{number:016x}"
    return {"metadata": {"name": f"forged-{number}", "namespace": NS, "uid": str(uuid.uuid4()),
                         "labels": {**ray_workers.labels(cluster, group), TOKEN: token},
                         "ownerReferences": owners},
            "status": {"phase": "Running"}}


def with_chips(pod):
    """The same of who was not stopped by a quota: the store keeps it for as long as it lives."""
    limits = {"limits": {"google.com/tpu": "4"}}
    return pod | {"spec": {"containers": [{"name": "c", "image": "i", "resources": limits}]}}


class Cluster(Living):
    """One RayCluster of four worker groups, nobody in them yet."""

    def __init__(self, number=GROUPS):
        pods, groups = [], [f"w{each}" for each in range(number)]
        super().__init__({PODS: pods, OF_NS: pods, "/api/v1/nodes": [], "/api/v1/services": [],
                          CLUSTERS: [ray_workers.ray_cluster(CLUSTER, UID, groups, HOSTS, SLICES)],
                          RECORDS: []})

    def asked(self, since=0.0):
        """Requests that are no watch."""
        return [r for r in list(self.requests) if "watch" not in r.query and r.at >= since]

    def of_strangers(self):
        """Requests for records that were never made."""
        made = {r.body["metadata"]["name"] for r in list(self.requests) if r.method == "POST"}
        return [r for r in self.asked() if r.folder == RECORDS and r.name not in made]

    def busiest_second(self):
        return busiest_second(sorted(r.at for r in self.asked()))


@contextlib.contextmanager
def serving(api):
    """The program before this API server."""
    with Server(api) as server, started("--ledger", "cluster", account=Account(server.port, HOOKS)) as program:
        yield program


# --- who asks for places

class Workers:
    """Workers of some groups of the RayCluster, one after another in each, each asked for again every
    second as KubeRay does; a context manager."""

    def __init__(self, program, api, groups=range(GROUPS), every=0.5):
        self._program, self._api, self._every = program, api, every
        self.took, self.refused, self.places = [], [], {}
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(f"w{number}",), daemon=True)
                         for number in groups]

    def _work(self, group):
        kept, number = Kept(self._program.port, tls(self._program.ca)), 0
        while not self._stop.is_set():
            start = time.monotonic()
            self._make(kept, f"{group}-{number}", group, start)
            number += 1
            self._stop.wait(max(0, start + self._every - time.monotonic()))
        kept.close()

    def _make(self, kept, name, group, start):
        while True:
            code, pod, why = ask_place(kept, worker(name, group))
            took = time.monotonic() - start
            with self._lock:
                if code == 200:
                    self.took.append((start, took))
                    self.places.setdefault(group, []).append(pod["metadata"]["labels"][TOKEN])
                else:
                    self.refused.append((start, why))
                    if took > GIVEN_UP or self._stop.is_set():
                        self.took.append((start, took))
            if code == 200:
                return self._api.happen("ADDED", PODS, pod)
            if took > GIVEN_UP or self._stop.wait(1):
                return None

    def slowest(self, since=0.0):
        with self._lock:
            return max((took for start, took in self.took if start >= since), default=0.0)

    def given(self):
        with self._lock:
            return sum(map(len, self.places.values()))

    def said(self):
        with self._lock:
            took = sorted(took for _, took in self.took)
            middle = took[len(took) // 2] if took else 0
            last = f", last refused: {self.refused[-1][1][:150]}" if self.refused else ""
        return (f"{self.given()} places, slowest {self.slowest():.2f} s, median {middle:.3f} s, "
                f"{len(self.refused)} refusals{last}")

    def __enter__(self):
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for each in self._threads:
            each.join(20)


def ask_place(kept, pod):
    """(status, the Pod as it is stored or None, why not)"""
    review_uid, request = ray_workers.creation(pod)
    answer = kept.answer(request)
    if answer.status != 200:
        return answer.status, None, answer.body.decode()
    response = answer.json()["response"]
    assert response["uid"] == review_uid and response["allowed"], response
    tokens = [op["value"] for op in json.loads(base64.b64decode(response["patch"]))
              if op["path"] == "/metadata/labels/tpu-webhook.dev~1token"]
    assert len(tokens) == 1, response
    return 200, ray_workers.stored(pod, tokens[0], "Pending"), ""


def judge(program, api, workers, resident=None):
    """Prints what happened, and holds the workers' waits against docs/threat-model.md#what-holds-meanwhile."""
    size = f"; resident {in_mib(resident.peak)} at most" if resident else ""
    print(f"       {workers.said()}\n       {len(api.asked())} requests, {len(api.of_strangers())} of "
          f"them for records that nobody made, {api.busiest_second()} in the busiest second; "
          f"{len(program.log().splitlines())} lines of log{size}", flush=True)
    marks = [token for tokens in workers.places.values() for token in tokens]
    assert len(marks) == len(set(marks)), "a place was given twice"
    assert workers.given(), "nobody got a place"
    assert workers.slowest() <= AWAITED, workers.said()
    assert api.busiest_second() <= PER_SECOND + BURST, api.busiest_second()


# --- forged deletions

def deletions(make, strangers=True):
    """5,000 Pods come and are deleted within five seconds; the watches end once meanwhile, as they
    do."""
    api = Cluster()
    pods = [make(number) for number in range(FORGED)]
    with serving(api) as program, Resident(program.process.pid) as resident:
        with Workers(program, api) as workers:
            time.sleep(3)
            assert workers.given(), f"no place before the attack: {workers.said()}"
            for begin in range(0, FORGED, 100):
                api.happen("ADDED", PODS, *pods[begin:begin + 100])
                api.happen("DELETED", PODS, *pods[begin:begin + 100])
                time.sleep(0.1)
            cut = time.monotonic()
            api.cut()
            time.sleep(20)
        again = {r.path: round(r.at - cut, 1) for r in api.requests
                 if "watch" in r.query and r.at > cut}
        print(f"       watches that were open again, after how many seconds: {again}", flush=True)
        judge(program, api, workers, resident)
    assert len(again) == 4 and max(again.values()) <= AWAITED, f"watches open again: {again}"
    # No record and no RayCluster is behind them, so there is nothing to ask about.
    if strangers:
        assert not api.of_strangers(), [r.target for r in api.of_strangers()[:3]]


def of_nobodys_groups(number):
    """Of a RayCluster that is not there."""
    return forged(number, "x", f"g{number}", [])


def of_a_known_raycluster(number):
    """Of one that is there, with its uid, in groups that it does not have."""
    return forged(number, CLUSTER, f"g{number}", ray_workers.owner(CLUSTER, UID))


def in_the_groups_that_ask(number):
    """In the groups whose workers ask for places: tokens that were never given."""
    return forged(number, CLUSTER, f"w{number % GROUPS}", ray_workers.owner(CLUSTER, UID))


@check
def forged_deletions_of_nobodys_groups():
    """5,000 deleted Pods with the labels of workers."""
    deletions(of_nobodys_groups)


@check
def forged_deletions_of_nobodys_groups_with_chips():
    deletions(lambda number: with_chips(of_nobodys_groups(number)))


@check
def forged_deletions_of_a_known_raycluster():
    deletions(of_a_known_raycluster, strangers=False)


@check
def forged_deletions_of_a_known_raycluster_with_chips():
    deletions(lambda number: with_chips(of_a_known_raycluster(number)), strangers=False)


@check
def forged_deletions_in_the_groups_that_ask():
    deletions(in_the_groups_that_ask)


@check
def forged_deletions_in_the_groups_that_ask_with_chips():
    deletions(lambda number: with_chips(in_the_groups_that_ask(number)))


# --- an API server that says no

@check
def a_busy_api_server_is_left_alone():
    """429 with Retry-After, for a while, to reads and writes of records: nobody asks again before."""
    api, asked_to_wait = Cluster(), 2
    # One record is asked for in each pause and a second of the workers' own: of two, one is in 12 s asked for twice.
    lasts, groups = 12, range(2)

    def busy(_, request):
        if request.folder == RECORDS and begun <= request.at < begun + lasts:
            refused.append(request)
            return status(429, "TooManyRequests", "too many", retryAfterSeconds=asked_to_wait)
        return None

    refused, begun = [], float("inf")
    api.faults.append(busy)
    with serving(api) as program, Workers(program, api, groups) as workers:
        time.sleep(2)
        begun = time.monotonic()
        time.sleep(lasts + 8)
        after = workers.slowest(begun + lasts + asked_to_wait)
        gaps = [(later.at - earlier.at, later.method) for earlier, later in gaps_of(refused)]
    print(f"       {len(refused)} requests were told to wait {asked_to_wait} s; the shortest wait was "
          f"{min(gaps, default=(0, ''))[0]:.2f} s", flush=True)
    print(f"       {workers.said()}; once it answers again: {after:.2f} s", flush=True)
    assert gaps, f"{len(refused)} requests, none of them for a record that was asked for before"
    assert min(gaps)[0] >= asked_to_wait - 0.1, min(gaps)
    assert after <= AWAITED, workers.said()


def gaps_of(requests):
    """Each request with the one before it for the same record."""
    last, found = {}, []
    for request in requests:
        name = request.name or request.body["metadata"]["name"]
        if name in last:
            found.append((last[name], request))
        last[name] = request
    return found


def conflicts(when_new):
    """Writes of the first group's record are refused by 409, and reads show nothing wrong with it."""
    api, mine = Cluster(), set()

    def conflict(_, request):
        if request.method not in ("POST", "PUT") or request.body["data"]["group"] != "w0":
            return None
        if request.method == "POST" and not when_new:
            return None
        mine.add(request.body["metadata"]["name"])
        return status(409, "Conflict", "the object has been modified")

    api.faults.append(conflict)
    with serving(api) as program:
        with Workers(program, api, groups=range(1, GROUPS)) as others:
            with Workers(program, api, groups=[0]) as first:
                time.sleep(15)
        spent = [r for r in api.asked() if r.name in mine
                 or (r.method == "POST" and r.body["metadata"]["name"] in mine)]
        print(f"       {len(spent)} requests in 15 s for the record that conflicts; of its group: "
              f"{first.said()}", flush=True)
        judge(program, api, others)
    assert mine and spent, "there was no conflict"
    assert len(spent) <= 10 * 15, f"{len(spent)} requests in 15 s for one record: no pause between"


@check
def a_record_that_always_conflicts():
    """An update meets 409 forever; the other groups have their places meanwhile."""
    conflicts(when_new=False)


@check
def a_record_that_can_never_be_made():
    """It is there for who creates it, by 409, and not there for who reads it, by 404."""
    conflicts(when_new=True)


# --- an author of many groups

@check
def one_author_of_many_groups_beside_another():
    """A RayCluster of 900 groups, whose workers come on 10, 100 and 300 connections: four groups of another one
    in the same namespace once waited 4.9 s beside 64 of them, and beside 200 each was refused."""
    connections = 10, 100, 300
    api = Cluster(GROUPS * (1 + len(connections)))
    api.collections[CLUSTERS].append(ray_workers.ray_cluster(*ray_workers.MANY, HOSTS, SLICES))
    seconds, faults = 8, []
    with serving(api) as program:
        groups = [range(GROUPS * each, GROUPS * (each + 1)) for each in range(1 + len(connections))]
        with Workers(program, api, groups[0]) as alone:
            time.sleep(seconds)
        print(f"       alone: {alone.said()}", flush=True)
        most = max(2 * alone.slowest(), 0.25)  # of which a fifth of a second is what this process may take
        for number, of in zip(connections, groups[1:]):
            with Author(program, number) as author:
                time.sleep(1)
                with Workers(program, api, of) as beside:
                    time.sleep(seconds)
                statuses = author.end()[0][1]
            print(f"       beside {number}: {beside.said()}; the author: {statuses}", flush=True)
            if beside.refused or beside.slowest() > most:
                faults.append(f"beside {number}: {beside.said()}")
            if int(statuses.get("200", 0)) < 10 * (seconds + 1):
                faults.append(f"of the author on {number} connections {statuses} were answered")
    assert not faults, faults
