"""Weaknesses of the KubeRay TPU webhook."""

import copy
import json
import random
import time

import fleet
from apiserver import container, uid
from controllers import ray_worker
from pods import tpu_containers
from program import run, tools
from webhook import Webhook
from weaknesses.ask import (NAMESPACE, NODE_POOL, REQUIRED, Beside, admitted, attracts, entries,
                            from_label, ids, member, names, only, replica, repels, shape, terms,
                            value, worker)

_INDEX = "ray.io/replica-host-index"
_REPLICA = "ray.io/worker-group-replica-index"
_REPLICA_NAME = "ray.io/worker-group-replica-name"
_SUB_SLICE = "cloud.google.com/gke-tpu-slice-topology"
_TOPOLOGY = "cloud.google.com/gke-tpu-topology"


def k01_last_entry_wins(program):
    """It reads the first entry of a name, the kubelet uses the last."""
    of = shape()
    pods = admitted(program, replica(of, env=[value("TPU_WORKER_ID", "0")]))
    assert ids(pods) == ["0", "1", "2", "3"], ids(pods)
    two = worker(of, 0, 3, env=[value("TPU_WORKER_ID", "1"), value("TPU_WORKER_ID", "3")])
    (pod,) = admitted(program, [two])
    assert entries(pod, "TPU_WORKER_ID") == entries(two, "TPU_WORKER_ID"), "a user's entry changed"


def k02_two_containers_do_not_wait(program):
    """It remembers the host's index and compares the container's id: a second per Pod."""
    of = shape("tpu7x-standard-4t", "4x8x8", 2)
    pods = replica(of)
    random.Random(2).shuffle(pods)
    started = time.monotonic()
    have = ids(admitted(program, pods))
    assert sorted(map(int, have)) == list(range(128)), have
    assert time.monotonic() - started < 30, "64 Pods took half a minute"


def k04_odd_members_do_not_matter(program):
    """A Pod without TPU, without an id, or with an id from elsewhere stops or misleads it."""
    of = shape()
    no_tpu = ray_worker(cluster="ray", namespace=NAMESPACE, group="workers", replica=0, host=0,
                        node_selector={}, containers=[container("cpu", "busybox:1.36")])
    opted_out = worker(of, 0, 1)
    opted_out["metadata"]["annotations"]["tpu-webhook.dev/inject"] = "false"
    elsewhere = worker(of, 0, 2, env=[from_label("TPU_WORKER_ID", _INDEX)])
    failed = worker(of, 0, 3)
    failed["status"] = {"phase": "Failed"}
    after = admitted(program, [no_tpu, opted_out, elsewhere, failed, *replica(of)])
    assert after[0] == no_tpu and after[1] == opted_out, "changed"
    assert entries(after[2], "TPU_WORKER_ID") == entries(elsewhere, "TPU_WORKER_ID")
    assert ids(after[4:]) == ["0", "1", "2", "3"], ids(after[4:])
    wrong = worker(of, 0, 1)
    wrong["metadata"]["labels"][_INDEX] = "one"
    answer = program.answer(wrong)
    assert not answer.allowed and _INDEX in answer.message and "one" in answer.message, answer


def k04_odd_members_without_index_labels(program):
    """The same where ids are given by what others have."""
    of = shape()
    unnumbered = [_legacy(of, i) for i in range(4)]
    no_tpu = ray_worker(cluster="ray", namespace=NAMESPACE, group="workers", replica=0, host=9,
                        indexed=False, node_selector={},
                        containers=[container("cpu", "busybox:1.36")])
    after = admitted(program, [no_tpu, *unnumbered])
    assert sorted(map(str, ids(after[1:]))) == ["0", "1", "2", "3"], ids(after[1:])


def k05_never_past_the_end(program):
    """The next replica was the number of known ones: with replica 0 gone, host 4 of 4."""
    wrong = worker(shape(), 1, 4)
    answer = program.answer(wrong)
    assert not answer.allowed and _INDEX in answer.message and "4" in answer.message, answer


def k05_gap_is_filled(program):
    """Replica 0 is gone, replica 1 lives: the next Pods are replica 0."""
    of = shape()
    both = admitted(program, [_legacy(of, i) for i in range(8)])
    living = [pod for pod in both if only(pod, "TPU_NAME") == "workers-1"]
    assert len(living) == 4, [only(pod, "TPU_NAME") for pod in both]
    after = admitted(Beside(program, living), [_legacy(of, i) for i in range(4)])
    assert {only(pod, "TPU_NAME") for pod in after} == {"workers-0"}
    assert sorted(ids(after)) == ["0", "1", "2", "3"], ids(after)


