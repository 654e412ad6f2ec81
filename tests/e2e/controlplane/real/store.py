"""The images that every node has from its beginning, as containerd keeps them.

Importing an image of Python, JAX and Ray takes a node half a minute. So it is imported once, into a store in the cache,
and a node begins with a copy: files are links to the same data, since a layer is never written to; the two databases
that say what there is are copied.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import time

from .. import cache, programs
from ..state import State
from . import images
from .images import pause, reader

PAUSE, READER = pause.NAME, reader.NAME
REGISTRIES = "registries"  # in DIR, as containerd reads it: who is trusted
SECONDS = 300  # for all imports
_DATABASES = {"meta.db", "metadata.db"}
_MOUNTS = ("unshare", "--mount", "--propagation", "private")  # unpacking mounts layers


def prepare(program: pathlib.Path | None) -> dict:
    """All that nodes run: the archives of images by name, that of `program` among them; made where there is a network."""
    found = images.ensure(program)
    ensure([found[PAUSE], found[READER]])
    return found


def ensure(archives: list) -> pathlib.Path:
    """The store of these archives; made if it is not there yet."""
    place = cache.root() / f"images-store-{_digest(archives)}"
    with open(cache.root() / "store.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            began = time.monotonic()
            print(f"importing {', '.join(archive.name for archive in archives)} into {place}", flush=True)
            _make(archives, place)
            print(f"imported: {time.monotonic() - began:.0f} s, {cache.disk_bytes(place) / 1e6:.0f} MB", flush=True)
    os.environ[_CHOSEN] = str(place)
    return place


def copy(target: pathlib.Path) -> None:
    """Begin a node with it, unless it has one: a node that comes back keeps what it had."""
    if target.exists():
        return
    source = pathlib.Path(os.environ[_CHOSEN])
    subprocess.run(["cp", "-al", str(source), str(target)], check=True)
    for database in [file for file in target.rglob("*.db") if file.name in _DATABASES]:
        own = database.with_suffix(".own")
        shutil.copy2(database, own)
        os.replace(own, database)


def trust(state: State, address: str, certificate: pathlib.Path) -> None:
    """Nodes may pull from this registry, HOST:PORT, whose certificate this one has signed."""
    folder = state.directory / REGISTRIES / address
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hosts.toml").write_text(f"""server = "https://{address}"
[host."https://{address}"]
  capabilities = ["pull", "resolve"]
  ca = "{certificate}"
""", encoding="utf-8")


_CHOSEN = "TPUWH_IMAGE_STORE"


def _make(archives: list, place: pathlib.Path) -> None:
    work = place.with_name(place.name + ".new")
    shutil.rmtree(work, ignore_errors=True)
    (work / "state").mkdir(parents=True)
    settings = work / "containerd.toml"
    settings.write_text(f"""version = 3
root = "{work}/root"
state = "{work}/state"
disabled_plugins = ["io.containerd.cri.v1.runtime", "io.containerd.cri.v1.images", "io.containerd.grpc.v1.cri",
  "io.containerd.internal.v1.tracing", "io.containerd.nri.v1.nri"]
[grpc]
  address = "{work}/s"
[plugins.'io.containerd.internal.v1.opt']
  path = "{work}/opt"
""", encoding="utf-8")
    with open(work / "log", "wb") as log:
        server = subprocess.Popen([*_MOUNTS, programs.path("containerd"), "--config", str(settings)], stdout=log, stderr=log)
    try:
        ctr = [programs.path("ctr"), "--address", f"{work}/s", "--namespace", "k8s.io"]
        deadline = time.monotonic() + 30
        while subprocess.run([*ctr, "version"], capture_output=True, check=False).returncode:
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"containerd did not start:\n{(work / 'log').read_text(encoding='utf-8')[-3000:]}")
            time.sleep(0.1)
        for archive in archives:
            subprocess.run([*ctr, "images", "import", str(archive)], check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)
    finally:
        server.terminate()
        server.wait(30)
    os.replace(work / "root", place)
    shutil.rmtree(work)


def _digest(archives: list) -> str:
    """Of the archives' names: they are of what is in them."""
    return hashlib.sha256("\n".join(map(str, archives)).encode()).hexdigest()[:12]
