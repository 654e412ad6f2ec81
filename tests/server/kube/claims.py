"""The program with a made-up API server: Pods that ask for chips by resource claim."""

import base64
import concurrent.futures
import contextlib
import json
import re
import threading
import time
import uuid

from checks import check
from made_up_api import Account, Living, Server, status
from program import Program
from wire import Connection, metrics_of, post, tls

NS = "ml"
GROUP = "/apis/resource.k8s.io"
CORE = {"/api/v1/pods": [], "/api/v1/nodes": [], "/api/v1/services": [], "/apis/ray.io/v1/rayclusters": []}


def template(name, count=4, device_class="tpu.google.com", version="v1"):
    request = {"deviceClassName": device_class, "count": count}
    request = {"name": "r", **request} if version == "v1beta1" else {"name": "r", "exactly": request}
    return {"apiVersion": f"resource.k8s.io/{version}", "kind": "ResourceClaimTemplate",
            "metadata": {"name": name, "namespace": NS, "resourceVersion": "5"},
            "spec": {"spec": {"devices": {"requests": [request]}}}}


def device_class(name, expression):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name, "resourceVersion": "5"},
            "spec": {"selectors": [{"cel": {"expression": expression}}]}}


def member(*templates):
    """The second Pod of an Indexed Job of two hosts."""
    return {"metadata": {"generateName": "t-1-", "namespace": NS, "labels": {"batch.kubernetes.io/job-completion-index": "1"},
                         "annotations": {"batch.kubernetes.io/job-completion-index": "1"},
                         "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "t", "uid": "u", "controller": True}]},
            "spec": {"hostname": "t-1", "subdomain": "svc",
                     "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x4"},
                     "resourceClaims": [{"name": f"c{i}", "resourceClaimTemplateName": name} for i, name in enumerate(templates)],
                     "containers": [{"name": "c", "image": "i",
                                     "resources": {"claims": [{"name": f"c{i}"} for i in range(len(templates))]}}]}}


def creation(pod):
    request = {"uid": str(uuid.uuid4()), "kind": {"group": "", "version": "v1", "kind": "Pod"},
               "resource": {"group": "", "version": "v1", "resource": "pods"}, "operation": "CREATE", "namespace": NS, "object": pod}
    return post(json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode())


class Api(Living):
    """`hidden` templates are there, and no list or watch has brought them yet."""

    def __init__(self, *templates, hidden=(), classes=(), versions=("v1", "v1beta2"), faults=()):
        self.kept = versions[0] if versions else "v1"
        self.hidden = {each["metadata"]["name"]: each for each in hidden}
        group = {GROUP: None} if versions else {}
        super().__init__({**CORE, f"{GROUP}/{self.kept}/resourceclaims": [], f"{GROUP}/{self.kept}/deviceclasses": list(classes),
                          f"{GROUP}/{self.kept}/resourceclaimtemplates": list(templates)}, *faults, self._say)
        self.group = group and {"kind": "APIGroup", "name": "resource.k8s.io",
                                "versions": [{"groupVersion": f"resource.k8s.io/{v}", "version": v} for v in versions]}

    def _say(self, _, request):
        if request.path == GROUP:
            return (200, self.group) if self.group else status(404, "NotFound", "no such group")
        if request.folder == f"{GROUP}/{self.kept}/namespaces/{NS}/resourceclaimtemplates":
            found = self.hidden.get(request.name)
            return (200, found) if found else status(404, "NotFound", f"no {request.name}")
        return None

    def reads(self):
        return [r.name for r in self.requests if r.path.startswith(f"{GROUP}/{self.kept}/namespaces/")]


class Serving(Program):
    def __init__(self, server, *arguments):
        super().__init__("--ledger", "cluster", *(arguments or ("--claims",)), account=Account(server.port))
        self.wait_for_log("cluster listed")

    def ask(self, pod):
        begin = time.monotonic()
        with Connection(self.port, tls(self.ca)) as connection:
            answer = connection.send(creation(pod)).answer()
        return time.monotonic() - begin, answer


def worker_id(answer):
    response = json.loads(answer.body)["response"]
    assert response["allowed"], response
    if "patch" not in response:
        return None
    return re.search(r'"TPU_WORKER_ID", "value": "(\d+)"', json.dumps(json.loads(base64.b64decode(response["patch"])))).group(1)


@check
def a_template_of_the_watch_is_known_and_nobody_is_asked():
    for versions in (("v1", "v1beta2"), ("v1beta2", "v1beta1"), ("v1beta1",)):
        api = Api(template("tpus", version=versions[0]), versions=versions)
        with Server(api) as server, Serving(server) as program:
            assert worker_id(program.ask(member("tpus"))[1]) == "1"
            assert not api.reads(), api.reads()


