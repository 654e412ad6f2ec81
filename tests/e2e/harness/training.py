"""Workloads whose containers really run: what is changed in a manifest for it, and what was said in them.

Changed are the image, since none can be pulled here, the program of a container that asks for chips (trains.py, which
works without them), and requests for CPU and memory, of which these nodes have little. Nothing that names a place, an id
or another Pod is.
"""

import dataclasses
import json
import pathlib
import re

from controlplane.real.store import READER

from .api import wait_for
from .namespace import Namespace
from .slices import chips

PROGRAM = pathlib.Path(__file__).with_name("trains.py").read_text(encoding="utf-8")
SECONDS = 180


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
            resources = container.get("resources", {})
            for which in ("limits", "requests"):
                if which in resources:
                    resources[which] = {key: value for key, value in resources[which].items() if key not in ("cpu", "memory")}


def training(obj: dict) -> None:
    """The same, and containers that ask for chips train."""
    here(obj)
    for spec in pod_specs(obj):
        for container in spec["containers"]:
            if "google.com/tpu" in container.get("resources", {}).get("limits", {}):
                container.pop("args", None)
                container["command"] = ["python", "-c", PROGRAM]


def last_words(namespace: Namespace, count: int = 0, seconds: float = SECONDS) -> list:
    """Wait until the TPU containers of `count` Pods have ended at least once, and what they said. Without a count: of
    those that are there, since a controller takes away the others when one has failed."""
    pods = wait_for(f"{count or 'all'} Pods to end", lambda: _all_ended(namespace, count), seconds, every=0.3)
    return [said(namespace, pod, status) for pod in pods for status in _statuses(pod)]


def said(namespace: Namespace, pod: dict, status: dict, now: bool = False) -> Said:
    """`status`: of its container, which has ended, or `now` what the one that runs has said so far."""
    name = pod["metadata"]["name"]
    again = ["--previous"] if "terminated" not in status["state"] and not now else []
    log = namespace.kubectl("logs", name, "--container", status["name"], *again)
    lines = [line for line in (log.stdout + log.stderr).splitlines() if line.strip()]
    answer = next((json.loads(line) for line in reversed(lines) if line.startswith('{"process"')), {})
    return Said(name, status["name"], _last(lines), answer)


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


def _all_ended(namespace: Namespace, count: int) -> list:
    pods = [pod for pod in namespace.api.pods(namespace.name) if chips(pod) and "deletionTimestamp" not in pod["metadata"]]
    ended = [pod for pod in pods if (own := _statuses(pod)) and all(_ended(one) for one in own)]
    return sorted(ended, key=lambda pod: pod["metadata"]["name"]) if len(ended) == len(pods) == (count or len(pods)) else []


def _ended(status: dict) -> bool:
    return "terminated" in status["state"] or "terminated" in status.get("lastState", {})


def _statuses(pod: dict) -> list:
    """Of its containers that ask for chips."""
    asking = {one["name"] for one in pod["spec"]["containers"] if "google.com/tpu" in one.get("resources", {}).get("limits", {})}
    return [one for one in pod["status"].get("containerStatuses", []) if one["name"] in asking]


def pod_specs(obj) -> list:
    """The Pod specs of an object, however deep: what has containers."""
    if isinstance(obj, list):
        return [spec for item in obj for spec in pod_specs(item)]
    if not isinstance(obj, dict):
        return []
    if isinstance(obj.get("containers"), list):
        return [obj]
    return [spec for value in obj.values() for spec in pod_specs(value)]
