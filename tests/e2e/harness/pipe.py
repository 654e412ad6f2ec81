"""A TCP relay to one place: a process of its own, and one more for each connection.

    python3 -m harness.pipe LISTEN TARGET     both HOST:PORT

What stops the process of a connection (SIGSTOP) freezes that connection, and new ones pass: connections() of the
relay are what there is at this moment. SIGTERM ends all of them.
"""

import os
import pathlib
import signal
import socket
import sys
import threading

CHUNK = 65536
POLL_SECONDS = 0.2


def connections(pid: int) -> list:
    """The process ids of a relay's connections."""
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


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
    children: set = set()

    def end(*_):
        for child in children:
            os.kill(child, signal.SIGKILL)
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    with socket.create_server(listen, backlog=128) as server:
        server.settimeout(POLL_SECONDS)
        while True:
            _reap(children)
            try:
                near, _ = server.accept()
            except TimeoutError:
                continue
            if child := os.fork():
                children.add(child)
                near.close()
                continue
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            server.close()
            near.settimeout(None)
            try:
                _relay(near, target)
            finally:
                os._exit(0)


def _reap(children: set) -> None:
    while children:
        child, _ = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        children.discard(child)


def _split(address: str) -> tuple:
    host, _, port = address.rpartition(":")
    return host, int(port)


if __name__ == "__main__":
    _serve(_split(sys.argv[1]), _split(sys.argv[2]))
