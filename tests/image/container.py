#!/usr/bin/env python3
"""The image, run by podman as the chart says: tests/image/container.py IMAGE.tar [PART…].

    container.py IMAGE.tar --program FILE   write a program to FILE that runs the image's with the
                                            chart's limits, for tests/e2e/run --program FILE

IMAGE.tar is an OCI archive with an image called tpu-webhook:VERSION (scripts/image). The chart is
rendered by the real helm, and its Deployment played as a Pod: read-only root, no capabilities,
seccomp, uid, memory limit. What podman 4.3 does not take of it is changed by `played()` and printed.
As root, with the Python of the e2e suite; in a network namespace and a store of its own.
"""

import base64
import contextlib
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import yaml

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests" / "server"), str(CHECKOUT / "tests" / "e2e")]

from checks import check, run  # noqa: E402
from controlplane import programs, tls as certificates  # noqa: E402
from program import resident_bytes  # noqa: E402
from wire import Connection, ask, tls  # noqa: E402

NAME, NAMESPACE = "tpu-webhook", "tpu-webhook"
PORT, HEALTH = 8443, 8081


def rendered(**values):
    command = [programs.path("helm"), "template", NAME, CHECKOUT / "charts" / "tpu-webhook", "--namespace",
               NAMESPACE, "--values", "-"]
    text = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, check=True).stdout
    return [document for document in yaml.safe_load_all(text) if document]


def of_kind(objects, kind):
    return [each for each in objects if each["kind"] == kind]


class Podman:
    """podman with a store of its own."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="tpu-webhook-podman-")
        folder = pathlib.Path(self._folder.name)
        # Raising limits is not permitted in a container of a container.
        (folder / "containers.conf").write_text("[containers]\ndefault_ulimits = []\n", encoding="utf-8")
        self._environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                             "CONTAINERS_CONF": str(folder / "containers.conf")}
        self._begin = ["podman", "--storage-driver", "vfs", "--root", folder / "root", "--runroot",
                       folder / "run", "--runtime", "runc", "--cgroup-manager", "cgroupfs"]
        self.folder = folder

    def __call__(self, *words, **options):
        done = subprocess.run([*self._begin, *words], env=self._environment, capture_output=True, text=True,
                              check=False, **options)
        assert done.returncode == 0, f"podman {' '.join(map(str, words))}: {done.stderr}"
        return (done.stdout + done.stderr if words[0] == "logs" else done.stdout).strip()

    def close(self):
        with contextlib.suppress(AssertionError):
            self("pod", "rm", "--all", "--force", "--time", "0")
        self._folder.cleanup()


def played(objects, podman, image):
    """The Deployment as podman takes it, and what was changed for that."""
    changes = []
    deployment, = of_kind(objects, "Deployment")
    template = deployment["spec"]["template"]["spec"]
    container, = template["containers"]
    container["image"] = image
    changes.append("image: the one of this machine")
    container.pop("ports")
    for probe in ("readinessProbe", "livenessProbe"):
        container.pop(probe)
    changes.append("ports and probes: on the host's network; podman's probes need systemd")
    for volume in template["volumes"]:
        # It takes the values as they stand, and no mode: files are the root's, to be read by all.
        name = volume["secret"]["secretName"]
        secret, = [each for each in of_kind(objects, "Secret") if each["metadata"]["name"] == name]
        values = {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
        file = podman.folder / "secret.yaml"
        file.write_text(yaml.safe_dump({"data": values}), encoding="utf-8")
        podman("secret", "create", name, file)
        volume["secret"]["optional"] = False
    changes.append("Secrets: made by `podman secret`, without defaultMode")
    return deployment, changes


class Pod:
    """A Pod of the chart; a context manager."""

    def __init__(self, **config):
        """`config`: the chart's. No API server is there: no ledger, and a certificate that is supplied."""
        self._podman = Podman()
        folder = self._podman.folder
        certificates.authority(folder, "ca")
        certificates.server(folder, "ca", folder / "tls.crt", [f"DNS:{NAME}.{NAMESPACE}.svc"])
        self.ca = folder / "ca.crt"
        supplied = {"mode": "supplied", "secretName": "serving", "caBundle": self.ca.read_text(encoding="utf-8")}
        objects = rendered(replicas=1, config={"ledger": "none", "log": {"format": "json"}, **config}, certificate=supplied)
        data = {name: base64.b64encode((folder / name).read_bytes()).decode() for name in ("tls.crt", "tls.key")}
        objects.append({"kind": "Secret", "metadata": {"name": "serving"}, "data": data})
        try:
            begun = time.monotonic()
            image = self._podman("load", "--quiet", "--input", ARCHIVE).split(": ", 1)[1]
            deployment, self.changes = played(objects, self._podman, image)
            file = self._podman.folder / "pod.yaml"
            file.write_text(yaml.safe_dump(deployment), encoding="utf-8")
            self._podman("kube", "play", "--network", "host", file)
            self.container = f"{NAME}-pod-0-{NAME}"
            self.wait_for('"msg":"listening"')
            self.seconds = time.monotonic() - begun
        except BaseException:
            self._podman.close()
            raise

    def wait_for(self, words):
        until = time.monotonic() + 10
        while words not in self.log():
            assert time.monotonic() < until, self.log()
            time.sleep(0.02)

    def inspected(self, field):
        return self._podman("inspect", "--format", field, self.container)

    def started_ms(self):
        """From the process's start, by the kernel, until it said that it listens."""
        ticks = int(pathlib.Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[19])
        boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
        line = next(json.loads(line) for line in self.log().splitlines() if '"msg":"listening"' in line)
        said = datetime.datetime.fromisoformat(line["time"]).timestamp()
        return 1e3 * (said - boot - ticks / os.sysconf("SC_CLK_TCK"))

    @property
    def pid(self):
        return int(self.inspected("{{.State.Pid}}"))

    def status(self):
        """/proc/PID/status, as fields."""
        lines = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8").splitlines()
        return {key: value.split() for key, value in (line.split(":", 1) for line in lines)}

    def log(self):
        return self._podman("logs", self.container)

    def connect(self):
        return Connection(PORT, tls(self.ca, check_hostname=False))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._podman.close()


