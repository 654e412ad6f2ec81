"""Story 9, the entries of the configuration: each Pod reaches exactly one, of the mode of its workload API; an outage
touches only whom it must. All combinations are in tests/unit/kubectl/reference/rules/partition_test.cpp; this asks a real API server.

Which webhooks were called is what the API server's audit log says of each Pod; which workload API it is of, what
the program's own log says. Dry runs, and whether they are allowed does not matter.
"""

import contextlib
import copy
import itertools
import json
import pathlib
import random
import re
import statistics

import pytest

from harness import audit, golden
from harness.api import Refused, wait_for
from harness.pods import container, injected, member, untouched, web
from harness.rival import patch, rival
from harness.trouble import configured, down

RECORDED = pathlib.Path(__file__).resolve().parents[1] / "golden" / "recorded"
SHADOW = {"config": {"mode": "shadow"}}
MIXED = {"config": {"mode": "shadow", "perWorkload": {name: {"mode": "enforce"} for name in ("jobset", "job", "statefulset")}}}
REST, CLAIMS = "pods.tpu-webhook.dev", "claims.pods.tpu-webhook.dev"
OURS = "tpu-webhook.dev/"
# By which entries are chosen, in their order.
KEYS = {"ray.io/node-type": "ray", "leaderworkerset.sigs.k8s.io/name": "lws", "jobset.sigs.k8s.io/jobset-name": "jobset"}

# Every label missing, empty and there, one by one and together; owners that control and that do not.
RAY = [dict(zip(("ray.io/node-type", "ray.io/cluster", "ray.io/group"), values)) for values in (
    (None, None, None), ("worker", "c", "g"), ("worker", "", "g"), ("worker", "c", ""), ("worker", None, "g"), ("worker", "c", None),
    ("head", "c", "g"), ("", "c", "g"))]
LWS = [{"leaderworkerset.sigs.k8s.io/name": value} for value in (None, "", "l")]
JOBSET = [{"jobset.sigs.k8s.io/jobset-name": value} for value in (None, "", "s")]
JOB = [dict(zip(("batch.kubernetes.io/job-name", "job-name"), values)) for values in ((None, None), ("", ""), ("j", None), (None, "j"))]
OWNERS = [[], [("Job", True)], [("StatefulSet", True)], [("StatefulSet", False), ("Job", True)], [("Job", False), ("StatefulSet", None)],
          [("ReplicaSet", None), ("Job", None)]]
TRIED, TURNS = 300, 3  # Pods of each turn of a measurement, which bench/apiserver makes in full


def test_each_pod_reaches_the_entry_of_its_labels(release, namespace, plane):
    """Labels and owners in many combinations, with TPUs: the first of the keys that is there, whatever its value."""
    pods = some_pods(400)
    with first(release):
        called = send(release, namespace, plane, pods)
        workloads = wait_for("the reviews", lambda: said(release, namespace, len(pods)), 20)
    assert not wrong_of(pods, called, [[entry_by_keys(pod, KEYS)] for pod in pods])
    assert set(workloads) == {"ray", "lws", "jobset", "job", "statefulset", "pod"}


def test_each_pod_reaches_an_entry_of_its_mode(release, namespace, plane):
    """With modes that differ, the program says of the same Pods which API they are of, and so which mode they have."""
    pods = some_pods(400)
    with first(release, MIXED):
        called = send(release, namespace, plane, pods)
        workloads = wait_for("the reviews", lambda: said(release, namespace, len(pods)), 20)
    own = {"jobset": f"jobset.{REST}", "job": f"job.{REST}", "statefulset": f"job.{REST}"}
    keys = {key: name for key, name in KEYS.items() if name != "jobset"}
    assert not wrong_of(pods, called, [[own.get(workload) or entry_by_keys(pod, keys)] for pod, workload in zip(pods, workloads)])
    assert set(workloads) == {"ray", "lws", "jobset", "job", "statefulset", "pod"}


