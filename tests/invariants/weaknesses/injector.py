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


def g02_tpu_containers_alone(program):
    """It injects into all containers."""
    pod = _pod(shape(), 2)
    (after,) = admitted(program, [pod])
    assert ids([after]) == ["2"], ids([after])
    for kind in ("containers", "initContainers"):
        for old, new in zip(pod["spec"][kind], after["spec"][kind]):
            assert old["name"].startswith("tpu-") or old == new, new["name"]


def g03_container_without_env(program):
    """It appends to an array that is not there, which is no valid patch."""
    pod = _pod(shape(), 3)
    assert all("env" not in c for c in pod["spec"]["containers"])
    assert ids(admitted(program, [pod])) == ["3"]  # `admitted` applies the patch strictly
    pod["spec"]["containers"][0]["env"] = []
    assert ids(admitted(program, [pod])) == ["3"]


def g04_ordinal_is_not_split_from_the_name(program):
    """It splits the name: the label says it, and is believed where the name says otherwise."""
    of = shape()
    for name in ("sax-7", "a-1-2", "x0"):
        assert ids(admitted(program, [_pod(of, 2, statefulset=name)])) == ["2"], name
    labelled = _pod(of, 2)
    labelled["metadata"]["labels"]["apps.kubernetes.io/pod-index"] = "1"
    labelled["spec"]["hostname"] = "sax-1"
    assert ids(admitted(program, [labelled])) == ["1"]


def g05_errors_are_said(program):
    """It ignores them."""
    pod = _pod(shape(), 0)
    pod["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "3x3"
    answer = program.answer(pod)
    assert not answer.allowed and "3x3" in answer.message, answer
    pod = _pod(shape(), 0)
    del pod["spec"]["subdomain"]
    answer = program.answer(pod)
    assert answer.allowed and answer.warnings, "names that will not resolve, unsaid"


def g06_slices_of_a_set_are_apart(program):
    """It knows neither placement nor a second slice: 8 ordinals of 4 hosts are two."""
    of = shape()
    after = admitted(program, [_pod(of, i) for i in range(8)])
    assert ids(after) == ["0", "1", "2", "3"] * 2, ids(after)
    lists = [only(p, "TPU_WORKER_HOSTNAMES") for p in after]
    assert len(set(lists[:4])) == len(set(lists[4:])) == 1 and lists[0] != lists[4]
    assert repels(after[0], after[4]) and not repels(after[0], after[3])
