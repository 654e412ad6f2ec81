"""The harness alone, without a control plane: what it says of the world is so now, and it forgets nothing."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time

import pytest

from controlplane import cache, net, pins, process, programs
from controlplane.state import State
from harness import audit, pipe, report
from harness.api import Api, Refused, wait_for
from harness.asking import Asking
from harness.beside import beside
from harness.load import Load
from harness.service import Service
from rates import busiest_second
from test_chaos import SYNCED, Controllers, frozen


class Hesitant:
    """A cluster of one Pod, whose first creation is refused, and that not before it is told to be."""

    name, size = "hesitant", 1

    def __init__(self):
        self.asked, self.refuse, self.made = threading.Event(), threading.Event(), []

    def add(self, name, dry_run=False):
        if dry_run:
            return
        self.asked.set()
        if not self.refuse.is_set():
            self.refuse.wait(10)
            raise Refused(403, "not this one")
        self.made.append(name)

    def pods(self):
        return []


def test_a_pod_under_way_is_missing():
    """A creation that has no answer yet may still be refused: nobody may go home before."""
    cluster = Hesitant()
    with Controllers([cluster]) as controllers:
        assert cluster.asked.wait(10)
        under_way = controllers.missing()
        cluster.refuse.set()
        wait_for("the Pod", lambda: controllers.missing() == 0, 10)
    assert under_way == 1 and len(cluster.made) == 1


# Ready a while after its start, as the program is: argv is the port, and the seconds it takes.
READY_LATER = """
import http.server, sys, time
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if time.monotonic() > late else 503)
        self.end_headers()
late = time.monotonic() + float(sys.argv[2])
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Ready).serve_forever()
"""


class Server:
    """A replica to the relay, in a process that can be killed."""

    def __init__(self, directory, name):
        self.name, self._directory, self.port = name, directory, net.free_ports(1)[0]

    def entry(self):
        return {"address": f"127.0.0.1:{self.port}", "ready": f"http://127.0.0.1:{self.port}/readyz"}

    def start(self, seconds):
        command = [sys.executable, "-c", READY_LATER, self.port, seconds]
        self._process = process.start(self._directory, self.name, command)

    def kill(self):
        process.signal_one(self._process, signal.SIGKILL)
        process.wait_exit(self._process, 5)


@pytest.fixture
def service(tmp_path):
    """A relay with nobody behind it. What a case starts in `tmp_path` is ended."""
    yield Service(tmp_path, f"127.0.0.1:{net.free_ports(1)[0]}", tmp_path)
    process.stop(tmp_path, process.known(tmp_path), at_once=True)


def test_a_replica_that_started_again_is_not_ready_yet(service, tmp_path):
    """Killed and started again between two rounds of the relay: the readiness of the one that is gone is not its own."""
    one = Server(tmp_path, "one")
    one.start(0)
    service.route({"one": one.entry()})
    service.wait_ready(["one"])
    one.kill()
    start = time.monotonic()
    one.start(1.5)
    service.wait_ready(["one"])
    assert time.monotonic() - start > 1.5


def test_what_the_relay_says_is_so_now(service, tmp_path):
    """A connection is counted as soon as it was made, and a replica that was taken off gets no more."""
    ones = [Server(tmp_path, name) for name in ("first", "second")]
    for one in ones:
        one.start(0)
    service.route({one.name: one.entry() for one in ones})
    service.wait_ready(["first", "second"])
    connect(service, 4)
    assert service.says()["total"] == {"first": 2, "second": 2}
    service.route({"second": ones[1].entry()})
    connect(service, 3)
    assert service.says()["total"] == {"first": 2, "second": 5}


def connect(service, times):
    host, _, port = service.address.rpartition(":")
    for _ in range(times):
        assert net.answers(host, int(port))


class Silent(socketserver.StreamRequestHandler):
    """Reads until the other side is done."""

    def handle(self):
        self.server.heard += 1
        self.rfile.read()


class SilentServer(socketserver.ThreadingTCPServer):
    daemon_threads = True  # a connection that does not end is for the case to notice
    heard = 0


@contextlib.contextmanager
def silent_pipe(folder):
    """A pipe to a server that says nothing; yields its process id, and how to connect."""
    here = ("127.0.0.1", net.free_ports(1)[0])
    with SilentServer(("127.0.0.1", 0), Silent) as target, contextlib.ExitStack() as ends:
        threading.Thread(target=target.serve_forever, args=(0.05,), daemon=True).start()
        ends.callback(target.shutdown)
        address = "{}:{}".format(*target.server_address)
        with pipe.opened(folder, "tpu-webhook-pipe", "{}:{}".format(*here), address) as relay:
            # opened() has tried whether it listens, and the relay may come to that after opened() is done.
            wait_for("the harness's own connection to come", lambda: target.heard, 10)
            wait_for("the harness's own connection to end", lambda: not pipe.connections(relay), 10)
            yield relay, lambda: ends.enter_context(socket.create_connection(here))


def test_a_connection_ends_with_its_pipe(tmp_path):
    """However the pipe ends, and though the connection stands still."""
    with silent_pipe(tmp_path) as (relay, connect):
        connect()
        wait_for("the connection", lambda: pipe.connections(relay), 10)
        (connection,) = pipe.connections(relay)
        os.kill(connection, signal.SIGSTOP)
    wait_for("the connection to end", lambda: not pathlib.Path(f"/proc/{connection}").exists(), 30)


class Slow:
    """A replica that opens its watches one after another, some time after it is asked first."""

    def __init__(self, connect):
        self._connect, self._open = connect, 0

    def metrics(self):
        if self._open < len(SYNCED):
            self._connect()
            self._open += 1
        return dict.fromkeys(SYNCED[:self._open], 1.0)


def test_what_is_frozen_is_there_first(tmp_path):
    """A replica that has just started has no watches yet: they are waited for, and then stopped."""
    with silent_pipe(tmp_path) as (relay, connect), frozen(Slow(connect), relay):
        wait_for("all to stand still", lambda: states(pipe.connections(relay)) == ["T"] * len(SYNCED), 10)


def states(pids):
    """As the kernel writes them: T is stopped."""
    return [pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] for pid in pids]


def test_what_goes_on_beside_a_story_ends_with_it():
    """It fails, and the thread is told, waited for and gone; what goes wrong in the thread is the story's, too."""
    told = []
    with pytest.raises(AssertionError, match="the story"), beside(lambda stop: told.append(stop.wait(10))):
        raise AssertionError("the story")
    assert told == [True]
    with pytest.raises(OSError, match="the thread"), beside(fails):
        pass


