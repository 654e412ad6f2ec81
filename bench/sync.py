#!/usr/bin/env python3
"""How long `serve` needs until it is ready, and what it weighs: sync.py [--watch-list] PROGRAM [PODS [NODES]]

First without a cluster, with a certificate from files. Then a made-up API server lists PODS Ray workers of
10.7 KB (default 100,000) and NODES Nodes (15,000) over TLS, in pages of 500, or with --watch-list as a
stream of events; once the program is ready it ends the watch of Pods with 410 Gone, so that all are listed
again.
The times are from the start of the program; memory is its own metric process_resident_memory_bytes.
Prints a table for RESULTS.md. Standard library and the openssl command.
"""

import http.server
import json
import os
import pathlib
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from servers import free_port, make_certificate

PAGE = 500
GROUP = 256
VERSION = "4711"
LIMIT = 300  # seconds
EMPTY = json.dumps({"kind": "List", "metadata": {"resourceVersion": VERSION}, "items": []}).encode()
STARTS = 11  # without a cluster
BALLAST = "x" * 9000  # what fields that nothing reads weigh


def pod(number):
    env = [{"name": f"V{i}", "value": "some value of the user's"} for i in range(20)]
    cluster = f"cluster-{number // GROUP}"
    return {"metadata": {"name": f"worker-{number}", "namespace": "team", "uid": f"pod-{number:032}",
                         "labels": {"ray.io/node-type": "worker", "ray.io/cluster": cluster,
                                    "ray.io/group": "workers",
                                    "tpu-webhook.dev/token": f"0-{number % GROUP}-{number:016x}"},
                         "ownerReferences": [{"apiVersion": "ray.io/v1", "kind": "RayCluster",
                                              "name": cluster, "uid": f"uid-{number // GROUP}",
                                              "controller": True}],
                         "managedFields": [{"manager": BALLAST}]},
            "spec": {"nodeName": f"node-{number}",
                     "containers": [{"name": "w", "env": env,
                                     "resources": {"limits": {"google.com/tpu": "4"}}}]},
            "status": {"phase": "Running"}}


def node(number):
    labels = {"cloud.google.com/gke-nodepool": f"pool-{number // 64}",
              "kubernetes.io/hostname": f"node-{number}",
              "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
              "cloud.google.com/gke-tpu-topology": "16x16"}
    return {"metadata": {"name": f"node-{number}", "labels": labels,
                         "managedFields": [{"manager": BALLAST}]},
            "status": {"allocatable": {"google.com/tpu": "4"}}}


class Cluster:
    """The answers, as text: made beforehand, since the program is measured and not Python."""

    def __init__(self, pods, nodes, watch_list):
        make = events if watch_list else pages
        self.watch_list = watch_list
        self.pages = {"pods": make(pods, pod), "nodes": make(nodes, node)}
        self.forgotten = threading.Event()  # watches of Pods get a 410
        self.ended = threading.Event()


def pages(count, make):
    out = []
    for begin in range(0, count, PAGE):
        metadata = {"resourceVersion": VERSION}
        if begin + PAGE < count:
            metadata["continue"] = str(len(out) + 1)
        items = [make(number) for number in range(begin, min(begin + PAGE, count))]
        out.append(json.dumps({"kind": "List", "apiVersion": "v1", "metadata": metadata,
                               "items": items}, separators=(",", ":")).encode())
    return out


def events(count, make):
    """As many of a stream's lines at a time as a page has items."""
    def added(number):
        it = make(number)
        it["metadata"]["resourceVersion"] = str(number + 1)
        return line("ADDED", it)

    return ["".join(added(number) for number in range(begin, min(begin + PAGE, count))).encode()
            for begin in range(0, count, PAGE)]


def line(kind, what):
    return json.dumps({"type": kind, "object": what}, separators=(",", ":")) + "\n"


END = line("BOOKMARK", {"metadata": {"resourceVersion": VERSION,
                                     "annotations": {"k8s.io/initial-events-end": "true"}}}).encode()


def handler_of(cluster):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # as Go does

        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            resource = url.path.rpartition("/")[2]
            if "sendInitialEvents" in query and not cluster.watch_list:  # as before Kubernetes 1.32
                self.send(422, json.dumps({"kind": "Status", "code": 422, "reason": "Invalid"}).encode())
                return
            if "watch" in query:
                self.watch(resource, "sendInitialEvents" in query)
                return
            known = cluster.pages.get(resource, [EMPTY])
            self.send(200, known[int(query.get("continue", 0))])

        def watch(self, resource, initial_events):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            for text in [*cluster.pages.get(resource, []), END] if initial_events else []:
                self.chunk(text)
            if resource == "pods" and not cluster.forgotten.is_set():
                cluster.forgotten.wait(LIMIT)
                status = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}
                self.chunk(line("ERROR", status).encode())
                self.chunk(b"")
            else:
                cluster.ended.wait(LIMIT)
            self.close_connection = True

        def chunk(self, body):
            self.wfile.write(b"%x\r\n" % len(body))
            self.wfile.write(body)
            self.wfile.write(b"\r\n")

        def send(self, code, body):
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def serve(cluster, folder):
    """Returns (server, port)."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(cluster))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, server.server_address[1]


def service_account(folder):
    """The folder of a Pod's service account, as the kubelet mounts it."""
    account = folder / "account"
    account.mkdir()
    shutil.copy(folder / "cert.pem", account / "ca.crt")
    for name, text in ("token", "t"), ("namespace", "default"):
        (account / name).write_text(text)
    return account


