"""Tries images without a kubelet: their layers unpacked, and programs run there in namespaces of their own.

No network but loopback, as the nodes have it, and nothing outlives its namespaces.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time

from ... import cache
from . import pause, reader, webhook

SECONDS = 120  # for one command

# The root, read-only or not, who, and the command.
ENTER = """
root=$1 mode=$2 who=$3; shift 3
mount --bind "$root" "$root"
mount -o "remount,bind,$mode" "$root"
ip link set lo up
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
exec chroot --userspec="$who" "$root" "$@"
"""

READER = {
    "JAX and Ray are there": "python -c 'import jax, ray; print(jax.__version__, ray.__version__)'",
    "two processes of JAX add up": """
        for process in 0 1; do python -c "
import jax
jax.distributed.initialize('127.0.0.1:8476', 2, $process)
jax.config.update('jax_cpu_collectives_implementation', 'gloo')
one = jax.numpy.ones(jax.local_device_count())
print('sum', jax.pmap(lambda a: jax.lax.psum(a, 'all'), 'all')(one))" & started="$started $!"; done
        for process in $started; do wait $process; done""",
    "the command of Ray": "ray --version",
    "a shell, its tools": "bash -c 'ulimit -n 65536; ulimit -n; hostname; nproc; ps; wget --version | head -1'",
    "names": "getent hosts localhost && python -c 'import socket; print(socket.getaddrinfo(\"localhost\", 80)[0])'",
    "a login shell": "bash -lc 'which ray'",
    "TLS, SQL, compression": "python -c 'import ssl, sqlite3, bz2, lzma, ctypes, zlib, curses, readline'",
    "a raylet, KubeRay's probes, a task, a job": """
        ray start --head --node-ip-address=127.0.0.1 --num-cpus=1 --object-store-memory=80000000 --disable-usage-stats
        ray health-check --address 127.0.0.1:6379
        for url in 8265/api/gcs_healthz 52365/api/local_raylet_healthz; do
            for again in 1 2 3 4 5 6 7 8; do
                wget --tries 1 -T 10 -q -O- http://localhost:$url | grep success && continue 2; sleep 2
            done; echo no $url; exit 1
        done
        python -c "import ray; ray.init('127.0.0.1:6379'); print(ray.get(ray.remote(lambda: 'a task ran').remote()))"
        ray job submit --address http://127.0.0.1:8265 -- echo a job ran
        ray stop && ! ps -e | grep -E 'raylet|gcs_'""",
}


def check(images: dict) -> None:
    """Raises at the first thing that an image cannot do."""
    for name, path in images.items():
        work = pathlib.Path(tempfile.mkdtemp(prefix="check-", dir=cache.root()))
        try:
            started = time.monotonic()
            root = work / "root"
            config = unpack(path, name, root)
            print(f"{name}: unpacked in {time.monotonic() - started:.1f} s; {config}", flush=True)
            {pause.NAME: _pause, reader.NAME: _reader, webhook.name(): _webhook}[name](root, config)
        finally:
            shutil.rmtree(work)


def unpack(path: pathlib.Path, name: str, root: pathlib.Path) -> dict:
    """Fills root with the layers of an archive, Docker's or OCI's; returns the image's config."""
    with tarfile.open(path) as archive:
        names, config, layers = _docker(archive) if "manifest.json" in archive.getnames() else _oci(archive)
        assert names == [name], names
        for layer in layers:
            with tarfile.open(fileobj=archive.extractfile(layer)) as files:
                files.extractall(root, numeric_owner=True, filter="fully_trusted")
        for folder in ("proc", "dev"):
            (root / folder).mkdir(exist_ok=True)
        return _read(archive, config)["config"]


def _docker(archive: tarfile.TarFile) -> tuple:
    [manifest] = _read(archive, "manifest.json")
    return manifest["RepoTags"], manifest["Config"], manifest["Layers"]


def _oci(archive: tarfile.TarFile) -> tuple:
    [entry] = _read(archive, "index.json")["manifests"]
    manifest = _read(archive, _blob(entry))
    names = [entry["annotations"]["org.opencontainers.image.ref.name"]]
    return names, _blob(manifest["config"]), [_blob(layer) for layer in manifest["layers"]]


def _blob(entry: dict) -> str:
    return "blobs/" + entry["digest"].replace(":", "/")


def _read(archive: tarfile.TarFile, member: str):
    return json.load(archive.extractfile(member))


def _entered(root: pathlib.Path, config: dict, user: str, command: list, mode: str = "rw") -> list:
    env = ["env", "-i", *config.get("Env", [])]
    spaces = ["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child"]
    return [*env, *spaces, "/bin/sh", "-ec", ENTER, "enter", str(root), mode, user, *command]


def _run(*words) -> subprocess.CompletedProcess:
    return subprocess.run(_entered(*words), timeout=SECONDS, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _reader(root: pathlib.Path, config: dict) -> None:
    # A kubelet's work. Without the Pod's own name gloo fails: device.cc:99, -3 vs 0.
    (root / "etc" / "hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n", encoding="utf-8")
    for user, home in (("0:0", "/root"), ("1000:100", "/home/ray")):
        for left in (root / "tmp").iterdir():
            shutil.rmtree(left)
        config = {"Env": [*config["Env"], f"HOME={home}"]}
        for what, command in READER.items():
            started = time.monotonic()
            done = _run(root, config, user, ["/bin/bash", "-ec", command])
            assert done.returncode == 0, f"{user} {what}: {done.returncode}\n{done.stdout}"
            print(f"  {user} {what}: {time.monotonic() - started:.1f} s: {_end_of(done.stdout)}", flush=True)


def _end_of(text: str) -> str:
    return " | ".join(text.strip().splitlines()[-3:])[-160:]


def _webhook(root: pathlib.Path, config: dict) -> None:
    done = _run(root, config, config["User"], [*config["Entrypoint"], "--version"], "ro")
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}"
    print(f"  {config['User']}, read-only: {_end_of(done.stdout)}", flush=True)


def _pause(root: pathlib.Path, config: dict) -> None:
    """As the first process of a Pod: an orphan is reaped, and SIGTERM ends it."""
    with subprocess.Popen(_entered(root, config, config["User"], config["Entrypoint"], "ro")) as outside:
        try:
            pid = _until(lambda: _child(outside.pid), lambda pid: pid and _program(pid) == "/pause")
            subprocess.run(["nsenter", f"--target={pid}", "--pid", "sh", "-c", "sleep 1 &"], check=True)
            _until(lambda: _child(pid), bool)
            _until(lambda: _child(pid), lambda orphan: not orphan)
            os.kill(pid, signal.SIGTERM)
            assert outside.wait(5) == 0, outside.returncode
        finally:
            outside.kill()
    print("  reaps and ends", flush=True)


def _child(pid: int) -> int:
    """The first child of a process, 0 where it has none."""
    return int((pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split() or ["0"])[0])


def _program(pid: int) -> str:
    return pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")[0]


def _until(read, enough, seconds: float = 10.0):
    deadline = time.monotonic() + seconds
    while not enough(value := read()):
        assert time.monotonic() < deadline, value
        time.sleep(0.01)
    return value
