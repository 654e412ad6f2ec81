#!/usr/bin/env python3
"""slices, audit, ledger and doctor before a made-up API server: run.py PROGRAM [PART].

PART: only tests whose name contains it. Standard library only.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "server"), str(TESTS / "support" / "workloads")]

import checks  # noqa: E402
import program  # noqa: E402
import proxy  # noqa: E402,F401  (its checks register themselves)
from apiserver import container  # noqa: E402
from checks import check  # noqa: E402
from controllers import job_pod  # noqa: E402
from made_up_api import Objects, Server, expires, forbids, kubeconfig, rivals, says  # noqa: E402

LEDGER = "/api/v1/namespaces/hooks/configmaps"


def run(api, *arguments, **options):
    """(exit code, standard output, standard error)"""
    with Server(api, tls=False) as server:
        return run_at(server.port, *arguments, **options)


def run_at(port, *arguments, **options):
    with tempfile.TemporaryDirectory() as folder:
        return program.run(program.tools(), *arguments, "--kubeconfig", kubeconfig(folder, port),
                           **options)


def running_pod(host):
    """Of a Job of four hosts, as no webhook has seen it."""
    pod = job_pod(job="train", namespace="ml", index=host, subdomain="svc", restart_policy="Never",
                  node_selector={"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                 "cloud.google.com/gke-tpu-topology": "4x4"},
                  containers=[container("jax", "image", limits={"google.com/tpu": "4"})])
    pod["metadata"].update(name=f"train-{host}", uid=f"pod-{host}")
    return {**pod, "status": {"phase": "Running"}}


def cluster(*faults):
    pods = [running_pod(host) for host in range(4)]
    return Objects({"/api/v1/pods": pods, "/api/v1/namespaces/ml/pods": pods, "/api/v1/nodes": [],
                    "/api/v1/services": [], "/api/v1/namespaces/ml/services": []}, *faults)


TOKEN = "0123456789abcdef"


def ledger_object(hosts, uid="u1"):
    parts = ["ml", "ray", uid, "workers"]
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": object_name(parts), "resourceVersion": "7"},
            "data": {"format": "1", "namespace": "ml", "ray-cluster": "ray",
                     "ray-cluster-uid": uid, "group": "workers", "hosts-per-slice": "4",
                     "state": "whole",
                     "entries": "".join(f"0-{host}-{TOKEN}\n" for host in hosts)}}


NAMES = {}


def object_name(parts):
    """The program's own name for the group, from what it says of a wrong one."""
    key = tuple(parts)
    if key not in NAMES:
        NAMES[key] = "?"
        wrong = ledger_object([], parts[2])
        wrong["metadata"]["name"] = "tpu-ledger-" + hashlib.md5(b"x").hexdigest()
        api = Objects({LEDGER: [wrong], "/api/v1/pods": []})
        _, out, _ = run(api, "ledger", "list", "-n", "hooks")
        NAMES[key] = out.split("its names belong to ")[1].split()[0]
    return NAMES[key]


def ledger(hosts, living, *faults):
    pods = [{"metadata": {"name": f"w-{host}", "namespace": "ml",
                          "labels": {"tpu-webhook.dev/token": f"0-{host}-{TOKEN}"}},
             "status": {"phase": "Running"}} for host in living]
    return Objects({LEDGER: [ledger_object(hosts)], "/api/v1/pods": pods,
                    "/api/v1/namespaces/ml/pods": pods}, *faults)


def entries(api):
    return [line.rsplit("-", 1)[0] for o in api.collections[LEDGER]
            for line in o["data"]["entries"].split()]


# --- checks

@check
def slices_are_listed_page_by_page():
    api = cluster()
    code, out, err = run(api, "slices")
    assert code == 0, err
    assert "4 of 4" in out, out
    pages = api.targets("/api/v1/pods")
    assert len(pages) == 2 and "limit=500" in pages[0] and "continue=2" in pages[1], pages


@check
def a_namespace_alone_is_asked_for():
    api = cluster()
    code, out, err = run(api, "slices", "-n", "ml")
    assert code == 0 and "4 of 4" in out, out + err
    assert not api.targets("/api/v1/pods"), api.targets()


@check
def an_expired_page_begins_the_list_anew():
    code, out, err = run(cluster(expires(1)), "slices")
    assert code == 0 and "4 of 4" in out and "twice" not in out, out + err


@check
def a_page_that_always_expires_ends():
    code, _, err = run(cluster(expires(99)), "slices")
    assert code == 2 and "410 Expired" in err, err


