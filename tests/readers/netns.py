"""Runs a command in namespaces of its own: network, mounts and processes.

In there loopback is all the network there is, names come from the given hosts file alone,
what is written to $HOME or a temporary folder is gone afterwards, everything that was started
dies with the command, and, where chips are asked for, the PCI bus shows that many TPU chips.
As root, or in a user namespace.

netns.py FOLDER CHIPS COMMAND... is the part that runs inside.
"""

import fcntl
import functools
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

import metadata

METADATA_PORT = 8199
HOSTS = "hosts"

# vendor, device and class files of a v6e chip, as JAX looks for them on the PCI bus (class is
# what gloo looks at). JAX believes in a TPU VM then, and leaves TPU_SKIP_MDS_QUERY to others.
_CHIP = {"vendor": "0x1ae0", "device": "0x006f", "class": "0x120000"}
_PCI = pathlib.Path("/sys/bus/pci/devices")

# JAX wants libtpu to exist before it looks for chips; any file will do, nobody loads it.
_ANY_FILE = "/etc/hostname"


def run(command, *, hosts, chips=0, stdin="", timeout):
    """subprocess.run of `command` inside, with `hosts` as the hosts file's text."""
    # A short path, for Ray's sockets: a socket's path has 107 bytes.
    with tempfile.TemporaryDirectory(prefix="r-", dir="/tmp") as folder:
        pathlib.Path(folder, HOSTS).write_text(hosts)
        inside = [sys.executable, os.path.abspath(__file__), folder, str(chips), *command]
        return subprocess.run([*_unshare(), *inside], input=stdin, capture_output=True, text=True,
                              timeout=timeout)


@functools.cache
def _unshare():
    """The unshare command that works here, as root or in a user namespace. It ends when this
    program does, however that ends."""
    end_with_us = ["setpriv", "--pdeathsig", "KILL"]
    flags = ["--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc",
             "--propagation", "private"]
    tried = []
    for command in ([*end_with_us, "unshare", *flags],
                    [*end_with_us, "unshare", "--map-root-user", *flags]):
        result = subprocess.run([*command, "true"], capture_output=True, text=True)
        if result.returncode == 0:
            return command
        tried.append(result.stderr.strip())
    raise RuntimeError(f"no namespaces here, neither as root nor with a user namespace: {tried}")


def _loopback_up():
    """`ip link set lo up`, without needing iproute2."""
    get_flags, set_flags, up = 0x8913, 0x8914, 0x1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        asked = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(s, get_flags, asked))[1]
        fcntl.ioctl(s, set_flags, struct.pack("16sh14x", b"lo", flags | up))


def _mount(*args):
    subprocess.run(["mount", *args], check=True)


def put_chips(bus, count):
    """Make a folder look like a PCI bus with that many chips."""
    for i in range(count):
        device = bus / f"0000:00:{i + 1:02x}.0"
        device.mkdir(parents=True, exist_ok=True)
        for name, value in _CHIP.items():
            (device / name).write_text(value + "\n")


def _show_chips(count):
    _mount("-t", "tmpfs", "none", str(_PCI))
    put_chips(_PCI, count)


def _inside(folder, chips, *command):
    _loopback_up()
    _mount("--bind", f"{folder}/{HOSTS}", "/etc/hosts")
    _mount("--bind", "/dev/null", "/etc/resolv.conf")
    for scratch in ("/dev/shm", folder):
        _mount("-t", "tmpfs", "none", scratch)
    if int(chips):
        _show_chips(int(chips))
    metadata.serve(METADATA_PORT)
    env = {**os.environ, "HOME": folder, "TMPDIR": folder, "TPU_LIBRARY_PATH": _ANY_FILE,
           "GCE_METADATA_IP": f"127.0.0.1:{METADATA_PORT}"}
    return subprocess.run(command, env=env).returncode


if __name__ == "__main__":
    sys.exit(_inside(*sys.argv[1:]))
