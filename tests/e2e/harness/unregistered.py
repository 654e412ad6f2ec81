"""Unregisters the webhooks of other operators for a while, because calls of these webhooks take time."""

import contextlib
import time

from .api import Api

GROUP = "admissionregistration.k8s.io/v1"
KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
SETTLE = 2.0  # seconds until a configuration that is gone is not called any more


@contextlib.contextmanager
def unregistered(api: Api, *operators: str):
    """Removes the webhook configurations of these operators until the end of the `with` block."""
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