def k06_numbers_are_checked(program):
    """A topology it cannot read is a single host; 4294967296 chips divide by zero."""
    of = shape()
    for topology in ("4x", "x4", "4x-4", "-4x-4", "0x4", "4x4x4x4x4", "4294967297x4",
                     "99999999999999999999x1", "4.0x4", "four"):
        pod = worker(of, 0, 0)
        pod["spec"]["nodeSelector"][_TOPOLOGY] = topology
        answer = program.answer(pod)
        assert not answer.allowed and topology in answer.message, f"{topology}: {answer}"
    for chips in ("3", "4294967296", "4294967300", "18446744073709551620"):
        pod = worker(of, 0, 0)
        for kind in ("limits", "requests"):
            tpu_containers(pod)[0]["resources"][kind]["google.com/tpu"] = chips
        answer = program.answer(pod)
        assert not answer.allowed and chips in answer.message, f"{chips}: {answer}"
    for same in ("4", 4, "4e0", "4000m"):  # 4 chips in other words
        pod = worker(of, 0, 2)
        for kind in ("limits", "requests"):
            tpu_containers(pod)[0]["resources"][kind]["google.com/tpu"] = same
        (after,) = admitted(program, [pod])
        assert value("TPU_WORKER_ID", "2") in after["spec"]["containers"][0]["env"], same


def k07_single_host_multislice_resolves(program):
    """It gives a coordinator and no name to find it by."""
    of = shape("ct6e-standard-8t", "2x4")
    env = [value("MEGASCALE_NUM_SLICES", "2")]
    first, second = admitted(program, [worker(of, r, None, env=env) for r in range(2)])
    name = f"{first['spec'].get('hostname')}.{first['spec'].get('subdomain')}"
    for pod in (first, second):
        assert only(pod, "MEGASCALE_COORDINATOR_ADDRESS") == name, (name, names(pod))
    assert [only(p, "MEGASCALE_SLICE_ID") for p in (first, second)] == ["0", "1"]


def k08_tpu7x_single_host_containers(program):
    """It gives two containers of one host neither addresses nor ports."""
    (pod,) = admitted(program, [worker(shape("tpu7x-standard-4t", "2x2x1", 2), 0, None)])
    assert ids([pod]) == ["0", "1"], ids([pod])
    ports = [only(pod, "TPU_PROCESS_PORT", c) for c in range(2)]
    for c in range(2):
        listed = [a.rsplit(":", 1)[1] for a in only(pod, "TPU_PROCESS_ADDRESSES", c).split(",")]
        assert listed == ports and len(set(ports)) == 2, (listed, ports)
        assert only(pod, "TPU_WORKER_HOSTNAMES", c)


def k09_two_containers_before_tpu7x(program):
    """Both get the same id, and would have one port. Ours get none, where one alone has its own: one container
    has all chips of such a node."""
    alone = ids(admitted(program, replica(shape())))
    assert alone == ["0", "1", "2", "3"], alone
    have = ids(admitted(program, replica(shape(containers=2))))
    assert set(have) == {None}, have


def k10_no_replica_name(program):
    """Without that label its affinity is on a label that nobody writes."""
    pods = replica(shape())
    for pod in pods:
        del pod["metadata"]["labels"][_REPLICA_NAME]
    after = admitted(program, pods)
    assert ids(after) == ["0", "1", "2", "3"], ids(after)
    for pod in after:
        assert terms(pod, "podAffinity"), "nothing keeps the slice together"
        assert all(attracts(pod, other) for other in after), "it does not match its own slice"


def k10_single_host_replica_index(program):
    """With a replica index alone it makes up a replica of its own."""
    of = shape("ct6e-standard-8t", "2x4")
    env = [value("MEGASCALE_NUM_SLICES", "4")]
    (pod,) = admitted(program, [worker(of, 3, None, env=env)])
    assert only(pod, "MEGASCALE_SLICE_ID") == "3" and only(pod, "TPU_NAME") == "workers-3"


def k11_service_name_is_whole(program):
    """KubeRay has not truncated the Service's name since 1.4; it still does."""
    for length in range(42, 54):
        cluster = "c" * length
        (pod,) = admitted(program, [worker(shape(), 0, 1, cluster=cluster)])
        assert pod["spec"]["subdomain"] == f"{cluster}-headless", pod["spec"]["subdomain"]
    old = Webhook(program.path, "--kuberay-truncated-service")
    (pod,) = admitted(old, [worker(shape(), 0, 1, cluster="c" * 49)])
    assert pod["spec"]["subdomain"] == ("c" * 49 + "-headless")[-50:], pod["spec"]["subdomain"]


