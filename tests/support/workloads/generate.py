#!/usr/bin/env python3
"""Writes the review files of this folder, which README.md describes. cluster_of() returns the cluster of a workload.

generate.py           writes the files
generate.py --check   names each file that differs from what would be written; the exit code is 1 if there is one
"""

import argparse
import pathlib
import sys

import clusters
from apiserver import container, exec_probe, field_env, go_json, review
from controllers import (JOB_CONTROLLER, KUBERAY_OPERATOR, bare_pod, deployment_pod, job_pod,
                         jobset_pod, ray_worker)
from stateful import STATEFULSET_CONTROLLER, lws_pod, lws_written, statefulset_pod

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = "default"
JAX_IMAGE = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:latest"
RAY_IMAGE = "us-docker.pkg.dev/example/ray/maxtext-tpu:2.55.0"
NODE_POOL = "cloud.google.com/gke-nodepool"

COUNT_CHIPS = "python -c \"import jax; print(jax.device_count(), 'chips form this slice')\"\n"
TRAIN = """set -e
cat <<'PROGRAM' > train.py
import jax
jax.distributed.initialize()
if jax.process_index() < 1:
    print(jax.process_count(), "processes &", jax.device_count(), "devices")
PROGRAM
python3 train.py && sleep 10
"""


def tpu_selector(accelerator, topology):
    return {"cloud.google.com/gke-tpu-accelerator": accelerator,
            "cloud.google.com/gke-tpu-topology": topology}


def bash(script):
    return ["bash", "-c", script]


def reviews(pods, service_account):
    return [review(pod, service_account=service_account,
                   identity=(pod["metadata"].get("generateName") or pod["metadata"]["name"], i))
            for i, pod in enumerate(pods)]


def job_2x4():
    """The guide's Job: two hosts of four chips, one slice of 2x4, a Service of the user's own."""
    job = "tpu-training-job"
    pods = [
        job_pod(
            job=job, namespace=NAMESPACE, index=i, subdomain="headless-svc",
            restart_policy="Never", node_selector=tpu_selector("tpu-v6e-slice", "2x4"),
            containers=[container("tpu-job", JAX_IMAGE, command=bash(COUNT_CHIPS),
                                  ports=[("", 8471), ("", 8431)], limits={"google.com/tpu": "4"},
                                  privileged=True)])
        for i in range(2)
    ]
    around = clusters.node_pool("nodepool", accelerator="tpu-v6e-slice", topology="2x4",
                                machine="ct6e-standard-4t", chips=4, nodes=2, start=10)
    around.append(clusters.job_service("headless-svc", NAMESPACE, job))
    return reviews(pods, JOB_CONTROLLER), around


def job_single_host():
    """The bonus of that guide: the same topology on one host of eight chips."""
    pods = [
        job_pod(
            job="tpu-training-job-single-host", namespace=NAMESPACE, index=None,
            restart_policy="Never", node_selector=tpu_selector("tpu-v6e-slice", "2x4"),
            containers=[container("tpu-job", JAX_IMAGE, command=bash(COUNT_CHIPS),
                                  limits={"google.com/tpu": "8"}, privileged=True)])
    ]
    around = clusters.node_pool("tpu-pool", accelerator="tpu-v6e-slice", topology="2x4",
                                machine="ct6e-standard-8t", chips=8, nodes=1, start=10)
    return reviews(pods, JOB_CONTROLLER), around


