"""Story 14: what a healthy workload passes through, slowly: restarted, rolled over, drained, evicted, repaired.

Nothing is broken here, so that `audit` finds no error, neither at the end nor in any state between: a run with --watch
keeps them all (../golden/slices/watch).
"""

import pytest

from harness import broken
from harness.api import wait_for
from harness.namespace import node_of
from harness.rollout import replicas, rolling_restart
from harness.training import pod_templates
from test_multislice import not_queued, two_pools  # noqa: F401 (two_pools and ask are fixtures)
from test_operator import ask  # noqa: F401

GOES = "e2e.tpu-webhook.dev/goes"  # controlplane/stages.yaml
RESTART = "jobset.sigs.k8s.io/restart-attempt"
JOBSET = "jobset.x-k8s.io/v1alpha2", "JobSet", "v6e-multislice"
STATEFUL_SET = "apps/v1", "StatefulSet", "sax"
LWS = "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "vllm"
# What a release of the program inside changes.
NEXT = {"metadata": {"annotations": {"release": "2"}}}
# The manifest and how many Pods it has; each is one slice or two, on pools of its own.
JOB, SET, MULTISLICE, GROUPS, RAY = (("job-4x4.yaml", 4), ("statefulset.yaml", 4), ("jobset-multislice.yaml", 8), ("lws.yaml", 8),
                                     ("raycluster.yaml", 9))


def patiently(obj):
    """Its Pods take some seconds to go, leave a node that is lost after two, and may be made again."""
    if obj["kind"] == "JobSet":
        not_queued(obj)
    if obj["kind"] == "Job":
        obj["spec"]["backoffLimit"] = 6
    for template in pod_templates(obj):
        template.setdefault("metadata", {}).setdefault("annotations", {})[GOES] = "slowly"
        template["spec"].setdefault("tolerations", []).append(
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 2})


def started(namespace, *workloads):
    """They run; returns their Pods."""
    for file, _ in workloads:
        namespace.apply(file, edit=patiently)
    return namespace.running(sum(count for _, count in workloads), 90)


def uids(pods):
    return {pod["metadata"]["uid"] for pod in pods}


def replaced(namespace, old, count, seconds=150):
    """Wait until `count` Pods run, none of them of the old ones; returns them."""
    def fresh():
        pods = namespace.pods()
        run = all(pod["status"].get("phase") == "Running" for pod in pods)
        return pods if run and len(pods) == count and not uids(pods) & uids(old) else None

    try:
        return wait_for(f"{count} new Pods", fresh, seconds, every=0.2)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{namespace.table()}") from None


def workload_of(pod):
    labels = pod["metadata"]["labels"]
    names = ("jobset.sigs.k8s.io/jobset-name", "leaderworkerset.sigs.k8s.io/name", "batch.kubernetes.io/job-name", "app")
    return next(labels[name] for name in names if name in labels)


def nothing_is_wrong(namespace, ask):
    code, text = ask("audit", "-n", namespace.name)
    assert code == 0, text


@pytest.mark.parametrize("strategy", ("Recreate", "BlockingRecreate"))
def test_a_jobset_restarts_as_often_as_it_may(release, namespace, two_pools, ask, strategy):
    def twice(obj):
        patiently(obj)
        obj["spec"]["failurePolicy"].update(maxRestarts=2, restartStrategy=strategy)

    namespace.apply("jobset-multislice.yaml", edit=twice)
    for attempt in range(3):
        pods = namespace.running(8, 120, f"{RESTART}={attempt}")
        nothing_is_wrong(namespace, ask)
        namespace.finish(pods[5]["metadata"]["name"], "failed")
    wait_for("it to give up", lambda: namespace.get(*JOBSET).get("status", {}).get("terminalState") == "Failed", 60)
    nothing_is_wrong(namespace, ask)