def fails(_stop):
    raise OSError("the thread")


class Gate:
    """A namespace and its API in one, whose first creations wait until they are let in."""

    name = "gate"

    def __init__(self, count):
        self.api, self.let_in, self.waiting = self, threading.Event(), threading.Semaphore(0)
        self.names, self._count, self._lock = [], count, threading.Lock()

    def create(self, pod):
        with self._lock:
            self.names.append(pod["metadata"]["name"])
            first = len(self.names) <= self._count
        if first:
            self.waiting.release()
            self.let_in.wait(10)


def test_more_pods_are_begun_after_the_asking():
    """Four users have a creation under way when two more are waited for: those are of the ones that begin later."""
    gate = Gate(4)
    load = Load(gate, users=4, rate=4)
    load.more, more = lambda _count: None, load.more  # it would wait at its beginning
    with load:
        for _ in range(4):
            assert gate.waiting.acquire(timeout=10)
        threading.Timer(0.2, gate.let_in.set).start()
        more(2)
        tried = load.tried()
    assert tried >= 4 + 2


def test_a_worker_that_is_refused_is_asked_for_again():
    """And its time counts from the first asking, refusals included."""
    cluster = Hesitant()
    with Asking(cluster, every=0.05) as asking:
        assert cluster.asked.wait(10)
        cluster.refuse.set()
        wait_for("more workers", lambda: asking.created() > 2, 10)
    assert asking.refused == ["not this one"]
    assert asking.slowest() == asking.took[0][1] >= 1, asking.took


def test_our_requests_are_counted_by_the_audit_log(tmp_path):
    """Without watches, which stay open, and without other users'."""
    plane, log = State(tmp_path), tmp_path / "logs" / "audit.log"
    log.parent.mkdir()
    lines = [("ours", "get", "00.100"), ("ours", "watch", "00.200"), ("theirs", "get", "00.300"),
             ("ours", "update", "00.900"), ("ours", "get", "02.000")]
    log.write_text("".join(json.dumps({"user": {"username": user}, "verb": verb,
                                       "requestReceivedTimestamp": f"2026-11-22T10:00:{at}000Z"}, separators=(",", ":")) + "\n"
                           for user, verb, at in lines), encoding="utf-8")
    times = audit.requests(plane, "ours")
    assert len(times) == 3 and busiest_second(times) == 2, times
    assert audit.requests(plane, "ours", audit.size(plane)) == []


