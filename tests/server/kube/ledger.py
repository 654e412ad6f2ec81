"""The program with a made-up API server: places of Ray workers, while Pods with any label end."""

import collections
import time
import uuid

import certificates
import ray_workers
from checks import check
from made_up_api import Living, Server, kubeconfig
from program import Program
from ray_workers import CLUSTERS, OF_NS, PODS
from wire import Connection, tls

MAPS = "/api/v1/namespaces/webhook/configmaps"


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
        path = kubeconfig(certificates.FOLDER, server.port, "webhook")
        super().__init__("--kubeconfig", path, "--ledger", "cluster")
        self.wait_for_log("cluster listed")

    def place(self, pod):
        """(seconds, status, answer) of a review."""
        _, request = ray_workers.creation(pod)
        begin = time.monotonic()
        with Connection(self.port, tls(self.ca)) as connection:
            answer = connection.send(request).answer()
        return time.monotonic() - begin, answer.status, answer


@check
def deleted_pods_with_any_label_stop_nobody():
    """Once, after 400 of them no place was given any more."""
    api = Api(ray_cluster("train"), ray_cluster("other"))
    with Server(api, tls=False) as server, Serving(server) as program:
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


@check
def three_replicas_free_what_ends_together():
    groups = [f"g{i}" for i in range(100)]
    api = Api(ray_cluster("train", groups))
    with Server(api, tls=False) as server, \
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
