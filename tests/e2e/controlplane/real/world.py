"""A world of its own for a control plane and its nodes: network, mounts, processes and host name.

    python3 -m controlplane.real.world COMMAND …        # runs COMMAND in it, and returns its exit code

In it there is a bridge with an address for this end (HOST), the cluster's two addresses that Pods are told of (the API
server's and the DNS's) and that of a cloud's metadata server; nothing leads outside. When COMMAND ends, or whoever waits
for it here, all that was ever started in it ends too, however that came: the kernel kills every process of a world
whose first is gone, and with them go namespaces, mounts and addresses. What remains are cgroups, and these are removed
by a process that waits for nothing else.

A port of 127.0.0.1 leads from outside to the same port in it, so that one kubeconfig is right on both sides: PORT, and
DOOR, the socket that listens outside, which services.py serves.
"""

import os
import pathlib
import select
import signal
import socket
import subprocess
import sys

from . import cgroups

WORLD = "TPUWH_WORLD"  # in its environment: what its cgroups begin with
PORT, DOOR = "TPUWH_WORLD_PORT", "TPUWH_WORLD_DOOR"
HOST, PODS = "10.244.0.1", "10.244.0.0/16"
API_SERVER, DNS, METADATA = "10.96.0.1", "10.96.0.10", "169.254.169.254"
BRIDGE = "br0"
NAMESPACES = ("unshare", "--net", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc",
              "--propagation", "private")
_E2E = pathlib.Path(__file__).resolve().parents[2]


def inside() -> bool:
    return WORLD in os.environ


def prefix() -> str:
    """What the names of this world's cgroups begin with; outside of one there is none."""
    if not inside():
        raise SystemExit("real nodes want a world of their own: tests/e2e/run --nodes, tests/e2e/up --nodes")
    return os.environ[WORLD]


def run(command: list) -> int:
    """Run a command in a new world; its exit code."""
    name = f"{cgroups.PREFIX}{os.getpid()}-"
    cgroups.sweep()
    door = socket.create_server(("127.0.0.1", 0))
    told = {WORLD: name, PORT: str(door.getsockname()[1]), DOOR: str(door.fileno()), "PYTHONPATH": str(_E2E)}
    # It dies with us, and what it started with it.
    first = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *NAMESPACES, *python("world"), "--first", *command],
                             env={**os.environ, **told}, pass_fds=[door.fileno()])
    _remove_cgroups_when_gone(first.pid, name)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: first.kill())  # unshare hears no SIGTERM
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells the command too
    code = first.wait()
    return code if code >= 0 else 128 - code


def left(pid: int) -> list:
    """The cgroups that are there of the world that this process held."""
    return cgroups.found(f"{cgroups.PREFIX}{pid}-")


def python(module: str) -> list:
    """The command that runs a module of this package."""
    return [sys.executable, "-B", "-m", f"{__package__}.{module}"]


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def has_device(name: str) -> bool:
    """In the network that we are in; /sys/class/net is of the one that it was mounted in."""
    return name in (each for _, each in socket.if_nameindex())


def mount(*arguments) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def reap_until(pid: int) -> int:
    """As the first process of a world or a node: wait for all that end, until this one has; its exit code."""
    while True:
        gone, status = os.wait()
        if gone == pid:
            return os.waitstatus_to_exitcode(status)


def _remove_cgroups_when_gone(pid: int, name: str) -> None:
    """In a process of its own session, which a signal to ours does not reach."""
    gone = os.pidfd_open(pid)
    if os.fork():
        os.close(gone)
        return
    os.setsid()
    for stream in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)  # whoever reads our output waits for no one here
    poll = select.poll()
    poll.register(gone, select.POLLIN)
    poll.poll()
    os._exit(0 if cgroups.remove(name) else 1)


def _first(command: list) -> int:
    """The first process of the world."""
    mount("-t", "tmpfs", "none", "/run")
    os.mkdir("/run/lock")
    subprocess.run(["hostname", "control-plane"], check=True)
    ip("link", "set", "lo", "up")
    for address in (API_SERVER, DNS, METADATA):
        ip("address", "add", f"{address}/32", "dev", "lo")
    ip("link", "add", BRIDGE, "type", "bridge")
    ip("link", "set", BRIDGE, "up")
    ip("address", "add", f"{HOST}/16", "dev", BRIDGE)
    child = subprocess.Popen(command, pass_fds=[int(os.environ[DOOR])])
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = reap_until(child.pid)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(_first(sys.argv[2:]) if sys.argv[1] == "--first" else run(sys.argv[1:]))
