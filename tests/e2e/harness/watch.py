"""Every state of the cluster that the stories passed through, as one file: `run --watch`.

Each kind is listed and then watched, in a thread of its own. A resourceVersion is the revision of etcd, one for all
kinds, so that the events of all of them have one order, and what is there after each is a state in which the cluster
was. The file, DIR/watch.jsonl, has an event a line, in that order:

    {"story": "test_ray.py::test_…", "type": "ADDED" | "MODIFIED" | "DELETED", "object": {…}}

`story` is the case that was being told; managedFields are left out. ../../golden/slices/watch reads it.
"""

import contextlib
import heapq
import http.client
import json
import pathlib
import socket
import tempfile
import threading
import time

from controlplane import kube
from controlplane.state import State

# What the program's tools read, and who makes it.
WATCHED = (
    "/api/v1/namespaces", "/api/v1/nodes", "/api/v1/pods", "/api/v1/services",
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "/apis/apps/v1/deployments", "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets", "/apis/batch/v1/jobs",
    "/apis/discovery.k8s.io/v1/endpointslices", "/apis/policy/v1/poddisruptionbudgets",
    "/apis/resource.k8s.io/v1/resourceclaims", "/apis/resource.k8s.io/v1/resourceclaimtemplates",
    "/apis/jobset.x-k8s.io/v1alpha2/jobsets", "/apis/leaderworkerset.x-k8s.io/v1/leaderworkersets",
    "/apis/ray.io/v1/rayclusters", "/apis/ray.io/v1/rayjobs", "/apis/ray.io/v1/rayservices",
    "/apis/kueue.x-k8s.io/v1beta2/workloads", "/apis/kueue.x-k8s.io/v1beta2/localqueues",
    "/apis/kueue.x-k8s.io/v1beta2/clusterqueues", "/apis/kueue.x-k8s.io/v1beta2/resourceflavors",
)
LATE = 1.0  # seconds that the last events may take to arrive
BEFORE = "(before the first story)"


class Watch:
    """A watch of all kinds; `story` says what is told from now on."""

    def __init__(self, state: State):
        self._client, self._file = state.client(), state.directory / "watch.jsonl"
        self._stories: list = [(0, BEFORE)]  # (revision that it begins after, name)
        self._folder = tempfile.TemporaryDirectory(dir=state.directory, prefix="watch-")
        self._kinds = [_Kind(self._client, path, pathlib.Path(self._folder.name) / str(number))
                       for number, path in enumerate(WATCHED) if _served(self._client, path)]

    def story(self, name: str) -> None:
        self._stories.append((self._revision(), name))

    def close(self) -> None:
        """Write the file."""
        end = self._revision()
        time.sleep(LATE)
        for kind in self._kinds:
            kind.close()
        with open(self._file, "w", encoding="utf-8") as out:
            stories, name = iter([*self._stories[1:], (float("inf"), "")]), self._stories[0][1]
            begins, following = next(stories)
            for revision, kind, text in heapq.merge(*(kind.events() for kind in self._kinds)):
                while revision > begins:
                    name, (begins, following) = following, next(stories)
                if revision <= end:
                    out.write(f'{{"story":{json.dumps(name)},{text}\n')
        self._folder.cleanup()
        lost = [f"{kind.path}: {kind.fault}" for kind in self._kinds if kind.fault]
        if lost:
            raise RuntimeError("a watch was lost, and states with it: " + "; ".join(lost))

    def _revision(self) -> int:
        return int(self._client.get("/api/v1/namespaces?limit=1")["metadata"]["resourceVersion"])


@contextlib.contextmanager
def watching(state: State):
    watch = Watch(state)
    try:
        yield watch
    finally:
        watch.close()


class _Kind:
    """One kind's events, in a file of lines `revision TAB rest of the line`."""

    def __init__(self, client: kube.Kube, path: str, file: pathlib.Path):
        self.path, self.fault, self._client, self._file = path, "", client, file
        self._closing, self._connection = threading.Event(), None
        self._out = open(file, "w", encoding="utf-8")
        listed = client.get(path)
        self._defaults = {"apiVersion": listed["apiVersion"], "kind": listed["kind"].removesuffix("List")}
        for item in sorted(listed["items"], key=_revision):
            self._keep("ADDED", item)
        self._at = int(listed["metadata"]["resourceVersion"])
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._connection and self._connection.sock:
            with contextlib.suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._out.close()

    def events(self):
        """(revision, kind, the line without its story)."""
        with open(self._file, encoding="utf-8") as lines:
            for line in lines:
                revision, _, text = line.rstrip("\n").partition("\t")
                yield int(revision), self.path, text

    def _follow(self) -> None:
        while not self._closing.is_set() and not self.fault:
            # The API server ends a watch now and then; `close` ends it in the middle of a line.
            with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
                self._watch()
            self._closing.wait(0.1)

    def _watch(self) -> None:
        self._connection = self._client.connect(timeout=None)
        with contextlib.closing(self._connection):
            self._connection.request("GET", f"{self.path}?watch=true&allowWatchBookmarks=true&resourceVersion={self._at}")
            answer = self._connection.getresponse()
            if answer.status != 200:
                self.fault = answer.read().decode()
            while not self._closing.is_set() and (line := answer.readline()):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    self.fault = event["object"].get("message", "an error without a word")
                    return
                if event["type"] != "BOOKMARK":
                    self._keep(event["type"], event["object"])
                self._at = _revision(event["object"])

    def _keep(self, what: str, thing: dict) -> None:
        thing = {**self._defaults, **thing}
        thing["metadata"].pop("managedFields", None)
        text = json.dumps(thing, separators=(",", ":"))
        self._out.write(f'{_revision(thing)}\t"type":"{what}","object":{text}}}\n')


def _served(client: kube.Kube, path: str) -> bool:
    try:
        client.get(f"{path}?limit=1")
    except kube.ApiError as error:
        if error.status != 404:
            raise
        return False
    return True


def _revision(thing: dict) -> int:
    return int(thing["metadata"]["resourceVersion"])
