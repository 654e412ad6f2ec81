"""The program with a made-up API server: places of Ray workers, while Pods with any label end."""

import base64
import collections
import contextlib
import json
import re
import threading
import time
import uuid

import ray_workers
from checks import check
from made_up_api import Account, Living, Server
from program import Program
from ray_workers import CLUSTERS, OF_NS, PODS
from wire import Connection, metrics_of, post, review, tls

MAPS = "/api/v1/namespaces/webhook/configmaps"


def token_mark(review_uid):
    """What ends the tokens of a review: docs/contract.md, "Hashes"."""
    state = 0x6c62272e07bb014262b821756295c58d  # FNV-1a, 128 bits
    for byte in b"token\0" + review_uid.encode() + b"\0":
        state = (state ^ byte) * ((1 << 88) + 0x13b) % (1 << 128)
    return f"{state:032x}"[:16]


def ray_cluster(name, groups=("workers",)):
    return ray_workers.ray_cluster(name, f"uid-{name}", groups)


def worker(cluster, token="", group="workers", chips=True):
    pod = ray_workers.worker(f"w-{uuid.uuid4()}", cluster, f"uid-{cluster}", group, chips)
    return ray_workers.stored(pod, token)


class Api(Living):
    """RayClusters, and nobody in them."""

    def __init__(self, *clusters):
        super().__init__({PODS: [], OF_NS: [], MAPS: [], CLUSTERS: list(clusters), "/api/v1/nodes": [],
                          "/api/v1/services": []})

    def ledger_requests(self):
        return [r for r in self.requests if r.path.startswith(MAPS) or r.path == OF_NS]


class Serving(Program):
    def __init__(self, server):
        super().__init__("--ledger", "cluster", account=Account(server.port))
        self.wait_for_log("cluster listed")

    def place(self, pod, uid=None):
        """(seconds, status, answer) of a review."""
        _, request = ray_workers.creation(pod, uid)
        begin = time.monotonic()
        with Connection(self.port, tls(self.ca)) as connection:
            answer = connection.send(request).answer()
        return time.monotonic() - begin, answer.status, answer


@check
def deleted_pods_with_any_label_stop_nobody():
    """Once, after 400 of them no place was given any more."""
    api = Api(ray_cluster("train"), ray_cluster("other"))
    with Server(api) as server, Serving(server) as program:
        took, code, answer = program.place(worker("train"))
        assert code == 200 and b"patch" in answer.body, answer
        before = len(api.ledger_requests())
        for i in range(1500):
            token = f"0-0-{i:016x}"
            api.happen("DELETED", PODS, worker(f"made-up-{i}", token),
                       worker(f"made-up-{i}", token, chips=False), worker("other", token),
                       worker("train", token))
        slowest = 0
        for _ in range(6):
            took, code, answer = program.place(worker("train"))
            assert code == 200, answer
            slowest = max(slowest, took)
            time.sleep(0.7)
        spent = len(api.ledger_requests()) - before
        print(f"    slowest {slowest:.2f} s, {spent} requests for 6,000 deletions and 6 places")
        assert slowest < 5
        assert spent < 40, collections.Counter((r.method, r.path) for r in api.requests)


def place_in(answer):
    """(slice, host) of the token in a review's patch, and the patch's text."""
    patch = json.loads(base64.b64decode(json.loads(answer.body)["response"]["patch"]))
    text = json.dumps(patch)
    return tuple(map(int, re.search(r'"(\d+)-(\d+)-[0-9a-f]{16}"', text).groups())), text


