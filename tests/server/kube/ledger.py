"""The program with a made-up API server: places of Ray workers, while Pods with any label end."""

import collections
import json
import queue
import time
import uuid

import certificates
from checks import check
from made_up_api import Objects, Request, Server, status
from program import Program
from wire import Connection, post, tls

PODS, MAPS = "/api/v1/pods", "/api/v1/namespaces/webhook/configmaps"
CLUSTERS = "/apis/ray.io/v1/rayclusters"

KUBECONFIG = """
current-context: a
contexts: [{name: a, context: {cluster: c, user: u, namespace: webhook}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", certificate-authority: %s}}]
users: [{name: u, user: {token: t}}]
"""


def ray_cluster(name, groups=("workers",)):
    specs = [{"groupName": g, "numOfHosts": 4, "replicas": 2, "maxReplicas": 2} for g in groups]
    return {"metadata": {"name": name, "namespace": "ml", "uid": f"uid-{name}",
                         "resourceVersion": "5"}, "spec": {"workerGroupSpecs": specs}}


def worker(cluster, token="", group="workers", chips=True, owner=None):
    labels = {"ray.io/node-type": "worker", "ray.io/cluster": cluster, "ray.io/group": group}
    if token:
        labels["tpu-webhook.dev/token"] = token
    limits = {"limits": {"google.com/tpu": "4"}} if chips else {}
    return {"metadata": {"name": f"w-{uuid.uuid4()}", "namespace": "ml", "uid": str(uuid.uuid4()),
                         "resourceVersion": "9", "labels": labels,
                         "ownerReferences": [{"apiVersion": "ray.io/v1", "kind": "RayCluster",
                                              "name": cluster, "controller": True,
                                              "uid": owner or f"uid-{cluster}"}]},
            "spec": {"nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                      "cloud.google.com/gke-tpu-topology": "4x4"},
                     "containers": [{"name": "w", "image": "i", "resources": limits}]},
            "status": {"phase": "Running"}}


class Api(Objects):
    """Objects that can be created and watched: `events` of Pods go to whoever watches them."""

    def __init__(self, *clusters):
        super().__init__({PODS: [], MAPS: [], CLUSTERS: list(clusters), "/api/v1/nodes": [],
                          "/api/v1/services": []})
        self.watchers = []
        self.faults.append(self.no_watch_lists)

    @staticmethod
    def no_watch_lists(_, request):
        if "sendInitialEvents" in request.query:
            return status(422, "Invalid", "sendInitialEvents is forbidden")
        return None

    def page(self, objects, query):
        return {"kind": "List", "apiVersion": "v1",
                "metadata": {"resourceVersion": str(self.version)}, "items": objects}

    def __call__(self, peer):
        while text := peer.request():
            request = Request(text)
            self.requests.append(request)
            faults = (fault(self, request) for fault in self.faults)
            refused = next(filter(None, faults), None)
            if not refused and "watch" in request.query:
                self.stream(peer, request.path)
            code, out = refused or self.answer(request)
            peer.answer(json.dumps(out), code)

    def stream(self, peer, path):
        events = queue.Queue()
        self.watchers.append((path, events))
        peer.head()
        while True:
            peer.chunk(events.get())

    def tell(self, kind, pod):
        text = json.dumps({"type": kind, "object": pod}) + "\n"
        for path, events in self.watchers:
            if path == PODS:
                events.put(text)

    def answer(self, request):
        if request.method == "POST":
            if any(o["metadata"]["name"] == request.body["metadata"]["name"]
                   for o in self.collections[request.path]):
                return status(409, "AlreadyExists", "it is there")
            self.collections[request.path].append(self.changed(request.body))
            return 201, request.body
        if request.method == "GET" and request.path == "/api/v1/namespaces/ml/pods":
            return 200, self.page([], {})
        return super().answer(request)

    def ledger_requests(self):
        return [r for r in self.requests if r.path.startswith(MAPS) or "/ml/pods" in r.path]


class Serving(Program):
    def __init__(self, server):
        path = certificates.FOLDER / f"config-{server.port}"
        path.write_text(KUBECONFIG % (server.port, certificates.FOLDER / "ca.crt"))
        super().__init__("--kubeconfig", path, "--ledger", "cluster")
        self.wait_for_log("cluster listed")

    def place(self, pod):
        """(seconds, status, token) of a review."""
        body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                           "request": {"uid": str(uuid.uuid4()), "operation": "CREATE",
                                       "kind": {"group": "", "version": "v1", "kind": "Pod"},
                                       "resource": {"group": "", "version": "v1",
                                                    "resource": "pods"},
                                       "namespace": "ml", "object": pod}}).encode()
        begin = time.monotonic()
        with Connection(self.port, tls(self.ca)) as connection:
            answer = connection.send(post(body)).answer()
        return time.monotonic() - begin, answer.status, answer


@check
def deleted_pods_with_any_label_stop_nobody():
    """hostile.md, C1: after 400 of them no place was given any more."""
    api = Api(ray_cluster("train"), ray_cluster("other"))
    with Server(api) as server, Serving(server) as program:
        took, code, answer = program.place(worker("train"))
        assert code == 200 and b"patch" in answer.body, answer
        before = len(api.ledger_requests())
        for i in range(1500):
            token = f"0-0-{i:016x}"
            api.tell("DELETED", worker(f"made-up-{i}", token))
            api.tell("DELETED", worker(f"made-up-{i}", token, chips=False))
            api.tell("DELETED", worker("other", token))
            api.tell("DELETED", worker("train", token))
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


@check
def three_replicas_free_what_ends_together():
    groups = [f"g{i}" for i in range(100)]
    api = Api(ray_cluster("train", groups))
    with Server(api) as server, Serving(server) as a, Serving(server) as b, Serving(server) as c:
        for i, group in enumerate(groups):
            _, code, answer = (a, b, c)[i % 3].place(worker("train", group=group))
            while code == 503:
                time.sleep(0.2)
                _, code, answer = (a, b, c)[i % 3].place(worker("train", group=group))
            assert code == 200, answer
        pods = [worker("train", token, o["data"]["group"]) for o in api.collections[MAPS]
                for token in o["data"]["entries"].split()]
        assert len(pods) >= len(groups)
        for pod in pods:
            api.tell("ADDED", pod)
        time.sleep(1)
        before, begin = len(api.requests), time.monotonic()
        for pod in pods:
            api.tell("DELETED", pod)
        while api.collections[MAPS] and time.monotonic() - begin < 60:
            time.sleep(0.1)
        took = time.monotonic() - begin
        spent = collections.Counter(r.method for r in api.requests[before:])
        print(f"    100 groups freed in {took:.1f} s by {dict(spent)}")
        assert not api.collections[MAPS]
        assert took < 20
