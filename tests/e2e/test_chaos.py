"""Ids under everything at once: 1,024 Ray workers of 16 slices of 64 hosts, three replicas, and misfortune."""

import collections
import contextlib
import functools
import os
import random
import signal
import subprocess
import threading
import time

from controlplane import net
from harness import pipe, workers
from harness.api import Refused, wait_for
from harness.beside import beside
from harness.rival import denial, rival
from harness.service import E2E
from harness.workers import Cluster, doubles, place, whole

CLUSTERS, REPLICAS, HOSTS = 4, 4, 64
CLIENTS = 8
MISFORTUNE = 120  # seconds of kills, of a frozen watch, and of refusals by another webhook
REFUSED, DELAYED, DELAY = 0.05, 0.01, 29.0  # by the other webhook: shares, and seconds
GIVEN = 'tpu_webhook_ledger_answer_duration_seconds_count{answer="given"}'
CONFLICTS = 'tpu_webhook_ledger_writes_total{result="conflict"}'
AGE = 'tpu_webhook_watch_age_seconds{resource="pods"}'
SYNCED = [f'tpu_webhook_watch_synced{{resource="{kind}"}}' for kind in ("pods", "nodes", "services", "rayclusters")]
SEED = int(os.environ.get("TPUWH_SEED", "20261121"))


class Controllers:
    """As many Pods as each cluster wants; what is refused is tried again a second later."""

    def __init__(self, clusters):
        self._clusters, self._lock, self._random = clusters, threading.Lock(), random.Random(SEED)
        self._wanted = collections.Counter({cluster: cluster.size for cluster in clusters})  # that nobody is at
        self._under_way = 0
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(CLIENTS)]
        self._stop, self._number = threading.Event(), 0
        self.count, self.took, self.last_refused, self.why = collections.Counter(), [], 0.0, collections.Counter()

    def __enter__(self):
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for one in self._threads:
            one.join()

    def missing(self) -> int:
        """Pods that do not exist yet. One under way is among them: it may still be refused."""
        with self._lock:
            return sum(self._wanted.values()) + self._under_way

    def _work(self) -> None:
        while not self._stop.is_set():
            if not (cluster := self._begin()):
                self._stop.wait(0.2)
                continue
            made = False
            try:
                made = self._make(cluster)
            finally:
                self._end(cluster, made)
            if not made:
                self._stop.wait(1)

    def _begin(self):
        """A cluster that wants a Pod nobody is at, if there is one; from now on somebody is."""
        with self._lock:
            wanting = [cluster for cluster, number in self._wanted.items() if number > 0]
            if not wanting:
                return None
            cluster = self._random.choice(wanting)
            self._wanted[cluster] -= 1
            self._under_way += 1
            return cluster

    def _end(self, cluster, made: bool) -> None:
        with self._lock:
            self._under_way -= 1
            self._wanted[cluster] += not made

    def _make(self, cluster) -> bool:
        with self._lock:
            self._number += 1
            name, dice = f"w-{self._number}", self._random.random()
        if dice < 0.05:
            self._try("dry run", lambda: cluster.add(f"dry-{name}", dry_run=True))
        copied = 0.05 <= dice < 0.08 and self._copy(cluster, f"copy-{name}")
        return copied or self._try("created", lambda: cluster.add(name))

    def _copy(self, cluster, name) -> bool:
        """A Pod that lives, created again with all its labels: it becomes one of those that are wanted."""
        living = [pod for pod in cluster.pods() if workers.TOKEN in pod["metadata"]["labels"]]
        return bool(living) and self._try("copy", lambda: cluster.namespace.api.create(workers.copy_of(living[0], name)))

    def _try(self, what, create) -> bool:
        start = time.monotonic()
        try:
            create()
        except (Refused, OSError) as error:
            with self._lock:
                self.count[f"{what} refused"] += 1
                self.why[_kind(str(error))] += 1
                self.last_refused = time.monotonic()
            return False
        with self._lock:
            self.count[what] += 1
            self.took.append(time.monotonic() - start)
        return True


def _kind(message: str) -> str:
    for part in ("denied the request", "are taken", "cannot be read or written", "deadline exceeded", "EOF",
                 "connection refused", "received nothing", "connection reset", "not listed"):
        if part in message:
            return part
    return message[-80:]


def _grown(before, after, name):
    return after.get(name, 0) - before.get(name, 0)


def other_webhook():
    """Refuses some Pods, delays others: the API server may store one half a minute after our answer."""
    dice, end = random.Random(SEED + 1), time.monotonic() + MISFORTUNE

    def decide(_):
        share = dice.random()
        if time.monotonic() > end or share > REFUSED + DELAYED:
            return {}
        if share < REFUSED:
            return denial("not this one")
        time.sleep(DELAY)
        return {}

    return decide