@check
def a_label_beyond_the_slice_gives_no_place():
    """A stored Pod's token named host 4,294,967,295, and a review with the uid that its mark is made
    of was answered after 5.8 s, with worker id 4,294,967,280."""
    api = Api(ray_cluster("train"))
    addresses = {"name": "TPU_PROCESS_ADDRESSES", "value": ",".join(["a"] * 16)}
    with Server(api) as server, Serving(server) as program:
        _, code, answer = program.place(worker("train"))
        assert code == 200 and place_in(answer)[0] == (0, 0), answer
        for i, far in enumerate(("0-4294967295", "0-4", "4294967295-0", "131072-0")):
            uid = f"705ab4f5-6393-11e8-b7cc-42010a80000{i}"
            api.happen("ADDED", PODS, worker("train", f"{far}-{token_mark(uid)}"))
            time.sleep(0.3)
            pod = worker("train")
            pod["spec"]["nodeSelector"] = {"cloud.google.com/gke-tpu-accelerator": "tpu7x",
                                           "cloud.google.com/gke-tpu-topology": "4x4x1"}
            pod["spec"]["containers"] = [
                {"name": f"c{c}", "image": "i", "resources": {"limits": {"google.com/tpu": "1"}},
                 "env": [addresses]} for c in range(4)]
            took, code, answer = program.place(pod, uid)
            assert code == 200, answer
            given, patch = place_in(answer)
            assert given < (2, 0) and given[1] < 4 and "4294967" not in patch, (far, given)
            assert took < 2, took
        for entry in api.collections[MAPS][0]["data"]["entries"].split():
            number, host, _ = entry.split("-")
            assert int(number) < 2 and int(host) < 4, entry


# The group of another namespace whose ledger object has the name of ml/train/workers': 128 bits of FNV-1a can be met
# by a text that is made for it.
ALIKE = {"namespace": "evil", "ray-cluster": "c", "ray-cluster-uid": "uid-evil",
         "group": "\a\a\v\3\1\2\2\2\1\x1e\x19\1\6\1\v\5\2\2\5\3\a\a\2\x1e\x0f\r\4~\x7f\6\3\4\x0e\v\2\t\1\0028\a\x1d\3"
                  "\x1c\f\x1c\1\3~~\1\x19\x1c"}
OBJECT = "tpu-ledger-de19672af6f8e3da24ea8d3efbb7078c"


@check
def another_groups_record_gives_no_place():
    """Seven reviews of Pods in a namespace of their own once took all places of this group."""
    taken = "\n".join(f"{slice_}-{host}-{slice_ * 4 + host:016x}" for slice_ in range(2) for host in range(4))
    record = {"apiVersion": "v1", "kind": "ConfigMap",
              "metadata": {"name": OBJECT, "namespace": "webhook", "resourceVersion": "7",
                           "labels": {"app.kubernetes.io/component": "ledger",
                                      "app.kubernetes.io/managed-by": "tpu-webhook"}},
              "data": {"format": "1", "hosts-per-slice": "4", "state": "whole", "entries": taken, **ALIKE}}
    api = Api(ray_cluster("train"))
    api.collections[MAPS].append(record)
    with Server(api) as server, Serving(server) as program:
        _, code, answer = program.place(worker("train"))
        assert code == 503 and b"another group's" in answer.body and b"are taken" not in answer.body, answer.body


@check
def what_is_denied_is_written_nowhere():
    """A group whose name is no label value, and one whose hosts could have no name: no record, no alarm."""
    names = "a b", "a\x1b[31m\n", "w" * 64, "G_x"
    api = Api(ray_cluster("train", names))
    with Server(api) as server, Serving(server) as program:
        for name in names:
            for _ in range(3):
                _, code, answer = program.place(worker("train", group=name))
                response = json.loads(answer.body)["response"]
                assert code == 200 and not response["allowed"], answer.body
                said = response["status"]["message"]
                assert "TPU-301" in said and said.isprintable() and said.isascii(), said
        assert not [r for r in api.ledger_requests() if r.path.startswith(MAPS) and r.method != "GET"]
        assert metrics_of(program)[0]["tpu_webhook_ledger_stalled_seconds"] == 0


@check
def a_pod_that_cannot_be_read_holds_its_place():
    """Of 65,537 tolerations, more than are read: it lives, and may be anybody of the group."""
    hidden = worker("train", f"0-0-{1:016x}")
    hidden["spec"]["tolerations"] = [{}] * 65537
    api = Api(ray_cluster("train"))
    api.collections[OF_NS].append(hidden)
    with Server(api) as server, Serving(server) as program:
        _, code, answer = program.place(worker("train"))
        assert code == 503 and b"cannot be read" in answer.body, (code, answer.body)


