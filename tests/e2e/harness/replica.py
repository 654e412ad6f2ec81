"""One replica: the program as the container of the rendered Deployment would run it.

What is changed of what the chart rendered, and nothing else:
* ports: `:10250` becomes a free port of 127.0.0.1, and so does every other containerPort, as all
  replicas share one network here;
* paths below a volumeMount's mountPath: the mount is a folder of this control plane, as there is
  no container to mount it in. Its files are the Secret's, as the API server returns them; of the
  program's configuration file each replica has a copy with its own ports and paths;
* environment entries from the Pod's own fields: the replica's name, 127.0.0.1;
* what the kubelet provides: the token of the ServiceAccount with ca.crt and namespace, in a folder that
  --service-account names, and KUBERNETES_SERVICE_HOST and _PORT.
"""

import base64
import json
import pathlib
import re
import signal
import urllib.request

import yaml

from controlplane import net, process
from controlplane.state import State

ADDRESS = "127.0.0.1"


class Replica:
    """`name` is that of its process, its log (DIR/logs/NAME.log) and its place in the relay."""

    def __init__(self, state: State, name: str, program: pathlib.Path, pod: dict, mounts: dict):
        self.name, self._state, self._program = name, state, program
        self._container = pod["containers"][0]
        self._mounts = mounts  # mountPath -> folder here
        sources = [source for volume in pod["volumes"] for source in volume.get("projected", {}).get("sources", [])]
        has_token = pod.get("automountServiceAccountToken", True) or any("serviceAccountToken" in source for source in sources)
        self._account = pod["serviceAccountName"] if has_token else None
        self.api_server = f"127.0.0.1:{state.ports['apiserver']}"  # where it finds it; a relay's address will do
        self.clock: list = []  # environment that shifts its wall clock
        self._process: process.Process | None = None
        rendered = [port["containerPort"] for port in self._container.get("ports", [])]
        self._ports = dict(zip(rendered, net.free_ports(len(rendered))))
        self._by_name = {port["name"]: port["containerPort"] for port in self._container.get("ports", [])}

    def start(self) -> None:
        """Start it; it is called once it is ready and the relay has noticed."""
        if self._account:
            self._write_account()
        self._process = process.start(self._state.directory, self.name, self.command(), self.entry()["address"])

    def command(self) -> list:
        """What is run. Nothing of our own environment: a container has none of it."""
        arguments = [self._here(self._own_file(argument)) for argument in self._container["args"]]
        environment = [f"{entry['name']}={self._value(entry)}" for entry in self._container.get("env", [])]
        if self._account:
            host, port = self.api_server.rsplit(":", 1)
            environment += [f"KUBERNETES_SERVICE_HOST={host}", f"KUBERNETES_SERVICE_PORT={port}"]
            arguments.append(f"--service-account={self.account_folder}")
        return ["env", "-i", "PATH=/usr/bin:/bin", *environment, *self.clock, str(self._program), *arguments]

    @property
    def account_folder(self) -> pathlib.Path:
        """token, ca.crt and namespace, as the kubelet mounts them."""
        return self._state.directory / "release" / f"{self.name}-account"

    def _write_account(self) -> None:
        self.account_folder.mkdir(parents=True, exist_ok=True)
        token = self._state.client().token("tpu-webhook", self._account)
        for name, text in {"token": token, "namespace": "tpu-webhook",
                           "ca.crt": (self._state.pki / "ca.crt").read_text(encoding="utf-8")}.items():
            (self.account_folder / name).write_text(text, encoding="utf-8")

    def terminate(self, seconds: float = 40) -> int | None:
        """SIGTERM, as the kubelet; returns the exit code, None if it still runs after `seconds`."""
        self.signal(signal.SIGTERM)
        return self.wait_exit(seconds)

    def wait_exit(self, seconds: float = 40) -> int | None:
        """The exit code, once it has ended; negative: the signal that ended it."""
        return process.wait_exit(self._process, seconds)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone: what answers at its ports after that is another process."""
        self.signal(signal.SIGKILL)
        self.wait_exit()
        if self.alive():
            raise RuntimeError(f"{self.name} does not go")

    def signal(self, number: int) -> None:
        process.signal_one(self._process, number)

    def alive(self) -> bool:
        return self._process is not None and self._process.alive()

    @property
    def pid(self) -> int:
        return self._process.pid

    def forget(self) -> None:
        """End it if it runs, and remove it from the control plane's list."""
        if self._process:
            process.stop(self._state.directory, [self._process], at_once=True)

    def entry(self) -> dict:
        """Its entry in the relay's table: where to connect, and the rendered readinessProbe."""
        probe = self._container["readinessProbe"]["httpGet"]
        scheme = probe.get("scheme", "HTTP").lower()
        return {
            "address": f"{ADDRESS}:{self.port('https')}",
            "ready": f"{scheme}://{ADDRESS}:{self.port(probe['port'])}{probe['path']}",
        }

    def log(self) -> list:
        """Its lines, over all its starts, as dictionaries (--log-format json)."""
        file = self._state.directory / "logs" / f"{self.name}.log"
        if not file.exists():
            return []
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]

    @property
    def health(self) -> str:
        """HOST:PORT of the container port `health`."""
        return f"{ADDRESS}:{self.port('health')}"

    def metrics(self) -> dict:
        """What Prometheus would read of it: 'name{label="x"}' -> value."""
        with urllib.request.urlopen(f"http://{self.health}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        samples = (line.rpartition(" ") for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, _, value in samples}

    def reviews(self) -> list:
        """One entry per review it answered: uid, namespace, owner, outcome, reason, worker, …"""
        return [line for line in self.log() if line.get("msg") == "review"]

    def port(self, port) -> int:
        """Where a container port, by name or number, is here."""
        return self._ports[self._by_name.get(port, port)]

    def _here(self, argument: str) -> str:
        for mount, folder in self._mounts.items():
            argument = re.sub(rf"(^|=){re.escape(mount)}(?=/|$)", rf"\g<1>{folder}", argument)
        for rendered, free in self._ports.items():
            argument = re.sub(rf"(^|=)[^=/]*:{rendered}$", rf"\g<1>{ADDRESS}:{free}", argument)
        return argument

    def _own_file(self, argument: str) -> str:
        """--config=FILE, in a copy of this replica's whose texts are as the arguments would be here."""
        flag, _, file = argument.partition("=")
        if flag != "--config":
            return argument
        settings = yaml.safe_load(pathlib.Path(self._here(file)).read_text(encoding="utf-8"))
        copy = self._state.directory / "release" / f"{self.name}-config.json"
        copy.write_text(json.dumps(self._settings_here(settings)), encoding="utf-8")
        return f"{flag}={copy}"

    def _settings_here(self, value):
        if isinstance(value, dict):
            return {key: self._settings_here(each) for key, each in value.items()}
        return self._here(value) if isinstance(value, str) else value

    def _value(self, entry: dict) -> str:
        if "valueFrom" not in entry:
            return self._here(entry.get("value", ""))
        path = entry["valueFrom"]["fieldRef"]["fieldPath"]
        return {"metadata.name": self.name, "metadata.namespace": "tpu-webhook", "status.podIP": ADDRESS}[path]


def write_mounts(api, pod: dict, namespace: str, folder: pathlib.Path) -> dict:
    """Write every mounted Secret and ConfigMap of the Pod's only container; mountPath -> folder."""
    volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
    found = {}
    for mount in pod["containers"][0].get("volumeMounts", []):
        target = folder / mount["name"]
        target.mkdir(parents=True, exist_ok=True)
        for name, content in _contents(api, volumes[mount["name"]], namespace).items():
            (target / name).write_bytes(content)
        found[mount["mountPath"].rstrip("/")] = target
    return found


def _contents(api, volume: dict, namespace: str) -> dict:
    if "emptyDir" in volume or "projected" in volume:  # the account's is written by each replica for itself
        return {}
    if "secret" in volume:
        data = api.get("v1", "Secret", volume["secret"]["secretName"], namespace).get("data", {})
        data, items = {key: base64.b64decode(value) for key, value in data.items()}, volume["secret"].get("items")
    elif "configMap" in volume:
        data = api.get("v1", "ConfigMap", volume["configMap"]["name"], namespace).get("data", {})
        data, items = {key: value.encode() for key, value in data.items()}, volume["configMap"].get("items")
    else:
        raise RuntimeError(f"a volume of a kind that is not written here: {volume}")
    # A key that an optional Secret does not have yet is a file that does not exist.
    return {item["path"]: data[item["key"]] for item in items if item["key"] in data} if items else data
