"""Processes we start, and ending exactly those.

Each leaves DIR/processes/<name>.json with its id and the moment the kernel started it, so that an
id that has gone to somebody else is never signalled. Output goes to DIR/logs/<name>.log.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time

TERM_SECONDS = 5.0  # how long a process may take to end by itself
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclasses.dataclass(frozen=True)
class Process:
    name: str
    pid: int
    started: int  # clock ticks since boot, /proc/PID/stat field 22
    address: str  # what it serves, for people
    command: list

    def alive(self) -> bool:
        fields = _stat(self.pid)
        return bool(fields) and fields[0] != "Z" and int(fields[19]) == self.started

    def usage(self) -> tuple:
        """(resident MiB, CPU seconds) so far."""
        fields = _stat(self.pid)
        if not fields:
            return 0.0, 0.0
        return int(fields[21]) * _PAGE / 2**20, (int(fields[11]) + int(fields[12])) / _TICKS


def start(directory: pathlib.Path, name: str, command: list, address: str = "", env: dict | None = None,
          pass_fds=()) -> Process:
    """Start a program in a session of its own, so that it outlives us; remember it in DIR."""
    for folder in ("logs", "processes"):
        (directory / folder).mkdir(exist_ok=True)
    with open(directory / "logs" / f"{name}.log", "ab+") as log:
        _end_line(log)
        child = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, cwd=directory, env={**os.environ, **(env or {})}, pass_fds=pass_fds,
        )
    process = Process(name, child.pid, started(child.pid), address, list(map(str, command)))
    _children[child.pid] = child
    record = directory / "processes" / f"{name}.json"
    record.write_text(json.dumps(dataclasses.asdict(process), indent=1) + "\n", encoding="utf-8")
    return process


def known(directory: pathlib.Path) -> list:
    """Every process DIR remembers, in the order they were started."""
    files = (directory / "processes").glob("*.json")
    found = [Process(**json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return sorted(found, key=lambda process: process.started)


def stop(directory: pathlib.Path, processes: list, at_once: bool = False) -> list:
    """End these processes, the youngest first; returns those that had to be killed.

    `at_once`: do not ask first. For programs whose data nobody needs any more.
    """
    late = [process for process in reversed(processes) if process.alive()]
    if not at_once:
        for process in late:
            _signal(process, signal.SIGTERM)
        late = _wait_gone(late, TERM_SECONDS)
    for process in late:
        _signal(process, signal.SIGKILL)
    stuck = _wait_gone(late, TERM_SECONDS)
    if stuck:
        raise RuntimeError("still running: " + ", ".join(f"{p.name} ({p.pid})" for p in stuck))
    for process in processes:
        (directory / "processes" / f"{process.name}.json").unlink(missing_ok=True)
    return late


def signal_one(process: Process, number: int) -> None:
    """Send a signal, if the process is still the one we started."""
    _signal(process, number)


def wait_exit(process: Process, seconds: float):
    """The exit code of a child of ours (negative: the signal that ended it), or None if it still runs."""
    _wait_gone([process], seconds)
    child = _children.get(process.pid)
    if not child or process.alive():
        return None
    # Gone is its first thread; the code is known when the last of them has ended.
    with contextlib.suppress(subprocess.TimeoutExpired):
        return child.wait(5)
    return None


def log_tail(directory: pathlib.Path, name: str, lines: int = 15) -> str:
    path = directory / "logs" / f"{name}.log"
    if not path.exists():
        return ""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def _end_line(log) -> None:
    """Whoever wrote here before may have been killed in a line: the next one is not to be part of it."""
    if log.tell():
        log.seek(-1, os.SEEK_END)
        if log.read() != b"\n":
            log.write(b"\n")
            log.flush()


_children: dict = {}  # our own children, which we must reap or they stay zombies


def started(pid: int) -> int:
    """When the kernel started a process, in ticks since boot; 0 if it is gone."""
    fields = _stat(pid)
    return int(fields[19]) if fields else 0


def _stat(pid: int) -> list:
    """/proc/PID/stat from the state on (field 3), or nothing when the process is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _signal(process: Process, number: int) -> None:
    if process.alive():
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            pass


def _wait_gone(processes: list, seconds: float) -> list:
    deadline = time.monotonic() + seconds
    while True:
        for process in processes:
            if process.pid in _children:
                _children[process.pid].poll()
        processes = [process for process in processes if process.alive()]
        if not processes or time.monotonic() > deadline:
            return processes
        time.sleep(0.02)
