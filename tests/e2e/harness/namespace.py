"""A namespace of a story's own: manifests go in, Pods come out, nothing stays."""

import copy
import json
import pathlib
import subprocess
import time

import yaml

from controlplane import programs
from controlplane.state import State

from .api import Api, wait_for

MANIFESTS = pathlib.Path(__file__).resolve().parents[1] / "manifests"
CLUSTER_SCOPED = {"ResourceFlavor", "ClusterQueue", "WorkloadPriorityClass", "PriorityClass"}
FINISH = "e2e.tpu-webhook.dev/finish"  # controlplane/stages.yaml


class Namespace:
    def __init__(self, state: State, api: Api, name: str):
        self.name, self.api, self.state = name, api, state
        self.most_pods = 0  # seen at once, for the table
        self._made: list = []
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        # Until its ServiceAccount is there, Pods are refused.
        wait_for("the ServiceAccount", lambda: api.get("v1", "ServiceAccount", "default", name), 20, every=0.02)

    # -- in -----------------------------------------------------------------------------------

    def apply(self, *files: str, edit=None) -> list:
        """Create the objects of these manifests here; `edit(obj)` may change each before.

        Objects without a namespace are created once for all stories and stay.
        """
        return [self.create(obj, edit) for file in files for obj in manifest(file)]

    def create(self, obj: dict, edit=None) -> dict:
        obj = copy.deepcopy(obj)
        if edit:
            edit(obj)
        if obj["kind"] in CLUSTER_SCOPED:
            return self.api.get(obj["apiVersion"], obj["kind"], obj["metadata"]["name"]) or self.api.create(obj)
        obj["metadata"]["namespace"] = self.name
        self._made.append(self.api.create(obj))
        return self._made[-1]

    def here(self, obj: dict) -> dict:
        """Returns a copy of the object with this namespace."""
        return {**obj, "metadata": {**obj["metadata"], "namespace": self.name}}

    def delete(self, made: dict) -> None:
        """Delete what `create` returned, and with it everything it owns."""
        self.api.delete(made["apiVersion"], made["kind"], made["metadata"]["name"], self.name)

    def kubectl(self, *arguments: str) -> subprocess.CompletedProcess:
        """kubectl as a user of this namespace runs it; look at returncode, stdout and stderr."""
        command = [programs.path("kubectl"), "--kubeconfig", str(self.state.kubeconfig), "-n", self.name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def finish(self, pod: str, how: str) -> None:
        """Let the containers of a Pod end: how is "succeeded" or "failed"."""
        self.api.patch("v1", "Pod", pod, {"metadata": {"annotations": {FINISH: how}}}, self.name)

    # -- out ----------------------------------------------------------------------------------

    def pods(self, labels: str | None = None) -> list:
        """Pods that are neither leaving nor over."""
        found = [pod for pod in self.api.pods(self.name, labels) if not _over(pod)]
        self.most_pods = max(self.most_pods, len(found))
        return found

    def get(self, api_version: str, kind: str, name: str) -> dict | None:
        return self.api.get(api_version, kind, name, self.name)

    def running(self, count: int, seconds: float = 60, labels: str | None = None) -> list:
        """Wait until there are exactly `count` Pods and all run; returns them by name."""
        try:
            return wait_for(f"{count} running Pods", lambda: self._all_run(count, labels), seconds, every=0.1)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.table()}") from None

    def quiet(self, seconds: float, limit: float) -> list:
        """Wait until no Pod has come, gone, moved or changed its phase for `seconds`."""
        seen, since, start = None, time.monotonic(), time.monotonic()
        while time.monotonic() - since < seconds and time.monotonic() - start < limit:
            pods = self.pods()
            now = {pod["metadata"]["uid"]: (node_of(pod), pod["status"].get("phase")) for pod in pods}
            if now != seen:
                seen, since = now, time.monotonic()
            time.sleep(0.2)
        return self.pods()

    def table(self) -> str:
        """`kubectl get pods -o wide`, and why those that wait do."""
        why = self.kubectl("get", "events", "--field-selector", "type=Warning", "--sort-by=.lastTimestamp",
                           "-o", "custom-columns=OBJECT:.involvedObject.name,REASON:.reason,MESSAGE:.message")
        return self.kubectl("get", "pods", "-o", "wide").stdout + "\n".join(why.stdout.splitlines()[-12:])

    # -- away ---------------------------------------------------------------------------------

    def clear(self, seconds: float = 60) -> None:
        """Delete everything and wait until no Pod is left: nodes are shared."""
        self.empty(seconds)
        self.api.delete("v1", "Namespace", self.name)  # takes at least 5 s, and nobody waits for it

    def empty(self, seconds: float = 60) -> None:
        """Delete what was made here, owners first, and wait until no Pod is left."""
        for made in reversed(self._made):
            self.delete(made)
        self._made.clear()

        def gone() -> bool:
            left = self.api.pods(self.name)
            free = [pod for pod in left if "ownerReferences" not in pod["metadata"]]
            if free and len(free) == len(left):
                self.api.delete_all("v1", "Pod", self.name)
            else:
                for pod in free:
                    self.delete(pod)
            return not left

        wait_for(f"{self.name}'s Pods to go", gone, seconds, every=0.1)

    def keep(self, folder: pathlib.Path) -> None:
        """Write down what is here, for a story that failed."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pods.txt").write_text(self.table(), encoding="utf-8")
        (folder / "pods.json").write_text(json.dumps(self.api.pods(self.name), indent=1), encoding="utf-8")
        events = self.kubectl("get", "events", "-o", "wide").stdout
        (folder / "events.txt").write_text(events, encoding="utf-8")

    def _all_run(self, count: int, labels: str | None) -> list:
        pods = self.pods(labels)
        run = [pod for pod in pods if pod["status"].get("phase") == "Running"]
        return sorted(run, key=lambda pod: pod["metadata"]["name"]) if len(run) == len(pods) == count else []


def manifest(file: str) -> list:
    """The objects of tests/e2e/manifests/FILE."""
    text = (MANIFESTS / file).read_text(encoding="utf-8")
    return [document for document in yaml.safe_load_all(text) if document]


def node_of(pod: dict) -> str:
    return pod["spec"].get("nodeName", "")


def env_of(pod: dict, container: int = 0) -> dict:
    """The variables of a container that have a literal value."""
    entries = pod["spec"]["containers"][container].get("env", [])
    return {entry["name"]: entry.get("value", "") for entry in entries if "valueFrom" not in entry}


def _over(pod: dict) -> bool:
    return "deletionTimestamp" in pod["metadata"] or pod["status"].get("phase") in ("Succeeded", "Failed")
