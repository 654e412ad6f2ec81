"""A control plane with fake nodes, and what its scheduler makes of Pods.

The scheduler is stopped (SIGSTOP) while Pods are created and goes on once all of a step are there:
the API server's and this program's own work are over by then, and what is measured is scheduling.
"""

import collections
import contextlib
import dataclasses
import fcntl
import http.client
import json
import pathlib
import re
import signal
import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import servers
from controlplane import cluster, core, kube, nodes, process

from .constraints import NAMESPACES, Constraint, Shape, plain, pool_name, slice_of
from .figures import Step


@dataclasses.dataclass(frozen=True)
class Profile:
    """Of the scheduler, as KubeSchedulerConfiguration has it."""

    said: str
    configuration: dict


MACHINE = "ct6e-standard-4t"
FIRST = {"filter": {"enabled": [{"name": "InterPodAffinity"}]}}
# Profiles of the scheduler beside its default: what a cluster's administrator might set.
PROFILES = {
    "terms-first": Profile("Pod affinity asked first", {"plugins": FIRST}),
    "five-percent": Profile("5 % of nodes scored", {"percentageOfNodesToScore": 5}),
    "own-terms": Profile("preferences of bound Pods ignored", {"pluginConfig": [
        {"name": "InterPodAffinity", "args": {"ignorePreferredTermsOfExistingPods": True}}]}),
}
# Gates and APIs of its groups of Pods.
GROUPS = ("GenericWorkload", "TopologyAwareWorkloadScheduling"), ("scheduling.k8s.io/v1beta1",)
# Without it nodes are ready when they are made; the controller manager takes minutes to find that out of 15,000.
NO_ADMISSION = ("TaintNodesByCondition",)
LIMIT = 240.0  # seconds for one step, before the run is given up
SETTLE = 0.5   # after the last Pod runs: what the scheduler hears of that belongs to the step
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class Bound:
    """When each Pod was bound, from a watch of those that have a node."""

    def __init__(self, client: kube.Kube):
        self._client, self._changed, self._at, self._closed = client, threading.Condition(), {}, False
        self._connection = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def wait(self, names: set) -> float:
        """The moment at which the last of them was bound."""
        with self._changed:
            if not self._changed.wait_for(lambda: names <= self._at.keys(), LIMIT):
                raise TimeoutError(f"{len(names - self._at.keys())} of {len(names)} Pods are not bound after {LIMIT:.0f} s")
            return max(self._at[name] for name in names)

    def wait_none(self) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: not self._at, LIMIT):
                raise TimeoutError(f"{len(self._at)} Pods are still there after {LIMIT:.0f} s")

    def close(self) -> None:
        self._closed = True
        if self._connection and self._connection.sock:
            with contextlib.suppress(OSError):
                self._connection.sock.shutdown(2)
        self._thread.join(5)

    def _work(self) -> None:
        while not self._closed:
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                self._watch()

    def _watch(self) -> None:
        """Begins with all that are bound, so that nothing is missed where a watch has ended."""
        self._connection = self._client.connect(timeout=None)
        path = "/api/v1/pods?watch=1&fieldSelector=spec.nodeName!%3D"
        self._connection.request("GET", path, headers={"Accept": METADATA})
        for line in self._connection.getresponse():
            event, now = json.loads(line), time.monotonic()
            name = event["object"].get("metadata", {}).get("name", "")
            with self._changed:
                if event["type"] == "ADDED":
                    self._at.setdefault(name, now)
                elif event["type"] == "DELETED":
                    self._at.pop(name, None)
                self._changed.notify_all()


