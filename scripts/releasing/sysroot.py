"""Debian's packages of an architecture, unpacked: what both programs are compiled against and linked to.

apt resolves and fetches them, with a state of its own: nothing of it is installed on this machine, and packages of
two architectures that refuse each other as neighbours (libsimdjson-dev, libyaml-cpp-dev) need not be neighbours.

    FOLDER/root       the file system, /lib a link to /usr/lib; no package's script ran
    FOLDER/sources    source packages of libraries of which Debian ships no static one
    FOLDER/packages.json, files.json   of each package its version and source; of each file its package
    FOLDER/inputs     a line for each package: name, version, architecture, SHA-256

FOLDER is named for the last: other packages, another folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from .words import Architecture, Refused, cache, run

# What scripts/install-packages --build-only has, without the tools.
PACKAGES = ["libboost1.81-dev", "libssl-dev", "libsimdjson-dev", "nlohmann-json3-dev", "libfmt-dev", "libspdlog-dev",
            "libcli11-dev", "libyaml-cpp-dev", "prometheus-cpp-dev", "libstdc++-12-dev", "ca-certificates"]
SOURCES = ["fmtlib", "simdjson", "spdlog"]
RECIPE = "2"  # of unpacking: another one, another folder
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ARCHIVES = """\
Types: deb deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: {keyring}

Types: deb deb-src
URIs: http://deb.debian.org/debian-security
Suites: bookworm-security
Components: main
Signed-By: {keyring}
"""


class Apt:
    """apt with a state of its own, for one architecture."""

    def __init__(self, architecture: Architecture):
        self.folder = cache() / f"apt-{architecture.name}"
        for name in ("lists/partial", "archives/partial"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        sources = self.folder / "debian.sources"
        sources.write_text(ARCHIVES.format(keyring=KEYRING), encoding="utf-8")
        settings = {
            "Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "-", "Dir::State": self.folder,
            "Dir::State::status": self.folder / "status", "Dir::Cache": self.folder, "Dir::Cache::pkgcache": "",
            "Dir::Cache::srcpkgcache": "", "APT::Architecture": architecture.name,
            "APT::Architectures": architecture.name, "APT::Install-Recommends": "false", "APT::Sandbox::User": "root",
            "Acquire::Languages": "none", "Binary::apt-get::APT::Keep-Downloaded-Packages": "true",
        }
        self._options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]

    def __call__(self, *words, **options) -> str:
        return run("apt-get", *self._options, "-qq", *words, **options)

    def chosen(self) -> list[pathlib.Path]:
        """The files of all packages that are needed, which were fetched before."""
        lines = self("install", "--simulate", *PACKAGES).splitlines()
        names = re.findall(r"^Inst (\S+) \((\S+) .*\[(\w+)\]\)", "\n".join(lines), re.MULTILINE)
        return sorted(self.folder / "archives" / f"{name}_{version.replace(':', '%3a')}_{which}.deb"
                      for name, version, which in names)


def made(architecture: Architecture) -> pathlib.Path:
    """The folder; fetched and unpacked where Debian has other packages than the last time."""
    if not pathlib.Path(KEYRING).exists():
        raise Refused(f"{KEYRING} is not there: releases are built on Debian 12 (package debian-archive-keyring)")
    apt = Apt(architecture)
    apt("update")
    apt("install", "-y", "--download-only", *PACKAGES)
    with tempfile.TemporaryDirectory(dir=cache()) as sources:
        apt("source", "--download-only", *SOURCES, cwd=sources)
        descriptions = sorted(pathlib.Path(sources).glob("*.dsc"))
        inputs = "".join(_line(path) for path in [*apt.chosen(), *descriptions])
        folder = cache() / f"sysroot-{architecture.name}-{hashlib.sha256((inputs + RECIPE).encode()).hexdigest()[:12]}"
        if not (folder / "inputs").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _unpack(apt.chosen(), folder)
            (folder / "sources").mkdir()
            for path in descriptions:  # apt has held its bytes to the archive's signed list
                run("dpkg-source", "--no-check", "--no-copy", "--extract", path, folder / "sources" / path.name.split("_")[0])
            (folder / "inputs").write_text(inputs, encoding="utf-8")
    return folder


def _line(path: pathlib.Path) -> str:
    name, version, *which = path.name.removesuffix(".deb").removesuffix(".dsc").split("_")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"{digest}  {name} {version.replace('%3a', ':')} {which[0] if which else 'source'}\n"


def _unpack(files: list[pathlib.Path], folder: pathlib.Path) -> None:
    root = folder / "root"
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    packages, owners = {}, {}
    for path in files:
        described = _described(path)
        packages[described["name"]] = described
        archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
        listed = run("tar", "--extract", "--verbose", "--keep-directory-symlink", "--no-same-owner", "--directory", root,
                     stdin=archive.stdout)
        if archive.wait():
            raise Refused(f"{path} cannot be unpacked: remove it, and it is fetched again")
        owners.update({under_usr(name.removeprefix(".")): described["name"]
                       for name in listed.splitlines() if not name.endswith("/")})
    within(root)
    (folder / "packages.json").write_text(json.dumps(packages, indent=1), encoding="utf-8")
    (folder / "files.json").write_text(json.dumps(owners), encoding="utf-8")


def within(root: pathlib.Path) -> None:
    """Leads links such as libm.so, which say /lib/…/libm.so.6, to the file of this root, not to this machine's."""
    for folder, folders, files in os.walk(root):
        for path in (pathlib.Path(folder, name) for name in (*folders, *files)):
            if path.is_symlink() and os.readlink(path).startswith("/"):
                to = os.path.relpath(str(root) + os.readlink(path), folder)
                path.unlink()
                path.symlink_to(to)


def _described(path: pathlib.Path) -> dict:
    fields = {}
    for line in run("dpkg-deb", "--field", path, "Package", "Version", "Source", "Homepage", "Architecture").splitlines():
        name, value = line.split(": ", 1)
        fields[name] = value
    # "Source: gcc-12 (12.2.0-14)" where its version is another one than the package's.
    return {"name": fields["Package"], "version": fields["Version"], "architecture": fields["Architecture"],
            "source": fields.get("Source", fields["Package"]).split()[0], "homepage": fields.get("Homepage", "")}


def under_usr(path: str) -> str:
    """/lib/x as /usr/lib/x: the one name of a file, since /lib is a link."""
    return path if path.startswith("/usr/") else re.sub(r"^/(bin|lib|lib64|sbin)/", r"/usr/\1/", path)