def audited(pod, **calls):
    """A line of the audit log: a Pod's creation, and the configurations called for it: was there an answer?"""
    annotations = {}
    for number, (configuration, answered) in enumerate(calls.items()):
        key = f"{audit.ROUND}0_index_{number}"
        annotations[key] = json.dumps({"configuration": configuration, "webhook": "w", "mutated": False})
        if not answered:
            annotations[f"failed-open.{key}"] = "w"
    about = {"resource": "pods", "namespace": "ns", "name": pod}
    return json.dumps({"verb": "create", "objectRef": about, "annotations": annotations}, separators=(",", ":")) + "\n"


def test_who_answered_for_a_pod_is_waited_for(tmp_path):
    """The line of this creation, which may come late, and not that of an earlier one of the same name."""
    plane, log = State(tmp_path), tmp_path / "logs" / "audit.log"
    log.parent.mkdir()
    log.write_text(audited("probe", before=True), encoding="utf-8")
    since, line = audit.size(plane), audited("probe", ours=True, silent=False)

    def write_late():
        with open(log, "a", encoding="utf-8") as file:
            file.write(line)

    threading.Timer(0.3, write_late).start()
    assert audit.answered(audit.creation(plane, "ns", "probe", since)) == {"ours"}


def test_a_killed_process_leaves_no_half_line_to_the_next(tmp_path):
    """Whose first line can be read for itself."""
    for line in ("half a li", "a line\\n", "another\\n"):
        one = process.start(tmp_path, "printer", ["printf", line])
        assert process.wait_exit(one, 10) == 0
    assert (tmp_path / "logs" / "printer.log").read_text(encoding="utf-8") == "half a li\na line\nanother\n"


def test_a_deletion_that_takes_longer_than_a_minute_goes_on(monkeypatch):
    answers = [Refused(504, "Timeout: request did not complete within the allotted timeout")] * 2

    def call(self, *_, **__):
        if answers:
            raise answers.pop()

    monkeypatch.setattr(Api, "_call", call)
    api = Api.__new__(Api)
    api.delete_all("v1", "Pod", "a")
    assert not answers
    answers = [Refused(403, "no")]
    with pytest.raises(Refused):
        api.delete_all("v1", "Pod", "a")


def test_each_case_is_of_one_control_plane():
    """A whole run has one process for each, and together they tell all."""
    text = "plane 1\none\nnot-yet two # why\nplane 2\nthree\n"
    assert report.listed(1, text) == (["one", "two"], {"two"})
    assert report.listed(2, text) == (["three"], set())
    assert report.listed(0, text) == (["one", "two", "three"], {"two"})
    numbers = range(1, report.planes() + 1)
    assert sorted(case for number in numbers for case in report.listed(number)[0]) == sorted(report.listed()[0])
    assert all(report.listed(number)[0] for number in numbers)


def test_a_case_of_a_newer_release_is_not_asked_for(monkeypatch):
    """The case of something that the pins' release does not have; 0.10 comes after 0.9."""
    text = "one\nsince lws v0.9.0 two\nsince lws v0.10.0 three\nsince lws v0.9.1 four\n"
    monkeypatch.setattr(report.pins, "release", {"lws": "v0.9.0"}.__getitem__)
    assert report.listed(0, text) == (["one", "two"], set())
    monkeypatch.setattr(report.pins, "release", {"lws": "v0.10.0"}.__getitem__)
    assert report.listed(0, text) == (["one", "two", "three", "four"], set())


def test_the_modules_have_the_releases_of_the_pins():
    """What is built is what the file of pins says, whichever set is asked for."""
    for name in pins.sets():
        assert not of_programs("disagreements()", name)


def test_what_is_common_is_compiled_once():
    """By Helm and the control plane: a library at another release is compiled again, and so is all that imports it."""
    assert not of_programs("compiled_apart(['kubernetes', 'helm'])", "")


def test_a_module_without_a_checksum_is_refused(tmp_path, monkeypatch):
    """No checksum is fetched: only modules that modules/go.sum lists are built."""
    lines = cache.CHECKSUMS.read_text(encoding="utf-8").splitlines(keepends=True)
    monkeypatch.setattr(cache, "CHECKSUMS", tmp_path / "go.sum")
    cache.CHECKSUMS.write_text("".join(line for line in lines if not line.startswith("helm.sh/helm/v4 ")), encoding="utf-8")
    with pytest.raises(RuntimeError, match="helm.sh/helm/v4@.*: verifying .*invalid GOSUMDB"):
        programs.compiled_apart(["helm"])


def of_programs(call, name):
    """What a function of controlplane.programs returns with the pins of this name, a line each; "" names the default."""
    done = subprocess.run([sys.executable, "-c", f"from controlplane import programs; print(*programs.{call}, sep='\\n')"],
                          env={**os.environ, "TPUWH_PINS": name}, text=True, cwd=pathlib.Path(__file__).parent, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
