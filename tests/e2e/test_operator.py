"""What an operator sees of a running cluster: slices, audit, doctor, ledger list; each by the program itself."""

import contextlib
import json
import re
import signal
import socket
import subprocess

import pytest

from controlplane import programs
from harness import forged, pipe, pools
from harness.api import wait_for
from harness.pods import member
from harness.release import NAMESPACE
from harness.workers import GROUP, Cluster, place, whole
from test_ledger import keep_trying, no_ledger_left, of  # noqa: F401 (a fixture)
from test_multislice import TWO_POOLS, not_queued


@pytest.fixture
def ask(plane, tools):
    """ask("audit", "-n", "x"): (exit code, what it printed)."""
    def run(*arguments):
        done = subprocess.run([str(tools), *arguments, "--kubeconfig", str(plane.kubeconfig)],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


def test_audit_of_pods_that_nobody_changed(release, namespace, ask):
    """Created while the webhook was away, two hosts of a slice have no TPU environment: an error, with a fix."""
    with release.absent():
        for number in range(2):
            namespace.create(member(f"bare-{number}", number))
        code, text = ask("doctor")
        assert code == 1 and "FAIL  configuration" in text, text
    code, text = ask("audit", "-n", namespace.name)
    assert code == 1 and "error" in text and "fix:" in text, text


def fails_by_the_relay_alone(code, text):
    """Whether doctor finds nothing but what the suite does: its Service leads to processes outside the cluster, and a
    user's would lead to nobody (harness/release.py)."""
    failed = [check for check in json.loads(text)["checks"] if check["verdict"] == "fail"]
    return code == 1 and [check["check"] for check in failed] == ["service"] and "(ExternalName)" in failed[0]["what"]


def test_doctor_of_a_file(release, plane, tools, namespace, ask):
    """What kubectl prints of the installation, somewhere else: what a file can say is well, and no key is in it."""
    kinds = ("mutatingwebhookconfigurations,validatingwebhookconfigurations,clusterroles,clusterrolebindings,roles,"
             "rolebindings,services,endpointslices,deployments,pods,networkpolicies,poddisruptionbudgets,configmaps,"
             "namespaces,customresourcedefinitions,serviceaccounts,resourcequotas,priorityclasses,flowschemas,"
             "prioritylevelconfigurations")
    printed = subprocess.run([programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig), "get", kinds, "-A", "-o",
                              "json"], capture_output=True, check=True).stdout
    done = subprocess.run([str(tools), "doctor", "--cluster", "-", "--output", "json"], input=printed,
                          capture_output=True, timeout=60, check=False)
    assert fails_by_the_relay_alone(done.returncode, done.stdout), done.stdout + done.stderr
    of_file = {check["check"]: check["verdict"] for check in json.loads(done.stdout)["checks"]}
    _, text = ask("doctor", "--output", "json")
    live = {check["check"]: check["verdict"] for check in json.loads(text)["checks"]}
    said = {check: verdict for check, verdict in of_file.items() if verdict != "unknown"}
    assert said.items() <= live.items(), (said, live)
    assert {"configuration", "rbac", "order", "rival", "ledger", "workload-apis"} <= said.keys(), of_file
    assert "trust" in live, live


def own_address():
    """An address of this machine that is not loopback: the API server's proxy refuses those."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return probe.getsockname()[0]


@contextlib.contextmanager
def found_at_its_pod(plane, release, pod):
    """While this holds the Pod's own address leads to replica 0: its podIP is this machine's, and a pipe of that
    address stands for the Pod's network."""
    (port,) = [port["containerPort"] for container in pod["spec"]["containers"]
               for port in container["ports"] if port["name"] == "metrics"]
    address = own_address()
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}/status"

    def lead_to(ip):
        status = {"status": {"podIP": ip, "podIPs": [{"ip": ip}]}}
        plane.client().request("PATCH", path, status, "application/merge-patch+json")

    with pipe.opened(plane.directory, "tpu-webhook-pod-network", f"{address}:{port}", f"127.0.0.1:{release.replicas[0].port('metrics')}"):
        try:
            lead_to(address)
            yield
        finally:
            lead_to(pod["status"]["podIP"])


def only_pod(api):
    """The Pod of our namespace that has an address, once those of an installation before are gone."""
    pods = api.pods(NAMESPACE)
    return pods[0] if len(pods) == 1 and pods[0]["status"].get("podIP") else None


def test_doctor_asks_the_replicas_how_fresh_they_are(release, plane, api, ask):
    """Through the API server's proxy, by their metrics; what cannot be reached is not known, and fails nothing."""
    pod = wait_for("the Pod of the Deployment to run", lambda: only_pod(api), 30)
    with found_at_its_pod(plane, release, pod):
        code, text = ask("doctor", "--output", "json")
    line, cost = (next(check for check in json.loads(text)["checks"] if check["check"] == name) for name in ("freshness", "cost"))
    assert fails_by_the_relay_alone(code, text), text
    assert line["verdict"] == "ok" and "1 replica watches the cluster" in line["what"], line
    assert int(re.search(r"is (\d+) s old", line["what"]).group(1)) < 90, line
    with_tpus = [node for node in api.nodes() if "google.com/tpu" in node["status"]["allocatable"]]
    assert cost["what"].startswith(f"{len(with_tpus)} TPU nodes, "), cost


