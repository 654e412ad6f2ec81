"""Servers to measure: this program, nginx with a fixed reply, and whatever runs already.

Each is pinned to one core, has one certificate in common, and tells its CPU time and memory.
"""

import argparse
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

SERVER_CORE, LOAD_CORE = "0", "1"
STARTS_WITHIN = 10  # seconds

NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off; client_body_buffer_size 256k; keepalive_requests 100000000;
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{
    listen 127.0.0.1:{port} ssl backlog=4096; ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem; ssl_session_tickets off; ssl_protocols TLSv1.3;
    default_type application/json;
{locations}
  }}
}}
"""


def make_certificate(folder):
    """cert.pem and key.pem, of this machine's loopback."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "1", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True,
        capture_output=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def cpu_ns(pid):
    """Run time of all threads of a process, by the scheduler's own count; of one that ends meanwhile, none."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0])
    return total


def tree(pid):
    """The process and its children, and theirs."""
    found = [pid]
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += tree(int(child))
    return found


class Server:
    """Something that answers POSTs on a loopback port."""

    def __init__(self, name, address, pid, paths):
        self.name, self.address, self.pid = name, address, pid
        self.paths = paths  # payload -> path, of those it is asked

    log = None  # a pipe to read

    def cpu_ns(self):
        """With its children."""
        return sum(cpu_ns(pid) for pid in tree(self.pid))

    def resident_mib(self):
        """Of the process that works: nginx's is its youngest child."""
        status = pathlib.Path(f"/proc/{tree(self.pid)[-1]}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        """Nothing, for one that others have started."""


class Started(Server):
    def __init__(self, name, command, port, paths, stderr=subprocess.DEVNULL):
        self.process = subprocess.Popen(["taskset", "-c", SERVER_CORE, *map(str, command)],
                                        stdout=subprocess.DEVNULL, stderr=stderr)
        super().__init__(name, f"127.0.0.1:{port}", self.process.pid, paths)
        end = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"bench/compare: {name} did not start; exit code {self.process.poll()}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)


def nginx(folder, sizes):
    """Replies of so many bytes: `sizes` is payload -> bytes."""
    port = free_port()
    locations = "\n".join(f"    location = /{name} {{ return 200 '{'x' * size}'; }}"
                          for name, size in sizes.items())
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, locations=locations))
    return Started("nginx, fixed reply", ["nginx", "-p", folder, "-c", folder / "nginx.conf"], port,
                   {name: f"/{name}" for name in sizes})


class Webhook(Started):
    """This program. Its log goes to a pipe, which the load reads as a container runtime does."""

    def __init__(self, program, folder, name, log, payloads):
        self.log, writing = os.pipe()
        os.set_blocking(self.log, False)
        port = free_port()
        super().__init__(
            name, [program, "serve", "--listen", f"127.0.0.1:{port}", "--threads", "1", "--tls-cert",
                   folder / "cert.pem", "--tls-key", folder / "key.pem", "--drain-delay", "0s", *log],
            port, dict.fromkeys(payloads, "/mutate"), stderr=writing)
        os.close(writing)

    def rest_of_log(self):
        """What nobody has read, once it has been stopped."""
        with open(self.log, "rb") as pipe:
            return (pipe.read() or b"").decode()


class Peer(Server):
    """One that runs: NAME=https://127.0.0.1:PORT/PATH,PID,PAYLOAD, or another loopback address. Pinned
    while it is measured."""

    FORM = re.compile(r"([^=]+)=https://(127\.[\d.]+:\d+)(/[^,]*),(\d+),(\w+)")

    def __init__(self, text):
        match = self.FORM.fullmatch(text)
        if not match:
            raise argparse.ArgumentTypeError(f'"{text}": want NAME=https://127.0.0.1:PORT/PATH,PID,PAYLOAD, such as '
                             "jobset=https://127.0.0.1:9443/mutate--v1-pod,4711,jobset")
        name, address, path, pid, payload = match.groups()
        if not pathlib.Path(f"/proc/{pid}").exists():
            raise argparse.ArgumentTypeError(f'"{text}": no process {pid} runs')
        super().__init__(name, address, int(pid), {payload: path})
        self.cores = os.sched_getaffinity(self.pid)
        self.pin({int(SERVER_CORE)})

    def pin(self, cores):
        for task in pathlib.Path(f"/proc/{self.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), cores)

    def stop(self):
        self.pin(self.cores)
