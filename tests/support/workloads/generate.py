#!/usr/bin/env python3
"""Writes the review files and cluster files of this folder; README.md says what they are.

generate.py           write them
generate.py --check   exit 1 and name each file that is not what would be written
"""

import argparse
import json
import pathlib
import sys

import clusters
from apiserver import container, exec_probe, field_env, go_json, review
from controllers import JOB_CONTROLLER, KUBERAY_OPERATOR, job_pod, jobset_pod, ray_worker

HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = "default"
JAX_IMAGE = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:latest"
RAY_IMAGE = "us-docker.pkg.dev/example/ray/maxtext-tpu:2.55.0"
NODE_POOL = "cloud.google.com/gke-nodepool"

COUNT_CORES = "python -c 'import jax; print(\"TPU cores:\", jax.device_count())'\n"
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
    return [review(pod, identity=(pod["metadata"]["generateName"], i),
                   service_account=service_account) for i, pod in enumerate(pods)]


def job_2x4():
    """Seed 000: two hosts of four chips, one slice of 2x4, a Service of the user's own."""
    job = "tpu-training-job"
    pods = [
        job_pod(
            job=job, namespace=NAMESPACE, index=i, subdomain="headless-svc",
            restart_policy="Never", node_selector=tpu_selector("tpu-v6e-slice", "2x4"),
            containers=[container("tpu-job", JAX_IMAGE, command=bash(COUNT_CORES),
                                  ports=[("", 8471), ("", 8431)], limits={"google.com/tpu": "4"},
                                  privileged=True)])
        for i in range(2)
    ]
    around = clusters.node_pool("nodepool", accelerator="tpu-v6e-slice", topology="2x4",
                                machine="ct6e-standard-4t", chips=4, nodes=2, start=10)
    around.append(clusters.job_service("headless-svc", NAMESPACE, job))
    return reviews(pods, JOB_CONTROLLER), around


def job_single_host():
    """Seed 000, its bonus: the same topology on one host of eight chips."""
    pods = [
        job_pod(
            job="tpu-training-job-single-host", namespace=NAMESPACE, index=None,
            restart_policy="Never", node_selector=tpu_selector("tpu-v6e-slice", "2x4"),
            containers=[container("tpu-job", JAX_IMAGE, command=bash(COUNT_CORES),
                                  limits={"google.com/tpu": "8"}, privileged=True)])
    ]
    around = clusters.node_pool("tpu-pool", accelerator="tpu-v6e-slice", topology="2x4",
                                machine="ct6e-standard-8t", chips=8, nodes=1, start=10)
    return reviews(pods, JOB_CONTROLLER), around


def jobset_2x4x4():
    """Seed 001: two slices of 4x4, exclusive placement, admitted by Kueue.

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
    """Seed 003: a worker group of two replicas of four hosts, with a network claim per Pod.
    KubeRay makes the Pods of a group in no order of their indices."""
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


WORKLOADS = {
    "job-2x4": job_2x4,
    "job-single-host": job_single_host,
    "jobset-2x4x4": jobset_2x4x4,
    "jobset-tpu7x-2x2x2x2": jobset_tpu7x_2x2x2x2,
    "ray-2x4x4": ray_2x4x4,
}


def files():
    """File name -> text, for every file."""
    out = {}
    for name, make in WORKLOADS.items():
        lines, around = make()
        out[f"{name}.jsonl"] = "".join(go_json(line) + "\n" for line in lines)
        out[f"{name}.cluster.json"] = json.dumps(clusters.listing(around), indent=1) + "\n"
    return out


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
