"""Files of a release: the static program as tar.gz, the chart, the manifest of krew. Their bytes follow from the commit."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import pathlib
import tarfile

from .words import CHECKOUT, run

KREW = """\
# Made by scripts/release. https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: tpu
spec:
  version: v{version}
  homepage: {homepage}
  shortDescription: Predict, inspect and check TPU workloads
  description: |
    Says what tpu-webhook would write into the Pods of a manifest and whether
    its slices can form, why a slice of a cluster does not run, and whether an
    installation of tpu-webhook is as it should be. Needs no cluster for
    manifests. Linux alone; elsewhere run the image kubectl-tpu.
  platforms:
{platforms}"""
PLATFORM = """\
  - selector:
      matchLabels:
        os: linux
        arch: {architecture}
    uri: {uri}
    sha256: "{digest}"
    bin: kubectl-tpu
    files:
    - from: kubectl-tpu
      to: .
    - from: LICENSE
      to: .
"""


def name_of(version: str, architecture: str) -> str:
    return f"kubectl-tpu_{version}_linux_{architecture}.tar.gz"


def packed(files: dict[str, bytes], to: pathlib.Path, epoch: int) -> None:
    """A tar.gz of these files: nobody's, of one time, in the order of their names. kubectl-tpu may be run."""
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=epoch, filename="") as compressed, \
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(data), epoch, 0o755 if name == "kubectl-tpu" else 0o644
            archive.addfile(entry, io.BytesIO(data))
    write(to, made.getvalue(), epoch)


def write(path: pathlib.Path, data: bytes, epoch: int) -> None:
    path.write_bytes(data)
    os.utime(path, (epoch, epoch))


def stripped(program: pathlib.Path, triplet: str) -> bytes:
    """Without what a debugger reads."""
    tool = f"{triplet}-strip"
    to = program.with_suffix(".stripped")
    run(tool, "--strip-all", "-o", to, program)
    data = to.read_bytes()
    to.unlink()
    return data


def chart(helm: str, source: pathlib.Path, version: str, to: pathlib.Path, epoch: int) -> pathlib.Path:
    """The chart's archive. Its files have the commit's time, and so has the archive: `helm push` writes it into the manifest."""
    run(helm, "package", source / "charts" / "tpu-webhook", "--version", version, "--app-version", version,
        "--destination", to)
    made = to / f"tpu-webhook-{version}.tgz"
    os.utime(made, (epoch, epoch))
    return made


def krew(version: str, where: str, digests: dict[str, str]) -> bytes:
    """The manifest; WHERE: what stands before the name of an archive, DIGESTS: architecture -> SHA-256 of its archive."""
    platforms = "".join(PLATFORM.format(architecture=architecture, uri=f"{where.rstrip('/')}/{name_of(version, architecture)}",
                                        digest=digest) for architecture, digest in sorted(digests.items()))
    return KREW.format(version=version, homepage=where, platforms=platforms).encode()


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def licence() -> bytes:
    return (CHECKOUT / "LICENSE").read_bytes()
