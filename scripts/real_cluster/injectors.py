"""Which programs change TPU Pods here, by the names that they have (docs/neighbours.md); others stay unnamed."""

from __future__ import annotations

from . import private
from .findings import Step
from .kubectl import Failed, Kubectl

OURS = "tpu-webhook"
KINDS = {"mutatingwebhookconfigurations": "mutating", "validatingwebhookconfigurations": "validating"}
NEIGHBOURS = (
    "jobset-mutating-webhook-configuration",
    "lws-mutating-webhook-configuration",
    "kueue-mutating-webhook-configuration",
)
DEVICE_CLASSES = ("tpu.google.com", "netdev.google.com")


def whose(configuration: dict) -> str:
    """Whose it is: tpu-webhook, KubeRay, gke-tpu-env-injector, GKE, neighbour; "" for anybody else's."""
    name = configuration["metadata"]["name"]
    webhooks = configuration.get("webhooks", [])
    entries = [entry["name"] for entry in webhooks]
    if name == OURS or any(entry.endswith(".tpu-webhook.dev") for entry in entries):
        return "tpu-webhook"
    if "kuberay-tpu" in name:
        return "KubeRay"
    if "gke-tpu-env-injector.aaronbatilo.dev" in entries:
        return "gke-tpu-env-injector"
    if name.endswith(".gke.io") and any(
        {"pods", "*", "*/*"} & set(rule.get("resources", []))
        for entry in webhooks
        for rule in entry.get("rules", [])
    ):
        return "GKE"
    return "neighbour" if name in NEIGHBOURS else ""


def read(kubectl: Kubectl, step: Step) -> list:
    found = []
    for kind, short in KINDS.items():
        try:
            items = kubectl.get(kind)["items"]
        except Failed as failed:
            step.not_known("injectors", f"{kind}: {failed.kind}")
            continue
        found += [_one(item, short) for item in sorted(items, key=lambda item: item["metadata"]["name"]) if whose(item)]
    injectors = [
        one["whose"] for one in found if one["kind"] == "mutating" and one["whose"] not in ("neighbour", "GKE")
    ]
    step.note("injectors", ", ".join(injectors) or "none that is known by name", fact="neighbours-names")
    return found


def _one(item: dict, kind: str) -> dict:
    """A configuration in the report. Of one that was renamed the name is its owner's, and is left out."""
    name, entries = item["metadata"]["name"], item.get("webhooks", [])
    public = name in (OURS, "kuberay-tpu-mutating-webhook-cfg", *NEIGHBOURS) or name.endswith(".gke.io")
    return {
        "name": name if public else private.HIDDEN,
        "kind": kind,
        "whose": whose(item),
        "entries": len(entries),
        "failurePolicy": sorted({entry.get("failurePolicy", "Fail") for entry in entries}),
        "reinvocationPolicy": (
            sorted({entry.get("reinvocationPolicy", "Never") for entry in entries}) if kind == "mutating" else []
        ),
    }


def device_classes(kubectl: Kubectl, step: Step) -> dict:
    try:
        names = [item["metadata"]["name"] for item in kubectl.get("deviceclasses.resource.k8s.io")["items"]]
    except Failed as failed:
        if failed.kind == "kind not served":
            step.note("device-classes", "the API server has none", fact="dra")
        else:
            step.not_known("device-classes", failed.kind, fact="dra")
        return {}
    found = {
        "names": [name for name in DEVICE_CLASSES if name in names],
        "others": sum(name not in DEVICE_CLASSES for name in names),
    }
    step.note("device-classes", ", ".join(found["names"]) or "none of TPUs", fact="dra")
    return found
