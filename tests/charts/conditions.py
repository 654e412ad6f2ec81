"""Which Pods reach the webhook, asked of a real API server: tests/e2e/up, then

    . /tmp/tpu-webhook-e2e/env && python3 tests/charts/conditions.py

Installs the chart's configuration with failurePolicy Fail and nobody behind it: a Pod that is
sent is refused with the webhook's name, any other is created (as dry run). Takes it away again.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import chart

KUBECTL = os.environ.get("KUBECTL", "kubectl")
WATCHED = "charts-watched"  # a shadow namespace
OURS = "tpu-webhook.dev/"


def container(name="c", **more):
    return {"name": name, "image": "i", **more}


def pod(*containers, annotations=None, labels=None, namespace="default", **spec):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"generateName": "p-", "namespace": namespace, "annotations": annotations, "labels": labels},
            "spec": {"containers": list(containers), **spec}}


LIMITS = container(resources={"limits": {"google.com/tpu": 4}})
CPU = container(resources={"limits": {"cpu": 1}, "requests": {"cpu": 1}})

# (name, Pod, what the answer says; "created" for a Pod that is not sent)
SENT, INVALID = 'failed calling webhook "pods.tpu-webhook.dev"', "spec.containers: Required value"
CASES = [
    ("cpu", pod(CPU), "created"),
    ("no resources", pod(container()), "created"),
    ("empty everything", pod(container(resources={"limits": {}, "requests": {}}), annotations={}, initContainers=[],
                             resourceClaims=[]), "created"),
    ("null everything", pod(container(resources={"limits": None}), initContainers=None, resourceClaims=None), "created"),
    ("another accelerator", pod(container(resources={"limits": {"nvidia.com/gpu": 1}})), "created"),
    ("limits", pod(LIMITS), SENT),
    ("requests alone", pod(container(resources={"requests": {"google.com/tpu": 4}})), SENT),
    ("second container", pod(container(), {**LIMITS, "name": "d"}), SENT),
    ("init container alone", pod(CPU, initContainers=[{**LIMITS, "name": "d"}]), SENT),
    ("init container without", pod(CPU, initContainers=[container("d")]), "created"),
    ("resource claims", pod(container(), resourceClaims=[{"name": "x", "resourceClaimName": "y"}]), SENT),
    ("our annotation", pod(container(), annotations={OURS + "inject": "false"}), SENT),
    ("our annotation, empty", pod(container(), annotations={OURS + "inject": ""}), SENT),
    ("annotations like ours", pod(container(), annotations={"tpu-webhook.devil/x": "", "x.tpu-webhook.dev/y": ""}), "created"),
    ("our label alone", pod(container(), labels={OURS + "slice-key": "x"}), "created"),
    ("ray head", pod(CPU, labels={"ray.io/node-type": "head"}, annotations={"ray.io/ft-enabled": "false"}), "created"),
    ("no containers", pod(), INVALID),
    ("null containers", pod(containers=None), INVALID),
    ("kube-system", pod(LIMITS, namespace="kube-system"), "created"),
    ("the webhook's namespace", pod(LIMITS, namespace=chart.NAMESPACE), "created"),
    ("shadow namespace", pod(LIMITS, namespace=WATCHED), "created"),
    ("500 annotations", pod(container(), annotations={f"a{i}": "" for i in range(500)}), "created"),
    ("501 annotations", pod(container(), annotations={f"a{i}": "" for i in range(501)}), SENT),
    ("500 containers", pod(*(container(f"c{i}") for i in range(500))), "created"),
    ("501 containers", pod(*(container(f"c{i}") for i in range(501))), SENT),
]


def kubectl(*arguments, given=None):
    text = given if isinstance(given, str) else json.dumps(given)
    answer = subprocess.run([KUBECTL, *arguments], input=text, text=True, capture_output=True, check=False)
    return answer.stdout + answer.stderr


def namespace(name, labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def main():
    if "NotFound" not in kubectl("get", "mutatingwebhookconfiguration", "tpu-webhook"):
        sys.exit("this wants a cluster without a MutatingWebhookConfiguration tpu-webhook")
    chart.options = argparse.Namespace(helm=chart.helm_program())
    rendered = chart.render({}, "--show-only", "templates/webhook.yaml")
    for one in (namespace(chart.NAMESPACE, {}), namespace(WATCHED, {OURS + "mode": "shadow"})):
        print(kubectl("apply", "--server-side", "-f", "-", given=one), end="")
    try:
        print(kubectl("apply", "--server-side", "--validate=strict", "-f", "-", given=rendered), end="")
        time.sleep(2)  # until the API server has seen the configuration
        failed = 0
        for name, given, wanted in CASES:
            said = kubectl("create", "--dry-run=server", "--validate=false", "-f", "-", given=given).strip()
            failed += wanted not in said
            print(f"ok  {name:24} {wanted}" if wanted in said else f"BAD {name:24} {said[:200]}")
        return 1 if failed else 0
    finally:
        print(kubectl("delete", "--ignore-not-found", "-f", "-", given=rendered), end="")
        print(kubectl("delete", "namespace", WATCHED, "--wait=false"), end="")


if __name__ == "__main__":
    sys.exit(main())
