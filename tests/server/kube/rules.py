"""The program with a made-up API server that does not let it read everything."""

import json

import ray_workers
from checks import check
from made_up_api import Account, Living, Server, forbids
from program import Program
from ray_workers import CLUSTERS, OF_NS, PODS
from wire import Connection, get, tls

MAPS = "/api/v1/namespaces/webhook/configmaps"
PATHS = {"pods": PODS, "nodes": "/api/v1/nodes", "services": "/api/v1/services", "rayclusters": CLUSTERS}


class Api(Living):
    """A cluster in which these kinds may be neither listed nor watched."""

    def __init__(self, *kinds):
        self.forbidden = {PATHS[kind] for kind in kinds}
        cluster = ray_workers.ray_cluster("train", "uid-train", ["workers"])
        super().__init__({PODS: [], OF_NS: [], MAPS: [], CLUSTERS: [cluster], PATHS["nodes"]: [],
                          PATHS["services"]: []}, forbids(*self.forbidden))

    def streams(self, peer, request):
        return request.path not in self.forbidden and super().streams(peer, request)


class Serving(Program):
    def __init__(self, server, *flags):
        super().__init__("--log-format", "json", *(flags or ("--ledger", "cluster")), account=Account(server.port))

    def probe(self, path):
        with Connection(self.health_port, None) as health:
            return health.send(get(path)).answer()

    def review(self, pod):
        with Connection(self.port, tls(self.ca)) as connection:
            return connection.send(ray_workers.creation(pod)[1]).answer()


def worker():
    return ray_workers.worker("w", "train", "uid-train", "workers")


def member_of_a_job():
    pod = worker()
    pod["metadata"]["labels"] = {"job-name": "train", "batch.kubernetes.io/job-name": "train",
                                 "batch.kubernetes.io/job-completion-index": "1"}
    pod["metadata"]["annotations"] = {"batch.kubernetes.io/job-completion-index": "1"}
    pod["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "train",
                                           "uid": "uid-job", "controller": True}]
    pod["spec"]["subdomain"] = "train"
    return pod


def stands_without(kind, off, places):
    """Ready, said what is off, and a Job's Pod has its patch; `places`: a Ray worker, too."""
    with Server(Api(kind)) as server, Serving(server) as program:
        program.wait_for_log("cluster listed")
        ready = program.probe("/readyz")
        assert ready.status == 200, ready
        assert ready.body.decode() == f"ok; {kind} may not be read, off: {off}", ready.body
        (line,) = program.log_lines("off")
        assert line["why"] == f"{kind} may not be read, off: {off}", line
        scraped = program.probe("/metrics").body.decode()
        assert f'tpu_webhook_watch_forbidden{{resource="{kind}"}} 1' in scraped, scraped
        assert scraped.count("tpu_webhook_watch_forbidden{") == 4 and "tpu_webhook_ready 1" in scraped
        answer = program.review(member_of_a_job())
        assert answer.status == 200 and "patch" in json.loads(answer.body)["response"], answer
        answer = program.review(worker())
        assert answer.status == (200 if places else 503), answer


@check
def without_nodes_it_is_ready_and_says_what_is_off():
    """One rule that was lost, for a preference, kept a fresh replica from ever being ready."""
    stands_without("nodes", "the placement hint, node selectors of JobSet followers", True)


@check
def without_services_it_is_ready_and_says_what_is_off():
    stands_without("services", "the names of RayClusters' headless Services", True)


@check
def without_rayclusters_it_is_ready_and_says_what_is_off():
    stands_without("rayclusters", "places of Ray workers", False)


@check
def without_pods_it_is_ready_and_says_what_is_off():
    stands_without("pods", "places of Ray workers, the placement hint, node selectors of JobSet followers", False)


OFF = {"ledger": ("--ledger", "none"), "hint": ("--no-placement-hint",), "followers": ("--no-followers",)}


@check
def each_feature_asks_for_what_it_needs_and_no_more():
    for feature, kinds in {"ledger": {"pods", "services", "rayclusters"}, "hint": {"nodes"}, "followers": {"pods", "nodes"}}.items():
        api = Api()
        flags = [flag for other, words in OFF.items() if other != feature for flag in words]
        with Server(api) as server, Serving(server, *flags) as program:
            program.wait_for_log("cluster listed")
            answer = program.review(member_of_a_job())
            assert answer.status == 200 and "patch" in json.loads(answer.body)["response"], answer
            program.review(worker())
        maps = {MAPS} if feature == "ledger" else set()
        asked = {request.path for request in api.requests if not request.path.startswith(f"{MAPS}/")}
        wanted = {PATHS[kind] for kind in kinds}
        assert wanted <= asked <= wanted | maps | ({OF_NS} if maps else set()), (feature, asked)
        assert all(request.method == "GET" for request in api.requests) or maps, (feature, api.methods())


@check
def without_a_feature_it_asks_for_nothing():
    api = Api()
    with Server(api) as server, Serving(server, *(flag for words in OFF.values() for flag in words)) as program:
        answer = program.review(member_of_a_job())
        assert answer.status == 200 and "patch" in json.loads(answer.body)["response"], answer
        assert program.probe("/readyz").status == 200
        assert "tpu_webhook_watch" not in program.probe("/metrics").body.decode()
    assert not api.requests, api.targets()