def jobset_2x4x4():
    """The guide's JobSet: two slices of 4x4, exclusive placement, admitted by Kueue.

    The two leaders come first: JobSet refuses followers until their leader is bound, then
    pins them to its node pool. They come as the Job controller's retries bring them.
    """
    jobset, group = "v6e-multislice", "slice"
    pools = ["tpu-slice-a", "tpu-slice-b"]
    order = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 3), (1, 3), (0, 2), (1, 2)]
    pods = [
        jobset_pod(
            jobset=jobset, namespace=NAMESPACE, replicated_job=group, replicas=2, job_index=s,
            index=i, exclusive=NODE_POOL, domain=pools[s], host_network=True,
            dns_policy="ClusterFirstWithHostNet",
            node_selector=tpu_selector("tpu-v6e-slice", "4x4"),
            labels={"kueue.x-k8s.io/cluster-queue-name": "multislice-cluster-queue",
                    "kueue.x-k8s.io/local-queue-name": "multislice-queue",
                    "kueue.x-k8s.io/podset": group},
            annotations={"kueue.x-k8s.io/workload": "jobset-v6e-multislice-5c1f7"},
            containers=[container("jax-tpu", JAX_IMAGE, command=bash(TRAIN), privileged=True,
                                  limits={"google.com/tpu": "4"})])
        for s, i in order
    ]
    around = []
    for s, pool in enumerate(pools):
        around += clusters.node_pool(pool, accelerator="tpu-v6e-slice", topology="4x4",
                                     machine="ct6e-standard-4t", chips=4, nodes=4,
                                     start=10 * (s + 1))
    around.append(clusters.jobset_service(jobset, NAMESPACE))
    return reviews(pods, JOB_CONTROLLER), around


def jobset_tpu7x_2x2x2x2():
    """Two Ironwood slices of 2x2x2: two hosts each, two containers of two chips on a host."""
    jobset, group = "ironwood", "slice"
    pods = [
        jobset_pod(
            jobset=jobset, namespace=NAMESPACE, replicated_job=group, replicas=2, job_index=s,
            index=i, node_selector=tpu_selector("tpu7x", "2x2x2"),
            containers=[container(f"numa-{c}", JAX_IMAGE, command=bash(TRAIN), privileged=True,
                                  limits={"google.com/tpu": "2"}) for c in range(2)])
        for s in range(2) for i in range(2)
    ]
    around = []
    for s in range(2):
        around += clusters.node_pool(f"ironwood-{s}", accelerator="tpu7x", topology="2x2x2",
                                     machine="tpu7x-standard-4t", chips=4, nodes=2,
                                     start=10 * (s + 1))
    around.append(clusters.jobset_service(jobset, NAMESPACE))
    return reviews(pods, JOB_CONTROLLER), around


def ray_2x4x4():
    """The tutorial's RayCluster: a worker group of two replicas of four hosts, with a network claim per
    Pod. KubeRay makes the Pods of a group in no order of their indices."""
    cluster, group = "maxtext-tpu-cluster", "tpu-group"
    head = f"{cluster}-head-svc.{NAMESPACE}.svc.cluster.local"
    start = f"ray start --address={head}:6379 --resources='{{\"TPU\":4}}' --num-cpus=8 --block"
    order = [(0, 1), (0, 0), (1, 2), (0, 3), (1, 0), (0, 2), (1, 3), (1, 1)]
    head_env = [{"name": "FQ_RAY_IP", "value": head},
                {"name": "RAY_IP", "value": f"{cluster}-head-svc"}]
    env = [
        {"name": "JAX_PLATFORMS", "value": "tpu,cpu"},
        {"name": "ENABLE_PJRT_COMPATIBILITY", "value": "true"},
        *head_env,
        field_env("RAY_CLUSTER_NAME", "metadata.labels['ray.io/cluster']"),
        field_env("RAY_CLOUD_INSTANCE_ID", "metadata.name"),
        field_env("RAY_NODE_TYPE_NAME", "metadata.labels['ray.io/group']"),
        {"name": "KUBERAY_GEN_RAY_START_CMD", "value": start},
        {"name": "RAY_PORT", "value": "6379"},
        {"name": "RAY_ADDRESS", "value": f"{head}:6379"},
        {"name": "RAY_USAGE_STATS_KUBERAY_IN_USE", "value": "1"},
    ]
    healthy = "ray health-check --address 127.0.0.1:52365 >/dev/null 2>&1"
    probes = {
        "livenessProbe": exec_probe(healthy, delay=30, timeout=2, period=5, failures=120),
        "readinessProbe": exec_probe(healthy, delay=10, timeout=2, period=5, failures=10),
    }
    wait_for_head = container(
        "wait-gcs-ready", RAY_IMAGE, command=["/bin/bash", "-c", "--"],
        args=["until ray health-check --address $FQ_RAY_IP:6379; do sleep 5; done"],
        env=head_env, limits={"cpu": "200m", "memory": "256Mi"})
    worker = container(
        "ray-worker", RAY_IMAGE, command=["/bin/bash", "-c", "--"],
        args=[f"ulimit -n 65536; {start}"], ports=[("metrics", 8080)], env=env,
        limits={"cpu": "8", "google.com/tpu": "4", "memory": "200Gi"}, claims=["netdev"],
        mounts=[{"name": "shared-mem", "mountPath": "/dev/shm"}], privileged=True, probes=probes)
    pods = [
        ray_worker(
            cluster=cluster, namespace=NAMESPACE, group=group, replica=r, host=h,
            service_account="maxtext-ksa", node_selector=tpu_selector("tpu-v6e-slice", "4x4"),
            volumes=[{"name": "shared-mem",
                      "emptyDir": {"medium": "Memory", "sizeLimit": "200Gi"}}],
            resource_claims=[{"name": "netdev", "resourceClaimTemplateName": "all-netdev"}],
            init_containers=[wait_for_head], containers=[worker])
        for r, h in order
    ]
    around = []
    for r in range(2):
        around += clusters.node_pool(f"v6e-16-{r}", accelerator="tpu-v6e-slice", topology="4x4",
                                     machine="ct6e-standard-4t", chips=4, nodes=4,
                                     start=10 * (r + 1))
    around.append(clusters.ray_service(cluster, NAMESPACE))
    around.append(clusters.ray_cluster(cluster, NAMESPACE, group, replicas=2, hosts=4))
    return reviews(pods, KUBERAY_OPERATOR), around


