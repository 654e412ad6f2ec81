"""A Pod of the chart, played by podman: the Deployment as the real helm renders it, with what podman 4.3
does not take of it changed by `played()`. In the network namespace of the caller (`alone()` gives one
of its own), in a store of its own. As root, with the Python of the e2e suite.
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

from controlplane import programs, tls as certificates
from wire import Connection, tls

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
ARCHIVE = None  # path of the image; who runs this sets it
NAME, NAMESPACE = "tpu-webhook", "tpu-webhook"
PORT, HEALTH = 10250, 8081  # the chart's; in a network namespace of its own


def alone():
    """Begins the program that calls it again in a network namespace, so that the chart's ports are free whatever else runs here."""
    programs.ensure(["helm"])
    if "TPUWH_ALONE" not in os.environ:
        os.environ["TPUWH_ALONE"] = "1"
        enter = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        os.execvp(enter[0], [*enter, sys.executable, "-B", *sys.argv])


def rendered(**values):
    command = [programs.path("helm"), "template", NAME, CHECKOUT / "charts" / "tpu-webhook", "--namespace",
               NAMESPACE, "--values", "-"]
    values = {"image": {"repository": "tpu-webhook"}, **values}  # played() says which it is
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
        # Where it begins its monitor leaves a file once a container ran out of memory.
        done = subprocess.run([*self._begin, *words], env=self._environment, capture_output=True, text=True,
                              check=False, cwd=self.folder, **options)
        assert done.returncode == 0, f"podman {' '.join(map(str, words))}: {done.stderr}"
        return (done.stdout + done.stderr if words[0] == "logs" else done.stdout).strip()

    def close(self):
        with contextlib.suppress(AssertionError):
            self("pod", "rm", "--all", "--force", "--time", "0")
        self._folder.cleanup()


def played(objects, podman, image):
    """The Deployment as podman takes it, and what was changed for that."""
    changes = []
    deployment, = [each for each in of_kind(objects, "Deployment") if each["metadata"]["name"] == NAME]
    template = deployment["spec"]["template"]["spec"]
    container, = template["containers"]
    container["image"] = image
    changes.append("image: the one of this machine")
    container.pop("ports")
    for probe in ("readinessProbe", "livenessProbe"):
        container.pop(probe)
    changes.append("ports and probes: on the host's network; podman's probes need systemd")
    for volume in [each for each in template["volumes"] if "secret" in each]:
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

    def __init__(self, config=None, restart="Always", **values):
        """`config`, `values`: the chart's. There is no API server: no feature that reads it, and a certificate that is supplied.
        `restart`: when podman starts the program again; Never leaves one that ended to be looked at."""
        self._podman = Podman()
        folder = self._podman.folder
        certificates.authority(folder, "ca")
        certificates.server(folder, "ca", folder / "tls.crt", [f"DNS:{NAME}.{NAMESPACE}.svc", "DNS:localhost"])
        self.ca = folder / "ca.crt"
        supplied = {"mode": "supplied", "secretName": "serving", "caBundle": self.ca.read_text(encoding="utf-8")}
        alone = {"mode": "enforce", "ledger": "none", "placementHint": False, "followers": False, "log": {"format": "json"}}
        objects = rendered(replicas=1, config={**alone, **(config or {})}, certificate=supplied, **values)
        data = {name: base64.b64encode((folder / name).read_bytes()).decode() for name in ("tls.crt", "tls.key")}
        objects.append({"kind": "Secret", "metadata": {"name": "serving"}, "data": data})
        try:
            begun = time.monotonic()
            image = self._podman("load", "--quiet", "--input", ARCHIVE).split(": ", 1)[1]
            deployment, self.changes = played(objects, self._podman, image)
            deployment["spec"]["template"]["spec"]["restartPolicy"] = restart
            file = folder / "pod.yaml"
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

    @property
    def folder(self):
        """Files beside it, which go with it."""
        return self._podman.folder

    def connect(self):
        return Connection(PORT, tls(self.ca))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._podman.close()
