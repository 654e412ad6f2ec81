"""By label, not part of a whole run: what the chart gives to those who watch, asked of a real Prometheus.

    tests/e2e/run --pins monitors by_label/test_monitors.py
    ctest --test-dir build/ci -L monitors

It scrapes three replicas and the API server. Each alert is caused, and seen to be true by Prometheus; for those of which
nobody knows how to cause them, a page of metrics that a replica might serve stands. How long each has to last
is held by `promtool test rules`. Every query of the dashboard is answered; what it would draw is in DIR/dashboard.json.
"""

import contextlib
import http.server
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest
import yaml

from controlplane import net, pins, programs, tls
from harness import chart, mounted, pipe
from harness.api import Refused, wait_for
from harness.namespace import Namespace
from harness.pods import alone, member
from harness.prometheus import Prometheus
from harness.release import NAME, NAMESPACE
from harness.replica import Replica
from harness.workers import Cluster

# A replica is not ready for so long before it goes, so that it is seen.
VALUES = {"replicas": 3, "config": {"mode": "enforce", "drain": {"delay": "8s"}}}
DASHBOARD = chart.CHART / "files" / "dashboard.json"
WINDOW = "1m"  # what Grafana would put for $__rate_interval
ROLE = "rbac.authorization.k8s.io/v1"
OF_THE_MACHINE = {"ReviewsAreSlow", "CallsAreSlow"}  # one with other work may well show them


class Monitors:
    """Prometheus, and the alerts that it has seen to be true."""

    def __init__(self, prometheus, release):
        self.prometheus, self.release = prometheus, release
        self.seen: dict = {}  # name -> how an alert of it looked

    def follow(self, *more):
        """The replicas of now are what is scraped, and these."""
        self.prometheus.scrape([(f"127.0.0.1:{one.port('metrics')}", one.name) for one in self.release.replicas] + list(more))
        wait_for("a scrape of each", lambda: len(self.prometheus.query("tpu_webhook_build_info")) >= len(self.release.replicas) + len(more), 60)

    def sees(self, *names, seconds=60.0):
        """Until each of these alerts is true; they are remembered."""
        def look():
            now = self.prometheus.alerts()
            for name, alerts in now.items():
                self.seen.setdefault(name, alerts[0])
            return all(name in now for name in names)
        wait_for(f"{', '.join(names)} to be true", look, seconds)


def groups(values=None):
    """The rules, as the chart renders them."""
    objects = chart.render(NAME, NAMESPACE, {"prometheusRule": {"enabled": True}, **(values or {})})
    return chart.one(objects, "PrometheusRule")["spec"]["groups"]


def names():
    return [rule["alert"].removeprefix("TpuWebhook") for group in groups() for rule in group["rules"]]


@pytest.fixture(scope="module")
def monitors(plane, release):
    if "prometheus" not in pins.modules():
        pytest.exit("the programs of this story are those of --pins monitors", 1)
    folder = plane.directory / "prometheus"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with release.reinstalled(VALUES), Prometheus(plane, folder, groups()) as prometheus:
        made = Monitors(prometheus, release)
        made.follow()
        yield made


@pytest.fixture
def story(monitors):
    """Three ready replicas before and after."""
    back(monitors)
    yield monitors
    back(monitors)


def back(monitors):
    release = monitors.release
    for one in release.replicas:
        if not one.alive():
            one.start()
    release.scale(3)
    release.wait_ready()
    monitors.follow()


# -- a sound installation -----------------------------------------------------------------------


def test_a_sound_installation_is_quiet(monitors, namespace, picture):
    """Under a few reviews nothing is true; every rule was evaluated without an error."""
    for number in range(20):
        namespace.create(alone(f"quiet-{number}"))
    time.sleep(10)
    now = set(monitors.prometheus.alerts()) - OF_THE_MACHINE
    assert not now, monitors.prometheus.alerts()
    rules = monitors.prometheus.rules()
    assert {rule["health"] for rule in rules} == {"ok"}, [rule for rule in rules if rule["health"] != "ok"]
    assert sorted(rule["name"].removeprefix("TpuWebhook") for rule in rules) == sorted(names())
    (ready,) = monitors.prometheus.query("sum(tpu_webhook_ready)")
    assert ready[1] == 3
    picture("Prometheus", f"  {len(rules)} rules evaluated, none true; {ready[1]:.0f} replicas ready")


