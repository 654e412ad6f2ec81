"""What answers while a story is recorded: tpu-webhook, a server for each story and no cluster behind it."""

import contextlib
import http.client
import pathlib
import shutil
import ssl
import subprocess

from . import kube, net, tls


class Program:
    """A copy of both programs, so that a rebuild does not disturb the recording."""

    def __init__(self, found: pathlib.Path, folder: pathlib.Path):
        self._path, self._folder = shutil.copy2(found, folder), folder
        self._tools = shutil.copy2(found.with_name("kubectl-tpu"), folder)

    def version(self) -> str:
        return subprocess.run([self._path, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]

    def ask(self, reviews: list) -> list:
        """What a server that was just started would answer to these reviews, in this order."""
        answer = subprocess.run([self._tools, "review"], input=b"".join(reviews), capture_output=True, check=False)
        answers = answer.stdout.splitlines(keepends=True)
        if answer.returncode > 1 or len(answers) != len(reviews):  # 1: a denial
            raise RuntimeError(f"kubectl tpu review: {len(answers)} answers to {len(reviews)} reviews: {answer.stderr.decode().strip()}")
        return answers

    @contextlib.contextmanager
    def serving(self):
        """A server that was just started, as a function: a review in, its answer out."""
        (port,), ca = net.free_ports(1), self._folder / "ca.crt"
        tls.authority(self._folder, "ca")
        tls.server(self._folder, "ca", self._folder / "tls.crt", ["DNS:localhost"])
        command = [self._path, "serve", "--listen", f"127.0.0.1:{port}", "--tls-cert", str(self._folder / "tls.crt"),
                   "--tls-key", str(self._folder / "tls.key"), "--drain-delay", "0s"]
        with open(self._folder / "log", "ab") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
            try:
                kube.wait_for("tpu-webhook to be ready", lambda: _request(port, ca, "GET", "/readyz"), 20,
                              failing=lambda: "tpu-webhook" if process.poll() is not None else None)
                yield lambda review: _request(port, ca, "POST", "/mutate?timeout=10s", review)
            finally:
                process.terminate()


def _request(port: int, ca: pathlib.Path, method: str, path: str, body: bytes | None = None) -> bytes:
    """One request on a connection of its own: the API server's threads come here at once."""
    connection = http.client.HTTPSConnection("localhost", port, timeout=10, context=ssl.create_default_context(cafile=str(ca)))
    with contextlib.closing(connection):
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise OSError(f"{method} {path}: {answer.status} {content.decode()}")
        return content