def _users_affinity():
    return {
        "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "healthy", "operator": "In", "values": ["yes"]}]},
            {"matchExpressions": [{"key": "spare", "operator": "Exists"}]}]}},
        "podAffinity": {REQUIRED: [{
            "labelSelector": {"matchLabels": {"app": "cache"}},
            "topologyKey": "cloud.google.com/gce-topology-block"}]},
        "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{
            "weight": 3, "podAffinityTerm": {"labelSelector": {"matchLabels": {"app": "noise"}},
                                             "topologyKey": "kubernetes.io/hostname"}}]},
    }


def k12_users_affinity_stays(program):
    """It replaces the whole affinity."""
    pod = worker(shape(), 0, 0, affinity=_users_affinity())
    (after,) = admitted(program, [pod])
    old, new = pod["spec"]["affinity"], after["spec"]["affinity"]
    assert old != new, "nothing keeps the slice together"
    node = [kind["nodeAffinity"][REQUIRED]["nodeSelectorTerms"] for kind in (old, new)]
    assert len(node[0]) == len(node[1]), "terms are ORed: one more lets other nodes in"
    for a, b in zip(*node):
        assert a["matchExpressions"] == b["matchExpressions"][:len(a["matchExpressions"])]
    mine, ours = old["podAffinity"][REQUIRED], new["podAffinity"][REQUIRED]
    assert ours[:len(mine)] == mine, "a term of the user's is changed or moved"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    mine, ours = old["podAntiAffinity"][preferred], new["podAntiAffinity"][preferred]
    assert ours[:len(mine)] == mine


def k13_terms_once(program):
    """It appends at every call, and takes a user's term for the domain of exclusivity."""
    pod = worker(shape(), 0, 0, affinity=_users_affinity())
    (after,) = admitted(program, [pod])
    assert program.answer(after).patch == [], "terms were added again"
    own = [t for kind in ("podAffinity", "podAntiAffinity") for t in terms(after, kind)
           if t not in terms(pod, kind)]
    assert own and {t["topologyKey"] for t in own} == {NODE_POOL}, own


def k13_no_terms_under_topology_aware_scheduling(program):
    """Its anti-affinity forbids what Kueue has just decided."""
    pod = worker(shape(), 0, 0)
    pod["metadata"]["annotations"]["kueue.x-k8s.io/podset-required-topology"] = (
        "cloud.google.com/gce-topology-block")
    (after,) = admitted(program, [pod])
    assert not terms(after, "podAffinity") and not terms(after, "podAntiAffinity")
    assert only(after, "TPU_WORKER_ID") == "0"


def k14_only_slices_repel(program):
    """It repels the cluster's own CPU workers, and not a cluster of that name elsewhere."""
    of = shape()
    cpu = ray_worker(cluster="ray", namespace=NAMESPACE, group="cpu", replica=0, host=None,
                     node_selector={}, containers=[container("cpu", "busybox:1.36")])
    elsewhere = worker(of, 0, 0)
    elsewhere["metadata"]["namespace"] = "team-b"
    elsewhere["metadata"]["ownerReferences"][0]["uid"] = uid("raycluster", "team-b", "ray")
    mine, mate, other, cpu, elsewhere, job = admitted(
        program, [worker(of, 0, 0), worker(of, 0, 1), worker(of, 1, 0), cpu, elsewhere,
                  member(of, 0)])
    assert not repels(mine, mate) and attracts(mine, mate)
    assert not repels(mine, cpu), "the cluster's CPU workers are repelled"
    for pod in (other, elsewhere, job):
        assert repels(mine, pod) and repels(pod, mine), pod["metadata"]["labels"]


def k15_nodes_decide_nothing(program):
    """Pods of a replica get other topology keys before and after a scale-up."""
    of = shape()
    pods = replica(of)
    for pod in pods:
        pod["metadata"]["annotations"][_SUB_SLICE] = "2x4"
    alone = program.answers(pods[:2])
    node = of.node()
    cordoned = copy.deepcopy(node)
    cordoned["spec"]["unschedulable"] = True
    for nodes in ([], [node], [node, cordoned]):
        with_nodes = Beside(program, nodes).answers(pods[:2])
        assert [a.patch for a in with_nodes] == [a.patch for a in alone]