def test_the_probes_port_serves_metrics_unless_some_are_named(monitors, release):
    """As before; and not where metrics.from is set."""
    assert metrics_of(release.replicas[0], "health") and metrics_of(release.replicas[0], "metrics")
    few = {**VALUES, "replicas": 1, "metrics": {"from": [{"podSelector": {}}]}}
    with release.reinstalled(few):
        assert not metrics_of(release.replicas[0], "health") and metrics_of(release.replicas[0], "metrics")
    back(monitors)


def metrics_of(one, port):
    with socket.create_connection(("127.0.0.1", one.port(port)), timeout=10) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200 ") or answer.startswith(b"HTTP/1.1 404 "), answer[:80]
    return b"tpu_webhook_ready" in answer


# -- replicas -----------------------------------------------------------------------------------


def test_replicas_go(story, api, namespace, plane):
    """One drains, two are gone, all are gone: what the API server then refuses, and lets pass."""
    release = story.release
    watched = Namespace(plane, api, f"{namespace.name}-watched")
    api.patch("v1", "Namespace", watched.name, {"metadata": {"labels": {"tpu-webhook.dev/mode": "shadow"}}})
    first, *others = release.replicas
    first.signal(signal.SIGTERM)
    story.sees("ReplicaNotReady", seconds=20)
    first.wait_exit()
    others[0].kill()
    story.sees("FewReplicas")
    others[1].kill()
    story.sees("NoReplicaReady")
    release.route(cut=True)
    with pytest.raises(Refused, match="failed calling webhook"):
        namespace.create(member("refused", 0))
    story.sees("CallsFail")
    wait_for("the namespace to be watched", lambda: passes(watched), 20)
    story.sees("PodsPassUnseen")
    watched.clear()


def passes(namespace):
    try:
        return namespace.create(member(f"passes-{time.monotonic_ns()}", 0))
    except Refused:
        return None


def test_a_replica_restarts(story):
    one = story.release.replicas[0]
    for _ in range(3):
        one.kill()
        one.start()
        story.release.wait_ready()
        story.follow()
        time.sleep(2.5)  # scraped
    story.sees("Restarts")


def test_calls_are_slow(story, namespace):
    """Replicas that stand still for two seconds of a call."""
    def stand_still():
        for one in story.release.replicas:
            one.signal(signal.SIGSTOP)
        time.sleep(2.5)
        for one in story.release.replicas:
            one.signal(signal.SIGCONT)
    for number in range(3):
        still = threading.Thread(target=stand_still)
        still.start()
        time.sleep(0.1)
        namespace.create(member(f"slow-{number}", number, topology="4x4"))
        still.join()
    story.sees("CallsAreSlow")


# -- certificates -------------------------------------------------------------------------------


def test_a_certificate_ends_soon(story, plane, program, tmp_path, monkeypatch):
    """One replica has a certificate for a week, the others theirs for three months."""
    monkeypatch.setattr(tls, "DAYS", "7")
    folder = tmp_path / "certificate"
    mounted.issue(plane.pki, "webhook-ca", folder)
    one = Replica(plane, "tpu-webhook-other-certificate", program, story.release.deployment["spec"]["template"]["spec"],
                  {**story.release.mounts, mounted.MOUNT: folder})
    one.start()
    try:
        wait_for("it to answer", lambda: metrics_of(one, "metrics"), 30)
        story.follow((f"127.0.0.1:{one.port('metrics')}", one.name))
        story.sees("CertificateExpires", "CertificateNotRenewed", "CertificatesDiffer")
        (labels,) = [labels for labels, _ in story.prometheus.query(expression("CertificateExpires"))]
        assert labels["pod"] == one.name
    finally:
        one.forget()