def large(name, less_than):
    """A TPU Pod by itself, whose environment has so many "<", each of which the API server writes as six bytes."""
    main = {**container("main", "image", limits={"google.com/tpu": "4"}), "env": [{"name": "A", "value": "<" * less_than}]}
    return {"metadata": {"name": name, "namespace": "ml", "uid": name}, "status": {"phase": "Running"},
            "spec": {"nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"},
                     "containers": [main]}}


def as_go_writes(api, request):
    """A fault that only writes as Go's encoder does."""
    code, out = api.answer(request)
    return code, json.dumps(out).replace("<", "\\u003c")


SIZE = {"a": "<" * (3 << 20)}
LARGE = {  # where the object that is too large is, and the sentence that names it
    "pod": ("/api/v1/pods", large("big", 3 << 20), "cannot read pods ml/big: larger than 16 MiB as JSON"),
    "service": ("/api/v1/services", {"metadata": {"name": "svc", "namespace": "ml", "annotations": SIZE}, "spec": {"clusterIP": "None"}},
                "cannot read services ml/svc: larger than 16 MiB as JSON"),
    "node": ("/api/v1/nodes", {"metadata": {"labels": {"name": "no", "namespace": "no"}, "managedFields": [{"name": "no"}], "name": "n"}, "spec": SIZE},
             "cannot read nodes n: larger than 16 MiB as JSON"),
    "without a name": ("/api/v1/nodes", {"metadata": {"labels": SIZE}}, "cannot read nodes an unnamed object: larger than 16 MiB as JSON"),
}


@check
def an_object_of_two_mebibytes_is_read():
    """350 KB of "<", which whoever may create Pods can store, are 2.1 MB of JSON."""
    for arguments, of_train in (["slices"], "4 of 4"), (["audit"], "unmutated"):
        api = cluster(as_go_writes)
        api.collections["/api/v1/pods"].insert(2, large("big", 350_000))
        code, out, err = run(api, *arguments)
        assert code in (0, 1) and not err and of_train in out and "not known: cannot" not in out, (code, out, err)
        assert "Pod/big" in out or arguments == ["audit"], out


def goes_on_without(path, thing, said):
    forms = [["slices", "-o", "json"], ["slices", "--by", "namespace"]] if path == "/api/v1/pods" else []  # of the same reading
    for arguments in ["slices"], ["audit"], *forms:
        api = cluster(as_go_writes)
        api.collections[path].append(thing)
        code, out, err = run(api, *arguments)
        assert code in (0, 1) and not err and said in out, (arguments, code, out[-2000:], err)
        assert "Job/train" in out or "Job ml/train" in out or arguments[1:], out
        # A list that is not whole shows no absence.
        assert "no-service" not in out or path != "/api/v1/services", out
    api = queues(as_go_writes)
    api.collections[path].append(thing)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(JOB)
        file.flush()
        code, out, err = run(api, "explain", file.name, "-n", "ml", "--cluster")
    assert code == 0 and not err and said in out and "other" in out, (code, out, err)


for each, what in LARGE.items():
    checks.row(f"goes_on_without_large.{each}", lambda what=what: goes_on_without(*what))


@check
def the_ledger_goes_on_without_a_large_pod_and_frees_nothing():
    """Whose place it has is not known, so that none is free."""
    api = ledger([0, 1], [1], as_go_writes)
    pod = large("w-0", 3 << 20)
    pod["metadata"]["labels"] = {"tpu-webhook.dev/token": f"0-0-{TOKEN}"}
    api.collections["/api/v1/pods"].append(pod)  # the list of one namespace as well
    said = "cannot read pods ml/w-0: larger than 16 MiB as JSON"
    code, out, err = run(api, "ledger", "list", "-n", "hooks")
    assert code == 0 and not err and "ml/ray" in out and said in out, (code, out, err)
    code, out, err = run(api, "ledger", "release", "ml/ray/workers", "0-0", "--force", "--yes", "-n", "hooks")
    assert code == 2 and said in err, (code, out, err)
    assert entries(api) == ["0-0", "0-1"], entries(api)


@check
def doctor_goes_on_without_a_large_object():
    plural = "mutatingwebhookconfigurations"
    api = Objects({f"/apis/admissionregistration.k8s.io/v1/{plural}": [{"metadata": {"name": "other", "annotations": SIZE}}]}, as_go_writes)
    code, out, err = run(api, "doctor", "-n", "hooks")
    assert code == 1 and not err and "workload-apis" in out, (code, out, err)
    assert f"cannot read {plural}.admissionregistration.k8s.io other: larger than 16 MiB as JSON" in out, out


