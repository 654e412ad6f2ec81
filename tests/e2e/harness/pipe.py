"""A TCP relay to one place: a process of its own, and one more for each connection.

    python3 -m harness.pipe LISTEN TARGET     both HOST:PORT

What stops the process of a connection (SIGSTOP) freezes that connection, and new ones pass: connections() of the
relay are what there is at this moment. They end with the relay, however it ends, stopped or not.
"""

import contextlib
import ctypes
import os
import pathlib
import signal
import socket
import sys
import threading

from controlplane import kube, net, process

CHUNK = 65536
E2E = pathlib.Path(__file__).resolve().parents[1]
_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15  # prctl(2)
_RELAYS = "relays"  # the name of a process that ends with its relay, whatever is done to it
_LIBC = ctypes.CDLL(None)


@contextlib.contextmanager
def opened(directory: pathlib.Path, name: str, listen: str, target: str):
    """While this holds there is a relay that listens; yields its process id. `name` begins as a replica's does, so that
    the next run ends it where this one cannot."""
    command = [sys.executable, "-B", "-m", "harness.pipe", listen, target]
    one = process.start(directory, name, command, listen, {"PYTHONPATH": str(E2E)})
    try:
        kube.wait_for(f"{name} to listen", lambda: net.answers(*_split(listen)), 30,
                      failing=lambda: "" if one.alive() else name)
        yield one.pid
    finally:
        process.stop(directory, [one], at_once=True)


def connections(pid: int) -> list:
    """The process ids of a relay's connections: of those that would end with it now."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [int(child) for child in children if _name(child) == _RELAYS]


def _name(pid: str) -> str:
    with contextlib.suppress(OSError):  # it has ended
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    return ""


def _copy(source, target) -> None:
    try:
        while data := source.recv(CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        os._exit(0)  # closes both ends


def _relay(near, target: tuple) -> None:
    far = socket.create_connection(target)
    back = threading.Thread(target=_copy, args=(far, near), daemon=True)
    back.start()
    _copy(near, far)
    back.join()


def _serve(listen: tuple, target: tuple) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how one ended, so that none is left as a zombie
    relay = os.getpid()
    with socket.create_server(listen, backlog=128) as server:
        while True:
            near, _ = server.accept()
            if os.fork():
                near.close()
                continue
            try:
                _end_with(relay)
                server.close()
                _relay(near, target)
            finally:
                os._exit(0)


def _end_with(parent: int) -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(0)
    _LIBC.prctl(_PR_SET_NAME, _RELAYS.encode())


def _split(address: str) -> tuple:
    host, _, port = address.rpartition(":")
    return host, int(port)


if __name__ == "__main__":
    _serve(_split(sys.argv[1]), _split(sys.argv[2]))
