"""A folder as an image: a Docker archive with one layer.

The same files give the same bytes: sorted, of 1970, owned by root. Nothing is compressed, since the archive is
read on the machine that wrote it.
"""

import hashlib
import io
import json
import pathlib
import tarfile


def write(path: pathlib.Path, name: str, root: pathlib.Path, config: dict, owners: dict | None = None) -> None:
    """`config`: Entrypoint, Env, …, as Docker spells them. `owners`: {folder in root: (uid, gid)}."""
    layer = path.with_suffix(".layer")
    _layer(layer, root, owners or {})
    with open(layer, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    image = {
        "architecture": "amd64", "os": "linux", "created": "1970-01-01T00:00:00Z", "config": config,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "tests/e2e/controlplane/real/images"}],
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(layer, "layer.tar", filter=_plain)
        for member, value in (("config.json", image), ("manifest.json", manifest)):
            text = json.dumps(value).encode()
            entry = _plain(tarfile.TarInfo(member))
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    layer.unlink()


def _layer(path: pathlib.Path, root: pathlib.Path, owners: dict) -> None:
    def owned(entry):
        _plain(entry)
        entry.uid, entry.gid = owners.get(f"/{entry.name}", (0, 0))
        return entry

    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as layer:
        for file in sorted(root.rglob("*")):
            layer.add(file, file.relative_to(root), recursive=False, filter=owned)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