def k16_sub_slice_is_the_slice(program):
    """It takes the node's topology for torch where the annotation says the slice's, and refuses
    Pods that have the annotation alone."""
    of = shape()
    pods = [member(of, i) for i in range(2)]
    for pod in pods:
        pod["metadata"]["annotations"][_SUB_SLICE] = "2x4"
    after = admitted(program, pods)
    for pod in after:
        assert len(only(pod, "TPU_WORKER_HOSTNAMES").split(",")) == 2
        assert not [n for n in names(pod) if n.startswith("TORCH_")], "nobody asked for torch"
    alone = member(shape("tpu7x-standard-4t", "4x4x8"), 0)
    del alone["spec"]["nodeSelector"][_TOPOLOGY]
    alone["metadata"]["annotations"][_SUB_SLICE] = "4x4x8"
    (pod,) = admitted(program, [alone])
    assert len(only(pod, "TPU_WORKER_HOSTNAMES").split(",")) == 32


def k17_empty_and_foreign_values_stay(program):
    """It overwrites empty values, duplicates those from elsewhere, and appends at the end."""
    of = shape()
    injected = names(admitted(program, [worker(of, 0, 1)])[0])
    assert "TPU_WORKER_HOSTNAMES" in injected and "TPU_NAME" in injected, injected
    for name in injected:
        for entry in (value(name, ""), from_label(name, "app"), value(name, "mine")):
            pod = worker(of, 0, 1, env=[entry, value("AFTER", f"$({name})")])
            (after,) = admitted(program, [pod])
            assert entries(after, name) == [entry], f"{name}: {entries(after, name)}"
            order = names(after)
            ours = [n for n in injected if n != name and n in order
                    and (name, n) != ("TPU_DEVICE_PLUGIN_HOST_IP", "TPU_DEVICE_PLUGIN_ADDR")]
            assert all(order.index(n) < order.index(name) for n in ours), order
    pod = worker(of, 0, 1, env=[value("MEGASCALE_NUM_SLICES", "")])
    (after,) = admitted(program, [pod])
    assert [n for n in names(after) if n.startswith("MEGASCALE_")] == ["MEGASCALE_NUM_SLICES"]


def _ray_cluster(hosts, topology="4x4"):
    template = {"metadata": {}, "spec": {
        "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                         _TOPOLOGY: topology},
        "containers": [{"name": "ray-worker", "image": "rayproject/ray:2.52.0",
                        "resources": {"limits": {"google.com/tpu": "4"}}}]}}
    groups = [{"groupName": name, "replicas": 1, "minReplicas": 1, "maxReplicas": 1,
               "numOfHosts": number, "rayStartParams": {}, "template": template}
              for name, number in hosts.items()]
    return {"apiVersion": "ray.io/v1", "kind": "RayCluster",
            "metadata": {"name": "ray", "namespace": NAMESPACE, "uid": uid("raycluster", "r")},
            "spec": {"headGroupSpec": {}, "workerGroupSpecs": groups}}


def _of_kind(body, operation="CREATE"):
    group, version = body["apiVersion"].split("/")
    return {"kind": {"group": group, "version": version, "kind": body["kind"]},
            "resource": {"group": group, "version": version,
                         "resource": body["kind"].lower() + "s"},
            "requestKind": None, "requestResource": None, "operation": operation, "object": body}


def k18_clusters_are_checked(program):
    """It checks RayClusters on CREATE alone, and names neither group nor numbers."""
    body = _ray_cluster({"good": 4, "short": 2, "long": 8})
    job = {"apiVersion": "ray.io/v1", "kind": "RayJob",
           "metadata": {"name": "job", "namespace": NAMESPACE},
           "spec": {"rayClusterSpec": body["spec"]}}
    for request in (_of_kind(body), _of_kind(body, "UPDATE"), _of_kind(job)):
        answer = program.answer(body, **request)
        said = " ".join([answer.message, *answer.warnings])
        for word in ("short", "long", "4x4", "2", "8", "4"):
            assert word in said, f"{request['operation']}: {word} is not in {said!r}"
        assert "good" not in said, said


def k19_other_operations_pass(program):
    """For anything but a CREATE it answers as for an empty Pod."""
    pod = worker(shape(), 0, 1)
    assert program.answer(pod).patch, "a CREATE is answered"
    for operation in ("UPDATE", "DELETE", "CONNECT"):
        answer = program.answer(pod, operation=operation, oldObject=pod)
        assert answer.allowed and answer.patch == [], operation
        assert answer.raw["uid"]


