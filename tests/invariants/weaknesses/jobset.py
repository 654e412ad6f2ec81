"""Weaknesses of JobSet's webhooks."""

from apiserver import container
from controllers import jobset_pod
from pods import dns_name
from weaknesses.ask import NAMESPACE, admitted, ids, jobset, only, repels, shape


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
