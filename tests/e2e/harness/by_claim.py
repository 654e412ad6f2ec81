"""Pods that ask for their chips by resource claim in place of google.com/tpu, and the templates that they name."""

import copy
import json
import pathlib
import sys
import uuid

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import golden_reviews  # noqa: E402

from . import forged  # noqa: E402

TESTS = golden_reviews.TESTS
TPU = "google.com/tpu"
CLAIMS = "resource.k8s.io/v1"


def template(name: str, count: int, device_class: str = "tpu.google.com", **more) -> dict:
    request = {"name": "devices", "exactly": {"deviceClassName": device_class, "count": count, **more}}
    return {"apiVersion": CLAIMS, "kind": "ResourceClaimTemplate", "metadata": {"name": name},
            "spec": {"spec": {"devices": {"requests": [request]}}}}


def claim(name: str, count: int) -> dict:
    """One that a Pod names itself."""
    made = template(name, count)
    return {**made, "kind": "ResourceClaim", "spec": made["spec"]["spec"]}


def converted(spec: dict, named=lambda count: f"chips-{count}") -> dict:
    """The specification of a Pod with a claim for each container that has chips; `named` gives the template of a count."""
    spec = copy.deepcopy(spec)
    for kind in ("containers", "initContainers"):
        for number, container in enumerate(spec.get(kind) or []):
            resources = container.get("resources") or {}
            chips = str((resources.get("limits") or resources.get("requests") or {}).get(TPU, ""))
            if not chips.isdecimal() or int(chips) == 0:
                continue
            for part in ("limits", "requests"):
                (resources.get(part) or {}).pop(TPU, None)
            claim = f"{kind[0]}{number}"
            resources.setdefault("claims", []).append({"name": claim})
            spec.setdefault("resourceClaims", []).append({"name": claim, "resourceClaimTemplateName": named(int(chips))})
    return spec


def names(spec: dict) -> set:
    return {each["resourceClaimTemplateName"] for each in spec.get("resourceClaims") or [] if "resourceClaimTemplateName" in each}


def reviews(namespace: str) -> list:
    """(where it is from, the review) of every recorded, golden and generated Pod with chips, as one by claim, in a namespace."""
    found = []
    for file in [*sorted(TESTS.glob("golden/recorded/*/reviews.jsonl")), *sorted(TESTS.glob("support/workloads/*.jsonl"))]:
        lines = file.read_text(encoding="utf-8").splitlines()
        found += [(f"{file.relative_to(TESTS)}#{number}", json.loads(line)) for number, line in enumerate(lines, 1)]
    found += [(str(folder.relative_to(TESTS)), golden_reviews.review_of(folder)) for folder in golden_reviews.cases()]
    out = []
    for where, review in found:
        request = review.get("request") or {}
        pod = request.get("object") or {}
        if (request.get("kind") or {}).get("kind") != "Pod" or TPU not in json.dumps(pod.get("spec")):
            continue
        review = copy.deepcopy(review)
        request = review["request"]
        request["object"]["spec"] = converted(pod["spec"])
        request["uid"], request["namespace"] = str(uuid.uuid4()), namespace
        if "namespace" in request["object"]["metadata"]:
            request["object"]["metadata"]["namespace"] = namespace
        out.append((where, review))
    return out


def ask(release, review: dict) -> tuple:
    """(status, answer) of a replica, which is asked as the API server asks it."""
    status, answer = forged.ask(release, "/mutate?timeout=10s", json.dumps(review))
    return status, json.loads(answer)
