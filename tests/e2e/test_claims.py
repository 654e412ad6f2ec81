"""Story 16, chips by resource claim (config.claims): the running server answers as `review` does offline; a template that is
applied together with its Job is known in time; claims on other devices are nobody's business.

No driver is there and no device, so that the Pods stay Pending: what is looked at is what they were created with.
"""

import concurrent.futures
import contextlib
import copy
import json
import subprocess
import time
import urllib.request

import pytest
import yaml

from harness import by_claim
from harness.api import Refused, made, wait_for
from harness.longer import in_full
from harness.namespace import manifest
from harness.pods import env_of, member, untouched
from harness.trouble import down

READING = {"config": {"mode": "enforce", "claims": True, "placementHint": False}}
EXPLAINED = by_claim.TESTS / "golden/explain"
MANIFESTS = sorted([*EXPLAINED.glob("*-claims*.yaml"), *EXPLAINED.glob("*-dranet*.yaml")])


@pytest.fixture(scope="module", name="claiming")
def _claiming(release):
    """The release with claims read. Without the hint, which depends on nodes that offline nobody has."""
    with release.reinstalled(READING) as installed:
        yield installed


def test_claims_are_read_where_they_are_served(claiming, namespace, api):
    """In the newest version that is; a release that serves none that is read (before 1.32, and betas only if asked for) is told of,
    and all other Pods are answered as ever."""
    served = api.versions("resource.k8s.io")
    (replica,) = claiming.replicas
    with urllib.request.urlopen(f"http://{replica.health}/readyz", timeout=10) as answer:
        ready = answer.read().decode()
    if {"v1", "v1beta2", "v1beta1"} & set(served):
        assert ready == "ok", ready
    else:
        assert ready.startswith("ok; ") and "the API server serves no version of resource.k8s.io that tpu-webhook reads" in ready, ready
    assert env_of(namespace.create(member("as-ever", 1)))["TPU_WORKER_ID"] == "1"
    print(f"    served: {', '.join(served) or 'none'}; /readyz: {ready}")


def test_each_workload_by_claim_is_answered_as_offline(claiming, namespace, tools, tmp_path):
    """Every recorded, golden and generated Pod with chips, by claim: the same answer to the byte, but for Ray workers whose
    place is the ledger's, of RayClusters that this cluster does not have."""
    asked = by_claim.reviews(namespace.name)
    kept = sorted(set().union(*(by_claim.names(review["request"]["object"]["spec"]) for _, review in asked)))
    made = [namespace.create(by_claim.template(name, int(name.removeprefix("chips-"))) if name.startswith("chips-") else
                             by_claim.template(name, 1, "netdev.google.com")) for name in kept]
    offline = said_offline(tools, tmp_path, [review for _, review in asked], made)
    differ, deferred, patched = [], [], 0
    for (where, review), wanted in zip(asked, offline):
        status, answer = by_claim.ask(claiming, review)
        if status == 503:
            deferred.append(where)
            assert is_rays_without_indices(review), (where, answer)
        elif answer != wanted:
            differ.append((where, answer, wanted))
        else:
            patched += "patch" in answer["response"]
    assert not differ, differ[0]
    assert patched > 60 and len(deferred) < len(asked) / 4, (patched, len(deferred), len(asked))


def test_a_template_applied_with_its_job_is_known_in_time(claiming, namespace):
    """Eight threads create Jobs of two hosts, each with a claim template, every second Job before its template."""
    count = in_full(500, otherwise=50)

    def apply(number: int) -> None:
        objects = [by_claim.template(f"chips-{number}", 4), job(number)]
        for obj in objects if number % 2 else reversed(objects):
            namespace.create(obj)

    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(apply, range(count)))
    pods = wait_for(f"{2 * count} Pods", lambda: enough(namespace, "batch.kubernetes.io/job-name", 2 * count), 60 + count, every=0.5)
    print(f"    {2 * count} Pods were created within {time.monotonic() - begun:.1f} s")
    without = [pod["metadata"]["name"] for pod in pods
               if env_of(pod).get("TPU_WORKER_ID") != pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]]
    jobs = namespace.api.list("batch/v1", "Job", namespace.name)
    failed = [job["metadata"]["name"] for job in jobs if (job.get("status") or {}).get("failed")]
    assert (without, failed, len(jobs)) == ([], [], count)


