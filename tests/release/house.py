"""What the tests of a release share: a real registry, the steps of docs/verify.md, and a byte that is another one."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests" / "server"), str(CHECKOUT / "tests" / "support"), str(CHECKOUT / "tests" / "e2e"), str(CHECKOUT / "scripts")]

import docker_registry  # noqa: E402

PAGE = CHECKOUT / "docs" / "verify.md"


class Registry(docker_registry.Registry):
    """What it keeps, and what its clients are told."""

    def blobs(self) -> list[pathlib.Path]:
        """All that it keeps: manifests, configurations, layers."""
        return sorted(self.folder.glob("docker/registry/v2/blobs/sha256/*/*/data"))

    def environment(self) -> dict:
        """Of clients: they trust its authority and keep what they fetch below its folder. Go programs read SSL_CERT_FILE."""
        storage = self._pki / "storage.conf"
        storage.write_text(f'[storage]\ndriver = "vfs"\nrunroot = "{self._pki}/podman/run"\ngraphroot = "{self._pki}/podman/root"\n', encoding="utf-8")
        return {"PATH": os.environ["PATH"], "HOME": str(self._pki), "SSL_CERT_FILE": str(self.certificate), "CONTAINERS_STORAGE_CONF": str(storage),
                "TPUWH_CACHE": os.environ.get("TPUWH_CACHE", str(pathlib.Path.home() / ".cache" / "tpu-webhook")),
                "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(pathlib.Path.home() / ".cache" / "ccache")), "LC_ALL": "C"}


def steps() -> dict[str, str]:
    """The named blocks of the page."""
    return dict(re.findall(r"<!-- step: ([\w-]+) -->\n```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))


def follow(name: str, folder: pathlib.Path, environment: dict):
    """Runs one step in a folder of a release."""
    return subprocess.run(["bash", "-euo", "pipefail", "-c", steps()[name]], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@contextlib.contextmanager
def another_byte(path: pathlib.Path, where: float = 0.5):
    """A file of which one byte is another, for as long as this lasts."""
    before, times = path.read_bytes(), path.stat()
    at = int((len(before) - 1) * where)
    path.write_bytes(before[:at] + bytes([before[at] ^ 1]) + before[at + 1:])
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


ENSURED = "import sys; from controlplane import programs; programs.ensure(sys.argv[1:]); print(*map(programs.path, sys.argv[1:]), sep='\\n')"


def programs(*names, pins="") -> list[str]:
    """Their paths, of a set of pins; built where they are not yet."""
    chosen = {"TPUWH_PINS": pins} if pins else {}
    done = subprocess.run([sys.executable, "-B", "-c", ENSURED, *names], cwd=CHECKOUT / "tests" / "e2e", env=os.environ | chosen,
                          stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()[-len(names):]