def test_strangers_call(story):
    """Somebody speaks no TLS, somebody sends a body that is larger than any object."""
    address = story.release.replicas[0].entry()["address"].split(":")
    where = address[0], int(address[1])
    for _ in range(6):
        with socket.create_connection(where) as plain, contextlib.suppress(ConnectionError):
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            plain.recv(1)
        time.sleep(1)
    story.sees("HandshakesFail")
    for _ in range(3):
        with secure(where) as connection:
            connection.sendall(b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99000000\r\n\r\n")
            assert b" 413 " in connection.recv(100)
    story.sees("RequestsRefused")


def test_too_many_call(story):
    """Of a replica that may open few files, and so takes few connections."""
    one = story.release.replicas[0]
    one.kill()
    one.clock = ["prlimit", "--nofile=256:256"]
    one.start()
    try:
        story.release.wait_ready()
        story.follow()
        few = f'tpu_webhook_connections_limit{{pod="{one.name}"}} < 256'
        ((_, most),) = wait_for("its own limit to be scraped", lambda: story.prometheus.query(few), 30)
        host, port = one.entry()["address"].split(":")
        with contextlib.ExitStack() as open_ones:
            for _ in range(int(most * 0.95)):
                kept = open_ones.enter_context(secure((host, int(port))))
                kept.sendall(ONE_REVIEW)  # any other request ends its connection
                assert b" 200 " in kept.recv(1000)
            story.sees("ConnectionsFull", seconds=30)
    finally:
        one.clock = []
        one.kill()


REVIEW = (b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"CREATE",'
          b'"kind":{"group":"","version":"v1","kind":"Service"},"object":{}}}')
ONE_REVIEW = (b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
              b"Content-Length: %d\r\n\r\n" % len(REVIEW)) + REVIEW


def secure(where):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(where, timeout=30))


def test_reviews_are_slow(story):
    """Of Pods as large as an API server takes them, sent to every replica."""
    env = [{"name": f"A{number}", "value": "x"} for number in range(60_000)]
    pod = member("large", 0)
    pod["metadata"]["namespace"] = "default"
    pod["spec"]["containers"][0]["env"] = env
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "resource": {"group": "", "version": "v1", "resource": "pods"},
        "namespace": "default", "operation": "CREATE", "dryRun": True, "object": pod}}
    body = json.dumps(review).encode()
    head = f"POST /mutate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for one in story.release.replicas:
        host, port = one.entry()["address"].split(":")
        for _ in range(10):
            with secure((host, int(port))) as connection:
                connection.sendall(head + body)
                assert b" 200 " in connection.recv(100)
    story.sees("ReviewsAreSlow")


# -- what is read, and the ledger -----------------------------------------------------------------


def test_a_rule_is_missing(story, api):
    """Nodes may not be listed any more."""
    role = api.get(ROLE, "ClusterRole", NAME)
    api.patch(ROLE, "ClusterRole", NAME, {"rules": [rule for rule in role["rules"] if "nodes" not in rule["resources"]]})
    try:
        one = story.release.replicas[0]
        one.kill()
        one.start()
        story.sees("WatchForbidden", seconds=90)
    finally:
        api.patch(ROLE, "ClusterRole", NAME, {"rules": role["rules"]})


def test_an_object_that_is_too_large(story, namespace):
    """400 KB that are six times as many in JSON."""
    pod = alone("large")
    pod["spec"]["containers"][0]["env"] = [{"name": "LESS", "value": "<" * 400_000}]
    namespace.create(pod)
    story.sees("ObjectsPassedOver", seconds=90)


def test_the_ledger_may_not_be_written(story, api, namespace):
    """Its rule is taken away for more than a minute while a worker asks."""
    cluster = Cluster(namespace, "forbidden", hosts=4)
    role = api.get(ROLE, "Role", NAME, NAMESPACE)
    reading = [{**rule, "verbs": [verb for verb in rule["verbs"] if verb in ("get", "list")]} for rule in role["rules"]]
    api.patch(ROLE, "Role", NAME, {"rules": reading}, NAMESPACE)
    try:
        with asking(cluster):
            story.sees("LedgerWritesFail", "RayWorkersGetNoIds", seconds=150)
    finally:
        api.patch(ROLE, "Role", NAME, {"rules": role["rules"]}, NAMESPACE)