def without_end(path):
    """Pages of one object that never end, at one list."""
    def fault(api, request):
        if request.path != path:
            return None
        page = int(request.query.get("continue", ["0"])[0]) + 1
        return 200, {"kind": "List", "metadata": {"resourceVersion": "1", "continue": str(page)},
                     "items": [{"metadata": {"name": f"n{page}", "namespace": "ml"}}]}
    return fault


@check
def a_list_without_end_has_one():
    said = "the list does not end within 500 pages and 600 s"
    api = cluster(without_end("/api/v1/pods"))
    code, out, err = run(api, "slices")
    assert code == 2 and not out and err == f"kubectl-tpu: cannot list pods: {said}\n", (code, out, err)
    assert len(api.targets("/api/v1/pods")) == 500, len(api.targets())
    api = Objects({}, without_end("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"))
    code, out, err = run(api, "doctor", "-n", "hooks")
    assert code == 1 and not err and said in out, (code, out, err)


@check
def nodes_that_may_not_be_read_are_not_known():
    code, out, err = run(cluster(forbids("/api/v1/nodes")), "slices")
    assert code == 0 and "not known: cannot list nodes: 403" in out, out + err
    assert 'add {apiGroups: [""], resources: ["nodes"], verbs: ["list"]}' in out, out


@check
def pods_that_may_not_be_read_end_the_command():
    code, _, err = run(cluster(forbids("/api/v1/pods")), "audit")
    assert code == 2 and err.startswith("kubectl-tpu: cannot list pods: 403"), err


@check
def an_audit_of_a_namespace_does_with_it_alone():
    code, out, err = run(cluster(forbids("/api/v1/pods")), "audit", "-n", "ml")
    assert code == 1 and "unmutated" in out, out + err
    assert "not known: objects of namespaces other than ml" in out, out


@check
def a_service_that_is_not_there_is_known_to_be_none():
    code, out, err = run(cluster(), "audit")
    assert "no-service" in out and "snapshot" not in out, out + err


KUEUE = "/apis/kueue.x-k8s.io/v1beta1/"
JOB = """
apiVersion: v1
kind: Service
metadata: {name: svc}
spec: {clusterIP: None}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: other
  labels: {kueue.x-k8s.io/queue-name: tpus}
spec:
  completions: 4
  parallelism: 4
  completionMode: Indexed
  template:
    spec:
      subdomain: svc
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
      containers:
      - {name: jax, image: image, resources: {limits: {google.com/tpu: "4"}}}
"""