@check
def a_template_that_comes_and_goes_is_followed():
    api = Api()
    path = f"{GROUP}/v1/resourceclaimtemplates"
    with Server(api) as server, Serving(server) as program:
        api.happen("ADDED", path, template("tpus"))
        time.sleep(0.3)
        assert worker_id(program.ask(member("tpus"))[1]) == "1" and not api.reads()
        api.happen("DELETED", path, api.collections[path][0])
        time.sleep(0.3)
        assert program.ask(member("tpus"))[1].status == 503


@check
def a_template_that_the_watch_has_not_brought_is_read_once_for_all_that_wait():
    def slowly(_, request):
        if "/namespaces/" in request.path:
            time.sleep(0.5)

    api = Api(hidden=[template("tpus")], faults=[slowly])
    with Server(api) as server, Serving(server) as program:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = [each for _, each in pool.map(program.ask, [member("tpus")] * 16)]
        assert [worker_id(each) for each in answers] == ["1"] * 16
        assert api.reads() == ["tpus"], api.reads()
        metrics, _ = metrics_of(program)
        assert metrics['tpu_webhook_claim_reads_total{result="read"}'] == 1, metrics


@check
def what_cannot_be_read_is_told_and_never_admitted_without_ids():
    """Without Retry-After: of an answer with it the API server shows no word (docs/facts.md#retry-after)."""
    def forbidden(_, request):
        return status(403, "Forbidden", "no") if "/namespaces/" in request.path else None

    def broken(_, request):
        return (200, "{") if "/namespaces/" in request.path else None

    for faults, why in (((forbidden,), "RBAC missing: get resourceclaimtemplates"), ((broken,), "cannot be understood")):
        api = Api(faults=faults)
        with Server(api) as server, Serving(server) as program:
            took, answer = program.ask(member("tpus"))
            assert answer.status == 503 and why.encode() in answer.body and took < 1, (took, answer.body)
            assert "retry-after" not in answer.fields, answer.fields


@check
def a_template_that_is_late_is_waited_for():
    """The watch brings it, and nobody asks again. Whoever comes meanwhile waits for the same question."""
    api = Api()
    with Server(api) as server, Serving(server) as program, concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(program.ask, member("tpus")) for _ in range(2)]
        time.sleep(2.5)
        api.happen("ADDED", f"{GROUP}/v1/resourceclaimtemplates", template("tpus"))
        for each in answers:
            took, answer = each.result()
            assert worker_id(answer) == "1" and 2.4 < took < 3, took
        assert api.reads() == ["tpus"], api.reads()
        metrics, _ = metrics_of(program)
        assert metrics['tpu_webhook_claim_reads_total{result="read"}'] == 1, metrics
        assert metrics['tpu_webhook_claim_reads_total{result="absent"}'] == 0, metrics


@check
def a_template_that_no_watch_brings_is_asked_for_again():
    def unwatched(_, request):
        return status(403, "Forbidden", "no") if request.path.endswith("/v1/resourceclaimtemplates") else None

    class Unwatched(Api):
        def streams(self, peer, request):
            return not request.path.endswith("/v1/resourceclaimtemplates") and super().streams(peer, request)

    api = Unwatched(faults=[unwatched])
    with Server(api) as server, Serving(server) as program, concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(program.ask, member("tpus")) for _ in range(2)]
        time.sleep(1.5)
        api.hidden["tpus"] = template("tpus")
        for each in answers:
            took, answer = each.result()
            assert worker_id(answer) == "1" and 1.5 < took < 4, took
        assert 3 <= len(api.reads()) <= 12, api.reads()


@check
def pods_of_many_absent_claims_hold_up_nobody_elses_first_question():
    """40 Pods with 16 absent names each: of 13 Pods whose template had just come 7 were refused. All are in one namespace
    and of one owner."""
    waiting, mine = 40, [f"mine{i}" for i in range(13)]
    api = Api(hidden=[template(name) for name in mine])
    over = threading.Event()

    def ask_without_end(program, number):
        while not over.is_set():
            with contextlib.suppress(OSError, AssertionError):
                program.ask(member(*(f"nowhere-{number}-{i}" for i in range(16))))

    with Server(api) as server, Serving(server) as program:
        others = [threading.Thread(target=ask_without_end, args=(program, number), daemon=True) for number in range(waiting)]
        for each in others:
            each.start()
        answers = []
        for name in mine:
            time.sleep(0.5)
            answers.append(program.ask(member(name)))
        over.set()
        print(f"    slowest {max(took for took, _ in answers):.2f} s; {len(api.reads())} reads")
        assert [answer.status for _, answer in answers] == [200] * len(mine), [answer.body for _, answer in answers]
        assert max(took for took, _ in answers) < 2, answers