@contextlib.contextmanager
def asking(cluster):
    """A worker asks each second, as a controller does, and is refused."""
    over = threading.Event()

    def ask():
        number = 0
        while not over.wait(1):
            number += 1
            with contextlib.suppress(Refused):
                cluster.add(f"w-{number}")
    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_api_server_stands_still(story, plane, namespace):
    """For a replica whose connections to it stand still, those of now and those to come: it hears of nothing, and who asks
    it for a place is told so when no answer came in time."""
    cluster = Cluster(namespace, "still", hosts=4)
    here, there = f"127.0.0.1:{net.free_ports(1)[0]}", f"127.0.0.1:{plane.ports['apiserver']}"
    one = story.release.replicas[0]
    with pipe.opened(plane.directory, "tpu-webhook-pipe", here, there) as relay:
        before, one.api_server = one.api_server, here
        one.kill()
        one.start()
        story.release.scale(1)
        story.release.wait_ready()
        story.follow()
        for connection in [*pipe.connections(relay), relay]:
            os.kill(connection, signal.SIGSTOP)
        try:
            with asking(cluster):
                story.sees("LedgerUnavailable", "LedgerIsSlow", seconds=120)
            story.sees("WatchIsStale", seconds=200)
        finally:
            os.kill(relay, signal.SIGCONT)
            one.kill()
            one.api_server = before


# -- what nobody knows how to cause ---------------------------------------------------------------


def test_another_release(story):
    """Beside this one, as while an update stands still: there is one build here, so a page says of itself that it is another."""
    with made_up(story, lambda page: page.replace('build_info{version="', 'build_info{version="another-')):
        story.sees("VersionsDiffer")


def test_faults(story):
    """A review and a task that met a fault, and memory beyond the sum of the limits."""
    def edit(page):
        lines = [line for line in page.splitlines(keepends=True) if not line.startswith(("process_resident_memory_bytes ", "tpu_webhook_task_failures_total{"))]
        return "".join(lines) + (
            'tpu_webhook_reviews_total{webhook="mutate",mode="enforce",workload="job",outcome="failed",reason="internal_error"} 1\n'
            'tpu_webhook_task_failures_total{task="sync"} 1\nprocess_resident_memory_bytes 9e9\n')
    with made_up(story, edit):
        story.sees("ReviewFailed", "TaskFailed", "MemoryAboveBound")


@contextlib.contextmanager
def made_up(story, edit):
    """While this holds a page that a replica has served, with other numbers, is scraped as one more replica's."""
    one = story.release.replicas[0]
    with socket.create_connection(("127.0.0.1", one.port("metrics")), timeout=10) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        served = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")[2].decode()
    page = edit(served)
    assert page != served

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            story.follow((f"127.0.0.1:{server.server_port}", "made-up"))
            yield
        finally:
            server.shutdown()
            thread.join()


# -- all of them ------------------------------------------------------------------------------------


def test_every_alert_was_true(monitors, picture):
    """And says what it is about: no label is missing in its words."""
    assert set(monitors.seen) == set(names())
    words = {name: one["annotations"] for name, one in monitors.seen.items()}
    for name, one in words.items():
        assert not any(text in value for value in one.values() for text in ("<no value>", "{{", "<error")), (name, one)
    picture("Alerts", "\n".join(f"  {name:22} {monitors.seen[name]['state']:8} {words[name]['summary']}" for name in names()))


def test_every_panel_has_an_answer(story, plane, namespace, picture):
    """What they draw is kept: DIR/dashboard.json."""
    cluster = Cluster(namespace, "drawn", hosts=4)
    with asking(cluster):
        for number in range(4):
            namespace.create(member(f"drawn-{number}", number, topology="4x4"))
            time.sleep(2)
    time.sleep(3)
    panels, empty = [], []
    for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
        answers = []
        for target in panel.get("targets", []):
            asked = target["expr"].replace("$__rate_interval", WINDOW)
            found = story.prometheus.series(asked, 900, 5)
            answers.append({"expr": asked, "legend": target.get("legendFormat", ""), "series": found})
            if not any(value == value for _, values in found for _, value in values):
                empty.append(f"{panel['title']}: {asked}")
        panels.append({**panel, "answers": answers})
    (plane.directory / "dashboard.json").write_text(json.dumps(panels), encoding="utf-8")
    asked = sum(len(panel["answers"]) for panel in panels)
    picture("The dashboard", f"  {asked} queries answered by {sum(len(one['series']) for panel in panels for one in panel['answers'])} series; {len(empty)} empty")
    assert not empty, empty


def expression(name):
    (found,) = [rule["expr"] for group in groups() for rule in group["rules"] if rule["alert"] == f"TpuWebhook{name}"]
    return found