def k20_no_topology_is_admitted(program):
    """ComputeClass, Kueue's gates and node affinity: it denies what it cannot read."""
    by_class, gated, by_affinity = worker(shape(), 0, 1), worker(shape(), 0, 1), worker(
        shape(), 0, 1)
    by_class["spec"]["nodeSelector"] = {"cloud.google.com/compute-class": "v6e-16"}
    gated["spec"]["nodeSelector"] = {}
    gated["spec"]["schedulingGates"] = [{"name": "kueue.x-k8s.io/admission"}]
    for pod in (by_class, gated):
        answer = program.answer(pod)
        assert answer.allowed and answer.warnings, answer
        assert "TPU_WORKER_ID" not in json.dumps(answer.patch), "an id was guessed"
    selector = by_affinity["spec"].pop("nodeSelector")
    by_affinity["spec"]["affinity"] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": k, "operator": "In", "values": [v]}
                              for k, v in selector.items()]}]}}}
    (after,) = admitted(program, [by_affinity])
    assert only(after, "TPU_WORKER_ID") == "1"


def k21_init_containers_are_seen(program):
    """It ignores them: here one warms up, and is no process of the slice; a sidecar is one that
    holds chips as long as the Pod lives."""
    of = shape()
    pods = replica(of)
    for pod in pods:
        pod["spec"]["initContainers"].append(
            container("warm-up", fleet.IMAGE, limits={"google.com/tpu": "4"}))
    after = admitted(program, pods)
    assert ids(after) == ["0", "1", "2", "3"], ids(after)
    for pod in after:
        assert len(only(pod, "TPU_WORKER_HOSTNAMES").split(",")) == 4
        warm_up = next(c for c in pod["spec"]["initContainers"] if c["name"] == "warm-up")
        env = {e["name"]: e.get("value") for e in warm_up.get("env", [])}
        assert env.get("TPU_WORKER_ID", only(pod, "TPU_WORKER_ID")) == only(pod, "TPU_WORKER_ID")
    sidecar = copy.deepcopy(replica(shape("tpu7x-standard-4t", "2x2x4"))[0])
    half = {"google.com/tpu": "2"}
    tpu_containers(sidecar)[0]["resources"] = {"limits": half, "requests": half}
    sidecar["spec"]["initContainers"].append(
        {**container("metrics", fleet.IMAGE, limits=half), "restartPolicy": "Always"})
    (after,) = admitted(program, [sidecar])
    hosts = set(only(after, "TPU_WORKER_HOSTNAMES").split(","))
    assert len(hosts) == 4, f"16 chips are 4 hosts of 2 + 2, not {len(hosts)}"


def k22_reasons_reach_the_user(program):
    """Every error is HTTP 403 without its reason, and the whole request comes back."""
    pod = worker(shape(), 0, 1)
    pod["spec"]["nodeSelector"][_TOPOLOGY] = "3x3"
    answer = program.answer(pod)
    status = answer.raw["status"]
    assert not answer.allowed and status["code"] == 422 and "3x3" in status["message"], status
    assert len(json.dumps(answer.raw)) < 1500, "the request comes back"
    for text in ("{", '{"kind":"AdmissionReview"}', "[]", "\x00"):
        code, out, err = run(tools(program.path), "review", "-", "--output", "review", stdin=text)
        assert code == 2, (text, code)
        assert "Status" in out or err, text


def k25_dry_run_changes_nothing(program):
    """It declares so and never reads dryRun."""
    pods = replica(shape())
    dry, wet = program.answers(pods, dryRun=True), program.answers(pods)
    assert all(a.patch for a in dry) and [a.patch for a in dry] == [a.patch for a in wet]


def k25_dry_run_takes_no_id(program):
    """The same where ids are given."""
    of = shape()
    first, second = _legacy(of, 0), _legacy(of, 1)
    (tried,) = admitted(program, [first], dryRun=True)
    (given,) = admitted(program, [second])
    assert ids([tried]) == ids([given]) == ["0"], (ids([tried]), ids([given]))


def k29_names_are_checked(program):
    """A name over 63 is injected, and the API server refuses the Pod at every retry."""
    of = shape()
    for group in ("g" * 60, "Workers", "a.b", "workers_"):
        answer = program.answer(worker(of, 0, 1, group=group))
        assert not answer.allowed and group in answer.message, f"{group}: {answer}"
    assert "63" in program.answer(worker(of, 0, 1, group="g" * 60)).message
    (pod,) = admitted(program, [worker(of, 0, 1, group="g" * 59)])
    assert len(pod["spec"]["hostname"]) == 63


def _legacy(of, number):
    """A worker without index labels."""
    return ray_worker(cluster="ray", namespace=NAMESPACE, group="workers", replica=0, host=number,
                      indexed=False, **of.pod())
