"""Story 12: what `explain --cluster` says of a manifest, and what then happens when it is applied.

Eight situations. In each the program is asked first, before anything of the manifest exists; then it is
applied, and what the scheduler, Kueue and the Job controller make of it has to be what was said. Where a
command is offered it is pasted, and the slice then stands.
"""

import collections
import json
import os
import pathlib
import subprocess

import pytest
import yaml

from controlplane import programs
from harness import broken, pools
from harness.api import wait_for
from harness.namespace import MANIFESTS, manifest, node_of

A = "tpu-slice-a"
GATE = "example.com/permission"
QUEUE = "kueue.x-k8s.io/v1beta2", "ClusterQueue", "multislice-cluster-queue"

Outlook = collections.namedtuple("Outlook", "verdict sentence pools causes what help")


@pytest.fixture(scope="module")
def told(picture):
    """told(situation, outlook, happened): a row of the table that is printed at the end."""
    rows = []
    yield lambda *row: rows.append(row)
    lines = []
    for situation, said, happened in rows:
        lines += [situation, f"  said      {said.sentence}", *(f"            {what}" for what in said.what),
                  f"  happened  {happened}"]
    picture("explain --cluster: what it said, and what then happened", "\n".join(lines))


@pytest.fixture
def explain(plane, tools, namespace, tmp_path):
    """explain(objects): what it says of the one workload among them, in this case's namespace."""
    def ask(objects: list) -> Outlook:
        path = tmp_path / "manifest.yaml"
        path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        done = subprocess.run([str(tools), "explain", str(path), "-n", namespace.name, "--cluster", "--kubeconfig",
                               str(plane.kubeconfig), "-o", "json"],
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        (workload,) = json.loads(done.stdout)["workloads"]
        out = workload["outlook"]
        return Outlook(out["verdict"], out["sentence"], {place["pool"] for place in out["places"]} - {""},
                       [wait["cause"] for wait in out["waits"]], [wait["what"] for wait in out["waits"]],
                       [command for wait in out["waits"] for command in wait["help"]])

    return ask


@pytest.fixture
def paste(plane, tmp_path):
    """paste(command): into a shell where `kubectl` speaks to this control plane."""
    (tmp_path / "kubectl").symlink_to(programs.path("kubectl"))
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "KUBECONFIG": str(plane.kubeconfig)}

    def run(command: str) -> None:
        done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=60,
                              check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"

    return run


def job(name: str = "lone", **spec) -> list:
    """The Service and the Job of one 4x4 slice; `spec` goes into its Pods."""
    service, made = manifest("job-4x4.yaml")
    made["metadata"]["name"] = name
    pod = made["spec"]["template"]["spec"]
    pod["nodeSelector"].update(spec.pop("nodeSelector", {}))
    pod.update(spec)
    return [service, made]


ON_A = {"nodeSelector": {pools.POOL: A}}


def apply(namespace, objects: list) -> None:
    for obj in objects:
        namespace.create(obj)


def places(namespace, api) -> collections.Counter:
    """Pool -> Pods bound there, "" for those that are not."""
    pool_of = pools.by_node(api)
    return collections.Counter(pool_of.get(node_of(pod), "") for pod in namespace.pods())


def reasons(namespace) -> list:
    """What the scheduler says of the Pods that wait, each sentence once."""
    conditions = (condition for pod in namespace.pods() if not node_of(pod)
                  for condition in pod["status"].get("conditions", []))
    return sorted({f"{one.get('reason', '')}: {one.get('message', '').split('. ')[0]}" for one in conditions
                   if one["type"] == "PodScheduled" and one["status"] == "False"})


def settled(namespace, api):
    """(Counter of places, sentence) once nothing has moved for a while."""
    namespace.quiet(2, limit=20)
    found = places(namespace, api)
    where = ", ".join(f"{count} on {pool}" for pool, count in sorted(found.items()) if pool)
    text = f"{sum(found.values())} Pods: {where or 'none bound'}"
    waiting = reasons(namespace)
    return found, text + (f"; {found['']} wait, {'; '.join(waiting)}" if waiting else "")


def test_it_fits(release, namespace, api, explain, told):
    with pools.only(api, A):
        said = explain(job())
        apply(namespace, job())
        namespace.running(4)
        found, happened = settled(namespace, api)
    told("it fits", said, happened)
    assert (said.verdict, said.pools, said.causes) == ("forms", {A}, []), said
    assert found == {A: 4}, namespace.table()


