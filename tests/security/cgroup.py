"""Memory cgroups, of version 1 or 2: what the kernel says of one, and one made for a check."""

import contextlib
import os
import pathlib
import time

_V1, _V2 = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")
_IS_V2 = (_V2 / "cgroup.controllers").exists()
_ROOT = _V2 if _IS_V2 else _V1


class Cgroup:
    """One that is there."""

    def __init__(self, folder):
        self.folder = folder

    def limit(self):
        """Bytes."""
        return int(self._get("memory.max" if _IS_V2 else "memory.limit_in_bytes"))

    def refused(self):
        """(processes killed, times that the limit was met)"""
        if _IS_V2:
            events = _fields(self._get("memory.events"))
            return int(events["oom_kill"]), int(events["max"])
        control = _fields(self._get("memory.oom_control"))
        return int(control["oom_kill"]), int(self._get("memory.failcnt"))

    def peak(self):
        """Bytes, of which some may be files that were read; 0 where the kernel does not say."""
        return int(self._get("memory.peak" if _IS_V2 else "memory.max_usage_in_bytes") or 0)

    def _get(self, name):
        file = self.folder / name
        return file.read_text(encoding="utf-8") if file.exists() else ""


def of_process(pid):
    """The one that a process is in."""
    for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "" if _IS_V2 else "memory" in controllers.split(","):
            return Cgroup(_ROOT / path.lstrip("/"))
    raise AssertionError(f"process {pid} is in no memory cgroup")


class Made(Cgroup):
    """One of `limit` bytes without swap; a context manager. Where none can be made the check fails: a
    limit that nobody tried is none."""

    def __init__(self, limit):
        super().__init__(_ROOT / f"tpu-webhook-test-{os.getpid()}")
        self._limit = limit

    def __enter__(self):
        try:
            if _IS_V2:
                (_V2 / "cgroup.subtree_control").write_text("+memory", encoding="utf-8")
            self.folder.mkdir()
            self._set("memory.max" if _IS_V2 else "memory.limit_in_bytes", self._limit)
            self._set(*(("memory.swap.max", 0) if _IS_V2 else ("memory.memsw.limit_in_bytes", self._limit)), optional=True)
        except OSError as error:
            raise AssertionError(f"no memory cgroup can be made: {error}") from error
        return self

    def __exit__(self, *_):
        until = time.monotonic() + 5
        while self.folder.exists():  # the kernel may still be taking a killed process apart
            with contextlib.suppress(OSError):
                self.folder.rmdir()
            assert time.monotonic() < until, f"{self.folder} is still in use"
            time.sleep(0.02)

    def beginning(self):
        """In front of a command: the shell that becomes it is in here from the start."""
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh"]

    def _set(self, name, value, optional=False):
        file = self.folder / name
        if file.exists() or not optional:
            file.write_text(str(value), encoding="utf-8")


def _fields(text):
    return dict(line.split() for line in text.splitlines())
