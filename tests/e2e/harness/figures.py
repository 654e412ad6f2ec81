"""What the API server itself measured of the webhooks it called for Pods."""

import collections
import contextlib
import re
import time

from .api import Api

METRIC = "apiserver_admission_webhook_admission_duration_seconds"
PODS = ("jobset.pods.tpu-webhook.dev", "pods.tpu-webhook.dev", "mpod.kb.io", "vpod.kb.io")  # ours; JobSet's, LWS's and Kueue's by one name
GROUP = "admissionregistration.k8s.io/v1"
KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SETTLE = 2.0  # seconds until a configuration that is gone is not called any more


def measured(api: Api) -> dict:
    """Webhook -> (seconds in all, {bucket: calls within}), for CREATE, since the API server's start."""
    sums, buckets = collections.Counter(), collections.defaultdict(collections.Counter)
    for kind, labels, value in re.findall(rf"^{METRIC}_(bucket|sum){{(.*)}} (\S+)$", api.metrics(), re.M):
        found = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        if found["operation"] != "CREATE" or found["name"] not in PODS:
            continue
        if kind == "sum":
            sums[found["name"]] += float(value)
        else:
            buckets[found["name"]][float(found["le"].replace("+Inf", "inf"))] += float(value)
    return {name: (sums[name], buckets[name]) for name in buckets}


def lines(after: dict, before: dict | None = None) -> str:
    """One line per webhook for the calls between two measurements."""
    found = []
    for name, (seconds, bucket) in after.items():
        old_seconds, old_bucket = (before or {}).get(name, (0.0, {}))
        since = {limit: count - old_bucket.get(limit, 0) for limit, count in bucket.items()}
        calls = since[float("inf")]
        if calls:
            mean = 1e3 * (seconds - old_seconds) / calls
            found.append(f"  {name:<22}{calls:>5.0f} calls, mean {mean:>6.1f} ms, half within "
                         f"{_within(since, calls / 2)} ms, 99 % within {_within(since, 0.99 * calls)} ms")
    return "\n".join(found)


@contextlib.contextmanager
def unregistered(api: Api, *operators: str):
    """While this holds, these operators' webhooks are not called: to compare, or to spare what they cost."""
    begin = tuple(f"{operator}-" for operator in operators)
    taken = [obj for kind in KINDS for obj in api.list(GROUP, kind) if obj["metadata"]["name"].startswith(begin)]
    for obj in taken:
        api.delete(GROUP, obj["kind"], obj["metadata"]["name"])
    time.sleep(SETTLE)
    try:
        yield
    finally:
        for obj in taken:
            metadata = {key: obj["metadata"][key] for key in ("name", "labels", "annotations") if key in obj["metadata"]}
            api.create({**obj, "metadata": metadata})
        time.sleep(SETTLE)


def _within(bucket: dict, wanted: float) -> str:
    return f"{1e3 * min(limit for limit, count in bucket.items() if count >= wanted):.0f}"