@check
def the_charts_pod_runs_and_answers():
    with Pod() as pod:
        for change in pod.changes:
            print(f"       changed for podman: {change}", flush=True)
        status = pod.status()
        assert set(status["Uid"]) == set(status["Gid"]) == {"65532"}, status
        assert {status[name][0] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}, status
        assert status["NoNewPrivs"] == ["1"] and status["Seccomp"] == ["2"], status
        assert pod.inspected("{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Memory}}") == f"true {512 << 20}"
        with pod.connect() as connection:
            ask(connection)
        size, peak = resident_bytes(pod.pid)
        print(f"       resident {size / 2**20:.1f} MiB, peak {peak / 2**20:.1f} MiB; {pod.started_ms():.0f} ms from its "
              f"start until it listens", flush=True)


@check
def nothing_can_be_written_or_started_in_it():
    with Pod() as pod:
        root = f"/proc/{pod.pid}/root"
        assert not [name for name in ("bin/sh", "usr/bin/sh", "usr/bin/env") if os.path.exists(f"{root}/{name}")]
        mounts = pathlib.Path(f"/proc/{pod.pid}/mounts").read_text(encoding="utf-8").splitlines()
        options = next(line.split()[3] for line in mounts if line.split()[1] == "/")
        assert "ro" in options.split(","), options


@check
def sigterm_ends_it_in_order():
    """The chart's drain: readiness goes first, and the last connection is answered."""
    with Pod(drain={"delay": "1s", "timeout": "5s"}) as pod:
        with pod.connect() as connection:
            ask(connection)
            os.kill(pod.pid, 15)
            time.sleep(0.3)
            ask(connection)
        # podman starts it again at once, as a kubelet would.
        pod.wait_for('"msg":"stopped"')


def write_program(target):
    """A program that is the image's, in a container of its own with what the chart asks for: read-only root, no
    capabilities, no new privileges, seccomp, uid, memory limit. The host's network, and its files below the folder that
    the configuration file is in, since the control plane's mounts are folders there."""
    store = pathlib.Path(f"{target}.podman")
    store.mkdir(parents=True, exist_ok=True)
    (store / "containers.conf").write_text("[containers]\ndefault_ulimits = []\n", encoding="utf-8")
    podman = (f"env HOME=/root CONTAINERS_CONF={store}/containers.conf podman --storage-driver vfs --root {store}/root "
              f"--runroot {store}/run --runtime runc --cgroup-manager cgroupfs")
    loaded = subprocess.run([*podman.split(), "load", "--quiet", "--input", ARCHIVE], check=True, capture_output=True, text=True)
    image = loaded.stdout.strip().split(": ", 1)[1]
    text = f"""#!/bin/bash
# Made by tests/image/container.py: the program of {image} in a container.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
folder=/tmp
for word; do case $word in --config=*) folder=${{word#--config=}} folder=${{folder%/release/*}} ;; esac; done
mapfile -t passed < <(env | sed -n 's/^\\(KUBERNETES_[A-Z_]*=.*\\)/--env=\\1/p')
exec {podman} run --rm --network host --read-only --cap-drop all --security-opt no-new-privileges \\
  --memory 512m --user 65532:65532 --log-driver none --volume "$folder:$folder:ro" "${{passed[@]}}" {image} "$@"
"""
    target.write_text(text, encoding="utf-8")
    target.chmod(0o755)


def main():
    """In a network namespace, so that the chart's ports are free whatever else runs here."""
    global ARCHIVE
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ARCHIVE = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2:3] == ["--program"]:
        write_program(pathlib.Path(sys.argv[3]).resolve())
        return
    programs.ensure(["helm"])
    if "TPUWH_ALONE" not in os.environ:
        os.environ["TPUWH_ALONE"] = "1"
        enter = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        os.execvp(enter[0], [*enter, sys.executable, *sys.argv])
    sys.exit(1 if run(*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()
