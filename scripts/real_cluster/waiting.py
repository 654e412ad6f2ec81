"""Waits for Pods, and what their containers said."""

from __future__ import annotations

import json
import re
import time

from .kubectl import Kubectl
from .screen import Screen

SCHEDULED_SECONDS = 90
MARK = "tpu-webhook-try "
_NO_IMAGE = (
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
)


class GaveUp(Exception):
    """Why nobody waits longer: words of ours. `running`: Pods whose containers had begun, and did not end."""

    def __init__(self, why: str, running: list = ()):
        super().__init__(why)
        self.why, self.running = why, list(running)


def ended(kubectl: Kubectl, screen: Screen, selector: str, count: int, seconds: int) -> list:
    """`count` Pods, once all have ended, by name."""
    began = time.monotonic()
    while True:
        pods = sorted(kubectl.here("pods", f"--selector={selector}"), key=lambda pod: pod["metadata"]["name"])
        passed = time.monotonic() - began
        if len(pods) == count and all(map(_over, pods)):
            return pods
        if blocked := [reason for pod in pods for reason in _reasons(pod) if reason in _NO_IMAGE]:
            raise GaveUp(f"a container was not started: {blocked[0]}")
        unbound = sum(not pod["spec"].get("nodeName") for pod in pods) + max(0, count - len(pods))
        if unbound and passed > SCHEDULED_SECONDS:
            raise GaveUp(f"{unbound} of {count} Pods not on a node after {SCHEDULED_SECONDS} s")
        if passed > seconds:
            running = [pod for pod in pods if pod["status"].get("phase") == "Running"]
            raise GaveUp(
                f"{sum(not _over(pod) for pod in pods)} of {count} Pods have not ended after {seconds} s", running
            )
        screen.progress(f"{_state(pods, count)}, {passed:.0f} s of at most {seconds} s")
        time.sleep(1)


def printed(kubectl: Kubectl, pod: dict, container: str) -> tuple:
    """(what our program printed, {} if it did not come so far; the last line that means something)."""
    lines = [line for line in kubectl.logs(pod["metadata"]["name"], container).splitlines() if line.strip()]
    said = next(filter(None, (_said(line) for line in reversed(lines))), {})
    errors = [
        line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception|Exit)\b", line)
    ]  # a traceback ends with one
    return said, (errors or lines or ["nothing"])[-1].strip()


def _said(line: str) -> dict:
    """Of a line of our program; {} of any other, and of one that was cut."""
    if not line.startswith(MARK):
        return {}
    try:
        return json.loads(line[len(MARK) :])
    except ValueError:
        return {}


def variables(pod: dict) -> dict:
    """What its specification sets, after all webhooks: literal values."""
    container = next(
        one for one in pod["spec"]["containers"] if one["name"] in ("host", "member")
    )  # others may be injected
    return {one["name"]: one.get("value", "") for one in container.get("env", []) if "valueFrom" not in one}


def _over(pod: dict) -> bool:
    return pod["status"].get("phase") in ("Succeeded", "Failed")


def _reasons(pod: dict) -> list:
    """Why its containers wait."""
    statuses = pod["status"].get("initContainerStatuses", []) + pod["status"].get("containerStatuses", [])
    return [one.get("state", {}).get("waiting", {}).get("reason", "") for one in statuses]


def _state(pods: list, count: int) -> str:
    over = sum(map(_over, pods))
    runs = sum(pod["status"].get("phase") == "Running" for pod in pods)
    starts = sum(bool(pod["spec"].get("nodeName")) for pod in pods) - over - runs
    starts = max(0, starts)
    return f"of {count} Pods {over} ended, {runs} run, {starts} start, {count - over - runs - starts} wait for a node"
