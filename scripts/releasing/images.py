"""An OCI image for each program and architecture, by scripts/image; an index over the architectures."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import tempfile

from .build import Built
from .words import CHECKOUT, run

INDEX = "application/vnd.oci.image.index.v1+json"


def packed(built: Built, program: str, to: pathlib.Path) -> pathlib.Path:
    """The archive of one image; FOLDER/sbom.spdx.json beside it."""
    linked = ["--built", built.folder, "--sysroot", built.sysroot] if built.sysroot else []
    # scripts/image has a store of its own for each clone, so that two of them do not meet.
    run(CHECKOUT / "scripts" / "image", "--program", built.folder / program, "--arch", built.architecture.name, *linked,
        "--output", to, env={**os.environ})
    return to / f"{program}.tar"


def unpacked(archive: pathlib.Path, root: pathlib.Path) -> None:
    """The files of an image."""
    root.chmod(0o755)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("tar", "--extract", "--file", archive, "--directory", folder)
        one, = json.loads((folder / "index.json").read_bytes())["manifests"]
        for layer in json.loads(_path(folder, one["digest"]).read_bytes())["layers"]:
            run("tar", "--extract", "--file", _path(folder, layer["digest"]), "--directory", root)


def _path(layout: pathlib.Path, digest: str) -> pathlib.Path:
    return layout / "blobs" / "sha256" / digest.removeprefix("sha256:")


def indexed(archives: list[pathlib.Path], tag: str, annotations: dict, layout: pathlib.Path) -> str:
    """An OCI layout with all of them and an index over them, called TAG there. The index's digest."""
    shutil.rmtree(layout, ignore_errors=True)
    blobs = layout / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    manifests = []
    for archive in archives:
        with tempfile.TemporaryDirectory() as folder:
            run("tar", "--extract", "--file", archive, "--directory", folder)
            one, = json.loads((pathlib.Path(folder) / "index.json").read_bytes())["manifests"]
            for blob in (pathlib.Path(folder) / "blobs" / "sha256").iterdir():
                shutil.move(blob, blobs / blob.name)
        manifest = json.loads(_path(layout, one["digest"]).read_bytes())
        config = json.loads(_path(layout, manifest["config"]["digest"]).read_bytes())
        manifests.append({"mediaType": one["mediaType"], "digest": one["digest"], "size": one["size"],
                          "platform": {"architecture": config["architecture"], "os": config["os"]}})
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": annotations}
    described = _blob(blobs, index) | {"mediaType": INDEX, "annotations": {"org.opencontainers.image.ref.name": tag}}
    (layout / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}\n', encoding="utf-8")
    (layout / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [described]}) + "\n", encoding="utf-8")
    return described["digest"]


def _blob(blobs: pathlib.Path, value: dict) -> dict:
    text = json.dumps(value, indent=1).encode()
    digest = hashlib.sha256(text).hexdigest()
    (blobs / digest).write_bytes(text)
    return {"digest": f"sha256:{digest}", "size": len(text)}
