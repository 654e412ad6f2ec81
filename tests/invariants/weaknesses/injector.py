"""Weaknesses of gke-tpu-env-injector, which serves StatefulSets."""

from stateful import statefulset_pod
from weaknesses.ask import NAMESPACE, admitted, ids, member, only, repels, shape


def _pod(of, ordinal, statefulset="sax", **how):
    return statefulset_pod(statefulset=statefulset, namespace=NAMESPACE, ordinal=ordinal,
                           service="sax", **{**of.pod(), **how})


def g01_not_statefulsets_alone(program):
    """It serves no other API: a Job beside gets the same, and they keep off each other's pool."""
    of = shape()
    stateful, job = admitted(program, [_pod(of, 1), member(of, 1)])
    assert only(stateful, "TPU_WORKER_ID") == only(job, "TPU_WORKER_ID") == "1"
    assert repels(stateful, job) and repels(job, stateful)


def g06_slices_of_a_set_are_apart(program):
    """It knows neither placement nor a second slice: 8 ordinals of 4 hosts are two."""
    of = shape()
    after = admitted(program, [_pod(of, i) for i in range(8)])
    assert ids(after) == ["0", "1", "2", "3"] * 2, ids(after)
    lists = [only(p, "TPU_WORKER_HOSTNAMES") for p in after]
    assert len(set(lists[:4])) == len(set(lists[4:])) == 1 and lists[0] != lists[4]
    assert repels(after[0], after[4]) and not repels(after[0], after[3])