@pytest.mark.parametrize("mode", ["shadow", "enforce"])
def test_what_does_not_ask_for_tpus_reaches_one_entry_or_none(release, namespace, plane, mode):
    """Claims alone, annotations alone, both, none; the longest lists; whatever its labels say."""
    def expected(pod, of):
        return {"none": [], "labels": [entry_by_keys(pod, KEYS)],
                "claims": [CLAIMS] if mode == "enforce" else [entry_by_keys(pod, KEYS)]}[of]

    some = random.Random(14).sample(list(itertools.product(RAY, LWS, JOBSET, JOB, OWNERS)), 40)
    cases = [(edit, of, each) for edit, of in (
        (claims, "claims"), (annotated, "labels"), (both(claims, annotated), "claims"), (other_annotations, "none"), (many_annotations(500), "none"),
        (many_annotations(501), "labels"), (nothing, "none")) for each in some]
    pods = [generated(number, *each, edit=edit) for number, (edit, _, each) in enumerate(cases)]
    wanted = [expected(pod, of) for pod, (_, of, _) in zip(pods, cases)]
    tail = (tpu_at_first, requests_alone, many_containers(501), many_containers(10_000), many_owners(500), many_owners(501), many_labels(500))
    more = [generated(len(pods) + number, {}, {}, {}, {}, [("Job", True)], edit=edit) for number, edit in enumerate(tail)]
    with first(release, {"config": {"mode": mode}}):
        called = send(release, namespace, plane, pods + more)
    assert not wrong_of(pods + more, called, wanted + [[REST]] * len(more))


def test_the_longest_lists_where_modes_differ(release, namespace, plane):
    """Conditions read labels and owners there. Of more than 500 owners none is read, and an error would refuse the Pod."""
    cases = [(many_owners(500), "job"), (many_owners(501), "pod"), (both(asks, many_labels(500)), "job"), (many_containers(10_000), "job")]
    pods = [generated(number, {}, {}, {}, {}, [("Job", True)], edit=edit) for number, (edit, _) in enumerate(cases)]
    with first(release, MIXED):
        called = send(release, namespace, plane, pods)
    assert not wrong_of(pods, called, [[REST if of == "pod" else f"{of}.{REST}"] for _, of in cases])


def test_each_recorded_pod_reaches_one_entry(release, namespace, plane):
    """Pods that controllers made, as the API server sent them: the entry of their API, and nobody's without TPUs."""
    reviews = [json.loads(line) for file in sorted(RECORDED.glob("*/reviews.jsonl")) for line in file.read_text(encoding="utf-8").splitlines()]
    pods = [as_user(number, review["request"]["object"]) for number, review in enumerate(reviews) if review["request"]["kind"]["kind"] == "Pod"]
    assert len(pods) > 20
    with first(release):
        called = send(release, namespace, plane, pods)
        asking = [pod for pod in pods if "google.com/tpu" in json.dumps(pod["spec"])]
        # A Pod that another webhook changed after us is reviewed again.
        calls = [name for pod in asking for name in called[pod["metadata"]["name"]]]
        workloads = wait_for("the reviews", lambda: said(release, namespace, len(calls)), 20)
    assert calls == [f"{workload}.{REST}" if workload in KEYS.values() else REST for workload in workloads]
    assert all(len(set(called[pod["metadata"]["name"]])) == 1 for pod in asking)
    assert not any(called[pod["metadata"]["name"]] for pod in pods if pod not in asking)
    assert {"ray", "lws", "jobset", "job", "statefulset"} <= set(workloads)


def test_a_pod_that_changes_class_keeps_its_entry(release, namespace, plane):
    """Another webhook makes a Job's Pod look like a JobSet's after us: it reached one entry, and is what that one made of it."""
    def pretends(request):
        if (request["object"]["metadata"].get("labels") or {}).get("job-name") is None:
            return patch()
        return patch({"op": "add", "path": "/metadata/labels/jobset.sigs.k8s.io~1jobset-name", "value": "set"})

    pod = member("turncoat", 0)
    pod["metadata"]["labels"]["job-name"] = "trainer"
    with rival(plane, namespace, "z-rival", pretends) as other:
        made = namespace.create(pod)
    assert other.asked and made["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"] == "set" and injected(made)
    notes = audit.creation(plane, namespace.name, "turncoat")
    assert audit.rounds(notes, REST) == [True]
    assert not audit.rounds(notes, f"jobset.{REST}")