@pytest.mark.parametrize("surge", (0, 1), ids=("in_its_place", "beside_it"))
def test_a_leader_worker_set_rolls_over(release, api, namespace, ask, surge):
    old = started(namespace, GROUPS)
    api.patch(*LWS, {"spec": {
        "rolloutStrategy": {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": surge}},
        "leaderWorkerTemplate": {"leaderTemplate": NEXT, "workerTemplate": NEXT}}}, namespace.name)
    replaced(namespace, old, 8)
    nothing_is_wrong(namespace, ask)


@pytest.mark.parametrize("order", ("Parallel", "OrderedReady"))
def test_a_stateful_set_rolls_over(release, api, namespace, ask, order):
    def ordered(obj):
        patiently(obj)
        if obj["kind"] == "StatefulSet":
            obj["spec"]["podManagementPolicy"] = order

    namespace.apply("statefulset.yaml", edit=ordered)
    old = namespace.running(4)
    api.patch(*STATEFUL_SET, {"spec": {"template": NEXT}}, namespace.name)
    replaced(namespace, old, 4)
    nothing_is_wrong(namespace, ask)


def test_a_deployment_rolls_over(release, api, namespace, ask):
    """The Deployment replaces one Pod at a time. The strategy Recreate would have fewer intermediate states."""
    def changed(obj):
        patiently(obj)
        obj["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}

    namespace.apply("deployment.yaml", edit=changed)
    old = namespace.running(2)
    api.patch("apps/v1", "Deployment", "model-server", {"spec": {"template": NEXT}}, namespace.name)
    replaced(namespace, old, 2)
    nothing_is_wrong(namespace, ask)


@pytest.mark.parametrize("workload", (JOB, SET, MULTISLICE, GROUPS, RAY), ids=lambda workload: workload[0].removesuffix(".yaml"))
def test_a_node_is_drained(release, namespace, ask, workload):
    """Its Pod is evicted, the node looked after and opened again."""
    pods = started(namespace, workload)
    node = node_of([pod for pod in pods if "gke-tpu" in node_of(pod)][-1])
    done = namespace.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s")
    assert done.returncode == 0, done.stdout + done.stderr
    namespace.quiet(2, limit=20)
    assert namespace.kubectl("uncordon", node).returncode == 0
    namespace.running(workload[1], 120)
    nothing_is_wrong(namespace, ask)


def test_a_node_of_each_is_repaired(release, api, namespace, ask):
    """The kubelet is silent, its Pods are to go and cannot, the node is deleted and comes back under its name."""
    workloads = (JOB, SET, MULTISLICE, GROUPS)
    pods = started(namespace, *workloads)
    lost = list({workload_of(pod): pod for pod in pods}.values())  # one Pod of each
    by_name = {node["metadata"]["name"]: node for node in api.nodes()}
    nodes = [by_name[node_of(pod)] for pod in lost]
    for pod in lost:
        api.patch("v1", "Pod", pod["metadata"]["name"], {"metadata": {"annotations": {GOES: "never"}}}, namespace.name)
    for node in nodes:
        broken.not_ready(api, node)
    wait_for("their Pods to be told to go", lambda: not uids(namespace.pods()) & uids(lost), 60)
    namespace.quiet(3, limit=15)
    made_again = [broken.missing(api, node) for node in nodes]
    wait_for("Pods of nodes that are gone to be collected", lambda: not uids(api.pods(namespace.name)) & uids(lost), 150, every=0.5)
    namespace.quiet(3, limit=15)
    for mend in made_again:
        mend()
    namespace.running(sum(count for _, count in workloads), 150)
    nothing_is_wrong(namespace, ask)


def test_kueue_takes_a_jobset_out_and_lets_it_in_again(release, api, namespace, two_pools, ask):
    def queued(obj):
        label = obj.get("metadata", {}).get("labels", {}).get("kueue.x-k8s.io/queue-name")
        patiently(obj)
        if label:
            obj["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = label

    namespace.apply("kueue.yaml", "jobset-multislice.yaml", edit=queued)
    old = namespace.running(8, 90)
    (workload,) = api.list("kueue.x-k8s.io/v1beta2", "Workload", namespace.name)
    which = "kueue.x-k8s.io/v1beta2", "Workload", workload["metadata"]["name"]
    api.patch(*which, {"spec": {"active": False}}, namespace.name)
    wait_for("its Pods to be told to go", lambda: not namespace.pods(), 60)
    api.patch(*which, {"spec": {"active": True}}, namespace.name)
    replaced(namespace, old, 8)
    nothing_is_wrong(namespace, ask)


def test_the_webhook_is_upgraded_while_slices_roll_over(release, api, namespace, ask):
    """Members of one slice are answered by the old replicas and by the new ones."""
    old = started(namespace, SET, GROUPS)
    with replicas(release, 3):
        api.patch(*STATEFUL_SET, {"spec": {"template": NEXT}}, namespace.name)
        api.patch(*LWS, {"spec": {"leaderWorkerTemplate": {"leaderTemplate": NEXT, "workerTemplate": NEXT}}}, namespace.name)
        assert rolling_restart(release) == [0, 0, 0]
        replaced(namespace, old, 12)
    nothing_is_wrong(namespace, ask)


def test_an_evicted_member_is_a_member_again(release, api, namespace, ask):
    """By the API of evictions, as a person or a descheduler asks: the node stays open."""
    pods = started(namespace, SET, JOB)
    for pod in (pods[0], pods[-1]):
        name = pod["metadata"]["name"]
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace.name}}
        namespace.state.client().post(f"/api/v1/namespaces/{namespace.name}/pods/{name}/eviction", eviction)
    gone = uids([pods[0], pods[-1]])
    wait_for("both to go", lambda: not gone & uids(api.pods(namespace.name)), 30)
    namespace.running(8, 60)
    nothing_is_wrong(namespace, ask)
