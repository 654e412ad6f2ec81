"""What no other implementation has."""

import collections

import clusters
import oracle
from apiserver import container
from controllers import bare_pod, ray_worker
from pods import tpu_containers
from webhook import Webhook
from weaknesses.ask import (NAMESPACE, NODE_POOL, Beside, admitted, from_label, ids, jobset, member,
                            names, only, shape, terms, value)

_OURS = "tpu-webhook.dev/"
_SUB_SLICE = "cloud.google.com/gke-tpu-slice-topology"


def m01_escape_hatch_for_unknown_owners(program):
    """A member of a slice whose owner nobody knows says itself who it is."""
    of = shape(topology="2x4")
    hosts = [f"mine-{i}.svc" for i in range(2)]
    pods = [bare_pod(name=f"mine-{i}", namespace=NAMESPACE, hostname=f"mine-{i}", subdomain="svc",
                     annotations={_OURS + "worker-id": str(i), _OURS + "worker-count": "2",
                                  _OURS + "hostnames": ",".join(hosts)}, **of.pod())
            for i in range(2)]
    after = admitted(program, pods)
    assert ids(after) == ["0", "1"], ids(after)
    assert {only(p, "TPU_WORKER_HOSTNAMES") for p in after} == {",".join(hosts)}
    for pod in pods:
        pod["metadata"]["annotations"].update({
            _OURS + "slice-id": "1", _OURS + "slice-count": "2",
            _OURS + "coordinator": "other-0.svc"})
    for pod in admitted(program, pods):
        assert [only(pod, "MEGASCALE_" + n) for n in
                ("NUM_SLICES", "SLICE_ID", "COORDINATOR_ADDRESS")] == ["2", "1", "other-0.svc"]


def m02_claims_instead_of_the_resource(program):
    """A TPU asked for by a DRA claim: the same identity, once the claim says so."""
    pods = [jobset(shape(), i) for i in range(4)]
    for pod in pods:
        tpu = pod["spec"]["containers"][0]
        tpu["resources"] = {"claims": [{"name": "tpu"}]}
        pod["spec"]["resourceClaims"] = [{"name": "tpu", "resourceClaimTemplateName": "tpu-4"}]
    template = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
                "metadata": {"namespace": NAMESPACE, "name": "tpu-4"},
                "spec": {"spec": {"devices": {"requests": [
                    {"name": "chips", "exactly": {"deviceClassName": "tpu.google.com", "count": 4}}
                ]}}}}
    for answer in program.answers(pods):
        assert answer.allowed and not answer.patch, "guessed what the claim is for"
        assert "resource claims" in " ".join(answer.warnings), answer.warnings
    after = admitted(Beside(program, [template]), pods)
    for index, (old, new) in enumerate(zip(pods, after)):
        env = {e["name"]: e.get("value") for e in new["spec"]["containers"][0].get("env", [])}
        assert env.get("TPU_WORKER_ID") == str(index), env
        assert new["spec"]["resourceClaims"] == old["spec"]["resourceClaims"]


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


def m04_network_claims_stay(program):
    """DRANET's claims, and a container that only names one, are nobody's business."""
    pod = jobset(shape(), 1, env=[value("LIBTPU_INIT_ARGS", "--megascale_grpc_interface=eth1")])
    pod["spec"]["containers"].append(container("nic", "busybox:1.36", claims=["netdev"]))
    pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "netdev"}]
    pod["spec"]["resourceClaims"] = [{"name": "netdev", "resourceClaimTemplateName": "all-netdev"}]
    (after,) = admitted(program, [pod])
    assert ids([after]) == ["1"]
    assert after["spec"]["resourceClaims"] == pod["spec"]["resourceClaims"]
    for old, new in zip(pod["spec"]["containers"], after["spec"]["containers"]):
        assert old["resources"] == new["resources"]


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


def m07_names_on_request_are_unique(program):
    """TPU_NAME for every workload, on request: each server of an Indexed Job is a slice."""
    named = Webhook(program.path, "--tpu-name-everywhere")
    of = shape("ct6e-standard-8t", "2x4")
    after = admitted(named, [member(of, i) for i in range(3)])
    assert len({only(pod, "TPU_NAME") for pod in after}) == 3, [only(p, "TPU_NAME") for p in after]
