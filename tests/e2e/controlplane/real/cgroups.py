"""The cgroups of nodes: all below one name, so that they can be found and removed when a node is gone.

Version 1 has a tree for each controller, version 2 one for all; nodes were run with version 1 alone, since no machine
here has the other.
"""

import contextlib
import os
import pathlib
import signal
import time

ROOT = pathlib.Path("/sys/fs/cgroup")
PREFIX = "tpuwh-"  # of everything that is ours here
SECONDS = 20  # until what was killed is gone


def trees() -> list:
    """The trees that a kubelet uses: one of version 2, else those of version 1."""
    if (ROOT / "cgroup.controllers").exists():
        return [ROOT]
    return [tree for tree in ROOT.iterdir() if (tree / "cgroup.procs").exists() and tree.name != "unified"]


WEIGHT = {"cpu.shares": "8192", "cpu.weight": "800"}  # against everything else here: a node would be a machine of its own


def make(name: str) -> None:
    """A cgroup in each tree, with what a kubelet wants to be there: the CPUs of a cpuset are set by nobody else."""
    for tree in trees():
        (tree / name).mkdir(exist_ok=True)
        for file in ("cpuset.cpus", "cpuset.mems"):
            if tree != ROOT and (tree / file).exists():
                (tree / name / file).write_text((tree / file).read_text(encoding="ascii"), encoding="ascii")
        for file, weight in WEIGHT.items():
            if (tree / name / file).exists():
                (tree / name / file).write_text(weight, encoding="ascii")


def found(prefix: str) -> list:
    """The cgroups of a prefix in all trees."""
    return [each for tree in [*trees(), ROOT / "unified"] if tree.exists() for each in tree.glob(f"{prefix}*")]


def remove(prefix: str, seconds: float = SECONDS) -> bool:
    """Kill what is left in them and remove them; whether none is left after `seconds`."""
    deadline = time.monotonic() + seconds
    while left := found(prefix):
        if time.monotonic() > deadline:
            return False
        for top in left:
            _remove(top)
        if found(prefix):
            time.sleep(0.05)
    return True


def sweep() -> None:
    """Remove those whose runner is gone: its process id is in their name."""
    for name in {each.name for each in found(PREFIX)}:
        owner = name.removeprefix(PREFIX).split("-")[0]
        if owner.isdigit() and not pathlib.Path("/proc", owner).exists():
            remove(f"{PREFIX}{owner}-")


def _remove(top: pathlib.Path) -> None:
    for folder, _, _ in os.walk(top, topdown=False):
        for pid in _members(pathlib.Path(folder)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):  # not empty yet
            os.rmdir(folder)


def _members(folder: pathlib.Path) -> list:
    try:
        return [pid for pid in map(int, (folder / "cgroup.procs").read_text(encoding="ascii").split()) if pid]
    except OSError:
        return []
