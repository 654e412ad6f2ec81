"""The cluster around a workload, in the form of `kubectl get nodes,services,rayclusters -o json`:
TPU node pools as GKE labels them, and the Services that the user or a controller makes."""

from apiserver import digest, ordered, uid

ZONE = "us-central1-b"


def node_pool(pool, *, accelerator, topology, machine, chips, nodes, start):
    """`nodes` VMs of `chips` chips that form one slice; `start` keeps addresses apart."""
    out = []
    for i in range(nodes):
        name = f"gke-tpu-{digest('pool', pool)[:8]}-{digest('node', pool, i)[:4]}"
        out.append({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": ordered({
                    "cloud.google.com/gke-accelerator-count": str(chips),
                    "cloud.google.com/gke-nodepool": pool,
                    "cloud.google.com/gke-tpu-accelerator": accelerator,
                    "cloud.google.com/gke-tpu-topology": topology,
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/hostname": name,
                    "kubernetes.io/os": "linux",
                    "node.kubernetes.io/instance-type": machine,
                    "topology.kubernetes.io/region": ZONE.rsplit("-", 1)[0],
                    "topology.kubernetes.io/zone": ZONE,
                }),
                "uid": uid("node", name),
            },
            "spec": {"taints": [{"key": "google.com/tpu", "value": "present",
                                 "effect": "NoSchedule"}]},
            "status": {
                "addresses": [{"type": "InternalIP", "address": f"10.128.0.{start + i}"},
                              {"type": "Hostname", "address": name}],
                "allocatable": {"cpu": "175", "google.com/tpu": str(chips), "memory": "700Gi",
                                "pods": "110"},
                "capacity": {"cpu": "180", "google.com/tpu": str(chips), "memory": "720Gi",
                             "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        })
    return out


def headless_service(name, namespace, selector, *, publish_not_ready=False, labels=None):
    spec = {"clusterIP": "None", "clusterIPs": ["None"], "selector": ordered(selector),
            "type": "ClusterIP"}
    if publish_not_ready:
        spec["publishNotReadyAddresses"] = True
    metadata = {"name": name, "namespace": namespace, "uid": uid("service", namespace, name)}
    if labels:
        metadata["labels"] = ordered(labels)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def job_service(name, namespace, job):
    """The one that the user writes beside an Indexed Job."""
    return headless_service(name, namespace, {"job-name": job})


def jobset_service(jobset, namespace):
    """The one that JobSet makes, named as the Pods' subdomain."""
    return headless_service(jobset, namespace, {"jobset.sigs.k8s.io/jobset-name": jobset},
                            publish_not_ready=True)


def ray_service(cluster, namespace):
    """The one that KubeRay makes when some group has more than one host per replica."""
    return headless_service(
        f"{cluster}-headless", namespace,
        {"ray.io/cluster": cluster, "ray.io/node-type": "worker"}, publish_not_ready=True,
        labels={"ray.io/headless-worker-svc": cluster})


def ray_cluster(cluster, namespace, group, *, replicas, hosts):
    """The size of the group, the rest of the object left out."""
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": cluster, "namespace": namespace,
                     "uid": uid("raycluster", namespace, cluster)},
        "spec": {"workerGroupSpecs": [{"groupName": group, "replicas": replicas,
                                       "minReplicas": replicas, "maxReplicas": replicas,
                                       "numOfHosts": hosts}]},
    }


def listing(items):
    return {"apiVersion": "v1", "kind": "List", "items": items}