# -- how long -----------------------------------------------------------------------------------------

API = 'name="pods.tpu-webhook.dev"'


def buckets(name, labels, slow, fast):
    """A histogram all of whose new observations are between `fast` and `slow` seconds; a count each minute."""
    return [(f'{name}_bucket{{{labels}le="{fast}"}}', "0x999"), (f'{name}_bucket{{{labels}le="{slow}"}}', "0+9x999"),
            (f'{name}_bucket{{{labels}le="+Inf"}}', "0+9x999")]


# alert -> (series that make it true, the first minute in which it is)
TRUE = {
    "NoReplicaReady": ([('tpu_webhook_ready{pod="a"}', "0x999")], 0),
    "FewReplicas": ([('tpu_webhook_ready{pod="a"}', "1x999"), ('tpu_webhook_ready{pod="b"}', "0x999")], 0),
    "ReplicaNotReady": ([('tpu_webhook_ready{pod="a"}', "0x999")], 0),
    "Restarts": ([('process_start_time_seconds{instance="a",job="j"}', "1 2 3 4+0x999"), ('tpu_webhook_ready{instance="a",job="j"}', "1x999"),
                  ('process_start_time_seconds{instance="b",job="other"}', "1 2 3 4 5+0x999")], 3),
    "CallsFail": ([(f'apiserver_admission_webhook_rejection_count{{{API},error_type="calling_webhook_error"}}', "1x999")], 0),
    "PodsPassUnseen": ([(f"apiserver_admission_webhook_fail_open_count{{{API}}}", "1x999")], 0),
    "CallsAreSlow": (buckets("apiserver_admission_webhook_admission_duration_seconds", f"{API},", "2.5", "1"), 1),
    "VersionsDiffer": ([('tpu_webhook_build_info{version="1",pod="a"}', "1x999"), ('tpu_webhook_build_info{version="2",pod="b"}', "1x999")], 0),
    "CertificateExpires": ([('tpu_webhook_certificate_not_after_timestamp_seconds{pod="a"}', "86400x999")], 0),
    "CertificatesDiffer": ([('tpu_webhook_certificate_not_after_timestamp_seconds{pod="a"}', "9000000x999"),
                            ('tpu_webhook_certificate_not_after_timestamp_seconds{pod="b"}', "9000001x999")], 0),
    "CertificateNotRenewed": ([('tpu_webhook_certificate_not_after_timestamp_seconds{pod="a"}', "5000000x999")], 0),
    "HandshakesFail": ([('tpu_webhook_handshakes_failed_total{pod="a"}', "0+1x999")], 1),
    "ReviewFailed": ([('tpu_webhook_reviews_total{outcome="failed",reason="internal_error"}', "1x999")], 0),
    "TaskFailed": ([('tpu_webhook_task_failures_total{task="other"}', "0 0 1x999")], 2),
    "RequestsRefused": ([('tpu_webhook_requests_refused_total{status="503"}', "0+1x999")], 1),
    "ReviewsAreSlow": (buckets("tpu_webhook_review_duration_seconds", "", "0.025", "0.005"), 1),
    "ConnectionsFull": ([('tpu_webhook_connections{pod="a"}', "950x999"), ('tpu_webhook_connections_limit{pod="a"}', "1024x999")], 0),
    "CallersTurnedAway": ([('tpu_webhook_connections_closed_for_others_total{pod="a",port="reviews"}', "0+600x999")], 1),
    "MemoryAboveBound": ([('process_resident_memory_bytes{instance="a",job="j"}', "31x999"), ('tpu_webhook_memory_bound_bytes{instance="a",job="j",of="program"}', "10x999"),
                          ('tpu_webhook_memory_bound_bytes{instance="a",job="j",of="callers"}', "20x999")], 0),
    "WatchIsStale": ([('tpu_webhook_watch_age_seconds{pod="a",resource="pods"}', "151x999")], 0),
    "WatchForbidden": ([('tpu_webhook_watch_forbidden{pod="a",resource="nodes"}', "1x999")], 0),
    "RayWorkersGetNoIds": ([('tpu_webhook_ledger_stalled_seconds{pod="a"}', "61x999")], 0),
    "LedgerUnavailable": ([('tpu_webhook_ledger_answer_duration_seconds_count{answer="unavailable"}', "0+1x999")], 1),
    "LedgerIsSlow": (buckets("tpu_webhook_ledger_answer_duration_seconds", 'answer="unavailable",', "6", "5"), 1),
    "LedgerWritesFail": ([('tpu_webhook_ledger_writes_total{result="failed"}', "0+1x999")], 1),
    "ObjectsPassedOver": ([('tpu_webhook_watch_passed_over_total{pod="a",resource="pods"}', "1x999")], 0),
}
MINUTES = {"0m": 0, "1m": 1, "5m": 5, "10m": 10, "15m": 15, "1h": 60}