def pool_node(number):
    return {"metadata": {"name": f"n-{number}",
                         "labels": {"cloud.google.com/gke-nodepool": "pool",
                                    "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                                    "cloud.google.com/gke-tpu-topology": "4x4"}},
            "status": {"allocatable": {"google.com/tpu": "4"}}}


def queues(*faults):
    """A free pool, and a queue with eight chips; of Kueue v1beta1 alone."""
    quota = {"name": "google.com/tpu", "nominalQuota": "8"}
    group = {"coveredResources": ["google.com/tpu"], "flavors": [{"name": "all", "resources": [quota]}]}
    return Objects({
        "/api/v1/pods": [], "/api/v1/services": [],
        "/api/v1/nodes": [pool_node(number) for number in range(4)],
        KUEUE + "localqueues": [{"metadata": {"name": "tpus", "namespace": "ml"},
                                 "spec": {"clusterQueue": "all"}}],
        KUEUE + "clusterqueues": [{"metadata": {"name": "all"},
                                   "spec": {"namespaceSelector": {}, "resourceGroups": [group]}}],
        KUEUE + "resourceflavors": [{"metadata": {"name": "all"}, "spec": {}}]}, *faults)


def outlook(api):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(JOB)
        file.flush()
        code, out, err = run(api, "explain", file.name, "-n", "ml", "--cluster", "-o", "json")
    assert code == 0, out + err
    (workload,) = json.loads(out)["workloads"]
    return workload["outlook"]


@check
def explain_reads_queues_in_the_version_that_is_served():
    api = queues()
    said = outlook(api)
    assert [wait["cause"] for wait in said["waits"]] == ["quota"], said  # and the Service is its own
    assert "short by 8 chips" in said["waits"][0]["what"], said
    for plural in ("localqueues", "clusterqueues", "resourceflavors"):
        both = api.targets("/apis/kueue.x-k8s.io/")
        asked = [target.split("/")[3] for target in both if f"/{plural}" in target]
        assert asked == ["v1beta2", "v1beta1"], both
    assert api.targets("/apis/cloud.google.com/v1/computeclasses"), api.targets()


@check
def explain_asks_for_no_quota_where_kueue_is_not_installed():
    api = queues()
    for plural in ("localqueues", "clusterqueues", "resourceflavors"):
        del api.collections[KUEUE + plural]
    said = outlook(api)
    assert said["verdict"] == "forms", said  # the label does nothing there


@check
def explain_does_not_know_queues_that_it_may_not_read():
    said = outlook(queues(forbids("/apis/kueue.x-k8s.io/v1beta2/clusterqueues")))
    assert said["verdict"] == "not_known", said
    assert "ClusterQueue all was not read" in said["sentence"], said


@check
def other_commands_ask_for_no_queues():
    api = cluster()
    run(api, "slices")
    run(api, "audit")
    assert not api.targets("/apis/kueue") and not api.targets("/apis/cloud.google.com"), api.targets()


@check
def nobody_listens():
    code, _, err = run_at(1, "slices")
    assert code == 2 and "127.0.0.1:1" in err, err


@check
def a_watch_ends_well_when_it_is_interrupted():
    api = cluster()
    code, out, err = run(api, "slices", "--watch", interrupt_after=3)
    assert code == 0 and err == "", err
    assert out.count("NAMESPACE") == 1, out  # nothing changed
    assert len(api.targets("/api/v1/nodes")) == 2, api.targets()


@check
def a_watch_of_a_file_ends_well_too():
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"kind": "PodList", "items": []}, file)
        file.flush()
        code, out, err = program.run(program.tools(), "slices", "--watch", "--cluster", file.name,
                                     interrupt_after=0.5)
    assert code == 0 and out and not err, (code, out, err)


@check
def the_ledger_says_who_holds_what():
    code, out, err = run(ledger([0, 1, 2], [1]), "ledger", "list", "-n", "hooks")
    assert code == 0, err
    assert "2: 0-0 0-2" in out and "ml/ray" in out, out


@check
def release_writes_over_a_rival_by_reading_again():
    api = ledger([0, 1, 2], [1], rivals(2))
    code, out, err = run(api, "ledger", "release", "ml/ray/workers", "0-2", "--force", "--yes",
                         "-n", "hooks")
    assert code == 0 and "freed 1 of 3 entries" in out, out + err
    assert entries(api) == ["0-0", "0-1"], entries(api)
    assert api.methods().count("PUT") == 3, api.methods()


@check
def release_gives_up_after_some_conflicts():
    api = ledger([0, 1], [], rivals(99))
    code, _, err = run(api, "ledger", "release", "ml/ray/workers", "0-1", "--force", "--yes",
                       "-n", "hooks")
    assert code == 1 and "others changed it 5 times in a row" in err, err
    assert entries(api) == ["0-0", "0-1"], entries(api)


@check
def release_deletes_an_empty_object_if_it_is_still_the_same():
    api = ledger([0], [])
    code, out, err = run(api, "ledger", "release", "ml/ray/workers", "0-0", "--force", "--yes",
                         "-n", "hooks")
    assert code == 0 and api.collections[LEDGER] == [], out + err
    (deletion,) = [r.body for r in api.requests if r.method == "DELETE"]
    assert deletion["preconditions"] == {"resourceVersion": "7"}, deletion


@check
def release_needs_a_yes_where_nobody_can_be_asked():
    api = ledger([0], [])
    code, _, err = run(api, "ledger", "release", "ml/ray/workers", "-n", "hooks")
    assert code == 2 and "pass --yes" in err, err
    assert entries(api) == ["0-0"]


@check
def release_waits_before_it_frees_and_can_be_interrupted():
    api = ledger([0, 1], [1])
    code, out, err = run(api, "ledger", "release", "ml/ray/workers", "--yes", "-n", "hooks",
                         interrupt_after=2)
    assert code == 1 and "waiting 70 s" in out and "interrupted" in err, out + err
    assert entries(api) == ["0-0", "0-1"]


