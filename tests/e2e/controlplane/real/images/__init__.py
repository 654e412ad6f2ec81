"""The images that the real nodes run, made of this machine's files: no registry of containers is asked.

    localhost/pause:1               holds a Pod's namespaces (pause.c)
    localhost/reader:1              Python with JAX and Ray, a shell and tools (reader.py)
    localhost/tpu-webhook:VERSION   a program as it is released (webhook.py)

Each is one archive that `ctr -n k8s.io images import` takes, in ${TPUWH_CACHE}/images-<hash>. The hash covers how
they are made and the lists of packages; what comes from the machine itself (Debian's programs and libraries, the
Python that tests/readers/install finds) is as it was when they were made. `python3 -m controlplane.real.images
PROGRAM --check`, in tests/e2e and as root, makes them and tries what is in them.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import tempfile
import time

from ... import cache
from . import pause, reader, webhook

HERE = pathlib.Path(__file__).resolve().parent
RECIPE = ("archive.py", "pause.c", "pause.py", "reader.py", "root.py", "webhook.py")


def ensure(program: pathlib.Path | None) -> dict:
    """{name of an image: its archive}; makes those that are missing, one maker at a time on this machine. Without a
    program there is none of it."""
    folder = home()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {
        pause.NAME: (folder / "pause.tar", pause.make),
        reader.NAME: (folder / "reader.tar", reader.make),
    }
    if program:
        wanted[webhook.name()] = (folder / webhook.file(program), lambda work, path: webhook.make(program, work, path))
    if all(path.exists() for path, _ in wanted.values()):
        return {name: path for name, (path, _) in wanted.items()}
    with open(cache.root() / "images.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name, (path, make) in wanted.items():
            if not path.exists():
                _made(name, path, make)
    return {name: path for name, (path, _) in wanted.items()}


def home() -> pathlib.Path:
    digest = hashlib.sha256()
    for path in [HERE / name for name in RECIPE] + reader.requirements():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return cache.root() / f"images-{digest.hexdigest()[:12]}"


def _made(name: str, path: pathlib.Path, make) -> None:
    """An archive appears under its name when it is whole, and what was needed on the way is gone."""
    print(f"making {name} in {path.parent}", flush=True)
    started = time.monotonic()
    work = pathlib.Path(tempfile.mkdtemp(prefix="making-", dir=path.parent))
    try:
        make(work, work / "archive")
        os.replace(work / "archive", path)
    finally:
        shutil.rmtree(work)
    print(f"made {name}: {path.stat().st_size / 1e6:.1f} MB in {time.monotonic() - started:.0f} s", flush=True)
