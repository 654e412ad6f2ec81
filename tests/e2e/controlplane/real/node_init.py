"""The first process of a node: python3 -m controlplane.real.node_init SETTINGS.json

It makes the node's mounts and network, starts containerd, the device plugin, the driver of claims and the kubelet, and
reaps. SETTINGS is what node.py writes. When this process is killed the kernel kills whatever runs on the node: that is how
a node dies.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

from .world import HOST, has_device, ip, mount

SOCKET = "/run/containerd/containerd.sock"
# A kubelet writes these for the whole machine, unless they already are as it wants them: it is shown files that are.
SYSCTLS = {"vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1}


def main(file: str) -> None:
    settings = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    folder = pathlib.Path(settings["folder"])
    _mounts(settings, folder)
    _network(settings)
    os.environ["PATH"] = settings["programs"] + ":" + os.environ["PATH"]
    running = {"containerd": _start(folder, "containerd", settings["containerd"])}
    while not os.path.exists(SOCKET):
        time.sleep(0.02)
    for name in ("plugin", "driver", "kubelet"):
        running[name] = _start(folder, name, settings[name])
    while True:  # and as long as anybody lives: the node dies from outside
        gone, status = os.wait()
        for name, one in running.items():
            if one.pid == gone:
                print(f"{name} has ended: {os.waitstatus_to_exitcode(status)}", flush=True)


def _mounts(settings: dict, folder: pathlib.Path) -> None:
    subprocess.run(["hostname", settings["name"]], check=True)
    mount("-t", "tmpfs", "none", "/run")
    for name in ("containerd", "cni", "cdi", "lock"):
        os.mkdir(f"/run/{name}")
    mount("-t", "tmpfs", "none", "/var/lib")
    os.mkdir("/var/lib/kubelet")  # where device plugins are looked for, whatever --root-dir says
    mount("--bind", folder / "kubelet", "/var/lib/kubelet")
    mount("--bind", folder / "log", "/var/log")
    mount("--bind", folder / "hosts", "/etc/hosts")  # a Pod of the host's network gets the node's
    for number, (name, value) in enumerate(SYSCTLS.items()):
        shown = pathlib.Path(f"/run/sysctl-{number}")
        shown.write_text(f"{value}\n", encoding="ascii")
        mount("--bind", shown, f"/proc/sys/{name}")
    pathlib.Path("/run/cni/10-pods.conflist").write_text(json.dumps(settings["network"]), encoding="utf-8")
    mount("--bind", folder / "cdi", "/run/cdi")


def _network(settings: dict) -> None:
    """The node's own bridge, of which its end of the cable is a port: all Pods are on one wire."""
    ip("link", "set", "lo", "up")
    while not has_device(settings["cable"]):
        time.sleep(0.02)
    ip("link", "set", settings["cable"], "name", "eth0")
    ip("link", "add", "cni0", "type", "bridge")
    ip("link", "set", "cni0", "up")
    ip("link", "set", "eth0", "master", "cni0", "up")
    ip("address", "add", f"{settings['address']}/16", "dev", "cni0")
    ip("route", "add", "default", "via", HOST)


def _start(folder: pathlib.Path, name: str, command: list) -> subprocess.Popen:
    with open(folder / "log" / f"{name}.log", "ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


if __name__ == "__main__":
    main(sys.argv[1])
