"""What a command that makes a node pool makes: its Nodes, as GKE documents them, from the command's flags alone. And
JobSets for each machine, topology and way to have the nodes, whose commands are worth trying.

It knows nothing of kubectl/predict/outlook/made_pool.cpp, which is held against it (tests/cli/fixes.py, and tests/e2e/by_label with
the real scheduler).
"""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TPU = "google.com/tpu"
CATALOG = json.loads((ROOT / "topology/tpu-catalog.json").read_text(encoding="utf-8"))
MACHINES = {machine["name"]: (generation["gke_accelerator_label"], machine["chips_per_vm"], machine.get("single_host_topology"))
            for generation in CATALOG["generations"] for machine in generation["machine_types"]}


def flag(words, name):
    return next((word.split("=", 1)[1] for word in words if word.startswith(f"--{name}=")), None)


def nodes_of(commands, zone):
    """As GKE would write them: (pool, Nodes) for each `node-pools create`."""
    policies = {}
    for words in commands:
        if "workload-policy" in words and "create" in words:
            policies[words[words.index("workload-policy") + 1]] = flag(words, "accelerator-topology")
        if words[:4] != ["gcloud", "container", "node-pools", "create"]:
            continue
        name, machine = words[4], flag(words, "machine-type")
        accelerator, chips, single = MACHINES[machine]
        policy = flag(words, "placement-policy")
        topology = flag(words, "tpu-topology") or (policies[policy] if policy else single)
        labels = {"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": topology,
                  "cloud.google.com/gke-accelerator-count": str(chips), "cloud.google.com/gke-nodepool": name,
                  "node.kubernetes.io/instance-type": machine, "beta.kubernetes.io/instance-type": machine,
                  "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                  "cloud.google.com/machine-family": machine.split("-")[0],
                  "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": zone.rsplit("-", 1)[0]}
        if "--spot" in words:
            labels |= {"cloud.google.com/gke-spot": "true", "cloud.google.com/gke-provisioning": "spot"}
        if "--flex-start" in words:
            labels |= {"cloud.google.com/gke-flex-start": "true", "cloud.google.com/gke-provisioning": "flex-start"}
        if reservation := flag(words, "reservation"):
            labels["cloud.google.com/reservation-name"] = reservation.split("reservations/")[-1].split("/")[0]
        for own in (flag(words, "node-labels") or "").split(","):
            if own:
                labels.update([own.split("=", 1)])
        count = int(flag(words, "max-nodes") if "--enable-autoscaling" in words else flag(words, "num-nodes"))
        yield name, [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"gke-{name}-{number}", "labels": labels},
                      "spec": {"taints": [{"key": TPU, "value": "present", "effect": "NoSchedule"}]},
                      "status": {"allocatable": {TPU: str(chips)}, "capacity": {TPU: str(chips)},
                                 "conditions": [{"type": "Ready", "status": "True"}]}} for number in range(count)]


CAPACITY = {"": {}, "spot": {"cloud.google.com/gke-spot": "true"}, "flex": {"cloud.google.com/gke-flex-start": "true"},
            "reserved": {"cloud.google.com/reservation-name": "r-1"}, "own": {"team": "research"},
            "named": {"cloud.google.com/gke-nodepool": "mine"}, "zone": {"topology.kubernetes.io/zone": "us-east5-b"},
            "family": {"node.kubernetes.io/instance-type": None}}


def shapes():
    for generation in CATALOG["generations"]:
        for machine in generation["machine_types"]:
            for row in machine["topologies"]:
                yield generation["gke_accelerator_label"], machine["name"], machine["chips_per_vm"], row["topology"], row["vms"]


def made_jobs():
    """(name, objects): for each way to have the nodes JobSets of one slice, of each machine and topology. Those that
    select a pool by its name are alone, since it has one."""
    for way, select in CAPACITY.items():
        objects = []
        for accelerator, machine, chips, topology, hosts in shapes():
            if hosts > (64 if not way else 8):  # many Pods say no more about a label
                continue
            more = {key: machine if value is None else value for key, value in select.items()}
            selector = {"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": topology, **more}
            template = {"spec": {"nodeSelector": selector,
                                 "containers": [{"name": "a", "image": "a", "resources": {"limits": {TPU: chips}}}]}}
            job = {"completions": hosts, "parallelism": hosts, "template": template}
            objects.append({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": f"train{len(objects)}"},
                            "spec": {"replicatedJobs": [{"name": "s", "replicas": 1, "template": {"spec": job}}]}})
        for part in [[each] for each in objects[::4]] if way == "named" else [objects]:
            yield f"catalog, {way or 'on demand'}", part