def large(pod):
    """The request of its creation, of 140 KiB."""
    pod["metadata"]["annotations"] = {"x": "y" * (140 << 10)}
    return ray_workers.creation(pod)[1]


@contextlib.contextmanager
def asked_of_a_slow_ledger(*requests):
    """The program while these requests, each on a connection of its own, wait for an API server that
    does not answer about records; and the connections."""
    over = threading.Event()

    def hang(_, request):
        if request.path.startswith(MAPS) or request.path == OF_NS:
            over.wait(10)

    api = Api(ray_cluster("train"))
    api.faults.append(hang)
    with Server(api) as server, Serving(server) as program, contextlib.ExitStack() as stack:
        stack.callback(over.set)
        connections = [stack.enter_context(Connection(program.port, tls(program.ca))) for _ in requests]
        for connection, request in zip(connections, requests):
            connection.send(request)
        time.sleep(0.5)
        yield program, connections


@check
def large_reviews_that_wait_for_the_ledger_hold_up_no_other():
    """There is one place for large ones; 12 of them once made an honest one wait for 10 s."""
    honest = review("honest")
    request = post(honest + b" " * ((140 << 10) - len(honest)))
    waiting = [large(worker("train")) for _ in range(12)]
    with asked_of_a_slow_ledger(*waiting) as (program, connections):
        for _ in range(3):
            begin = time.monotonic()
            with Connection(program.port, tls(program.ca)) as connection:
                assert connection.send(request).answer().json()["response"]["uid"] == "honest"
            assert time.monotonic() - begin < 1
        for connection in connections:  # each has its second pass
            assert connection.answer().status in (200, 503)


@check
def small_reviews_after_large_ones_are_not_refused():
    """12 connections that have sent 7 MB each; then small reviews on them that wait for the ledger
    together. Once 10 of them were refused as too many large ones."""
    body = review("large")
    whole = post(body + b" " * ((7 << 20) - len(body)))
    with asked_of_a_slow_ledger() as (program, _):
        connections = [Connection(program.port, tls(program.ca)) for _ in range(12)]
        for connection in connections:
            assert connection.send(whole).answer().status == 200
        for connection in connections:
            connection.send(ray_workers.creation(worker("train"))[1])
        time.sleep(0.5)
        held = metrics_of(program)[0]["tpu_webhook_held_bytes"]
        assert held < 12 * (33 << 10), held
        for connection in connections:
            answer = connection.answer()
            assert b"too many large reviews" not in answer.body, answer
            connection.close()


@check
def three_replicas_free_what_ends_together():
    groups = [f"g{i}" for i in range(100)]
    api = Api(ray_cluster("train", groups))
    with Server(api) as server, \
            Serving(server) as a, Serving(server) as b, Serving(server) as c:
        for i, group in enumerate(groups):
            _, code, answer = (a, b, c)[i % 3].place(worker("train", group=group))
            while code == 503:
                time.sleep(0.2)
                _, code, answer = (a, b, c)[i % 3].place(worker("train", group=group))
            assert code == 200, answer
        pods = [worker("train", token, o["data"]["group"]) for o in api.collections[MAPS]
                for token in o["data"]["entries"].split()]
        assert len(pods) >= len(groups)
        api.happen("ADDED", PODS, *pods)
        time.sleep(1)
        before, begin = len(api.requests), time.monotonic()
        api.happen("DELETED", PODS, *pods)
        while api.collections[MAPS] and time.monotonic() - begin < 60:
            time.sleep(0.1)
        took = time.monotonic() - begin
        spent = collections.Counter(r.method for r in api.requests[before:])
        print(f"    100 groups freed in {took:.1f} s by {dict(spent)}")
        assert not api.collections[MAPS]
        assert took < 20
