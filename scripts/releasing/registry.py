"""What is pushed to a registry, by skopeo and helm, and what is there already."""

from __future__ import annotations

import hashlib
import json
import pathlib
import re
import subprocess

from .words import Refused, run


class Registry:
    """HOST:PORT, or HOST:PORT/PATH; PLAIN: it is spoken to without TLS."""

    def __init__(self, name: str, plain: bool):
        if not re.fullmatch(r"[\w.-]+(:\d+)?(/[\w./-]+)?", name):
            raise Refused(f"--registry {name}: want HOST:PORT or HOST:PORT/PATH, without http:// in front")
        self.name, self.plain = name.rstrip("/"), plain
        self._tls = f"tls-verify={'false' if plain else 'true'}"

    def digest(self, image: str) -> str:
        """Of what NAME:TAG is there, else ""."""
        done = subprocess.run(["skopeo", "inspect", "--raw", f"--{self._tls}", f"docker://{self.name}/{image}"],
                              capture_output=True, check=False)
        if done.returncode:
            said = done.stderr.decode(errors="replace")
            if "manifest unknown" in said or "name unknown" in said:
                return ""
            raise Refused(f"registry {self.name} does not answer: {said.strip().splitlines()[-1][-300:]}")
        return f"sha256:{hashlib.sha256(done.stdout).hexdigest()}"

    def holds_chart(self, image: str, digest: str) -> bool:
        """Whether the chart of that name is this archive."""
        manifest = json.loads(run("skopeo", "inspect", "--raw", f"--{self._tls}", f"docker://{self.name}/{image}"))
        return [layer["digest"] for layer in manifest["layers"]] == [f"sha256:{digest}"]

    def push_image(self, layout: pathlib.Path, image: str) -> None:
        """A whole OCI layout: the index and what it lists, digests as they are."""
        tag = image.rsplit(":", 1)[1]
        run("skopeo", "copy", "--all", "--preserve-digests", f"--dest-{self._tls}", f"oci:{layout}:{tag}",
            f"docker://{self.name}/{image}")

    def push_chart(self, helm: str, archive: pathlib.Path) -> None:
        run(helm, "push", archive, f"oci://{self.name}/charts", *(["--plain-http"] if self.plain else []))
