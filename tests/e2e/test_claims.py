"""Story 16, chips by resource claim (config.claims): the running server answers as `review` does offline; a template that is
applied together with its Job is known in time; claims on other devices are nobody's business.

No driver is there and no device, so that the Pods stay Pending: what is looked at is what they were created with.
"""

import concurrent.futures
import copy
import json
import subprocess
import time

import pytest

from harness import by_claim
from harness.api import Refused, wait_for
from harness.namespace import manifest
from harness.pods import env_of, member, untouched
from harness.trouble import down

READING = {"config": {"mode": "enforce", "claims": True, "placementHint": False}}
POD = ("v1", "Pod")


@pytest.fixture(scope="module", name="claiming")
def _claiming(release):
    """The release with claims read. Without the hint, which depends on nodes that offline nobody has."""
    with release.reinstalled(READING) as installed:
        yield installed


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
    """50 Jobs of two hosts, each with a template of its own, half of them before it: by_label/test_claims_together.py has 500."""
    together(namespace, 50)


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
    """The API server asks again until its own deadline, and says that: which template is missing the Pod says itself."""
    with pytest.raises(Refused, match="claims.pods.tpu-webhook.dev.*deadline exceeded"):
        namespace.create(gpu_pod("never", "nowhere"))
    assert {line["reason"] for line in claiming.reviews(namespace.name)} == {"no_claim"}
    assert not namespace.pods()


# ---- parts


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


def together(namespace, count: int) -> None:
    """`count` Jobs and as many templates, applied by eight at once, every second Job before its template."""
    def apply(number: int) -> None:
        objects = [by_claim.template(f"chips-{number}", 4), job(number)]
        for obj in objects if number % 2 else reversed(objects):
            namespace.create(obj)

    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(apply, range(count)))
    pods = wait_for(f"{2 * count} Pods", lambda: enough(namespace, "batch.kubernetes.io/job-name", 2 * count), 60 + count, every=0.5)
    print(f"    {2 * count} Pods after {time.monotonic() - begun:.1f} s")
    without = [pod["metadata"]["name"] for pod in pods
               if env_of(pod).get("TPU_WORKER_ID") != pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]]
    jobs = namespace.api.list("batch/v1", "Job", namespace.name)
    failed = [job["metadata"]["name"] for job in jobs if (job.get("status") or {}).get("failed")]
    assert (without, failed, len(jobs)) == ([], [], count)


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