def test_each_waits_as_long_as_it_says(plane, tmp_path, picture):
    """promtool: true before, not firing a minute before its time, firing at it. And none fires where all is well."""
    if "prometheus" not in pins.modules():
        pytest.exit("the programs of this story are those of --pins monitors", 1)
    waits = {rule["alert"].removeprefix("TpuWebhook"): rule["for"] for group in groups() for rule in group["rules"]}
    assert set(TRUE) == set(waits)
    (tmp_path / "rules.json").write_text(json.dumps({"groups": groups()}), encoding="utf-8")
    tests = []
    for name, (series, begins) in TRUE.items():
        wait, alert = MINUTES[waits[name]], f"TpuWebhook{name}"
        firing = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'
        begun = f'count(ALERTS{{alertname="{alert}"}})'
        one = [{"labels": "{}", "value": 1}]
        moments = [(begun, begins, one), (firing, begins + wait, one)]
        moments += [(begun, begins - 1, [])] if begins else []
        moments += [(firing, begins + wait - 1, [])] if wait else []
        tests.append({"interval": "1m", "name": name, "input_series": [{"series": each, "values": values} for each, values in series],
                      "promql_expr_test": [{"expr": expr, "eval_time": f"{at}m", "exp_samples": found} for expr, at, found in moments]})
    tests.append({"interval": "1m", "name": "all is well", "input_series": [{"series": each, "values": values} for each, values in WELL],
                  "promql_expr_test": [{"expr": "count(ALERTS)", "eval_time": f"{at}m", "exp_samples": []} for at in (1, 30, 90)]})
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump({"rule_files": ["rules.json"], "evaluation_interval": "1m", "tests": tests}), encoding="utf-8")
    for command in (["check", "rules", "rules.json"], ["test", "rules", "tests.yaml"]):
        answer = subprocess.run([programs.path("promtool"), *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert answer.returncode == 0, answer.stdout + answer.stderr
    picture("promtool", f"  {len(tests)} tests of {len(waits)} alerts")


WELL = [
    *((f'tpu_webhook_ready{{pod="{pod}"}}', "1x99") for pod in "abc"), ('tpu_webhook_build_info{version="1"}', "1x99"),
    ('process_start_time_seconds{instance="a",job="j"}', "1x99"), ('tpu_webhook_certificate_not_after_timestamp_seconds{pod="a"}', "9000000x99"),
    ('tpu_webhook_handshakes_failed_total{pod="a"}', "3x99"), ('tpu_webhook_task_failures_total{task="other"}', "0x99"),
    (f'apiserver_admission_webhook_rejection_count{{{API},error_type="no_error"}}', "0+1x99"),
    ('apiserver_admission_webhook_rejection_count{name="ray.pods.tpu-webhook.dev",error_type="calling_webhook_error"}', "0+1x99"),
    ('apiserver_admission_webhook_rejection_count{name="other.example.com",error_type="calling_webhook_error"}', "0+1x99"),
    ('tpu_webhook_requests_refused_total{status="404"}', "0+1x99"), ('tpu_webhook_reviews_total{outcome="patched",reason="injected"}', "0+9x99"),
    ('tpu_webhook_watch_age_seconds{pod="a",resource="pods"}', "60x99"), ('tpu_webhook_ledger_stalled_seconds{pod="a"}', "0x99"),
    ('tpu_webhook_watch_forbidden{pod="a",resource="nodes"}', "0x99"), ('tpu_webhook_watch_passed_over_total{pod="a",resource="pods"}', "0x99"),
    ('tpu_webhook_connections{pod="a"}', "9x99"), ('tpu_webhook_connections_limit{pod="a"}', "1024x99"),
]
