"""Both programs of a commit, for one architecture.

The files of the commit are compiled below /mnt, in a mount namespace of their own: every clone has the same paths
there, so a path that gets into a program is the same, too. Everything that is mounted goes with the namespace.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess

from . import parts, sysroot
from .words import CHECKOUT, Architecture, Refused, run, say

PROGRAMS = ("tpu-webhook", "kubectl-tpu")
INSIDE = pathlib.Path("/mnt")


@dataclasses.dataclass(frozen=True)
class Built:
    """Programs of one architecture, and what they were made with."""

    architecture: Architecture
    folder: pathlib.Path  # holds both, and NAME.map of each
    sysroot: pathlib.Path | None  # None: on this machine, with its packages


def exported(commit: str, to: pathlib.Path) -> None:
    """The files of a commit; the time of each is the commit's."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    with subprocess.Popen(["git", "-C", CHECKOUT, "archive", commit], stdout=subprocess.PIPE) as archive:
        run("tar", "--extract", "--directory", to, stdin=archive.stdout)
    if archive.returncode:
        raise Refused(f"git archive {commit} failed")


def made(architecture: Architecture, source: pathlib.Path, work: pathlib.Path) -> Built:
    """Compiles them; again only what changed, where WORK is that of a run before."""
    packages = sysroot.made(architecture)
    folders = {name: work / f"{name}-{architecture.name}" for name in ("build", "static")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    mounts = {"source": source, "sysroot": packages / "root", "sources": packages / "sources", **folders}
    log = work / f"build-{architecture.name}.log"
    training = architecture.native  # counts are taken by running it
    say(f"compiling for {architecture.name}{'' if training else ', without training'}: {log}")
    common = f"-G Ninja -DCMAKE_TOOLCHAIN_FILE={INSIDE}/source/scripts/releasing/toolchain.cmake " \
             f"-DTPUWH_TRIPLET={architecture.triplet} -DCMAKE_SYSROOT={INSIDE}/sysroot -DCMAKE_BUILD_TYPE=Release"
    launcher = "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache" if shutil.which("ccache") else ""
    with open(log, "w", encoding="utf-8") as output:
        _inside(mounts, f"""
cmake -S {INSIDE}/source/scripts/releasing/static -B {INSIDE}/static -DSOURCES={INSIDE}/sources {common} {launcher}
ninja -C {INSIDE}/static
cd {INSIDE}/source
cmake --preset release -B {INSIDE}/build -DTPUWH_STATIC={INSIDE}/static -DTPUWH_TRAIN={"ON" if training else "OFF"} {common}
ninja -C {INSIDE}/build {" ".join(PROGRAMS)}
ninja -C {INSIDE}/build -t deps > {INSIDE}/build/server/deps
""", output, log)
    return Built(architecture, folders["build"] / "server", packages)


def _inside(mounts: dict, script: str, output, log: pathlib.Path) -> None:
    """Runs a script where these folders are below /mnt."""
    lines = ["set -eu", f"mount -t tmpfs tmpfs {INSIDE}"]
    for name, folder in mounts.items():
        lines += [f"mkdir {INSIDE}/{name}", f"mount --bind {folder} {INSIDE}/{name}"]
    ended = subprocess.run(["unshare", "--mount", "sh", "-c", "\n".join(lines) + script], stdout=output,
                           stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"}, check=False)
    if ended.returncode:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        raise Refused("\n".join([f"the build failed: {log}", *tail]))


def compiler(architecture: Architecture) -> str:
    """A line as those of the packages: what compiled them, of this machine."""
    said = run("dpkg-query", "-W", "-f=${Package} ${Version} ${Architecture}", f"g++-12-{architecture.triplet.replace('_', '-')}"
               if not architecture.native else "g++-12")
    return f"{'-' * 64}  {said}\n"


def licences(built: Built) -> dict[str, bytes]:
    """Of what stands in the static program: Debian's file of copyrights for each package."""
    if not built.sysroot:
        return {}
    found = {}
    for name, of in parts.compiled_in(built, "kubectl-tpu").items():
        places = [built.sysroot / "sources" / name / "debian" / "copyright", built.sysroot / "root" / "usr/share/doc" / name / "copyright",
                  pathlib.Path("/usr/share/doc") / name / "copyright"]
        path = next((each for each in places if each.exists()), None)
        if not path:
            raise Refused(f"{name} {of['version']} has no file of copyrights among {', '.join(map(str, places))}")
        found[f"copyright/{name}"] = path.read_bytes()
    return found
