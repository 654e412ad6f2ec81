"""Workloads whose containers really run: what is changed in a manifest for it, and what was said in them.

Changed are the image, since none can be pulled here, the program of a container that asks for chips (trains.py, which
works without them), and what is asked of CPU and memory, of which these nodes have little. Nothing that names a place, an
id or another Pod is.
"""

import dataclasses
import json
import pathlib
import re
import subprocess

from controlplane import programs
from controlplane.nodes import TPU
from controlplane.real.store import READER

from .api import wait_for
from .namespace import Namespace

PROGRAM = pathlib.Path(__file__).with_name("trains.py").read_text(encoding="utf-8")
SECONDS = 180
CPU = "250m"  # without a request a container waits for all others of the machine


@dataclasses.dataclass
class Said:
    """Of one container: its last words."""

    pod: str
    container: str
    line: str  # the last one that is no traceback's frame
    answer: dict  # of trains.py; empty when it did not come so far


def here(obj: dict) -> None:
    """Change a manifest so that it runs here."""
    for spec in pod_specs(obj):
        spec["terminationGracePeriodSeconds"] = 2  # Python as the first process of a container hears no SIGTERM
        for container in spec.get("initContainers", []) + spec["containers"]:
            container["image"] = READER
            resources = container.setdefault("resources", {})
            for which in ("limits", "requests"):
                if which in resources:
                    resources[which] = {key: value for key, value in resources[which].items() if key not in ("cpu", "memory")}
            resources.setdefault("requests", {})["cpu"] = CPU


def training(obj: dict) -> None:
    """The same, and containers that ask for chips train."""
    here(obj)
    for spec in pod_specs(obj):
        for container in spec["containers"]:
            if _asks(container):
                container.pop("args", None)
                container["command"] = ["python", "-c", PROGRAM]


def last_words(namespace: Namespace, count: int = 0, seconds: float = SECONDS) -> list:
    """Wait until `count` TPU containers have ended, and what each said. Without a count: all that began, since a
    controller takes away the others when one has failed."""
    logs: dict = {}  # (uid, container) -> (Pod, its name, `kubectl logs --follow`): also of Pods that are gone by now

    def over():
        for pod in namespace.api.pods(namespace.name):
            for status in _statuses(pod):
                key = pod["metadata"]["uid"], status["name"]
                if key not in logs and "waiting" not in status["state"]:
                    logs[key] = pod["metadata"]["name"], status["name"], _follow(namespace, pod, status)
        return logs and len(logs) >= count and all(log.poll() is not None for *_, log in logs.values())

    try:
        wait_for(f"{count or 'all'} containers to end", over, seconds, every=0.2)
        return sorted((_said(pod, container, log.communicate()[0]) for pod, container, log in logs.values()), key=lambda one: one.pod)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{namespace.table()}") from None
    finally:
        for *_, log in logs.values():
            log.kill()


def said(namespace: Namespace, pod: dict, status: dict) -> Said:
    """What a container has said since its last start, `status` being its."""
    log = namespace.kubectl("logs", pod["metadata"]["name"], "--container", status["name"])
    return _said(pod["metadata"]["name"], status["name"], log.stdout)


def trained_as_one(words: list) -> list:
    """What is wrong with a job whose containers said this; nothing if it was one, of all of them."""
    if bare := [f"{one.pod}/{one.container}: {one.line}" for one in words if not one.answer]:
        return bare
    count, found = len(words), sorted(one.answer["process"] for one in words)
    wrong = [] if found == list(range(count)) else [f"processes {found} of {count}"]
    wrong += [f"{one.pod}: one of {one.answer['of']}" for one in words if one.answer["of"] != count]
    wrong += [f"{one.pod} heard {one.answer['heard']}" for one in words if one.answer["heard"] != list(range(count))]
    return wrong + [f"{one.pod}: loss {one.answer['loss']}" for one in words if not one.answer["loss"] < 0.01]


def _last(lines: list) -> str:
    """An exception's line ends a traceback; after it only the runtime's own words come."""
    errors = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception|Exit)\b", line)]
    return (errors or lines or ["nothing"])[-1].strip()


def _follow(namespace: Namespace, pod: dict, status: dict) -> subprocess.Popen:
    command = [programs.path("kubectl"), "--kubeconfig", str(namespace.state.kubeconfig), "--namespace", namespace.name,
               "logs", "--follow", pod["metadata"]["name"], "--container", status["name"]]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def _said(pod: str, container: str, text: str) -> Said:
    lines = [line for line in text.splitlines() if line.strip()]
    answer = next((json.loads(line) for line in reversed(lines) if line.startswith('{"process"')), {})
    return Said(pod, container, _last(lines), answer)


def _asks(container: dict) -> bool:
    """For chips."""
    return TPU in container.get("resources", {}).get("limits", {})


def _statuses(pod: dict) -> list:
    """Of its containers that ask for chips."""
    asking = {one["name"] for one in pod["spec"]["containers"] if _asks(one)}
    return [one for one in pod["status"].get("containerStatuses", []) if one["name"] in asking]


def pod_specs(obj) -> list:
    return [one["spec"] for one in pod_templates(obj)]


def pod_templates(obj) -> list:
    """The Pods and Pod templates of an object, however deep: what has a spec with containers."""
    if isinstance(obj, list):
        return [one for item in obj for one in pod_templates(item)]
    if not isinstance(obj, dict):
        return []
    if isinstance(obj.get("spec"), dict) and isinstance(obj["spec"].get("containers"), list):
        return [obj]
    return [one for value in obj.values() for one in pod_templates(value)]
