"""Weaknesses of JobSet's webhooks."""

from apiserver import container
from controllers import EXCLUSIVE_TOPOLOGY, jobset_pod
from pods import dns_name
from weaknesses.ask import (NAMESPACE, NODE_POOL, admitted, ids, jobset, names, only, repels,
                            shape, terms)


def j02_terms_once(program):
    """It appends its terms at every call."""
    for exclusive in (None, NODE_POOL):
        of = shape()
        pods = [jobset(of, i, exclusive=exclusive, domain="pool-a") for i in range(4)]
        after = admitted(program, pods)
        assert ids(after) == ["0", "1", "2", "3"], ids(after)
        for pod, again in zip(after, program.answers(after)):
            assert again.patch == [], f"{pod['spec']['hostname']}: {again.patch}"
            for kind in ("podAffinity", "podAntiAffinity"):
                have = terms(pod, kind)
                assert all(have.count(t) == 1 for t in have)


def j03_no_priority_still_repels(program):
    """Without a priority its term is `In [""]`, which nothing matches."""
    of = shape()

    def pod(job_index, priority):
        body = jobset(of, 0, job_index=job_index, replicas=2)
        if priority is None:
            del body["spec"]["priority"]
        else:
            body["spec"]["priority"] = priority
        return body

    for priority in (None, 0, 1000, -5):
        mine, other = admitted(program, [pod(0, priority), pod(1, priority)])
        assert repels(mine, other) and repels(other, mine), priority
    # Another priority's are avoided, not forbidden, so that preemption still works.
    mine, other = admitted(program, [pod(0, 0), pod(1, 1000)])
    assert not repels(mine, other)
    assert mine["spec"]["affinity"]["podAntiAffinity"][
        "preferredDuringSchedulingIgnoredDuringExecution"], "nothing keeps them apart"


def j04_users_selector_stays(program):
    """It overwrites a user's selector of that key."""
    of = shape()
    for index in range(2):
        pod = jobset(of, index, exclusive=NODE_POOL, domain="pool-a")
        pod["spec"]["nodeSelector"][NODE_POOL] = "mine"
        before = dict(pod["spec"]["nodeSelector"])
        (after,) = admitted(program, [pod])
        assert after["spec"]["nodeSelector"] == before, after["spec"]["nodeSelector"]
        assert only(after, "TPU_WORKER_ID") == str(index)


def j09_jobs_without_index(program):
    """Jobs that are not Indexed have no leader, ever: their Pods wait for one without an end."""
    of = shape("ct6e-standard-8t", "2x4")
    single = jobset(of, None, exclusive=NODE_POOL, domain="pool-a")
    many = jobset(shape(), None, exclusive=NODE_POOL, domain="pool-a")
    answers = program.answers([single, many])
    assert all(a.allowed for a in answers), [a.message for a in answers]
    assert answers[1].warnings, "a slice of four hosts without indices, and not a word"
    (after,) = admitted(program, [many])
    assert names(after) == names(many), "something was guessed"


def j11_one_job_with_its_coordinator(program):
    """It gives neither TPU_* nor MEGASCALE_*, and its coordinator is the user's choice."""
    of = shape()
    pods = [jobset(of, h, job_index=s, replicas=3) for s in range(3) for h in of.members]
    for pod in pods:
        pod["metadata"]["labels"]["jobset.sigs.k8s.io/coordinator"] = "js-slice-2-1.js"
    after = admitted(program, pods)
    assert ids(after) == ["0", "1", "2", "3"] * 3
    assert {only(p, "MEGASCALE_NUM_SLICES") for p in after} == {"3"}
    assert [only(p, "MEGASCALE_SLICE_ID") for p in after] == [s for s in "012" for _ in range(4)]
    assert {only(p, "MEGASCALE_COORDINATOR_ADDRESS") for p in after} == {dns_name(after[0])}
    head = jobset_pod(jobset="js", namespace=NAMESPACE, replicated_job="head", replicas=1,
                      job_index=0, index=0, node_selector={},
                      containers=[container("head", "busybox:1.36")])
    assert program.answer(head).patch == [], "a Pod without TPU is no slice"
