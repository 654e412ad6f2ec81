"""One control plane's folder (DIR) and what is remembered in it.

    env          KUBECONFIG, ports, addresses, process ids: `. DIR/env`
    state.json   the same for programs
    kubeconfig   the administrator's
    pki/         certificate authorities (ca, webhook-ca), keys and certificates
    config/      what the programs were given: stages, audit policy, operators' configuration
    processes/   one file per running process
    logs/        one file per process, and audit.log
    etcd/        the data, thrown away by the next `up`
    nodes/       one folder per real node, thrown away too
"""

import base64
import dataclasses
import json
import os
import pathlib
import shlex
import shutil

from . import kube, process, programs


def default_directory() -> pathlib.Path:
    return pathlib.Path(os.environ.get("TPUWH_E2E_DIR") or "/tmp/tpu-webhook-e2e")


@dataclasses.dataclass
class State:
    directory: pathlib.Path
    ports: dict = dataclasses.field(default_factory=dict)  # name -> port on 127.0.0.1
    addresses: dict = dataclasses.field(default_factory=dict)  # name -> loopback address with port 443
    operators: list = dataclasses.field(default_factory=list)
    versions: dict = dataclasses.field(default_factory=dict)
    real: bool = False  # it has real nodes, in the world that it runs in (real/world.py)

    @property
    def pki(self) -> pathlib.Path:
        return self.directory / "pki"

    @property
    def config(self) -> pathlib.Path:
        return self.directory / "config"

    @property
    def kubeconfig(self) -> pathlib.Path:
        return self.directory / "kubeconfig"

    def client(self, user: str = "admin") -> kube.Kube:
        return kube.Kube(self.ports["apiserver"], self.pki, user)

    def ca_bundle(self) -> str:
        """What a webhook configuration's caBundle must hold, base64."""
        return base64.b64encode((self.pki / "webhook-ca.crt").read_bytes()).decode()

    def save(self) -> None:
        """Write state.json and env."""
        values = dataclasses.asdict(self)
        values["directory"] = str(self.directory)
        (self.directory / "state.json").write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
        lines = [f"export {key}={shlex.quote(str(value))}" for key, value in self.environment().items()]
        (self.directory / "env").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def environment(self) -> dict:
        found = {
            "KUBECONFIG": self.kubeconfig,
            "KUBECTL": programs.path("kubectl"),
            "TPUWH_E2E_DIR": self.directory,
            "TPUWH_API_SERVER": f"https://127.0.0.1:{self.ports['apiserver']}",
            "TPUWH_CA": self.pki / "ca.crt",
            "TPUWH_WEBHOOK_CA": self.pki / "webhook-ca.crt",
            "TPUWH_AUDIT_LOG": self.directory / "logs" / "audit.log",
        }
        for name, port in self.ports.items():
            found[f"TPUWH_PORT_{_variable(name)}"] = port
        for name, address in self.addresses.items():
            found[f"TPUWH_ADDRESS_{_variable(name)}"] = address
        for one in process.known(self.directory):
            found[f"TPUWH_PID_{_variable(one.name)}"] = one.pid
        return found


def load(directory: pathlib.Path) -> State:
    """The control plane of a folder, running or not."""
    values = json.loads((directory / "state.json").read_text(encoding="utf-8"))
    values["directory"] = directory
    return State(**values)


def fresh(directory: pathlib.Path) -> State:
    """An empty folder for a new control plane. One that still runs must be ended first."""
    running = [one for one in process.known(directory) if one.alive()]
    if running:
        raise SystemExit(
            f"{directory} has a running control plane ({len(running)} processes): "
            f"`tests/e2e/down --dir {directory}` ends it"
        )
    for name in ("pki", "config", "processes", "logs", "etcd", "nodes"):
        shutil.rmtree(directory / name, ignore_errors=True)
        (directory / name).mkdir(parents=True)
    for name in ("env", "state.json", "kubeconfig"):
        (directory / name).unlink(missing_ok=True)
    return State(directory)


def write_kubeconfig(path: pathlib.Path, state: State, user: str = "", token: str = "", host: str = "127.0.0.1") -> None:
    """A kubeconfig (JSON is YAML) for a client certificate of pki/, or for a token; `host`: where the API server is."""
    who = {"token": token} if token else {
        "client-certificate": str(state.pki / f"{user}.crt"),
        "client-key": str(state.pki / f"{user}.key"),
    }
    server = f"https://{host}:{state.ports['apiserver']}"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "e2e",
        "clusters": [{"name": "e2e", "cluster": {"server": server, "certificate-authority": str(state.pki / "ca.crt")}}],
        "users": [{"name": user or "token", "user": who}],
        "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": user or "token"}}],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    path.chmod(0o600)


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")