def ray_megascale():
    """Two replicas of two hosts that are one job, because the user says so."""
    cluster, group = "multislice", "workers"
    worker = container("ray-worker", RAY_IMAGE, limits={"google.com/tpu": "4"},
                       env=[{"name": "MEGASCALE_NUM_SLICES", "value": "2"}])
    pods = [ray_worker(cluster=cluster, namespace=NAMESPACE, group=group, replica=r, host=h,
                       node_selector=tpu_selector("tpu-v6e-slice", "2x4"), containers=[worker])
            for r, h in [(1, 0), (0, 1), (0, 0), (1, 1)]]
    around = []
    for r in range(2):
        around += clusters.node_pool(f"multislice-{r}", accelerator="tpu-v6e-slice",
                                     topology="2x4", machine="ct6e-standard-4t", chips=4, nodes=2,
                                     start=10 * (r + 1))
    around.append(clusters.ray_service(cluster, NAMESPACE))
    around.append(clusters.ray_cluster(cluster, NAMESPACE, group, replicas=2, hosts=2))
    return reviews(pods, KUBERAY_OPERATOR), around


def lws_subgroups(lws, after_its_webhook):
    """A group of four whose subgroups of two are a slice each; with the variables that
    LeaderWorkerSet's webhook writes, or before it."""
    pods = [lws_pod(lws=lws, namespace=NAMESPACE, group=0, worker=w, size=4, subgroup_size=2,
                    node_selector=tpu_selector("tpu-v6e-slice", "2x4"),
                    containers=[container("vllm", JAX_IMAGE, limits={"google.com/tpu": "4"})])
            for w in range(4)]
    if after_its_webhook:
        pods = [lws_written(pod) for pod in pods]
    around = []
    for s in range(2):
        around += clusters.node_pool(f"{lws}-{s}", accelerator="tpu-v6e-slice", topology="2x4",
                                     machine="ct6e-standard-4t", chips=4, nodes=2,
                                     start=10 * (s + 1))
    around.append(clusters.headless_service(
        lws, NAMESPACE, {"leaderworkerset.sigs.k8s.io/name": lws}, publish_not_ready=True))
    return reviews(pods, STATEFULSET_CONTROLLER), around