def test_ray_workers_by_claim_have_their_places(claiming, namespace):
    """Through the ledger, which asks a second time: two slices of four hosts, each id once."""
    (cluster,) = manifest("raycluster.yaml")
    (group,) = cluster["spec"]["workerGroupSpecs"]
    group["template"]["spec"] = by_claim.converted(group["template"]["spec"])
    namespace.create(cluster)
    namespace.create(by_claim.template("chips-4", 4))
    workers = wait_for("eight workers", lambda: enough(namespace, "ray.io/node-type=worker", 8), 60)
    places = {(pod["metadata"]["labels"].get("replicaIndex"), env_of(pod).get("TPU_WORKER_ID")) for pod in workers}
    assert len(places) == 8 and {worker for _, worker in places} == {"0", "1", "2", "3"}, places


def test_claims_on_other_devices_change_nothing_and_wait_only_without_a_server(claiming, namespace):
    """A GPU Pod is left alone, with its template before or after it in time; with no replica it is refused, since nobody can tell,
    unless it selects nodes with GPUs."""
    namespace.create(by_claim.template("gpus", 8, "gpu.nvidia.com"))
    assert untouched(namespace.create(gpu_pod("known")))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        late = pool.submit(namespace.create, gpu_pod("late", "late-gpus"))
        time.sleep(0.5)
        namespace.create(by_claim.template("late-gpus", 8, "gpu.nvidia.com"))
        assert untouched(late.result())
    with down(claiming):
        with pytest.raises(Refused, match="claims.pods.tpu-webhook.dev"):
            namespace.create(gpu_pod("waits"))
        selects = gpu_pod("selects")
        selects["spec"]["nodeSelector"] = {"cloud.google.com/gke-accelerator": "nvidia-l4"}
        assert untouched(namespace.create(selects))


def test_a_pod_whose_template_never_comes_is_refused(claiming, namespace):
    """After a while, and whoever made it reads which template is missing: the API server shows our words, and no deadline."""
    begun = time.monotonic()
    with pytest.raises(Refused, match=f"claims.pods.tpu-webhook.dev.*ResourceClaimTemplate {namespace.name}/nowhere is not there") as refused:
        namespace.create(gpu_pod("never", "nowhere"))
    print(f"    {time.monotonic() - begun:.1f} s: {refused.value}")
    assert {line["reason"] for line in claiming.reviews(namespace.name)} == {"no_claim"}
    assert not namespace.pods()


def test_a_claim_by_its_own_name_is_counted(claiming, namespace):
    """Two Pods that somebody wrote name a claim each, and are hosts of one slice. Pods of a Job that name one claim have their
    ids as well, and a word: they would share the chips of one node."""
    names = ",".join(f"own-{number}.own" for number in range(2))
    for number in range(2):
        namespace.create(by_claim.claim(f"chips-{number}", 4))
    for number in range(2):
        own = naming(member(f"own-{number}", number, job="own"), f"chips-{number}")
        own["metadata"] = {"name": own["metadata"]["name"], "annotations": {"tpu-webhook.dev/hostnames": names, "tpu-webhook.dev/worker-id": str(number)}}
        made, said = answered(namespace, own)
        assert (env_of(made)["TPU_WORKER_ID"], env_of(made)["TPU_WORKER_HOSTNAMES"]) == (str(number), names) and "TPU-115" not in said, said
    made, said = answered(namespace, naming(member("of-a-job", 1), "chips-0"))
    assert env_of(made)["TPU_WORKER_ID"] == "1" and "TPU-115: the Pod asks for its chips by ResourceClaim chips-0" in said, said