def test_no_pool_of_the_shape(release, namespace, api, explain, told):
    objects = job()
    objects[1]["spec"]["template"]["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "8x8"
    objects[1]["spec"].update(completions=16, parallelism=16)
    said = explain(objects)
    apply(namespace, objects)
    found, happened = settled(namespace, api)
    told("no pool of the shape", said, happened)
    assert (said.verdict, said.pools, said.causes) == ("waits", set(), ["no_pool"]), said
    assert "tpu-v6e-slice 4x4 (16 node pools)" in said.what[0], said.what
    assert any("gcloud container node-pools create" in command and "--tpu-topology=8x8" in command
               for command in said.help), said.help
    assert set(found) == {""} and "didn't match Pod's node affinity/selector" in happened, happened


def test_the_pool_is_taken(release, namespace, api, explain, told, paste):
    apply(namespace, job("first", **ON_A))
    namespace.running(4)
    second = job("second", **ON_A)
    said = explain(second)
    namespace.create(second[1])  # the Service is there
    found, happened = settled(namespace, api)
    told("the pool is taken", said, happened)
    assert (said.verdict, said.causes) == ("waits", ["pool_taken"]), said
    assert said.what == [f"node pool {A} is held by Job {namespace.name}/first"], said.what
    assert found == {A: 4, "": 4}, namespace.table()
    assert not any("delete" in command for command in said.help), said.help  # whether it may end, a person decides
    for command in said.help:
        paste(command)
    assert namespace.kubectl("delete", "job", "first").returncode == 0
    wait_for("the second Job to stand", lambda: places(namespace, api) == {A: 4}, 60)


def test_the_pool_is_too_small(release, namespace, api, explain, told):
    with broken.one_node(api, [A], broken.missing):
        said = explain(job(**ON_A))
        apply(namespace, job(**ON_A))
        found, happened = settled(namespace, api)
        namespace.empty()
    told("the pool is too small", said, happened)
    assert (said.verdict, said.causes) == ("waits", ["pool_too_small"]), said
    assert said.what == [f"node pool {A} has 3 nodes; a slice of tpu-v6e-slice 4x4 needs 4"], said.what
    assert found == {A: 3, "": 1}, namespace.table()


def test_a_node_is_tainted(release, namespace, api, explain, told, paste):
    with broken.one_node(api, [A], broken.tainted):
        said = explain(job(**ON_A))
        apply(namespace, job(**ON_A))
        found, happened = settled(namespace, api)
        told("a node has a taint", said, happened)
        assert (said.verdict, said.causes) == ("waits", ["pool_unusable"]), said
        assert "has taint team, which the Pods do not tolerate" in said.what[0], said.what
        assert found == {A: 3, "": 1} and "1 node(s) had untolerated taint" in happened, happened
        assert not any("taint nodes" in command for command in said.help), said.help  # why it is there, a person knows
        for command in said.help:
            paste(command)
    namespace.running(4)  # the taint is gone


def reserved(api) -> str:
    """Chips of the queue that somebody has."""
    flavors = (api.get(*QUEUE) or {}).get("status", {}).get("flavorsReservation", [])
    return next((resource["total"] for flavor in flavors for resource in flavor["resources"]), "0")


def test_quota_is_short(release, namespace, api, explain, told):
    """Half of the queue's chips are somebody's; the JobSet wants all of them."""
    namespace.apply("kueue.yaml")
    wait_for("the queue to be free", lambda: reserved(api) == "0", 60)
    namespace.apply("job-kueue.yaml")
    wait_for("Kueue to reserve for the first", lambda: reserved(api) == "16", 30)
    said = explain(manifest("jobset-multislice.yaml"))
    namespace.apply("jobset-multislice.yaml")
    namespace.quiet(2, limit=20)
    jobset = namespace.get("jobset.x-k8s.io/v1alpha2", "JobSet", "v6e-multislice")
    workloads = wait_for("its Workload", lambda: [
        one for one in api.list("kueue.x-k8s.io/v1beta2", "Workload", namespace.name)
        if one["metadata"]["ownerReferences"][0]["kind"] == "JobSet" and one.get("status", {}).get("conditions")], 20)
    (why,) = [one["message"] for one in workloads[0]["status"]["conditions"] if one["type"] == "QuotaReserved"]
    pods = namespace.pods("jobset.sigs.k8s.io/jobset-name=v6e-multislice")
    told("quota is short", said, f"JobSet suspended: {jobset['spec']['suspend']}, {len(pods)} Pods; Kueue: {why}")
    assert (said.verdict, said.causes) == ("waits", ["quota"]), said
    assert "16 of 32 chips are reserved, the workload needs 32: short by 16 chips" in said.what[0], said.what
    assert jobset["spec"]["suspend"] and not pods and "16 more needed" in why, why


def endpoints(namespace, api) -> int:
    """Addresses that DNS would have for the Service of the Job."""
    slices = api.list("discovery.k8s.io/v1", "EndpointSlice", namespace.name)
    return sum(len(one.get("endpoints") or []) for one in slices
               if one["metadata"]["labels"].get("kubernetes.io/service-name") == "lone")


def test_the_service_is_missing(release, namespace, api, explain, told, paste):
    """The Pods run, and no name of theirs resolves: the slice does not form until there is a Service."""
    with pools.only(api, A):
        said = explain(job()[1:])
        namespace.create(job()[1])
        namespace.running(4)
    before = endpoints(namespace, api)
    (command,) = said.help
    paste(command)
    wait_for("the hosts to have names", lambda: endpoints(namespace, api) == 4, 30)
    told("the Service is missing", said, f"4 Pods run, {before} of 4 hosts have a name; 4 of 4 with the Service offered")
    assert (said.verdict, said.pools, said.causes) == ("waits", {A}, ["service"]), said
    assert before == 0


def test_a_gate_is_never_opened(release, namespace, api, explain, told, paste):
    gated = job(schedulingGates=[{"name": GATE}], **ON_A)
    said = explain(gated)
    apply(namespace, gated)
    found, happened = settled(namespace, api)
    told("a gate is never opened", said, happened)
    assert (said.verdict, said.causes) == ("waits", ["gate"]), said
    assert GATE in said.what[0], said.what
    assert found == {"": 4} and "SchedulingGated" in happened, happened
    (command,) = said.help
    paste(command)
    namespace.running(4)


@pytest.fixture
def network_policies(tools, namespace, plane, tmp_path):
    """network_policies(objects): as printed for them, and taken by the API server as they are."""
    def ask(objects: list) -> list:
        path = tmp_path / "manifest.yaml"
        path.write_text(yaml.safe_dump_all(objects), encoding="utf-8")
        printed = subprocess.run([str(tools), "explain", str(path), "-n", namespace.name, "-o", "network-policy"], capture_output=True,
                                 text=True, timeout=60, check=True).stdout
        made = [each for each in yaml.safe_load_all(printed) if each]
        if made:
            taken = subprocess.run([programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig), "apply", "--dry-run=server",
                                    "--validate=strict", "-f", "-"], input=printed, capture_output=True, text=True, check=False)
            assert taken.returncode == 0, f"{taken.stderr}\n{printed}"
            assert taken.stdout.count("created (server dry run)") == len(made), taken.stdout
        return made

    return ask