@check
def a_template_that_never_comes_is_named():
    """In time for the API server, which waits 10 s; in shadow mode nobody waits."""
    api = Api()
    with Server(api) as server, Serving(server) as program:
        took, answer = program.ask(member("tpus"))
        assert answer.status == 503 and b"ResourceClaimTemplate ml/tpus is not there" in answer.body, answer.body
        assert 5 < took < 9 and "retry-after" not in answer.fields, (took, answer.fields)
        metrics, _ = metrics_of(program)
        assert metrics['tpu_webhook_claim_reads_total{result="absent"}'] == 1, metrics
    with Server(Api()) as server, Serving(server, "--claims", "--mode", "shadow") as program:
        took, answer = program.ask(member("tpus"))
        assert worker_id(answer) is None and b"would have been deferred" in answer.body and took < 1, (took, answer.body)


@check
def pods_that_wait_for_what_is_nowhere_do_not_hold_the_connections():
    """A sixth of them wait, which is an owner's share of a quarter; whoever comes behind is told at once, and asks again."""
    waiting = 256
    with Server(Api()) as server, Serving(server) as program, contextlib.ExitStack() as held:
        context = tls(program.ca)
        for _ in range(waiting):
            held.enter_context(Connection(program.port, context)).send(creation(member("nowhere")))
        time.sleep(0.5)
        for _ in range(3):
            took, answer = program.ask(member("nowhere"))
            assert answer.status == 503 and b"is not there" in answer.body and took < 1, (took, answer.body)
        held.close()
        time.sleep(8)
        took, answer = program.ask(member("nowhere"))
        assert answer.status == 503 and took > 5, "nobody waits any more"


@check
def a_device_class_of_another_name_is_read():
    """Its selectors say whose devices they are; one that comes later counts from then on."""
    ours = device_class("ours", 'device.driver == "tpu.google.com"')
    path = f"{GROUP}/v1/deviceclasses"
    api = Api(template("tpus", device_class="ours"), hidden=[template("late", device_class="ours")])
    with Server(api) as server, Serving(server) as program:
        _, answer = program.ask(member("tpus"))
        assert worker_id(answer) is None and b"asks for devices of DeviceClass ours, which is not known" in answer.body, answer.body
        api.happen("ADDED", path, ours)
        time.sleep(0.3)
        assert worker_id(program.ask(member("tpus"))[1]) == "1"
        assert worker_id(program.ask(member("late"))[1]) == "1" and api.reads() == ["late"]
        api.happen("DELETED", path, ours)
        time.sleep(0.3)
        assert worker_id(program.ask(member("tpus"))[1]) is None


@check
def device_classes_that_may_not_be_read_hinder_nobody():
    class Forbidding(Api):
        def streams(self, peer, request):
            return not request.path.endswith("/deviceclasses") and super().streams(peer, request)

    def forbidden(_, request):
        return status(403, "Forbidden", "no") if request.path.endswith("/deviceclasses") else None

    with Server(Forbidding(template("tpus"), faults=[forbidden])) as server, Serving(server) as program:
        program.wait_for_log("deviceclasses may not be read, off: chips of claims for another device class than tpu.google.com")
        assert worker_id(program.ask(member("tpus"))[1]) == "1"


@check
def names_that_no_object_has_lead_nowhere():
    api = Api(template("tpus"))
    with Server(api) as server, Serving(server) as program:
        for name in ("../../../../api/v1/secrets", "a/b", "A", "x" * 254, "%2e%2e", "tpus?x=1", "tpus\n"):
            _, answer = program.ask(member(name))
            assert answer.status == 503 and b"not a name that an object can have" in answer.body, (name, answer.body)
            assert "retry-after" not in answer.fields, answer.fields
        assert not api.reads(), api.reads()


@check
def a_long_name_costs_as_much_as_it_is_long_however_many_containers_have_it():
    """A body of 7 MB with the settings by default: each container copied the name, and one such body ended the process."""
    pod = member("x" * 4_000_000)
    pod["spec"]["containers"] = [{"name": f"c{i}", "resources": {"claims": [{"name": "c0"}]}} for i in range(45_000)]
    with Server(Api()) as server, Serving(server, "--mode", "enforce") as program:
        took, answer = program.ask(pod)
        assert answer.status == 200 and took < 3, (took, answer)


