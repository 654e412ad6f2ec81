"""Weaknesses of LeaderWorkerSet."""

import copy

import fleet
from apiserver import container
from pods import tpu_containers
from stateful import lws_pod, lws_written
from weaknesses.ask import (NAMESPACE, NODE_POOL, admitted, entries, from_label, ids, names, only,
                            repels, shape, terms, value)

_TPU7X = ("TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT")


def _member(of, worker, *, size, group=0, env=(), lws="vllm", namespace=NAMESPACE, **how):
    return lws_pod(lws=lws, namespace=namespace, group=group, worker=worker, size=size,
                   **{**of.pod(env), **how})


def _cpu_leader(size, **how):
    return lws_pod(lws="vllm", namespace=NAMESPACE, group=0, worker=0, size=size,
                   leader_has_tpu=False, node_selector={},
                   containers=[container("leader", "busybox:1.36")], **how)


def _group(of, size=4, **how):
    return [_member(of, worker, size=size, **how) for worker in range(size)]


_KIND = {"group": "leaderworkerset.x-k8s.io", "version": "v1", "kind": "LeaderWorkerSet"}


def _object(size, leader, worker):
    """The LeaderWorkerSet itself, with a template of each shape."""
    def template(of):
        return {"spec": {"nodeSelector": of.selector(), "containers": of.pod()["containers"]}}
    return {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet",
            "metadata": {"name": "vllm", "namespace": NAMESPACE},
            "spec": {"replicas": 1, "leaderWorkerTemplate": {
                "size": size, "leaderTemplate": template(leader),
                "workerTemplate": template(worker)}}}


def l01_label_and_list_agree(program):
    """Size 4, subgroups of 2, leader without TPU: the label puts worker 2 with worker 3, the list
    with worker 1, and names a Pod beyond the size."""
    of = shape(topology="2x4")
    pods = [_member(of, worker, size=4, leader_has_tpu=False, subgroup_size=2)
            for worker in range(1, 4)]
    for written in (False, True):
        ours = [lws_written(p) for p in pods] if written else pods
        answers = program.answers(ours)
        assert all(a.allowed for a in answers), [a.message for a in answers]
        assert all(a.warnings for a in answers), "groups that do not come out even, unsaid"
        for answer in answers:
            added = [o for o in answer.patch if "/env" in o["path"]]
            assert not added, f"a guess: {added}"
    # Where it comes out even, both say the same.
    pods = [_member(of, worker, size=5, leader_has_tpu=False, subgroup_size=2)
            for worker in range(1, 5)]
    for pod in admitted(program, pods):
        label = lws_written(pod)["metadata"]["labels"]["leaderworkerset.sigs.k8s.io/subgroup-index"]
        hosts = only(pod, "TPU_WORKER_HOSTNAMES").split(",")
        first = 1 + 2 * int(label)
        assert hosts == [f"vllm-0-{w}.vllm" for w in (first, first + 1)], hosts


def l02_half_a_set_is_completed(program):
    """Any id or list in the first container turns all of it off."""
    of = shape()
    half = _group(of, env=[value("TPU_WORKER_HOSTNAMES", ",".join(
        ["vllm-0.vllm", *(f"vllm-0-{w}.vllm" for w in range(1, 4))]))])
    assert ids(admitted(program, half)) == ["0", "1", "2", "3"]
    index = "leaderworkerset.sigs.k8s.io/worker-index"
    half = _group(of, env=[from_label("TPU_WORKER_ID", index)])
    for pod in admitted(program, half):
        assert len(only(pod, "TPU_WORKER_HOSTNAMES").split(",")) == 4
        assert entries(pod, "TPU_WORKER_ID") == [from_label("TPU_WORKER_ID", index)]


def l03_init_containers_are_no_processes(program):
    """It counts them, though they never run beside the others."""
    pods = _group(shape())
    for pod in pods:
        pod["spec"]["initContainers"].append(
            container("warm-up", fleet.IMAGE, limits={"google.com/tpu": "4"}))
    after = admitted(program, pods)
    assert ids(after) == ["0", "1", "2", "3"], ids(after)
    assert {len(only(p, "TPU_WORKER_HOSTNAMES").split(",")) for p in after} == {4}


def l04_leader_has_other_containers(program):
    """It takes the leader for a copy of the worker: here it has more beside, and other names."""
    of = shape("tpu7x-standard-4t", "2x2x2", 2)
    leader, follower = _group(of, size=2)
    leader["spec"]["containers"] = [container("proxy", "envoy:1"), container("web", "nginx:1"),
                                    *leader["spec"]["containers"]]
    after = admitted(program, [leader, follower])
    assert ids(after) == ["0", "1", "2", "3"], ids(after)
    lists = {only(p, "TPU_PROCESS_ADDRESSES", c) for p in after for c in range(2)}
    assert len(lists) == 1, lists


