"""Stops a single thread of another process, as a bug would: by ptrace, without a line in the
program for a test's sake."""

import ctypes
import os
import pathlib

_SEIZE, _INTERRUPT, _DETACH = 0x4206, 0x4207, 17
_WALL = 0x40000000  # threads, too

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request, tid):
    if _libc.ptrace(request, tid, None, None) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace({request:#x}, {tid})")


def find(pid, name):
    """The id of the thread that is called so; the first thread is the process itself."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if int(task.name) != pid and (task / "comm").read_text().strip() == name:
            return int(task.name)
    raise AssertionError(f"process {pid} has no thread {name!r}")


class Stopped:
    """A context: the thread does not run. All of it, and reap(), in one thread of ours."""

    def __init__(self, tid):
        self._tid, self._gone = tid, False
        _ptrace(_SEIZE, tid)
        _ptrace(_INTERRUPT, tid)
        _, status = os.waitpid(tid, _WALL)
        assert os.WIFSTOPPED(status), status

    def reap(self):
        """Takes note of its end, without which the process would not be gone for its parent."""
        if not self._gone:
            try:
                self._gone = os.waitpid(self._tid, _WALL | os.WNOHANG)[0] != 0
            except ChildProcessError:
                self._gone = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self._gone:
            try:
                _ptrace(_DETACH, self._tid)
            except OSError:
                pass