def metrics(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
            for line in lines if line and not line.startswith("#")}


def wait_for(what, program, condition):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and program.poll() is None:
        if (found := condition()) is not None:
            return found
        time.sleep(0.05)
    sys.exit(f"sync.py: no {what}; exit code {program.poll()}")


def health_port(log):
    for line in log.read_text().splitlines():
        if '"listening"' in line:
            return int(json.loads(line)["health"].rpartition(":")[2])
    return None


def synced(port):
    values = metrics(port)
    names = [f'tpu_webhook_watch_synced{{resource="{kind}"}}' for kind in ("pods", "nodes")]
    return values if all(values.get(name) == 1 for name in names) and values["tpu_webhook_ready"] == 1 else None


def relisted(port, before):
    """Listed again, and to its end: that is when the watch is heard of."""
    values = metrics(port)
    name = 'tpu_webhook_watch_relists_total{resource="pods"}'
    heard = values['tpu_webhook_watch_age_seconds{resource="pods"}'] < time.monotonic() - before
    return values if values[name] > 0 and heard else None


def is_ready(port):
    try:
        with socket.create_connection(("127.0.0.1", port)) as caller:
            caller.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return caller.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def time_of_start(program, folder):
    """Seconds from exec until /readyz says 200, without a cluster."""
    port = free_port()
    command = [program, "serve", "--listen", "127.0.0.1:0", "--health-listen", f"127.0.0.1:{port}",
               "--tls-cert", folder / "cert.pem", "--tls-key", folder / "key.pem", "--drain-delay", "0s"]
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"]}) as started:
        try:
            while not is_ready(port):
                if started.poll() is not None or time.monotonic() > start + LIMIT:
                    sys.exit(f"sync.py: no start without a cluster; exit code {started.poll()}")
                time.sleep(0.0005)
            return time.monotonic() - start
        finally:
            started.terminate()


def main():
    arguments = [each for each in sys.argv[1:] if each != "--watch-list"]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    program = arguments[0]
    pods = int(arguments[1]) if len(arguments) > 1 else 100_000
    nodes = int(arguments[2]) if len(arguments) > 2 else 15_000
    cluster = Cluster(pods, nodes, "--watch-list" in sys.argv)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_certificate(folder)
        starts = [time_of_start(program, folder) for _ in range(STARTS)]
        _, port = serve(cluster, folder)
        log = folder / "log"
        command = [program, "serve", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0",
                   "--service-account", str(service_account(folder)), "--ledger", "cluster", "--log-format",
                   "json", "--tls-cert", folder / "cert.pem", "--tls-key", folder / "key.pem", "--drain-delay", "0s"]
        start = time.monotonic()
        with open(log, "w", encoding="utf-8") as errors, subprocess.Popen(
                command, stderr=errors, stdout=subprocess.DEVNULL,
                env={**os.environ, "KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(port)}) as program:
            try:
                health = wait_for("listening", program, lambda: health_port(log))
                idle = metrics(health)["process_resident_memory_bytes"]
                first = wait_for("sync", program, lambda: synced(health))
                took = time.monotonic() - start
                before = time.monotonic()
                cluster.forgotten.set()
                second = wait_for("re-list", program, lambda: relisted(health, before))
                again = time.monotonic() - before
                report(pods, nodes, idle, first, took, second, again)
                print(f"| without a cluster: from exec to ready, median and most of {STARTS} | "
                      f"{statistics.median(starts) * 1e3:.0f} ms, {max(starts) * 1e3:.0f} ms |")
            finally:
                cluster.ended.set()
                program.terminate()


def report(pods, nodes, idle, first, took, second, again):
    kept = [first[f'tpu_webhook_store_objects{{resource="{kind}"}}'] for kind in ("pods", "nodes")]
    if kept != [pods, nodes]:
        sys.exit(f"sync.py: {kept} kept, not {[pods, nodes]}")
    memory = [values["process_resident_memory_bytes"] for values in (first, second)]
    print(f"| {pods:,} Pods of {len(json.dumps(pod(pods - 1), separators=(',', ':'))):,} bytes, {nodes:,} Nodes, over TLS | |")
    print("|---|---|")
    print(f"| from the start to ready | {took:.1f} s, {first['process_cpu_seconds_total']:.1f} s of CPU |")
    print(f"| resident, of which the cluster | {memory[0] / 1e6:.0f} MB, {(memory[0] - idle) / 1e6:.0f} MB: "
          f"{(memory[0] - idle) / (pods + nodes):.0f} bytes an object |")
    print(f"| resident after a re-list, which takes | {memory[1] / 1e6:.0f} MB, {again:.1f} s, "
          f"{second['process_cpu_seconds_total'] - first['process_cpu_seconds_total']:.1f} s of CPU |")


if __name__ == "__main__":
    main()