def test_metrics_of_a_replica(release, no_ledger_left, namespace):  # noqa: F811
    """Everything is listed, every watch is heard of, and what the ledger gives is counted."""
    (replica,) = release.replicas
    before = replica.metrics()
    for resource in ("pods", "nodes", "services", "rayclusters"):
        of_watch = f'{{resource="{resource}"}}'
        assert before[f"tpu_webhook_watch_synced{of_watch}"] == 1
        assert before[f"tpu_webhook_watch_age_seconds{of_watch}"] < 90  # bookmarks come each minute
        assert before[f"tpu_webhook_watch_resource_version{of_watch}"] > 0
    assert before['tpu_webhook_store_objects{resource="nodes"}'] > 0
    cluster = Cluster(namespace, "counted", hosts=4)
    for number in range(4):
        keep_trying(cluster, f"w-{number}")
    after = wait_for("all workers to be in the store", lambda: _with_pods(replica.metrics(), before, 4), 10)
    grown = {name: after[name] - before.get(name, 0) for name in after}
    assert grown["tpu_webhook_ledger_places"] == 4 and grown["tpu_webhook_ledger_groups"] == 1
    assert 1 <= grown['tpu_webhook_ledger_writes_total{result="written"}'] <= 4
    assert grown['tpu_webhook_ledger_answer_duration_seconds_count{answer="given"}'] >= 4
    given = [name for name in grown if name.startswith("tpu_webhook_reviews_total") and 'workload="ray"' in name
             and 'reason="injected"' in name]
    assert sum(grown[name] for name in given) >= 4, grown


def _with_pods(after, before, count):
    name = 'tpu_webhook_store_objects{resource="pods"}'
    return after if after[name] - before[name] == count else None


@contextlib.contextmanager
def printing(command, file):
    """While this holds the command writes into the file; yields the process. At the end it is gone."""
    with open(file, "wb") as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as one:
        try:
            yield one
        finally:
            one.kill()  # unless it has ended


def test_slices_while_they_form(release, plane, tools, namespace, tmp_path, ask):
    """`slices --watch` shows each change, and ends well when it is interrupted. Then there are two whole slices, each on its
    pool, and nothing is wrong with them."""
    command = [str(tools), "slices", "-n", namespace.name, "--watch", "--kubeconfig", str(plane.kubeconfig)]
    printed = tmp_path / "slices.txt"
    with pools.only(namespace.api, *TWO_POOLS), printing(command, printed) as watching:
        wait_for("its first words", lambda: "no Pod asks" in printed.read_text(encoding="utf-8"), 20)
        namespace.apply("jobset-multislice.yaml", edit=not_queued)
        namespace.running(8)
        wait_for("both slices to run", lambda: re.search(r"running.*\n.*running", printed.read_text(encoding="utf-8")), 20)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(20) == 0, printed.read_text(encoding="utf-8")
    code, text = ask("slices", "-n", namespace.name, "--output", "json")
    assert code == 0, text
    found = json.loads(text)["slices"]
    assert [one["phase"] for one in found] == ["running", "running"], text
    assert {pool for one in found for pool in one["pools"]} == set(TWO_POOLS), text
    code, text = ask("audit", "-n", namespace.name)
    assert code == 0, text


def test_a_place_is_freed_by_hand(release, no_ledger_left, namespace, ask):  # noqa: F811
    """Somebody's forged review holds place 0-0; released, the next worker has it at once."""
    cluster = Cluster(namespace, "by-hand", hosts=4)
    keep_trying(cluster, "first")
    with forged.reviews(release, cluster.worker("forged"), 1, users=1) as answers:
        pass
    assert answers == {200: 1}, answers
    group = f"{namespace.name}/by-hand/{GROUP}"
    code, text = ask("ledger", "release", group, "0-1", "--force", "--yes")
    assert code == 0 and "0-1" in text, text
    (record,) = of(cluster)
    assert len(record["data"]["entries"].split()) == 1, record
    assert [place(keep_trying(cluster, f"w-{number}")) for number in range(1, 4)] == [(0, 1), (0, 2), (0, 3)]
    assert not whole(cluster.pods(), 4, 1)


def test_the_ledger_as_a_table(release, no_ledger_left, namespace, ask):  # noqa: F811
    """A group with two of its four places given, each to a Pod that lives."""
    cluster = Cluster(namespace, "listed", hosts=4)
    for number in range(2):
        keep_trying(cluster, f"w-{number}")
    code, text = ask("ledger", "list", "--output", "json")
    (group,) = [one for one in json.loads(text)["groups"] if one["rayClusterUid"] == cluster.uid]
    assert code == 0 and group["withPod"] == ["0-0", "0-1"] and not group["withoutPod"], text