def statefulset_2x2x2():
    """Four ordinals of two hosts each: two v5p slices, started in any order."""
    name = "sax"
    pods = [statefulset_pod(statefulset=name, namespace=NAMESPACE, ordinal=i, service=name,
                            labels={"app": name},
                            node_selector=tpu_selector("tpu-v5p-slice", "2x2x2"),
                            containers=[container("server", JAX_IMAGE,
                                                  limits={"google.com/tpu": "4"})])
            for i in (0, 2, 1, 3)]
    around = []
    for s in range(2):
        around += clusters.node_pool(f"sax-{s}", accelerator="tpu-v5p-slice", topology="2x2x2",
                                     machine="ct5p-hightpu-4t", chips=4, nodes=2,
                                     start=10 * (s + 1))
    around.append(clusters.headless_service(name, NAMESPACE, {"app": name},
                                            publish_not_ready=True))
    return reviews(pods, STATEFULSET_CONTROLLER), around


def single_hosts():
    """One host each: 1x1, 2x2 and 2x4 of v5e and v6e, and a tpu7x host with two containers."""
    def template(accelerator, topology, chips, containers=1):
        asked = {"google.com/tpu": str(chips // containers)}
        return {"node_selector": tpu_selector(accelerator, topology),
                "containers": [container(f"server-{c}", JAX_IMAGE, limits=asked)
                               for c in range(containers)]}

    def deployment(name, *shape, **more):
        return deployment_pod(deployment=name, namespace=NAMESPACE, number=0,
                              **template(*shape, **more))

    v5e, v6e = "tpu-v5-lite-podslice", "tpu-v6e-slice"
    pods = [
        deployment("small", v6e, "1x1", 1),
        bare_pod(name="notebook", namespace=NAMESPACE, **template(v6e, "2x2", 4)),
        statefulset_pod(statefulset="store", namespace=NAMESPACE, ordinal=0, service="store",
                        labels={"app": "store"}, **template(v6e, "2x4", 8)),
        job_pod(job="eval", namespace=NAMESPACE, index=3, restart_policy="Never",
                **template(v5e, "2x4", 8)),
        deployment("ironwood-server", "tpu7x", "2x2x1", 4, containers=2),
    ]
    around = []
    machines = ("ct6e-standard-1t", "ct6e-standard-4t", "ct6e-standard-8t", "ct5lp-hightpu-8t",
                "tpu7x-standard-4t")
    for i, (pod, machine) in enumerate(zip(pods, machines)):
        selector = pod["spec"]["nodeSelector"]
        around += clusters.node_pool(
            f"single-{i}", accelerator=selector["cloud.google.com/gke-tpu-accelerator"],
            topology=selector["cloud.google.com/gke-tpu-topology"], machine=machine,
            chips=int(machine[-2]), nodes=1, start=10 * (i + 1))
    around.append(clusters.headless_service("store", NAMESPACE, {"app": "store"}))
    return reviews(pods, JOB_CONTROLLER), around


WORKLOADS = {
    "job-2x4": job_2x4,
    "job-single-host": job_single_host,
    "jobset-2x4x4": jobset_2x4x4,
    "jobset-tpu7x-2x2x2x2": jobset_tpu7x_2x2x2x2,
    "lws-subgroups": lambda: lws_subgroups("vllm", after_its_webhook=False),
    "lws-subgroups-after": lambda: lws_subgroups("sglang", after_its_webhook=True),
    "ray-2x4x4": ray_2x4x4,
    "ray-megascale": ray_megascale,
    "single-hosts": single_hosts,
    "statefulset-2x2x2": statefulset_2x2x2,
}


def files():
    """File name -> text, for every file."""
    return {f"{name}.jsonl": "".join(go_json(line) + "\n" for line in make()[0]) for name, make in WORKLOADS.items()}


def cluster_of(name):
    """Returns a list of the nodes, Services and RayClusters in the cluster of a workload."""
    return clusters.listing(WORKLOADS[name]()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        for name, text in files().items():
            (HERE / name).write_text(text)
        return 0
    wrong = 0
    for name, text in files().items():
        path = HERE / name
        if not path.exists() or path.read_text() != text:
            print(f"{path} is not what generate.py writes")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
