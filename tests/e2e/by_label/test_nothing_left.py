"""A control plane with real nodes leaves nothing on the machine: also not when whoever holds it is killed.

Read before, while it runs and after it: namespaces, mounts, cgroups, addresses and devices of the network, sysctls that a
kubelet writes, and processes. By hand: it wants the pins `nodes`.
"""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from controlplane.real import cgroups

E2E = pathlib.Path(__file__).resolve().parents[1]
SYSCTLS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys",
           "kernel/keys/root_maxbytes", "net/ipv4/ip_forward", "net/ipv4/conf/all/route_localnet")
OUTSIDE = ("/opt/containerd", "/usr/libexec/kubernetes", "/etc/cni", "/var/lib/kubelet", "/var/lib/cni", "/run/containerd", "/run/cdi")


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def machine() -> dict:
    """What a node could leave behind."""
    return {
        "mounts": sorted(line.split(" - ")[0].split(" ", 3)[3] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()),
        "namespaces": sorted(set(_said("lsns", "--noheadings", "--output", "TYPE,NS").splitlines()) - _own()),
        "cgroups": sorted(str(each) for tree in [*cgroups.trees(), cgroups.ROOT / "unified"] for each in tree.glob("*") if each.is_dir()),
        "addresses": sorted(" ".join(line.split()[1:4]) for line in _said("ip", "-o", "address").splitlines()),
        "devices": sorted(line.split(": ")[1] for line in _said("ip", "-o", "link").splitlines()),
        "routes": sorted(_said("ip", "-o", "route").splitlines()),
        "sysctls": {name: pathlib.Path("/proc/sys", name).read_text() for name in SYSCTLS if pathlib.Path("/proc/sys", name).exists()},
        "paths": [path for path in OUTSIDE if os.path.exists(path)],
        "processes": sorted(name for name in _said("ps", "-eo", "comm").split() if name in PROGRAMS),
    }


PROGRAMS = {"kubelet", "containerd", "containerd-shim", "runc", "coredns", "plugin", "driver", "etcd", "kube-apiserver", "pause", "unshare"}


def _own() -> set:
    """Namespaces that come and go with the test itself."""
    return set()


@pytest.fixture
def directory(tmp_path_factory):
    found = tmp_path_factory.mktemp("world")
    yield found
    call("down", found)


def call(what: str, directory: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "TPUWH_PINS": "nodes"}
    return subprocess.run([E2E / what, "--dir", directory, *arguments], env=environment, capture_output=True, text=True, check=False, timeout=1800)


def kubectl(directory: pathlib.Path, *arguments: str) -> str:
    told = dict(line.removeprefix("export ").split("=", 1) for line in (directory / "env").read_text().splitlines())
    return _said(told["KUBECTL"], "--kubeconfig", directory / "kubeconfig", *arguments)


@pytest.mark.parametrize("how", ("down", "killed", "killed_while_it_starts"))
def test_nothing_is_left(directory, how):
    before = machine()
    if how == "killed_while_it_starts":
        up = subprocess.Popen([E2E / "up", "--dir", directory, "--nodes", "2"], env={**os.environ, "TPUWH_PINS": "nodes"},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: "kubelet" in machine()["processes"], 300)
        os.kill(holder(directory), signal.SIGKILL)
        assert up.wait(60) != 0
    else:
        answer = call("up", directory, "--nodes", "2")
        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert kubectl(directory, "get", "nodes", "--no-headers").count(" Ready ") == 3
        assert "containerd" in machine()["processes"] and machine() != before
        assert call("status", directory).returncode == 0
        if how == "down":
            assert call("down", directory).returncode == 0
        else:
            os.kill(holder(directory), signal.SIGKILL)
    wait_for(lambda: machine() == before, 60, lambda: {key: (before[key], now) for key, now in machine().items() if now != before[key]})


def holder(directory: pathlib.Path) -> int:
    return json.loads((directory / "world.json").read_text())["pid"]


def wait_for(condition, seconds: float, else_say=lambda: "") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, else_say()
        time.sleep(0.2)