def on_the_pods_network(obj: dict) -> None:
    """Not on the host's, and without a queue."""
    obj["metadata"].get("labels", {}).pop("kueue.x-k8s.io/queue-name", None)
    for job in obj["spec"].get("replicatedJobs", []):
        job["template"]["spec"]["template"]["spec"].pop("hostNetwork", None)


def has_chips(pod: dict) -> bool:
    return any("google.com/tpu" in container.get("resources", {}).get("limits", {}) for container in pod["spec"]["containers"])


@pytest.mark.parametrize("file, policies", [("job-4x4", 1), ("jobset-multislice", 1), ("lws", 2), ("statefulset", 1), ("raycluster", 1)])
def test_a_network_policy_selects_the_pods_of_its_slices(namespace, api, network_policies, file, policies):
    """Each Pod with chips is one policy's, and no other Pod is any's; they reach each other by the same labels."""
    objects = manifest(f"{file}.yaml")
    for obj in objects:
        on_the_pods_network(obj)
    printed = network_policies(objects)
    assert len(printed) == policies, printed
    apply(namespace, objects)
    wait_for("Pods", lambda: sum(has_chips(pod) for pod in namespace.pods()) > 1, 60)
    namespace.quiet(3, limit=60)
    with_chips = sorted(pod["metadata"]["name"] for pod in namespace.pods() if has_chips(pod))
    selected = []
    for policy in printed:
        labels, (rule,) = policy["spec"]["podSelector"]["matchLabels"], policy["spec"]["ingress"]
        assert rule["from"][0]["podSelector"]["matchLabels"].items() <= labels.items()
        found = namespace.pods(",".join(f"{key}={value}" for key, value in labels.items()))
        assert len(found) > 1, f"{labels} finds {len(found)} Pods of {with_chips}"
        selected += [pod["metadata"]["name"] for pod in found]
    assert sorted(selected) == with_chips, namespace.table()


def test_the_network_policies_of_every_manifest_are_taken(network_policies):
    made = sum(len(network_policies([obj for obj in manifest(path.name) if obj["kind"] != "Namespace"]))
               for path in sorted(MANIFESTS.glob("*.yaml")))
    assert made >= 8, made


def test_a_snapshot_says_the_same(plane, tools, namespace, api, explain, tmp_path):
    """What kubectl prints of the cluster, asked somewhere else."""
    kinds = "pods,nodes,services,rayclusters,localqueues,clusterqueues,resourceflavors"
    namespace.apply("kueue.yaml")
    printed = subprocess.run([programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig), "get", kinds, "-A", "-o",
                              "json"], capture_output=True, check=True).stdout
    snapshot = pathlib.Path(tmp_path / "cluster.json")
    snapshot.write_bytes(printed)
    path = tmp_path / "jobset.yaml"
    path.write_text(yaml.safe_dump_all(manifest("jobset-multislice.yaml")), encoding="utf-8")
    done = subprocess.run([str(tools), "explain", str(path), "-n", namespace.name, "--cluster", str(snapshot), "-o",
                           "json"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (workload,) = json.loads(done.stdout)["workloads"]
    said = explain(manifest("jobset-multislice.yaml"))
    assert workload["outlook"]["sentence"] == said.sentence
    assert said.verdict == "forms" and len(said.pools) == 2, said
