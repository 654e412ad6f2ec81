"""By label, not part of a whole run: the seven slices of test_seven_slices.py under the scheduler's groups.

    tests/e2e/run by_label/test_groups.py
    ctest --test-dir build/ci -L groups

Kubernetes 1.37 has groups of Pods (KEP-4671, KEP-5732, KEP-5547) behind gates that are off. Here they are on. Each case
puts the Pod templates of the JobSet, the LeaderWorkerSet and the Job into a PodGroup each; KubeRay 1.6's CRD has no such
field, so the Pods of Ray are in none. A gang that has to be complete before one of its Pods is bound never is where its
workload makes the others only then: a JobSet and a LeaderWorkerSet with exclusive topology of their own.
"""

import dataclasses
import json
import subprocess
import time

import pytest

from controlplane import core, pins
from harness import pools, slices
from harness.namespace import manifest
from harness.training import pod_templates
from test_operator import ask  # noqa: F401 (a fixture)
from test_seven_slices import JOB, JOBSET, LWS, RAY, unqueued

GATES = core.Gates(("GenericWorkload", "TopologyAwareWorkloadScheduling", "WorkloadWithJob"),
                   ("scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"))
EXCLUSIVE = ("alpha.jobset.sigs.k8s.io/exclusive-topology", "leaderworkerset.sigs.k8s.io/exclusive-topology")
PODS = {"JobSet": 8, "LeaderWorkerSet": 8, "Job": 4}  # of the kinds that can be in a group
BASIC = {"basic": {}}
SECONDS = 90


@dataclasses.dataclass
class Case:
    policy: str  # of the groups: none, basic, gang
    exclusive: bool  # the placement of JobSet and LeaderWorkerSet themselves is left in
    stand: int  # slices of seven


CASES = {
    "no_group_of_a_user": Case("none", True, 7),
    "basic": Case("basic", True, 7),
    "gang_without_exclusive_topology": Case("gang", False, 7),
    "gang_with_exclusive_topology": Case("gang", True, 3),
}


@pytest.fixture(scope="session")
def gates():
    if not pins.has("kubernetes", "v1.37.0"):
        pytest.exit("the groups of this story are those of Kubernetes 1.37, or newer", 1)
    return GATES


def grouped(obj):
    """The Pod templates that can name a group."""
    return pod_templates(obj) if obj["kind"] in PODS else []


def objects(case):
    """The manifests of the seven slices, each workload in a PodGroup as `case` says."""
    found = [obj for files in (JOBSET, LWS, RAY, JOB) for file in files for obj in manifest(file)]
    for obj in found:
        unqueued(obj)
        if not case.exclusive:
            for key in EXCLUSIVE:
                obj["metadata"].get("annotations", {}).pop(key, None)
        if case.policy != "none":
            for template in grouped(obj):
                template["spec"]["schedulingGroup"] = {"podGroupName": obj["metadata"]["name"]}
    groups = [] if case.policy == "none" else [group(obj, case.policy) for obj in found if grouped(obj)]
    return groups + found


def group(obj, policy):
    how = BASIC if policy == "basic" else {"gang": {"minCount": PODS[obj["kind"]]}}
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": obj["metadata"]["name"]},
            "spec": {"schedulingPolicy": how}}


@pytest.mark.parametrize("name", CASES)
def test_seven_slices(release, namespace, ask, tools, picture, tmp_path, name):
    case = CASES[name]
    for obj in objects(case):
        namespace.create(obj)
    if case.stand == 7:
        namespace.running(29, SECONDS)
    found = slices.of(settled(namespace), pools.by_node(namespace.api))
    picture(f"groups of the scheduler: {name}", slices.table(found))
    assert sum(one.stands for one in found) == case.stand, slices.table(found)
    code, text = ask("audit", "-n", namespace.name)
    picture(f"what audit says: {name}", text)
    assert code == 0 or case.stand < 7, text
    said = told(ask, tools, tmp_path, objects(case))
    picture(f"what explain and doctor say of gangs: {name}", said)
    assert (said.count(": PodGroup ") == 2) == (case.stand < 7), said  # of the JobSet and the LeaderWorkerSet
    assert (said.count("  PodGroup ") == 2) == (case.stand < 7), said


def told(ask, tools, tmp_path, found):
    """The lines that `explain` has of the gangs in these manifests, and `doctor` of those that wait for a minute."""
    file = tmp_path / "objects.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}), encoding="utf-8")
    done = subprocess.run([str(tools), "explain", "--all", "-f", str(file)], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if "TPU-809" in line]
    if any("gang" in obj.get("spec", {}).get("schedulingPolicy", {}) for obj in found):
        time.sleep(60)
    return "\n".join(lines + [line for line in ask("doctor")[1].splitlines() if "gangs" in line])


def settled(namespace):
    return namespace.quiet(10, limit=60)