@check
def an_api_server_that_does_not_answer_is_not_waited_for_long():
    def never(_, request):
        if "/namespaces/" in request.path:
            time.sleep(8)

    api = Api(faults=[never])
    with Server(api) as server, Serving(server) as program:
        took, answer = program.ask(member("tpus"))
        assert answer.status == 503 and 1.5 < took < 4, (took, answer.body)
        assert answer.fields["retry-after"] == "1" and answer.fields["connection"] == "close", answer.fields  # another replica


@check
def claims_for_other_devices_are_nobodys_business():
    """Known, they cost no question; not known, one; and beside google.com/tpu none."""
    api = Api(template("gpus", device_class="gpu.nvidia.com"), hidden=[template("nics", device_class="netdev.google.com")])
    with Server(api) as server, Serving(server) as program:
        assert worker_id(program.ask(member("gpus"))[1]) is None and not api.reads()
        assert worker_id(program.ask(member("gpus", "nics"))[1]) is None and api.reads() == ["nics"]
        beside = member("nowhere")
        beside["spec"]["containers"][0]["resources"]["limits"] = {"google.com/tpu": "4"}
        assert worker_id(program.ask(beside)[1]) == "1" and api.reads() == ["nics"]


@check
def without_the_setting_no_claim_is_read():
    api = Api(template("tpus"))
    with Server(api) as server, Serving(server, "--log-level", "info") as program:
        assert worker_id(program.ask(member("tpus"))[1]) is None
        assert not [r for r in api.requests if r.path.startswith(GROUP)]


@check
def an_api_server_that_serves_no_claims_is_said_and_hinders_nobody():
    for versions in ((), ("v1alpha3",)):
        api = Api(versions=versions)
        with Server(api) as server, Serving(server) as program:
            program.wait_for_log("the API server serves no version of resource.k8s.io")
            _, answer = program.ask(member("tpus"))
            assert worker_id(answer) is None and b"TPU-113" in answer.body, answer.body


def large_template(name):
    """The largest that an API server stores: 32 requests with eight alternatives each, 77 KB."""
    one = {"name": "r", "deviceClassName": "x" * 200, "count": 4}
    return template(name) | {"spec": {"spec": {"devices": {"requests": [
        {"name": f"r{i}", "firstAvailable": [one] * 8} for i in range(32)]}}}}


@check
def an_object_that_names_a_large_template_often_costs_what_its_text_does():
    """2.9 MB once held an event loop for 1.7 s, each use of the template taking as long as its first."""
    groups = [{"groupName": f"g{i}", "template": {"spec": {
        "resourceClaims": [{"name": "c", "resourceClaimTemplateName": "large"}],
        "containers": [{"name": "c", "resources": {"claims": [{"name": "c"}]}}]}}} for i in range(15_000)]
    cluster = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "c", "namespace": NS},
               "spec": {"workerGroupSpecs": groups}}
    request = {"uid": str(uuid.uuid4()), "kind": {"group": "ray.io", "version": "v1", "kind": "RayCluster"},
               "resource": {"group": "ray.io", "version": "v1", "resource": "rayclusters"}, "operation": "CREATE",
               "namespace": NS, "object": cluster}
    body = json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).encode()

    def least(program):
        took = []
        for _ in range(3):
            begin = time.monotonic()
            with Connection(program.port, tls(program.ca)) as connection:
                assert connection.send(post(body, target="/validate?timeout=10s")).answer().status == 200
            took.append(time.monotonic() - begin)
        return min(took)

    times = []
    for stored in (template("large", device_class="x"), large_template("large")):
        with Server(Api(stored)) as server, Serving(server) as program:
            times.append(least(program))
    print(f"    {len(body) / 1e6:.1f} MB: {times[0]:.2f} s, with the largest template {times[1]:.2f} s")
    assert times[1] < 3 * times[0] + 0.25, times


@check
def bodies_that_wait_for_claims_leave_memory_to_others():
    """44 Pods of 380 KB that name an absent claim: every review above 32 KiB of everybody was once refused."""
    waiting = member("nowhere")
    waiting["metadata"]["annotations"] = {"x": "<" * (63 << 10)}
    # As an API server writes them: six bytes each.
    request = creation(waiting).partition(b"\r\n\r\n")[2].replace(b"<", b"\\u003c")
    honest = member("tpus")
    honest["metadata"]["annotations"] = {"x": "y" * (200 << 10)}
    api = Api(template("tpus"))
    with Server(api) as server, Serving(server) as program, contextlib.ExitStack() as held:
        context = tls(program.ca)
        for _ in range(44):
            held.enter_context(Connection(program.port, context)).send(post(request))
        time.sleep(1)
        answers = [program.ask(honest) for _ in range(5)]
        said = [(round(took, 2), answer.status, answer.body[:120]) for took, answer in answers if answer.status != 200]
        assert not said, said
        assert max(took for took, _ in answers) < 1, answers
