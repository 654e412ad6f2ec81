"""The chart as a user installs it: by Helm, from an image, its Pods on real nodes. Nothing of it is a stand-in."""

import json
import subprocess
import tempfile

from controlplane import programs
from controlplane.real.images import webhook
from controlplane.state import State

from .api import Api, wait_for
from .chart import CHART
from .pods import injected, member
from .release import NAME, NAMESPACE, PROBES

SECONDS = 120


class Installed:
    """`nodes`: those that are given the image. Values are the chart's own but for the mode and the number of replicas."""

    def __init__(self, state: State, api: Api, archives: dict, nodes: list):
        self._state, self._api = state, api
        repository, _, tag = webhook.name().rpartition(":")
        self.replicas = 2
        self._values = {"image": {"repository": repository, "tag": tag}, "replicas": self.replicas, "config": {"mode": "enforce"}}
        self._nodes = nodes
        for one in nodes:
            one.load(archives[webhook.name()])

    def install(self) -> None:
        self.helm("install", "--create-namespace")
        self._api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PROBES}})
        self.wait_called()

    def upgrade(self, values: dict) -> None:
        """`helm upgrade --wait` with these values over ours."""
        self.helm("upgrade", values=values)

    def rollback(self) -> None:
        """To the revision before."""
        self._helm("rollback", NAME, f"--timeout={SECONDS}s")

    def uninstall(self) -> None:
        self._helm("uninstall", NAME)

    def helm(self, verb: str, *arguments: str, values: dict | None = None) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump({**self._values, **(values or {})}, file)
            file.flush()
            self._helm(verb, NAME, str(CHART), "--values", file.name, *arguments, f"--timeout={SECONDS}s")

    def _helm(self, verb: str, *arguments: str) -> None:
        _run([programs.path("helm"), verb, *arguments, "--namespace", NAMESPACE, "--wait"], self._state)

    def pods(self) -> list:
        """Those that are Ready."""
        found = self._api.list("v1", "Pod", NAMESPACE, f"app.kubernetes.io/name={NAME}")
        return [pod for pod in found if _ready(pod) and "deletionTimestamp" not in pod["metadata"]]

    def kill(self, pod: dict) -> None:
        """End the process of this Pod by SIGKILL, then delete the Pod, whose ReplicaSet makes another one."""
        mine = f"/pod{pod['metadata']['uid']}/"  # in the path of its cgroup, of either version
        end = f"for one in $(pidof tpu-webhook); do grep -q {mine} /proc/$one/cgroup && kill -9 $one && echo $one; done; true"
        assert any(one.run("sh", "-c", end) for one in self._nodes), f"{pod['metadata']['name']} runs nowhere"
        self._api.delete("v1", "Pod", pod["metadata"]["name"], NAMESPACE)

    def wait_called(self) -> None:
        """Until a Pod that asks for TPUs comes back with what we add."""
        pod = member("probe", 0)
        pod["metadata"]["namespace"] = PROBES
        wait_for(f"{NAME} to be called", lambda: injected(self._api.create(pod, dry_run=True)), 60, every=0.1)


def _ready(pod: dict) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


def _run(command: list, state: State) -> str:
    answer = subprocess.run([*command, "--kubeconfig", str(state.kubeconfig)], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"{' '.join(command[1:3])}: {answer.stderr.strip()}\n{answer.stdout[-2000:]}")
    return answer.stdout
