"""What no other implementation has."""

import collections

import clusters
import oracle
from controllers import ray_worker
from pods import tpu_containers
from weaknesses.ask import NAMESPACE, NODE_POOL, admitted, from_label, jobset, member, names, only, shape, terms, value

_SUB_SLICE = "cloud.google.com/gke-tpu-slice-topology"


def m03_dynamic_slices_have_their_own_domain(program):
    """Several dynamic slices share a pool, which is then no domain to be alone on."""
    pods = [jobset(shape("tpu7x-standard-4t", "4x4x4"), i) for i in range(2)]
    for pod in pods:
        del pod["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"]
        pod["metadata"]["annotations"][_SUB_SLICE] = "4x4x8"
    for index, pod in enumerate(admitted(program, pods)):
        assert only(pod, "TPU_WORKER_ID") == str(index)
        assert len(only(pod, "TPU_WORKER_HOSTNAMES").split(",")) == 32
        for kind in ("podAffinity", "podAntiAffinity"):
            assert NODE_POOL not in [t["topologyKey"] for t in terms(pod, kind)], kind


def m05_ray_without_index_labels(program):
    """Workers all alike: whichever places they are given, the slices are whole."""
    for machine, topology, containers in (("ct6e-standard-4t", "4x4", 1),
                                          ("tpu7x-standard-4t", "2x2x2", 2)):
        of = shape(machine, topology, containers)
        for asked in (False, True):
            env = [value("MEGASCALE_NUM_SLICES", "2")] if asked else []
            pods = [ray_worker(cluster="ray", namespace=NAMESPACE, group="workers", replica=0,
                               host=i, indexed=False, **of.pod(env))
                    for i in range(2 * of.row.hosts)]
            after = admitted(program, pods)
            slices = collections.defaultdict(list)
            for i, pod in enumerate(after):
                assert (only(pod, "TPU_WORKER_ID") or "").isdigit(), names(pod)
                slices[only(pod, "TPU_NAME")].append((int(only(pod, "TPU_WORKER_ID")), i))
            scene = oracle.Scene(
                "Ray without index labels", pods, after, {},
                [[i for _, i in sorted(slices[name])] for name in sorted(slices)], of.node(),
                [clusters.ray_service("ray", NAMESPACE)], ["ray-headless"] * 2, one_job=asked,
                hosts_once=True, named=True)
            complaints = oracle.check(scene)
            assert len(slices) == 2 and not complaints, complaints[:3]


_COMPLETION = "batch.kubernetes.io/job-completion-index"


def m06_what_the_user_began_is_completed(program):
    """Part of a set by the user's own hand: the rest agrees with it."""
    of = shape("tpu7x-standard-4t", "2x2x2")
    hosts = ["train-0.svc", "train-1.svc"]
    listed = {port: ",".join(f"{h}:{port}" for h in hosts) for port in (8471, 9000)}
    begun = {
        "a port": [value("TPU_PROCESS_PORT", "9000")],
        "a list": [value("TPU_PROCESS_ADDRESSES", listed[9000])],
        "names": [value("TPU_WORKER_HOSTNAMES", ",".join(hosts))],
        "all, the id from a label": [  # as guides write it by hand
            from_label("TPU_WORKER_ID", _COMPLETION), value("TPU_PROCESS_PORT", "8471"),
            value("TPU_PROCESS_ADDRESSES", listed[8471]),
            value("TPU_WORKER_HOSTNAMES", ",".join(hosts))],
    }
    for what, env in begun.items():
        pods = [member(of, i, env=env) for i in range(2)]
        after = admitted(program, pods)
        scene = oracle.Scene(what, pods, after, dict(enumerate(program.patches(after))), [[0, 1]],
                             of.node(), [clusters.job_service("svc", NAMESPACE, "train")],
                             ["svc"])
        complaints = oracle.check(scene)
        assert not complaints, complaints[:3]
        assert [only(p, "TPU_WORKER_HOSTNAMES") for p in after] == [",".join(hosts)] * 2
    for pod in after:  # nothing was missing
        assert len(tpu_containers(pod)[0]["env"]) == len(begun["all, the id from a label"]) + 1
