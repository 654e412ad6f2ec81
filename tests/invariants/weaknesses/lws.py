"""Weaknesses of LeaderWorkerSet."""

from apiserver import container
from stateful import lws_pod
from weaknesses.ask import NAMESPACE, NODE_POOL, admitted, ids, only, repels, shape, terms


def _member(of, worker, *, size, group=0, env=(), lws="vllm", namespace=NAMESPACE, **how):
    return lws_pod(lws=lws, namespace=namespace, group=group, worker=worker, size=size,
                   **{**of.pod(env), **how})


def _group(of, size=4, **how):
    return [_member(of, worker, size=size, **how) for worker in range(size)]


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
