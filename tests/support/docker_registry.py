"""A real registry of images and charts: Debian's docker-registry, with TLS and an authority of its own."""

import contextlib
import pathlib
import signal
import socket
import subprocess
import time

from controlplane import tls


class Registry:
    """On a free port of `host`, its files below FOLDER; a context manager. Clients call it `name`, HOST:PORT, and trust
    `certificate`."""

    def __init__(self, folder: pathlib.Path, host: str = "127.0.0.1", called: str = "localhost"):
        self.folder, self._host = folder / "registry", host
        self.folder.mkdir(parents=True)
        self._pki = folder
        self.certificate = folder / "ca.crt"
        tls.authority(folder, "ca")
        tls.server(folder, "ca", folder / "registry-tls", ["DNS:localhost", f"IP:{host}"])
        with socket.socket() as free:
            free.bind((host, 0))
            self._port = free.getsockname()[1]
        self.name = f"{called}:{self._port}"
        (folder / "registry.yml").write_text(f"""version: 0.1
log: {{level: error}}
storage: {{filesystem: {{rootdirectory: {self.folder}}}, delete: {{enabled: true}}}}
http:
  addr: {host}:{self._port}
  tls: {{certificate: {folder}/registry-tls.crt, key: {folder}/registry-tls.key}}
""", encoding="utf-8")

    def __enter__(self):
        with open(self._pki / "registry.log", "w", encoding="utf-8") as log:
            self._process = subprocess.Popen(["docker-registry", "serve", self._pki / "registry.yml"], stdout=log, stderr=log)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection((self._host, self._port), 1):
                return self
            assert self._process.poll() is None, (self._pki / "registry.log").read_text(encoding="utf-8")
            time.sleep(0.05)
        raise AssertionError("the registry does not listen")

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
