"""The API server's audit log: what it says of the Pods of a namespace."""

import datetime
import json
import pathlib

from controlplane.state import State

from .api import wait_for

ROUND = "mutation.webhook.admission.k8s.io/round_"
FAILED_OPEN = "failed-open.mutation.webhook.admission.k8s.io/round_"


def size(state: State) -> int:
    """Bytes of the log: what is answered from now on stands behind them."""
    return _file(state).stat().st_size


def creations(state: State, namespace: str, since: int = 0) -> list:
    """One entry for each answered POST of a Pod there, in the log's order. `since`: a size() that it had."""
    found, wanted = [], f'"namespace":"{namespace}"'.encode()
    with open(_file(state), "rb") as log:
        log.seek(since)
        for line in log:
            if wanted not in line or not line.startswith(b"{") or not line.endswith(b"\n"):
                continue
            entry = json.loads(line)
            about = entry["objectRef"]
            if (entry["verb"], about["resource"], about["namespace"]) == ("create", "pods", namespace) and "subresource" not in about:
                found.append(entry)
    return found


def creation(state: State, namespace: str, pod: str, since: int = 0) -> dict:
    """The annotations of the last answered POST of this Pod, whether it was created or not."""
    def written():
        entries = [entry for entry in creations(state, namespace, since) if _name(entry) == pod]
        return entries[-1] if entries else None

    return wait_for(f"{pod} in the audit log", written, 10, every=0.05).get("annotations", {})


def rounds(annotations: dict, webhook: str) -> list:
    """For each round in which this webhook was called: did it change the Pod?"""
    calls = sorted((key, json.loads(value)) for key, value in annotations.items() if key.startswith(ROUND))
    return [call["mutated"] for _, call in calls if call["webhook"] == webhook]


def answered(annotations: dict) -> set:
    """The configurations of which a webhook was called for the Pod and answered."""
    return {json.loads(value)["configuration"] for key, value in annotations.items()
            if key.startswith(ROUND) and f"failed-open.{key}" not in annotations}


def patched_by(state: State, namespace: str, webhook: str) -> list:
    """The JSON patches that this webhook made for Pods there that were created."""
    found = []
    for entry in creations(state, namespace):
        for key, value in entry.get("annotations", {}).items():
            if key.startswith("patch.webhook.admission.k8s.io/round_"):
                call = json.loads(value)
                found += [call["patch"]] if call["webhook"] == webhook else []
    return found


def refused(state: State, namespace: str) -> list:
    """The messages of POSTs of Pods that failed."""
    return [entry["responseStatus"].get("message", "") for entry in creations(state, namespace)
            if entry["responseStatus"]["code"] >= 400]


def writes(state: State, user: str, resource: str) -> int:
    """How many creations, updates and deletions of a user's succeeded."""
    found = 0
    with open(_file(state), encoding="utf-8") as log:
        for line in log:
            if f'"{user}"' in line and line.endswith("\n"):
                entry = json.loads(line)
                found += (entry["user"]["username"] == user and entry["objectRef"]["resource"] == resource
                          and entry["verb"] in ("create", "update", "delete") and entry["responseStatus"]["code"] < 300)
    return found


def requests(state: State, user: str, since: int = 0) -> list:
    """When each request of a user came, in seconds of the API server's clock; watches are left out. `since`: a size()."""
    found = []
    with open(_file(state), "rb") as log:
        log.seek(since)
        for line in log:
            if f'"{user}"'.encode() not in line or not line.endswith(b"\n"):
                continue
            entry = json.loads(line)
            if entry["user"]["username"] == user and entry["verb"] != "watch":
                at = entry["requestReceivedTimestamp"].replace("Z", "+00:00")
                found.append(datetime.datetime.fromisoformat(at).timestamp())
    return sorted(found)


def used_by(state: State, user: str) -> set:
    """(API group, resource, verb) of each request of a user that was allowed."""
    found = set()
    with open(_file(state), encoding="utf-8") as log:
        for line in log:
            if f'"{user}"' not in line or not line.endswith("\n"):
                continue
            entry = json.loads(line)
            if entry["user"]["username"] == user and entry.get("responseStatus", {}).get("code") != 403:
                about = entry["objectRef"]
                found.add((about.get("apiGroup", ""), about["resource"], entry["verb"]))
    return found


def _file(state: State) -> pathlib.Path:
    return state.directory / "logs" / "audit.log"


def _name(entry: dict) -> str:
    return entry["objectRef"].get("name") or entry.get("requestObject", {}).get("metadata", {}).get("name", "")
