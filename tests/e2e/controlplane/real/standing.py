"""A control plane with real nodes that stays: `up --nodes`, `status` and `down`, called from outside of its world.

DIR/world.json remembers the process that holds the world, DIR/world.log what `up` said in it.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from .. import process
from ..nodes import Pool
from ..state import State
from . import store, world

UP_SECONDS = 3600  # the first time it builds
_E2E = pathlib.Path(__file__).resolve().parents[2]


def pools(count: int) -> list:
    """`count` hosts of slices of two, and a node for all that asks for no TPU."""
    if not count:
        return []
    if count % 2:
        raise SystemExit(f"--nodes {count}: a slice of 2x4 has two hosts: want an even number")
    slices = [Pool(f"slice-{'abcdefgh'[number]}", "ct6e-standard-4t", "2x4") for number in range(count // 2)]
    return [Pool("default-pool", "e2e-standard-2", nodes=1), *slices]


def up(directory: pathlib.Path, arguments: list) -> int:
    """Make the images, then run `up` again in a world that stays, and wait until it is up there."""
    directory.mkdir(parents=True, exist_ok=True)
    if _holder(directory):
        raise SystemExit(f"{directory} has a running control plane: `tests/e2e/down --dir {directory}` ends it")
    for name in ("state.json", "ready"):
        (directory / name).unlink(missing_ok=True)
    store.prepare(None)
    log = directory / "world.log"
    with open(log, "wb") as output:
        child = subprocess.Popen([*world.python("world"), sys.executable, "-B", "-m", "controlplane", *arguments], stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=output, start_new_session=True, env={**os.environ, "PYTHONPATH": str(_E2E)})
    _remember(directory, child.pid)
    said, deadline = 0, time.monotonic() + UP_SECONDS
    while True:
        text = log.read_text(encoding="utf-8", errors="replace")
        print(text[said:], end="", flush=True)
        said = len(text)
        if (directory / "ready").exists():
            return 0
        if child.poll() is not None or time.monotonic() > deadline:
            return 1
        time.sleep(0.2)


def stay(state: State) -> None:
    """In the world: until somebody ends it."""
    (state.directory / "ready").touch()
    signal.pause()


def enter(directory: pathlib.Path, arguments: list):
    """Run this command in the world of DIR; None if there is none, or we are in it."""
    holder = None if world.inside() else _holder(directory)
    if not holder:
        return None
    first = _child(_child(holder.pid))
    command = ["nsenter", f"--target={first}", "--net", "--mount", "--pid", "--uts", sys.executable, "-B", "-m", "controlplane", *arguments]
    own = pathlib.Path(f"/proc/{first}/environ").read_bytes().split(b"\0")
    told = dict(os.fsdecode(each).split("=", 1) for each in own if each.startswith(b"TPUWH_"))
    return subprocess.run(command, env={**os.environ, **told, "PYTHONPATH": str(_E2E)}, check=False)


def down(directory: pathlib.Path) -> bool:
    """End the world of DIR and wait until nothing of it is left; whether there was one."""
    holder = _holder(directory)
    if not holder:
        return False
    process.signal_one(holder, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while (left := world.left(holder.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    if left:
        raise SystemExit(f"still there: {', '.join(map(str, left))}")
    (directory / "world.json").unlink()
    return True


def _remember(directory: pathlib.Path, pid: int) -> None:
    (directory / "world.json").write_text(json.dumps({"pid": pid, "started": process.started(pid)}), encoding="utf-8")


def _holder(directory: pathlib.Path) -> process.Process | None:
    file = directory / "world.json"
    if not file.exists():
        return None
    found = process.Process("world", address="", command=[], **json.loads(file.read_text(encoding="utf-8")))
    return found if found.alive() else None


def _child(pid: int) -> int:
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])