@check
def a_release_whose_result_is_lost_is_no_success():
    api = ledger([0, 1], [1])
    with Server(api, tls=False) as server, tempfile.TemporaryDirectory() as folder, open("/dev/full", "wb") as full:
        done = subprocess.run([program.tools(), "ledger", "release", "ml/ray/workers", "--dry-run", "-n", "hooks", "--kubeconfig",
                               kubeconfig(folder, server.port)], stdout=full, stderr=subprocess.PIPE, env=program.ENVIRONMENT, text=True, check=False)
    assert done.returncode == 2 and "cannot write all of the result to standard output" in done.stderr, done


@check
def a_dry_run_writes_nothing():
    api = ledger([0, 1], [1])
    code, out, err = run(api, "ledger", "release", "ml/ray/workers", "--dry-run", "-n", "hooks")
    assert code == 0 and "would free 0-0" in out and "0-1" not in out, out + err
    assert set(api.methods()) == {"GET"}, api.methods()


@check
def doctor_goes_on_where_nothing_may_be_read():
    api = Objects({"/": []})
    code, out, err = run(api, "doctor", "--output", "json", "-n", "hooks")
    assert code == 1, out + err  # nothing is installed
    checks = json.loads(out)
    assert checks["fail"] >= 3 and all(c["fix"] for c in checks["checks"] if c["verdict"] == "fail")
    assert set(api.methods()) == {"GET"}, api.methods()


def replicas(api, *names):
    """The Deployment with a ready Pod of each name. Returns the paths of their metrics."""
    labels = {"app": "tpu-webhook"}
    ours = container("tpu-webhook", "i", args=["serve", "--ledger=cluster"],
                     ports=[("https", 8443), ("health", 9001), ("metrics", 9002)])
    api.collections["/apis/apps/v1/namespaces/hooks/deployments"] = [
        {"metadata": {"name": "tpu-webhook"},
         "spec": {"selector": {"matchLabels": labels},
                  "template": {"spec": {"containers": [ours]}}}}]
    api.collections["/api/v1/namespaces/hooks/pods"] = [
        {"metadata": {"name": name, "labels": labels}, "spec": {"containers": [ours]},
         "status": {"conditions": [{"type": "Ready", "status": "True"}]}} for name in names]
    return [f"/api/v1/namespaces/hooks/pods/{name}:9002/proxy/metrics" for name in names]


@check
def a_snapshot_that_is_none_says_how_to_make_one():
    for command, kinds in [(["doctor"], "deployments"), (["ledger", "list"], "configmaps,pods")]:
        code, _, err = program.run(program.tools(), *command, "--cluster", "-", stdin="[1]")
        assert code == 2 and kinds in err, err
        code, _, err = program.run(program.tools(), *command, "--cluster", "x", "--context", "y")
        assert code == 2 and "not both" in err, err


def freshness(api):
    """[(verdict, what)] of doctor."""
    _, out, err = run(api, "doctor", "--output", "json", "-n", "hooks")
    return [(c["verdict"], c["what"]) for c in json.loads(out)["checks"]
            if c["check"] == "freshness"], err


@check
def doctor_asks_each_replica_how_fresh_it_is():
    api = Objects()
    first, second = replicas(api, "a", "b")
    age = 'tpu_webhook_watch_age_seconds{resource="pods"} '
    api.faults = [says({first: (200, age + "7.2\n"), second: (200, age + "151\n")})]
    lines, err = freshness(api)
    assert [verdict for verdict, _ in lines] == ["warn", "ok"], (lines, err)
    assert "b has received nothing about pods for 151 s" in lines[0][1], lines
    assert "1 replica watches the cluster" in lines[1][1] and "7 s old" in lines[1][1], lines


@check
def doctor_asks_no_further_where_a_replica_is_not_reached():
    api = Objects()
    first, _ = replicas(api, "a", "b")
    unreached = "error trying to reach service: dial tcp 10.0.0.7:9002: timeout"
    api.faults = [says({first: (503, unreached)})]
    (line,), err = freshness(api)
    assert line[0] == "unknown" and "10.0.0.7" in line[1] and "b: not asked" in line[1], (line, err)
    assert not [target for target in api.targets() if "pods/b" in target], api.targets()


@check
def doctor_says_what_it_may_not_ask():
    api = Objects()
    api.faults = [forbids(replicas(api, "a")[0].rpartition("/")[0])]
    (line,), err = freshness(api)
    assert line[0] == "unknown" and "pods/proxy" in line[1], (line, err)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program.PROGRAM = sys.argv[1]
    sys.exit(1 if checks.run(*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()
