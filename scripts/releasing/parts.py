"""The Debian packages that a program is made of."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess

from .elf import libraries
from .sysroot import under_usr
from .words import Refused, run

# Constants and structures of the kernel: nothing of it is in a program.
DECLARATIONS_ALONE = {"linux-libc-dev"}


class Machine:
    """The packages of this machine."""

    root = pathlib.Path("/")

    def owners(self, paths) -> dict[str, str]:
        """Of each file that a package has: which. One search for all: dpkg reads all its lists for each."""
        spelled = {name: str(path) for path in paths for name in _spellings(pathlib.Path(path))}
        if not spelled:
            return {}
        found = subprocess.run(["dpkg", "-S", *spelled], capture_output=True, text=True, check=False).stdout
        lines = [line.rsplit(": ", 1) for line in found.splitlines() if not line.startswith("diversion ")]
        return {spelled[name]: owner.split(":")[0].split(",")[0] for owner, name in lines if name in spelled}

    def described(self, name: str) -> dict:
        fields = run("dpkg-query", "-W", "-f=${Package}\t${Version}\t${source:Package}\t${Homepage}\t${Architecture}\n", name)
        return dict(zip(("name", "version", "source", "homepage", "architecture"), fields.splitlines()[0].split("\t")))


class Unpacked:
    """Those of scripts/releasing/sysroot.py: FOLDER/root, and FOLDER/sources."""

    def __init__(self, folder: pathlib.Path):
        self.root = folder / "root"
        self._packages = json.loads((folder / "packages.json").read_text(encoding="utf-8"))
        self._files = json.loads((folder / "files.json").read_text(encoding="utf-8"))

    def owners(self, paths) -> dict[str, str]:
        return {str(path): self._files[under_usr(str(path))] for path in paths if under_usr(str(path)) in self._files}

    def described(self, name: str) -> dict:
        return self._packages[name]


def _spellings(path: pathlib.Path) -> list[str]:
    """A file's names: /lib is /usr/lib today, and dpkg remembers either."""
    names = [str(path), str(path.resolve())]
    return list(dict.fromkeys(names + [name.removeprefix("/usr") if name.startswith("/usr/") else f"/usr{name}" for name in names]))


def linked(program, packages) -> dict[str, dict]:
    """Of the shared libraries: name of the package -> its description."""
    paths = libraries(program, packages.root)
    owners = packages.owners(paths)
    for path in paths:
        if str(path) not in owners:
            raise Refused(f"{path} is of no Debian package, so its version is not known")
    return {name: packages.described(name) for name in sorted(set(owners.values()))}


def compiled_in(built, program: str) -> dict[str, dict]:
    """Of what stands in the program itself, by the linker's map and the headers that its parts were compiled with.

    A header's package is named where no other package of the same source is: what is linked stands for it.
    """
    inside = {"/mnt/sysroot": Unpacked(built.sysroot), "": Machine()}
    archives, members = _of_map((built.folder / f"{program}.map").read_text(encoding="utf-8"))
    found = {}
    for prefix, packages in inside.items():
        mine = [path.removeprefix(prefix) for path in archives
                if path.startswith(prefix or "/usr/") and not path.startswith("/mnt/static")]
        for name in packages.owners(mine).values():
            found[name] = packages.described(name)
    for path in archives:
        if path.startswith("/mnt/static/"):
            description = _of_source(built.sysroot, pathlib.Path(path).stem.removeprefix("lib"))
            found[description["name"]] = description
    sources = {each["source"] for each in [*found.values(), *linked(built.folder / program, inside["/mnt/sysroot"]).values()]}
    headers = _headers((built.folder / "deps").read_text(encoding="utf-8"), members)
    unpacked = inside["/mnt/sysroot"]
    for name in sorted(set(unpacked.owners(path.removeprefix("/mnt/sysroot") for path in headers).values())):
        description = unpacked.described(name)
        if description["source"] not in sources and name not in DECLARATIONS_ALONE:
            found[name] = description
    return dict(sorted(found.items()))


def _of_map(text: str) -> tuple[list[str], set[tuple[str, str]]]:
    """Of the linker's map: archives and objects that are not ours, and ours as (archive, member)."""
    listed, _, rest = text.partition("\nMerging program properties") if "\nMerging program properties" in text else text.partition("\nDiscarded input sections")
    pulled = re.findall(r"^(\S+\.a)\((\S+?)\)", listed, re.MULTILINE)
    outside = {str(pathlib.Path(_normal(archive))) for archive, _ in pulled if archive.startswith("/")}
    outside |= {_normal(path) for path in re.findall(r"^LOAD (/\S+\.o)$", text, re.MULTILINE)}
    return sorted(outside), {(archive, member) for archive, member in pulled if not archive.startswith("/")}


def _normal(path: str) -> str:
    """/usr/lib/gcc/x86_64-linux-gnu/12/../../../libc.a without the way up."""
    return os.path.normpath(path)


def _headers(deps: str, members: set) -> set[str]:
    """What `ninja -t deps` says of these members of archives: the headers of the packages."""
    wanted = {(str(pathlib.Path(archive).parent), pathlib.Path(archive).stem.removeprefix("lib"), member) for archive, member in members}
    found, taken = set(), False
    for line in deps.splitlines():
        if line and not line.startswith(" "):
            path = pathlib.Path(line.split(":")[0])
            place = re.match(r"(?:(.*)/)?CMakeFiles/(.*?)\.dir/", str(path))
            taken = bool(place) and (place[1] or ".", place[2], path.name) in wanted
        elif taken and line.startswith("    /mnt/sysroot/"):
            found.add(_normal(line.strip()))
    return found


def _of_source(folder: pathlib.Path, library: str) -> dict:
    """Debian's source package that scripts/releasing/static compiles."""
    name = {"fmt": "fmtlib"}.get(library, library)
    line = next(line for line in (folder / "inputs").read_text(encoding="utf-8").splitlines()
                if line.split("  ", 1)[1].startswith(f"{name} ") and line.endswith(" source"))
    version = line.split()[2]
    return {"name": name, "version": version, "source": name, "homepage": "", "architecture": "source"}
