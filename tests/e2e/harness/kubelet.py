"""The part of a kubelet that is missing here, where nobody runs the Pods: it brings a Secret's data into their mounts.

A kubelet does it when it next syncs the Pod, within about 90 seconds; this one does it at once, or `late` seconds later.
"""

import base64
import os
import pathlib
import threading
import time

from .api import Api, Refused


class Kubelet:
    """While it runs, `folder` has the keys `names` of a Secret as files, once the Secret has all of them."""

    def __init__(self, api: Api, secret: str, namespace: str, folder: pathlib.Path, names: tuple, late: float = 0):
        self._api, self._secret, self._namespace = api, secret, namespace
        self._folder, self._names, self.late = folder, names, late
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        written, found_at, found = None, 0.0, None
        while not self._stop.wait(0.1):
            try:
                data = (self._api.get("v1", "Secret", self._secret, self._namespace) or {}).get("data") or {}
            except (OSError, Refused):  # the API server is away
                continue
            now = {name: base64.b64decode(data[name]) for name in self._names if name in data}
            if len(now) < len(self._names):
                continue
            if now != found:
                found, found_at = now, time.monotonic()
            if found != written and time.monotonic() >= found_at + self.late:
                write(self._folder, found)
                written = found


def write(mount: pathlib.Path, files: dict) -> None:
    """Write these as a kubelet does: into a new folder, then the link `..data` moves to it.

    Each name is a link through `..data`, so that nobody sees some of the old files and some of the new ones.
    """
    folder = _folder(mount, files)
    if not (mount / "..data").exists() and all((mount / name).exists() for name in files):
        _link(mount, _folder(mount, {name: (mount / name).read_bytes() for name in files}))
    if not (mount / "..data").exists():
        _link(mount, folder)
    for name in files:
        if not (mount / name).is_symlink():
            _move(mount, f"..data/{name}", name)
    _link(mount, folder)


def _folder(mount: pathlib.Path, files: dict) -> str:
    """A new folder in the mount with these files."""
    name = f"..{len(list(mount.glob('..[0-9]*')))}"
    (mount / name).mkdir()
    for file, content in files.items():
        (mount / name / file).write_bytes(content)
    return name


def _link(mount: pathlib.Path, folder: str) -> None:
    _move(mount, folder, "..data")


def _move(mount: pathlib.Path, target: str, name: str) -> None:
    """The link `name` leads to `target`, from one moment to the next."""
    aside = mount / "..aside"
    aside.symlink_to(target)
    os.replace(aside, mount / name)
