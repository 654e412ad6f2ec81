"""What a release puts into a registry (tests/support/docker_registry.py)."""

import os
import pathlib
import subprocess

from docker_registry import Registry

from controlplane import programs


def push_image(registry: Registry, archive: pathlib.Path, name: str) -> None:
    """An OCI archive as NAME:TAG."""
    _run(registry, ["skopeo", "copy", f"oci-archive:{archive}", f"docker://{registry.name}/{name}"])


def push_chart(registry: Registry, folder: pathlib.Path, version: str, where: str) -> None:
    """A chart as oci://REGISTRY/WHERE/NAME, in this version, its program in the same."""
    helm, out = programs.path("helm"), registry.folder.with_name("charts")
    _run(registry, [helm, "package", folder, "--version", version, "--app-version", version, "--destination", out])
    _run(registry, [helm, "push", out / f"{folder.name}-{version}.tgz", f"oci://{registry.name}/{where}"])


def _run(registry: Registry, command: list) -> None:
    answer = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                            env=os.environ | {"SSL_CERT_FILE": str(registry.certificate)})
    if answer.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command[:3]))}: {answer.stderr.strip()}")
