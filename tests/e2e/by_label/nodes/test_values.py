"""Whose value wins inside of a container: docs/facts.md#whose-value-wins, row by row.

Each case starts one Pod on a real node and reads the environment of its container, which nothing interprets.
"""

import json

import pytest

from harness import training
from harness.api import wait_for
from harness.namespace import node_of

SHOW = "import json, os; print(json.dumps(dict(os.environ)), flush=True)"
CDI = {"cdiVersion": "0.6.0", "kind": "e2e.tpu-webhook.dev/device",
       "devices": [{"name": "one", "containerEdits": {"env": ["WHO=cdi", "FROM_CDI=yes"]}}]}
DEVICE = "e2e.tpu-webhook.dev/device=one"


@pytest.fixture
def host(machines):
    """A host of slice-a that offers what a case says; afterwards what GKE's device plugin does."""
    one = machines["slice-a"][0]
    one.know(CDI)
    yield one
    one.offer()


def pod(host, env=(), annotations=None, command=SHOW, restart="Never") -> dict:
    container = {"name": "c", "image": training.READER, "command": ["python", "-c", command], "env": list(env),
                 "resources": {"limits": {"google.com/tpu": "4"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "shows", "annotations": annotations or {}},
            "spec": {"restartPolicy": restart, "nodeSelector": {"kubernetes.io/hostname": host.name}, "containers": [container]}}


def shown(namespace, made: dict) -> dict:
    """The environment of its container."""
    namespace.create(made)
    wait_for("the container to end", lambda: over(namespace), 60)
    return json.loads(namespace.kubectl("logs", "shows").stdout)


def over(namespace) -> bool:
    return namespace.get("v1", "Pod", "shows")["status"].get("phase") in ("Succeeded", "Failed")


def value(name: str, text: str) -> dict:
    return {"name": name, "value": text}


def test_the_pod_over_the_device_plugin_over_the_image(release, namespace, host):
    host.offer({"WHO": "plugin", "FROM_PLUGIN": "yes", "LANG": "plugin"})
    said = shown(namespace, pod(host, [value("WHO", "pod")]))
    assert said["WHO"] == "pod" and said["FROM_PLUGIN"] == "yes"
    assert said["LANG"] == "plugin", "the image says C.UTF-8"


def test_cdi_over_the_pod(release, namespace, host):
    """A driver that edits containers has the last word, whatever was injected."""
    host.offer({"WHO": "plugin"}, cdi=[DEVICE])
    said = shown(namespace, pod(host, [value("WHO", "pod")]))
    assert said["WHO"] == "cdi" and said["FROM_CDI"] == "yes"


def test_an_annotation_asks_for_no_cdi_device(release, namespace, host):
    said = shown(namespace, pod(host, [value("WHO", "pod")], {"cdi.k8s.io/e2e": DEVICE}))
    assert said["WHO"] == "pod" and "FROM_CDI" not in said


def test_an_empty_value_is_a_value(release, namespace, host):
    host.offer({"WHO": "plugin"})
    assert shown(namespace, pod(host, [value("WHO", "")]))["WHO"] == ""


def test_a_reference_meets_the_pods_own_variables_alone(release, namespace, host):
    """$(NAME) is expanded by the kubelet, before it asks a device plugin or a driver."""
    host.offer({"FROM_PLUGIN": "yes"}, cdi=[DEVICE])
    said = shown(namespace, pod(host, [value("OWN", "pod"), value("A", "$(OWN)"), value("B", "$(FROM_PLUGIN)"), value("C", "$(FROM_CDI)")]))
    assert [said[name] for name in "ABC"] == ["pod", "$(FROM_PLUGIN)", "$(FROM_CDI)"]


def test_an_annotation_is_read_when_a_container_starts(release, namespace, host):
    """A value by fieldRef is that of the last start: one that changes meanwhile is read by the next."""
    path = "metadata.annotations['e2e.tpu-webhook.dev/told']"
    env = [{"name": "TOLD", "valueFrom": {"fieldRef": {"fieldPath": path}}}, value("AGAIN", "$(TOLD)")]
    ends_once = SHOW + "; import time, sys; time.sleep(6); sys.exit(1)"
    made = namespace.create(pod(host, env, {"e2e.tpu-webhook.dev/told": "first"}, ends_once, "Always"))
    assert node_of(made) == ""
    wait_for("the first start", lambda: namespace.kubectl("logs", "shows").stdout, 60)
    namespace.api.patch("v1", "Pod", "shows", {"metadata": {"annotations": {"e2e.tpu-webhook.dev/told": "second"}}}, namespace.name)
    inside = namespace.kubectl("exec", "shows", "--", "python", "-c", SHOW)
    assert json.loads(inside.stdout)["TOLD"] == "first"

    def restarted():
        status = namespace.get("v1", "Pod", "shows")["status"]["containerStatuses"][0]
        return status["restartCount"] >= 1 and "running" in status["state"]

    wait_for("a second start", restarted, 60)
    said = json.loads(wait_for("its word", lambda: namespace.kubectl("logs", "shows").stdout, 20))
    assert said["TOLD"] == said["AGAIN"] == "second"
