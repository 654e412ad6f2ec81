#!/usr/bin/env python3
"""How long `serve` needs to know a large cluster, and what it weighs then: sync.py PROGRAM [PODS [NODES]]

A made-up API server lists PODS Ray workers of 10.7 KB (default 100,000) and NODES Nodes (15,000) over
TLS, in pages of 500, and once the program is ready ends the watch of Pods with 410 Gone, so that all are
listed again.
The times are from the start of the program; memory is its own metric process_resident_memory_bytes.
Prints a table for RESULTS.md. Standard library and the openssl command.
"""

import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

PAGE = 500
GROUP = 256
VERSION = "4711"
LIMIT = 300  # seconds
EMPTY = json.dumps({"kind": "List", "metadata": {"resourceVersion": VERSION}, "items": []}).encode()
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
    """The pages, as text: made beforehand, since the program is measured and not Python."""

    def __init__(self, pods, nodes):
        self.pages = {"pods": pages(pods, pod), "nodes": pages(nodes, node)}
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


def handler_of(cluster):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            resource = url.path.rpartition("/")[2]
            if "sendInitialEvents" in query:  # switched off here, as before Kubernetes 1.32
                self.send(422, json.dumps({"kind": "Status", "code": 422, "reason": "Invalid"}).encode())
                return
            if "watch" in query:
                self.watch(resource)
                return
            known = cluster.pages.get(resource, [EMPTY])
            self.send(200, known[int(query.get("continue", 0))])

        def watch(self, resource):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            if resource == "pods" and not cluster.forgotten.is_set():
                cluster.forgotten.wait(LIMIT)
                status = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired"}
                event = json.dumps({"type": "ERROR", "object": status}).encode() + b"\n"
                self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(event), event))
            else:
                cluster.ended.wait(LIMIT)
            self.close_connection = True

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
    certificate = folder / "tls.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=made-up", "-addext", "subjectAltName=IP:127.0.0.1", "-days",
                    "1", "-keyout", folder / "tls.key", "-out", certificate], check=True,
                   capture_output=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(cluster))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, folder / "tls.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, server.server_address[1]


def kubeconfig(folder, port):
    path = folder / "kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "x",
        "clusters": [{"name": "x", "cluster": {"server": f"https://127.0.0.1:{port}",
                                               "certificate-authority": str(folder / "tls.crt")}}],
        "users": [{"name": "x", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}]}))
    return path


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


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    pods = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    nodes = int(sys.argv[3]) if len(sys.argv) > 3 else 15_000
    cluster = Cluster(pods, nodes)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        _, port = serve(cluster, folder)
        log = folder / "log"
        command = [sys.argv[1], "serve", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0",
                   "--kubeconfig", str(kubeconfig(folder, port)), "--ledger", "cluster", "--log-format",
                   "json", "--ca-bundle-out", str(folder / "ca"), "--drain-delay", "0s"]
        start = time.monotonic()
        with open(log, "w", encoding="utf-8") as errors, subprocess.Popen(
                command, stderr=errors, stdout=subprocess.DEVNULL) as program:
            try:
                health = wait_for("listening", program, lambda: health_port(log))
                idle = metrics(health)["process_resident_memory_bytes"]
                first = wait_for("sync", program, lambda: synced(health))
                took = time.monotonic() - start
                before = time.monotonic()
                cluster.forgotten.set()
                second = wait_for("re-list", program, lambda: relisted(health, before))
                report(pods, nodes, idle, first, took, second, time.monotonic() - before)
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
    print(f"| resident after a re-list, which takes | {memory[1] / 1e6:.0f} MB, {again:.1f} s |")


if __name__ == "__main__":
    main()