def test_an_outage_touches_only_whom_it_must(release, namespace):
    """With JobSets enforced and the rest in shadow, and every replica down. golden/refused-enforced.txt is what a user reads."""
    policies = {"timeoutSeconds": 1, "config": {"mode": "shadow", "perWorkload": {"jobset": {"mode": "enforce"}}}}
    gpu = web("gpu-with-claim")
    gpu["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "gpu"}]
    ours = member("of-a-jobset", 0)
    ours["metadata"]["labels"]["jobset.sigs.k8s.io/jobset-name"] = "set"
    with configured(release, policies), down(release):
        for pod in (web("cpu"), gpu, member("of-a-job", 0)):
            assert untouched(namespace.create(pod)), pod["metadata"]["name"]
        golden.reads("refused-enforced", golden.kubectl_create(namespace, ours))
        assert namespace.get("v1", "Pod", "of-a-jobset") is None
    with configured(release, {"timeoutSeconds": 1}), down(release):
        gpu["metadata"]["name"], ours["metadata"]["name"] = "gpu-again", "of-a-jobset-again"
        assert untouched(namespace.create(gpu)), "claims alone are never refused"
        with contextlib.suppress(Refused):
            namespace.create(member("enforced", 0))
        assert namespace.get("v1", "Pod", "enforced") is None


def test_what_the_entries_cost_the_api_server(release, namespace, picture):
    """Compares the time in matchConditions for a Pod that no entry selects: one entry for all APIs, and our entries."""
    one = copy.deepcopy(release.rendered)
    whole = copy.deepcopy(one["webhooks"][-1])
    assert whole["name"] == "shadow.pods.tpu-webhook.dev"
    one["webhooks"] = [{**whole, "name": REST, "namespaceSelector": one["webhooks"][0]["namespaceSelector"]}, whole]
    ways, spent = {"one entry": one, "ours": release.rendered}, {"one entry": [], "ours": []}
    for _, (name, rendered) in itertools.product(range(TURNS), ways.items()):
        with as_is(release, rendered):
            before = in_conditions(namespace.api)
            for number in range(TRIED):
                namespace.api.create(namespace.here(web(f"nobodys-{number}")), dry_run=True)
            spent[name].append(1e6 * (in_conditions(namespace.api) - before) / TRIED)
    picture(f"API server, in conditions, for each Pod without TPUs: median of {TURNS} times {TRIED} dry runs", "\n".join(
        f"  {name:<18}{statistics.median(values):>7.0f} µs   ({min(values):.0f} to {max(values):.0f})" for name, values in spent.items()))
    # Two have no label to be passed over by: of those that are enforced, and of claims.
    assert statistics.median(spent["ours"]) < 3 * statistics.median(spent["one entry"])


# -- Pods -------------------------------------------------------------------------------------

def some_pods(count):
    return [generated(number, *each) for number, each in enumerate(
        random.Random(14).sample(list(itertools.product(RAY, LWS, JOBSET, JOB, OWNERS)), count))]  # of 1,728


def generated(number, ray, lws, jobset, job, owners, edit=None):
    """A Pod with these labels and owners, (kind, controller) each; `edit` says what it asks for, by default chips."""
    labels = {key: value for each in (ray, lws, jobset, job) for key, value in each.items() if value is not None}
    references = [{"apiVersion": "v1", "kind": kind, "name": "o", "uid": f"00000000-0000-4000-8000-{index:012}",
                   **({} if controls is None else {"controller": controls})} for index, (kind, controls) in enumerate(owners)]
    pod = web(f"p-{number}")
    pod["metadata"].update(labels=labels, ownerReferences=references)
    (edit or asks)(pod)
    return pod


def asks(pod):
    pod["spec"]["containers"] = [container("c", 4)]


def nothing(pod):
    pod["spec"]["initContainers"] = [{"name": "first", "image": "i", "resources": {"limits": {"cpu": "1"}}}]


def claims(pod):
    pod["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "gpu"}]


def annotated(pod):
    pod["metadata"]["annotations"] = {OURS + "worker-id": "0"}


def other_annotations(pod):
    pod["metadata"]["annotations"] = {"tpu-webhook.devil/x": "", "x.tpu-webhook.dev/y": ""}


def both(*edits):
    return lambda pod: [edit(pod) for edit in edits]


def many_annotations(count):
    def edit(pod):
        pod["metadata"]["annotations"] = {f"a{number}": "" for number in range(count)}
    return edit


def many_containers(count):
    def edit(pod):
        pod["spec"]["containers"] = [{"name": f"c{number}", "image": "i"} for number in range(count)]
    return edit


def many_owners(count):
    """The last one controls."""
    def edit(pod):
        asks(pod)
        (last,) = pod["metadata"]["ownerReferences"]
        pod["metadata"]["ownerReferences"] = [
            {**last, "kind": "Other", "controller": False, "uid": f"00000000-0000-4000-9000-{number:012}"} for number in range(count - 1)] + [last]
    return edit


def many_labels(count):
    def edit(pod):
        asks(pod)
        pod["metadata"]["labels"] |= {f"l{number}": "" for number in range(count)}
    return edit


def tpu_at_first(pod):
    pod["spec"]["initContainers"] = [container("first", 4)]


def requests_alone(pod):
    pod["spec"]["containers"][0]["resources"] = {"requests": {"google.com/tpu": "4"}}


def as_user(number, recorded):
    """A recorded Pod as something that may be created here, with what its controller wrote."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"r-{number}"}, "spec": copy.deepcopy(recorded["spec"])}
    for key in ("labels", "annotations", "ownerReferences"):
        if key in recorded["metadata"]:
            pod["metadata"][key] = recorded["metadata"][key]
    for key in ("priority", "priorityClassName", "preemptionPolicy", "serviceAccount", "serviceAccountName", "nodeName"):
        pod["spec"].pop(key, None)
    return pod


# -- what became of them ----------------------------------------------------------------------

@contextlib.contextmanager
def first(release, values=None):
    """In shadow mode, or with these values, and called before other teams' webhooks, which refuse what is not whole."""
    with release.reinstalled(values or SHADOW), release.renamed("a-tpu-webhook"):
        yield


def send(release, namespace, plane, pods):
    """Dry runs, one after the other; name -> the entries of ours that were called, in the order of the rounds."""
    since = audit.size(plane)
    for pod in pods:
        with contextlib.suppress(Refused):  # some are not valid, which is found out later
            namespace.api.create(namespace.here(pod), dry_run=True)
    entries = wait_for("the audit log", lambda: complete(audit.creations(plane, namespace.name, since), pods), 30)
    found = {}
    for entry in entries:
        rounds = sorted(entry.get("annotations", {}).items())
        calls = [json.loads(value) for key, value in rounds if key.startswith(audit.ROUND)]
        name = entry["objectRef"].get("name") or entry["requestObject"]["metadata"]["name"]
        found[name] = [call["webhook"] for call in calls if call["configuration"] == release.configuration]
    return found


def complete(entries, pods):
    return entries if len(entries) >= len(pods) else None


def said(release, namespace, count):
    """The workload API that the program's log names for each Pod, in the order in which they came; None while some lack."""
    found = [line["workload"] for line in release.reviews(namespace.name) if line["workload"]]
    return found if len(found) >= count else None


def entry_by_keys(pod, keys):
    labels = pod["metadata"].get("labels") or {}
    return next((f"{name}.{REST}" for key, name in keys.items() if key in labels), REST)


def wrong_of(pods, called, wanted):
    """Up to three Pods that other entries were called for than wanted; "" where there is none."""
    wrong = [(pod["metadata"]["name"], pod["metadata"].get("labels"), called[pod["metadata"]["name"]], one)
             for pod, one in zip(pods, wanted, strict=True) if called[pod["metadata"]["name"]] != one]
    return f"{len(wrong)} of {len(pods)}, such as {wrong[:3]}" if wrong else ""


@contextlib.contextmanager
def as_is(release, rendered):
    """While this holds the configuration is this one."""
    before, release.rendered = release.rendered, rendered
    try:
        with release.renamed(f"tpu-webhook-{id(rendered) % 9973}"):
            yield
            release.rendered = before
    finally:
        release.rendered = before


def in_conditions(api):
    """Seconds that the API server has spent in our entries' conditions."""
    metric = r'^apiserver_admission_match_condition_evaluation_seconds_sum{[^}]*name="[^"]*pods\.tpu-webhook\.dev"[^}]*} (\S+)$'
    return sum(float(value) for value in re.findall(metric, api.metrics(), re.M))
