"""A registry of images and charts on loopback or in the world of real nodes: Debian's docker-registry, by TLS."""

import pathlib
import subprocess

from controlplane import process, programs, tls
from controlplane.kube import wait_for
from controlplane.state import State

PORT = 5000


class Registry:
    """Serves at `address`; `certificate` is what its clients have to trust."""

    def __init__(self, state: State, host: str):
        self.address = f"{host}:{PORT}"
        self._folder = state.directory / "registry"
        self._folder.mkdir(exist_ok=True)
        self.certificate = state.pki / "ca.crt"
        tls.server(state.pki, "ca", state.pki / "registry", [f"IP:{host}"])
        settings = self._folder / "config.yml"
        settings.write_text(f"""version: 0.1
storage: {{filesystem: {{rootdirectory: {self._folder}/data}}}}
http: {{addr: "{self.address}", tls: {{certificate: {state.pki}/registry.crt, key: {state.pki}/registry.key}}}}
""", encoding="utf-8")
        self._directory = state.directory
        self._process = process.start(state.directory, "registry", ["docker-registry", "serve", settings], self.address)
        trusted = self._folder / "trusted"
        trusted.mkdir(exist_ok=True)
        (trusted / "ca.crt").write_bytes(self.certificate.read_bytes())
        self._trust = trusted
        wait_for("the registry", lambda: self._answers(), 30)

    def push_image(self, archive: pathlib.Path, name: str) -> None:
        """An OCI archive as NAME:TAG."""
        _run(["skopeo", "copy", f"--dest-cert-dir={self._trust}", f"oci-archive:{archive}", f"docker://{self.address}/{name}"])

    def push_chart(self, folder: pathlib.Path, version: str, where: str) -> None:
        """A chart as oci://ADDRESS/WHERE/NAME, in this version, its program in the same."""
        helm, out = programs.path("helm"), self._folder / "charts"
        _run([helm, "package", folder, "--version", version, "--app-version", version, "--destination", out])
        _run([helm, "push", out / f"{folder.name}-{version}.tgz", f"oci://{self.address}/{where}", f"--ca-file={self.certificate}"])

    def end(self) -> None:
        process.stop(self._directory, [self._process])

    def _answers(self) -> bool:
        asked = subprocess.run(["curl", "-sf", "--cacert", self.certificate, f"https://{self.address}/v2/"], capture_output=True, check=False)
        return asked.returncode == 0


def _run(command: list) -> None:
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command[:3]))}: {answer.stderr.strip()}")
