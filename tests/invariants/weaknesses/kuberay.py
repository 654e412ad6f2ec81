"""Weaknesses of the KubeRay TPU webhook."""

import copy

from apiserver import container, uid
from controllers import ray_worker
from weaknesses.ask import (NAMESPACE, Beside, admitted, attracts, entries, from_label, ids, member, names, only, replica, repels,
                            shape, terms, value, worker)

_INDEX = "ray.io/replica-host-index"
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


def k05_gap_is_filled(program):
    """Replica 0 is gone, replica 1 lives: the next Pods are replica 0."""
    of = shape()
    both = admitted(program, [_legacy(of, i) for i in range(8)])
    living = [pod for pod in both if only(pod, "TPU_NAME") == "workers-1"]
    assert len(living) == 4, [only(pod, "TPU_NAME") for pod in both]
    after = admitted(Beside(program, living), [_legacy(of, i) for i in range(4)])
    assert {only(pod, "TPU_NAME") for pod in after} == {"workers-0"}
    assert sorted(ids(after)) == ["0", "1", "2", "3"], ids(after)


def k07_single_host_multislice_resolves(program):
    """It gives a coordinator and no name to find it by."""
    of = shape("ct6e-standard-8t", "2x4")
    env = [value("MEGASCALE_NUM_SLICES", "2")]
    first, second = admitted(program, [worker(of, r, None, env=env) for r in range(2)])
    name = f"{first['spec'].get('hostname')}.{first['spec'].get('subdomain')}"
    for pod in (first, second):
        assert only(pod, "MEGASCALE_COORDINATOR_ADDRESS") == name, (name, names(pod))
    assert [only(p, "MEGASCALE_SLICE_ID") for p in (first, second)] == ["0", "1"]


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


def _legacy(of, number):
    """A worker without index labels."""
    return ray_worker(cluster="ray", namespace=NAMESPACE, group="workers", replica=0, host=number,
                      indexed=False, **of.pod())
