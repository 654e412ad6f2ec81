"""demo.py PROGRAM: starts the webhook's HTTPS server and shows what it does to three workloads.

What it sends is what a real API server sent for the Pods of real controllers.
"""

import base64
import http.client
import json
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests" / "golden" / "recorded"
WORKLOADS = [
    ("Indexed Job: one v6e 2x4 slice on two nodes", "job-2x4"),
    ("JobSet: two v6e 4x4 slices, one multi-slice job", "jobset-multislice-kueue"),
    ("RayCluster: two v6e 4x4 replicas with host indexing", "raycluster-indexed"),
]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Webhook:
    """The server as a context: started, ready, and ended by its process id."""

    def __init__(self, program, folder):
        self.port = free_port()
        self.ca = folder / "ca.pem"
        self.log = open(folder / "log", "w")
        self.process = subprocess.Popen(
            [program, "serve", "--listen", f"127.0.0.1:{self.port}", "--tls-hostname", "localhost",
             "--ca-bundle-out", str(self.ca), "--drain-delay", "0s"],
            stdout=self.log, stderr=self.log)

    def __enter__(self):
        for _ in range(100):
            if self.process.poll() is not None:
                sys.exit(f"demo: the server ended: {pathlib.Path(self.log.name).read_text()}")
            try:
                return self.connect()
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
        sys.exit("demo: the server did not become ready in 10 s")

    def connect(self):
        self.https = http.client.HTTPSConnection(
            "localhost", self.port, timeout=10,
            context=ssl.create_default_context(cafile=str(self.ca)))
        self.https.request("GET", "/readyz")
        if self.https.getresponse().read() is None:
            raise OSError("not ready")
        return self

    def admit(self, review):
        """Sends one review as the API server does; the response part of the answer."""
        self.https.request("POST", "/mutate?timeout=10s", body=review,
                           headers={"Content-Type": "application/json"})
        return json.loads(self.https.getresponse().read())["response"]

    def __exit__(self, *_):
        self.https.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)


def apply_patch(pod, operations):
    """Adds and replacements, which is what these Pods get."""
    for operation in operations:
        *parents, last = [p.replace("~1", "/").replace("~0", "~")
                          for p in operation["path"].split("/")[1:]]
        node = pod
        for key in parents:
            node = node[int(key)] if isinstance(node, list) else node[key]
        if not isinstance(node, list):
            node[last] = operation["value"]
        elif operation["op"] == "add":
            node.insert(len(node) if last == "-" else int(last), operation["value"])
        else:
            node[int(last)] = operation["value"]
    return pod


def shown(pod):
    """The part of a Pod that the webhook is about, in a few lines."""
    spec = pod["spec"]
    lines = [f"hostname: {spec.get('hostname', '-')}, subdomain: {spec.get('subdomain', '-')}",
             f"affinity: {', '.join(spec.get('affinity', {})) or '-'}"]
    for container in spec["containers"]:
        lines.append(f"container {container['name']}, env:")
        for entry in container.get("env", []):
            value = entry.get("value", "(from the Pod)")
            lines.append(f"  {entry['name']}={value if len(value) < 100 else value[:97] + '...'}")
    return lines


def show(heading, lines):
    print(f"  {heading}")
    for line in lines:
        print(f"    {line}")


def agree(pods):
    """What the plain check of tests/readers says about all members together."""
    check = subprocess.run([sys.executable, ROOT / "tests" / "readers" / "agree.py", "-"],
                           input="".join(json.dumps(pod) + "\n" for pod in pods), text=True,
                           capture_output=True)
    print((check.stdout + check.stderr).strip())
    return check.returncode == 0


def tpu_pod(review):
    """Whether the webhook is asked about such a Pod: its match conditions leave out the others,
    which is Ray's head here."""
    return b'"google.com/tpu"' in review


def demonstrate(title, reviews, program, webhook):
    print(f"\n== {title}")
    pods = {}
    for review in filter(tpu_pod, reviews):
        response = webhook.admit(review)
        patch = json.loads(base64.b64decode(response.get("patch", "W10=")))
        pod = apply_patch(json.loads(review)["request"]["object"], patch)
        # JobSet's own webhook refuses a follower that comes before its leader stands; it comes again.
        pods[pod["spec"]["hostname"]] = review, pod
    review, after = next(iter(pods.values()))
    before = json.loads(review)["request"]["object"]
    print(f"One of {len(pods)} Pods, {before['metadata'].get('generateName', '')}*:")
    show("before", shown(before))
    show("after", shown(after))
    why = subprocess.run([program, "review", "-", "--output", "text"], input=review,
                         stdout=subprocess.PIPE, check=True).stdout.decode()
    show("why (tpu-webhook review --output text)", why.splitlines()[1:])
    return agree([pod for _, pod in pods.values()])


def main(program):
    with tempfile.TemporaryDirectory() as folder, Webhook(program, pathlib.Path(folder)) as webhook:
        print(f"webhook on https://localhost:{webhook.port}/mutate, certificate of its own")
        results = [demonstrate(title, (RECORDED / story / "reviews.jsonl").read_bytes().splitlines(),
                               program, webhook)
                   for title, story in WORKLOADS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