def test_a_device_class_of_another_name_is_the_drivers(claiming, namespace, api):
    """Where its selectors say so; of a class that is not there nothing is known, which is said."""
    name = f"class-of-{namespace.name}"
    namespace.create(by_claim.template("chips", 4, name))
    pod = naming(member("of-a-class", 1), "chips", "resourceClaimTemplateName")
    bare, said = answered(namespace, pod)
    assert untouched(bare) and f"DeviceClass {name}, which is not known" in said, said
    selector = {"cel": {"expression": 'device.driver == "tpu.google.com"'}}
    with made(api, {"apiVersion": by_claim.CLAIMS, "kind": "DeviceClass", "metadata": {"name": name}, "spec": {"selectors": [selector]}}):
        wait_for("the class to be known", lambda: env_of(answered(namespace, pod)[0]).get("TPU_WORKER_ID") == "1", 30, every=0.2)


@pytest.mark.parametrize("file", MANIFESTS, ids=lambda file: file.stem)
def test_a_manifest_by_claim_is_answered_as_explained(claiming, plane, namespace, api, tools, file):
    """The shapes of the driver's samples, of DRANET's and of guide 003: each object and a Pod of each template, by dry run."""
    with contextlib.ExitStack() as stack:
        for obj in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            if obj["kind"] == "DeviceClass":
                stack.enter_context(made(api, obj))
            elif obj["apiVersion"].startswith("resource.k8s.io/"):
                namespace.create(obj)
        command = [tools, "explain", file, "--cluster", "--dry-run", "--kubeconfig", plane.kubeconfig, "-n", namespace.name, "-o", "json"]
        answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    tried = json.loads(answer.stdout)["dryRun"]
    pods = [one for one in tried if "Pod" in one["what"].split()[:2] or "Pods" in one["what"].split()[:2]]
    expected = "answers as this program does", "gets its id when its RayCluster is stored"
    assert pods and all(any(part in one["sentence"] for part in expected) and not one["differs"] for one in pods), tried


# ---- parts


def answered(namespace, pod: dict) -> tuple:
    """The Pod as it would be created, and what its author reads."""
    pod = namespace.here(pod)
    refused, said = namespace.api.told(pod)
    assert not refused, said
    return namespace.api.create(pod, dry_run=True), said


def naming(pod: dict, name: str, key: str = "resourceClaimName") -> dict:
    pod = copy.deepcopy(pod)
    (container,) = pod["spec"]["containers"]
    container["resources"] = {"claims": [{"name": "chips"}]}
    pod["spec"]["resourceClaims"] = [{"name": "chips", key: name}]
    return pod


def said_offline(tools, folder, reviews: list, templates: list) -> list:
    """The answers of `kubectl tpu review`, which knows the templates from a file."""
    cluster, recorded = folder / "cluster.json", folder / "reviews.jsonl"
    cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": templates}), encoding="utf-8")
    recorded.write_text("".join(json.dumps(review) + "\n" for review in reviews), encoding="utf-8")
    command = [str(tools), "review", str(recorded), "--cluster", str(cluster), "--no-placement-hint", "--output", "review"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode in (0, 1), answer.stderr
    out = [json.loads(line) for line in answer.stdout.splitlines()]
    assert len(out) == len(reviews), answer.stderr
    return out


def is_rays_without_indices(review: dict) -> bool:
    labels = review["request"]["object"]["metadata"].get("labels") or {}
    return labels.get("ray.io/node-type") == "worker" and "ray.io/worker-group-replica-index" not in labels


def job(number: int) -> dict:
    (made,) = [copy.deepcopy(obj) for obj in manifest("job-2x4.yaml") if obj["kind"] == "Job"]
    made["metadata"]["name"] = f"by-claim-{number}"
    template = made["spec"]["template"]
    template["spec"] = by_claim.converted(template["spec"], lambda _: f"chips-{number}")
    return made


def gpu_pod(name: str, template: str = "gpus") -> dict:
    pod = member(name, 0)
    pod["spec"].pop("nodeSelector")
    (container,) = pod["spec"]["containers"]
    container["resources"] = {"claims": [{"name": "gpus"}]}
    pod["spec"]["resourceClaims"] = [{"name": "gpus", "resourceClaimTemplateName": template}]
    return pod


def enough(namespace, labels: str, count: int) -> list | None:
    pods = namespace.pods(labels)
    return pods if len(pods) == count else None