class Plane:
    """Up with no pools; `grow` adds nodes."""

    def __init__(self, directory: pathlib.Path, shape: Shape, groups: bool = False):
        self.shape, self._plain, self._groups = shape, 0, groups
        profiles = [{"schedulerName": name, **profile.configuration} for name, profile in PROFILES.items()]
        self._state = cluster.up(directory, (), (), gates=core.Gates(
            *(GROUPS if groups else ((), ())), no_admission=NO_ADMISSION, profiles=({"schedulerName": "default-scheduler"}, *profiles)))
        self.client = self._state.client()
        (self._scheduler,) = [one for one in process.known(self._state.directory) if one.name == "kube-scheduler"]
        self._pools = 0
        for name in NAMESPACES:
            self.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for name in NAMESPACES:
            account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
            kube.wait_for("the ServiceAccount", lambda path=account: self.client.get(path), 60)
        self._bound = Bound(self.client)

    def close(self) -> None:
        self._release()  # or it could not end
        self._bound.close()
        cluster.down(self._state.directory)

    def grow(self, count: int) -> None:
        """To so many nodes with TPUs, a slice's a pool."""
        pools = self._made(range(self._pools, count // self.shape.hosts))
        nodes.create(self.client, pools)
        self._pools = count // self.shape.hosts
        self._wait_idle()

    def grow_plain(self, count: int) -> None:
        """To so many nodes without TPUs."""
        nodes.create(self.client, [nodes.Pool(f"plain-{self._plain}", "e2-standard-16", nodes=count - self._plain)])
        self._plain = count
        self._wait_idle()

    def _made(self, numbers) -> list:
        return [nodes.Pool(pool_name(number), MACHINE, self.shape.topology) for number in numbers]

    def play(self, constraint: Constraint, upto: tuple, number: int) -> list:
        """A Step for each number of Pods in `upto`, from none to the last of them; then all are deleted."""
        steps, slices = [], 0
        try:
            for most in upto:
                some, hosts = range(slices, most // self.shape.hosts), self.shape.hosts
                cpu, seconds = self._step(constraint, some)
                steps.append(Step(self._pools * hosts, constraint.name, number, slices * hosts, len(some) * hosts, cpu, seconds, hosts))
                slices = most // hosts
            self._check(constraint, slices)
        finally:
            self.empty()
        return steps

    def beside(self, constraint: Constraint, members: int, pods: int, number: int, profile: tuple = ()) -> Step:
        """What Pods without TPUs cost while so many members of slices are bound, which nobody had to schedule."""
        try:
            self._hold(constraint, members)
            with self._profiling(*profile):
                cpu, seconds = self._schedule([plain(f"plain-{number}", one, constraint.profile) for one in range(pods)])
            return Step(self._pools * self.shape.hosts, constraint.name, number, members, pods, cpu, seconds, self.shape.hosts)
        finally:
            self.empty()

    def _hold(self, constraint: Constraint, members: int) -> None:
        held = []
        for number, pool in enumerate(self._made(range(members // self.shape.hosts))):
            pods = constraint.first(number) + constraint.then(number, pool.name)
            for host, pod in enumerate(pods):
                pod["spec"]["nodeName"] = nodes.node_name(pool, host)
            held += pods
        self.client.create_all(held)
        self._wait_running()
        self._wait_idle()

    def profiled(self, constraint: Constraint, pods: int, seconds: int, file: pathlib.Path) -> None:
        """A CPU profile of the scheduler, of so many Pods that all wait when it begins."""
        try:
            with self._profiling(seconds, file):
                self._step(constraint, range(pods // self.shape.hosts))
        finally:
            self.empty()

    @contextlib.contextmanager
    def _profiling(self, seconds: int = 0, file: pathlib.Path | None = None):
        with ThreadPoolExecutor(max_workers=1) as threads:
            taken = threads.submit(self._asked, f"/debug/pprof/profile?seconds={seconds}", seconds + 60) if file else None
            yield
            if taken:
                file.write_bytes(taken.result())

    def failed_attempts(self) -> int:
        """How often the scheduler has found no node for a Pod."""
        text = self._asked("/metrics", 30).decode()
        found = re.findall(r'^scheduler_schedule_attempts_total\{[^}]*result="unschedulable"[^}]*\} (\S+)', text, re.MULTILINE)
        return round(sum(map(float, found)))

    def _asked(self, path: str, seconds: float) -> bytes:
        """What the scheduler says itself."""
        pki, tls = self._state.pki, ssl._create_unverified_context()  # a certificate that it has made itself, on loopback
        tls.load_cert_chain(str(pki / "admin.crt"), str(pki / "admin.key"))
        connection = http.client.HTTPSConnection("127.0.0.1", self._state.ports["scheduler"], timeout=seconds, context=tls)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} of the scheduler: {answer.status} {body[:200]!r}")
        return body

    # -- one step

    def _step(self, constraint: Constraint, some: range) -> tuple:
        """(ms of CPU, seconds) that the scheduler needed for these slices."""
        cpu, seconds = self._schedule([pod for number in some for pod in constraint.first(number)])
        held = self._pools_of(some) if constraint.then(0, "") else {}
        later = [pod for number in some for pod in constraint.then(number, held.get(number, ""))]
        if later:
            more_cpu, more_seconds = self._schedule(later)
            cpu, seconds = cpu + more_cpu, seconds + more_seconds
        return cpu, seconds

    def _schedule(self, pods: list) -> tuple:
        process.signal_one(self._scheduler, signal.SIGSTOP)
        try:
            for kind in ("PodGroup", "Pod"):  # a Pod's group is there before it
                self.client.create_all([one for one in pods if one["kind"] == kind])
            before = self._cpu_ms()
        finally:
            began = time.monotonic()
            self._release()
        last = self._bound.wait({pod["metadata"]["name"] for pod in pods if pod["kind"] == "Pod"})
        self._wait_running()
        time.sleep(SETTLE)
        return self._cpu_ms() - before, last - began

    def _wait_running(self) -> None:
        kube.wait_for("Pods to run", lambda: not self.pods("?fieldSelector=status.phase%3DPending&limit=1"), LIMIT, every=0.2)

    def _release(self) -> None:
        process.signal_one(self._scheduler, signal.SIGCONT)

    def _cpu_ms(self) -> float:
        """Of all threads of the scheduler, which in a Go program stay."""
        return servers.cpu_ns(self._scheduler.pid) / 1e6

    # -- around it

    def pods(self, query: str = "") -> list:
        return self.client.get("/api/v1/pods" + query)["items"]

    def _pools_of(self, some: range) -> dict:
        """Slice number -> pool of its first member."""
        pool_of = self.pool_of_nodes()
        return {slice_of(pod): pool_of[pod["spec"]["nodeName"]] for pod in self.pods() if slice_of(pod) in some}

    def _check(self, constraint: Constraint, slices: int) -> None:
        """What was promised is so: a curve of terms that do nothing would be the best of all."""
        if not constraint.whole:
            return
        pool_of = self.pool_of_nodes()
        held = collections.defaultdict(set)
        for pod in self.pods():
            held[slice_of(pod)].add(pool_of[pod["spec"]["nodeName"]])
        whole, pools = sum(len(one) == 1 for one in held.values()), len(set().union(*held.values()))
        if not whole == pools == slices:
            raise RuntimeError(f"{constraint.name}: {whole} of {slices} slices are whole, on {pools} pools")

    def pool_of_nodes(self) -> dict:
        return {nodes.node_name(pool, host): pool.name for pool in self._made(range(self._pools)) for host in range(self.shape.hosts)}

    def empty(self) -> None:
        self._release()
        with ThreadPoolExecutor(max_workers=4) as threads:
            list(threads.map(lambda name: self.client.request("DELETE", f"/api/v1/namespaces/{name}/pods?gracePeriodSeconds=0"), NAMESPACES))
        kube.wait_for("Pods to go", lambda: not self.pods("?limit=1"), LIMIT, every=0.2)
        self._bound.wait_none()
        for name in NAMESPACES if self._groups else ():
            self.client.request("DELETE", f"/apis/scheduling.k8s.io/v1beta1/namespaces/{name}/podgroups")
        self._wait_idle()

    def _wait_idle(self) -> None:
        """Until the scheduler has digested what it was told."""
        for _ in range(40):
            before = self._cpu_ms()
            time.sleep(0.5)
            if self._cpu_ms() - before < 15:
                return


@contextlib.contextmanager
def up(directory: pathlib.Path, shape: Shape, groups: bool = False):
    """A Plane in a folder that nobody else uses meanwhile; ended with everything it started."""
    directory = directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    with open(f"{directory}.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"another run uses {directory}; choose another with TPUWH_E2E_DIR") from None
        cluster.down(directory)  # of a run that was killed
        try:
            plane = Plane(directory, shape, groups)
            try:
                yield plane
            finally:
                plane.close()
        finally:
            cluster.down(directory)