@contextlib.contextmanager
def through_a_pipe(plane, release):
    """The third replica reaches the API server through a relay whose connections can be stopped."""
    here, there = f"127.0.0.1:{net.free_ports(1)[0]}", f"127.0.0.1:{plane.ports['apiserver']}"
    with pipe.opened(plane.directory, "tpu-webhook-pipe", here, there) as relay:
        one = release.replicas[2]
        one.kill()
        one.api_server = here
        one.start()
        release.wait_ready()
        yield relay


def watched(replica, relay):
    """The relay's connections, once there is a watch of each kind among them."""
    metrics = replica.metrics()  # of this process: before it watches, or while it does not, a kind is not synced
    found = pipe.connections(relay)
    return found if all(metrics.get(one) for one in SYNCED) and len(found) >= len(SYNCED) else None


@contextlib.contextmanager
def frozen(replica, relay):
    """Its connections of now stand still, the watches among them; what is opened later passes, so that the replica
    writes the ledger by what it knew before."""
    stopped = wait_for("a watch of each kind", lambda: watched(replica, relay), 30)
    for connection in stopped:
        os.kill(connection, signal.SIGSTOP)
    try:
        yield
    finally:
        for connection in stopped:
            with contextlib.suppress(ProcessLookupError):  # its own side has given it up
                os.kill(connection, signal.SIGCONT)


def apart(plane, release):
    """The wall clocks of the replicas are an hour apart."""
    library = plane.directory / "clock_shift.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, E2E / "harness" / "clock_shift.c"], check=True)
    for number, one in enumerate(release.replicas):
        one.clock = [f"LD_PRELOAD={library}", f"TPUWH_CLOCK_SHIFT={3600 * number}"]


def kill_in_turn(release, killed, stop):
    """One of the first two is killed every 10 s and started again at once, as the kubelet does. All connections are cut
    then: the API server would go on with those that it has, and the third replica have little to say."""
    while not stop.wait(10):
        one = release.replicas[len(killed) % 2]
        one.kill()
        one.start()
        release.route(cut=True)
        killed.append(one.name)


def test_no_id_twice_and_every_slice_whole(release, plane, namespace, picture):
    """0 duplicates, and all slices dense within 4 minutes of the last refused creation."""
    with release.reinstalled({"replicas": 3}):
        apart(plane, release)
        for one in release.replicas[:2]:
            one.kill()
            one.start()
        clusters = [Cluster(namespace, f"c{number}", HOSTS, REPLICAS) for number in range(CLUSTERS)]
        killed, start = [], time.monotonic()
        with through_a_pipe(plane, release) as relay, rival(plane, namespace, "zz-other", other_webhook(), timeout=30):
            stale = release.replicas[2]
            with Controllers(clusters) as controllers:
                with beside(functools.partial(kill_in_turn, release, killed)), frozen(stale, relay):
                    before, age, until = stale.metrics(), 0.0, time.monotonic() + MISFORTUNE
                    while time.monotonic() < until:
                        time.sleep(5)
                        assert not any(doubles(cluster.pods()) for cluster in clusters)
                        after = stale.metrics()
                        age = max(age, after[AGE])
                misfortune_over = time.monotonic()
                wait_for("all Pods to be created", lambda: controllers.missing() == 0, 300, every=1)
            done = time.monotonic()
            found = {cluster.name: whole(cluster.pods(), HOSTS, REPLICAS) for cluster in clusters}
            since = done - min(controllers.last_refused or done, done)
        assert not any(found.values()), found
        assert _grown(before, after, GIVEN) > 0, "the replica with the frozen watches gave nothing"
        assert age > 90, f"its watch was not frozen: {age:.0f} s old at most"
        pods = [pod for cluster in clusters for pod in cluster.pods()]
        assert len({(pod["metadata"]["labels"]["ray.io/cluster"], *place(pod)) for pod in pods}) == len(pods)
        took = sorted(controllers.took)
        picture("Ids under misfortune", "\n".join([
            f"seed {SEED}; {len(pods)} Pods of {CLUSTERS * REPLICAS} slices of {HOSTS} hosts by {CLIENTS} clients; 0 duplicate ids",
            f"{len(killed)} kills, one replica's watches frozen for {MISFORTUNE} s, clocks 1 h apart",
            f"that replica gave {_grown(before, after, GIVEN):.0f} places meanwhile, by a watch of Pods up to {age:.0f} s "
            f"old, and lost {_grown(before, after, CONFLICTS):.0f} races to another one",
            ", ".join(f"{number} {what}" for what, number in sorted(controllers.count.items())),
            "refused because: " + ", ".join(f"{number} {what}" for what, number in controllers.why.most_common()),
            f"a creation took {1e3 * took[len(took) // 2]:.0f} ms in the middle, {took[-1]:.1f} s at most",
            f"whole {done - start:.0f} s after the first, {done - misfortune_over:.0f} s after the last misfortune, "
            f"{since:.0f} s after the last refused creation"]))
        for cluster in clusters:
            namespace.api.delete("ray.io/v1", "RayCluster", cluster.name, namespace.name)
        wait_for("the Pods to go", lambda: not namespace.api.count("v1", "Pod", namespace.name), 120, every=1)
    assert done - misfortune_over < 240