def l04_leader_with_other_tpu_containers(program):
    """The leader has one TPU container and the worker two: no list is right for both, and no Pod
    tells of the other. The LeaderWorkerSet does."""
    one, two = shape("tpu7x-standard-4t", "2x2x2", 1), shape("tpu7x-standard-4t", "2x2x2", 2)
    (answer,) = program.answers([_object(2, one, two)], kind=_KIND)
    assert answer.allowed and len(answer.warnings) == 1, answer.warnings
    assert "1 TPU container of 4 chips" in answer.warnings[0], answer.warnings
    (answer,) = program.answers([_object(2, two, two)], kind=_KIND)
    assert answer.allowed and not answer.warnings, answer.warnings


def l05_subgroups_are_whole_slices(program):
    """Of a subgroup it sees the first container, and calls all subgroups the same."""
    of = shape("tpu7x-standard-4t", "2x2x2", 2)
    after = admitted(program, [_member(of, w, size=4, subgroup_size=2) for w in range(4)])
    assert ids(after) == ["0", "1", "2", "3"] * 2, ids(after)
    for kind in ("TPU_NAME", "TPU_PROCESS_ADDRESSES"):
        by_subgroup = [{only(p, kind, c) for p in part for c in range(2)}
                       for part in (after[:2], after[2:])]
        assert [len(values) for values in by_subgroup] == [1, 1], by_subgroup
        assert by_subgroup[0] != by_subgroup[1], by_subgroup


def l06_port_from_elsewhere(program):
    """A TPU_PROCESS_PORT from a field gives a list with empty ports."""
    entry = from_label("TPU_PROCESS_PORT", "port")
    pods = _group(shape("tpu7x-standard-4t", "2x2x2"), size=2, env=[entry])
    for pod in admitted(program, pods):
        assert entries(pod, "TPU_PROCESS_PORT") == [entry]
        addresses = only(pod, "TPU_PROCESS_ADDRESSES")
        assert addresses is None or all(a.rsplit(":", 1)[1].isdigit()
                                        for a in addresses.split(",")), addresses
    (pod,) = admitted(program, _group(shape("tpu7x-standard-4t", "2x2x2"), size=2,
                                      env=[value("TPU_PROCESS_PORT", "9000")])[:1])
    assert only(pod, "TPU_PROCESS_ADDRESSES").split(",")[0].endswith(":9000")


def l07_nothing_of_tpu7x_before_it(program):
    """It gives every generation TPU_PROCESS_*, which PyTorch/XLA before tpu7x stumbles over."""
    after = admitted(program, _group(shape()))
    assert ids(after) == ["0", "1", "2", "3"], ids(after)
    for pod in after:
        assert not set(_TPU7X) & set(names(pod)), names(pod)


def l08_excluded_leader_with_tpu(program):
    """LeaderExcluded and a leader that asks for TPU: the Pod is refused for a missing label."""
    of = shape(topology="2x4")
    how = {"size": 5, "subgroup_size": 2, "leader_excluded": True}
    leader = _member(of, 0, **how)
    answer = program.answer(leader)
    assert answer.allowed and answer.warnings, answer
    assert not [o for o in answer.patch if "/env" in o["path"]], "the leader is in no slice"
    workers = [_member(of, w, **how) for w in range(1, 5)]
    assert ids(admitted(program, workers)) == ["0", "1", "0", "1"]


def l09_exclusive_across_namespaces(program):
    """Its terms see their own namespace, and a user's terms of that key switch them off."""
    of = shape()
    term = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": NODE_POOL}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"podAffinity": {required: [term]}, "podAntiAffinity": {required: [term]}}
    mine, elsewhere = admitted(program, [_member(of, 0, size=4, affinity=affinity),
                                         _member(of, 0, size=4, namespace="team-b")])
    assert repels(mine, elsewhere) and repels(elsewhere, mine)
    for kind in ("podAffinity", "podAntiAffinity"):
        assert terms(mine, kind)[0] == term and len(terms(mine, kind)) > 1, terms(mine, kind)


def l09_group_and_subgroup_with_one_key(program):
    """Exclusive for group and subgroup with the same key: the second is skipped."""
    of = shape(topology="2x4")
    pods = [_member(of, w, size=4, subgroup_size=2) for w in range(4)]
    for pod in pods:
        for kind in ("exclusive-topology", "subgroup-exclusive-topology"):
            pod["metadata"]["annotations"]["leaderworkerset.sigs.k8s.io/" + kind] = NODE_POOL
    after = admitted(program, pods)
    assert repels(after[0], after[2]) and repels(after[2], after[0]), "subgroups share a pool"
    assert not repels(after[0], after[1])


def l12_users_variables_stay(program):
    """It replaces the user's LWS_*."""
    mine = [value("LWS_GROUP_SIZE", "99"), value("LWS_LEADER_ADDRESS", "mine"), value("A", "b")]
    for index, pod in enumerate(admitted(program, _group(shape(), env=mine))):
        assert tpu_containers(pod)[0]["env"][-3:] == mine and ids([pod]) == [str(index)]
    written = [lws_written(p) for p in _group(shape(), env=mine)]
    before = copy.deepcopy(written)
    for old, new in zip(before, admitted(program, written)):
        assert tpu_containers(new)[0]["env"] == tpu_containers(old)[0]["env"]
