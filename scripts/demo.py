"""demo.py PROGRAM [--verbose]: starts the webhook's HTTPS server and shows what it does to three
workloads.

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
import textwrap
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
        self.ca, key = folder / "tls.crt", folder / "tls.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", self.ca],
                       check=True, capture_output=True)
        self.log = open(folder / "log", "w")
        self.process = subprocess.Popen(
            [program, "serve", "--listen", f"127.0.0.1:{self.port}", "--tls-cert", self.ca, "--tls-key", key,
             "--drain-delay", "0s"],
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


def cut(text):
    """A line's text: a list of host names may be long; its end is in --verbose."""
    return text if len(text) <= 88 else text[:85] + "..."


def facts(pod):
    """What the webhook may write, as {name: value}; an affinity term as its place and number."""
    spec = pod["spec"]
    found = {key: spec[key] for key in ("hostname", "subdomain") if key in spec}
    for container in spec["containers"]:
        for entry in container.get("env", []):
            found[entry["name"]] = entry.get("value", "(from the Pod)")
    for kind, strengths in spec.get("affinity", {}).items():
        for strength, terms in strengths.items():
            strength = strength.removesuffix("DuringSchedulingIgnoredDuringExecution")
            found[f"{strength} {kind}"] = terms
    return found


def described(pod):
    """What of all that a Pod has, in a line."""
    spec = pod["spec"]
    variables = [entry["name"] for each in spec["containers"] for entry in each.get("env", [])]
    return ", ".join([f"{key} {spec[key]}" if key in spec else f"no {key}"
                      for key in ("hostname", "subdomain")]
                     + [f"{len(variables)} variables" if len(variables) > 1 else f"env {variables[0]}"]
                     + (list(spec.get("affinity", {})) or ["no affinity"]))


def added(before, after):
    """What a Pod has more than before: a line each, terms, labels and annotations in one."""
    had, has = facts(before), facts(after)
    new = [name for name in has if had.get(name) != has[name]]
    lines = [f"{name}={has[name]}" for name in new if isinstance(has[name], str)]
    lines.append("affinity: " + ", ".join(name for name in new if isinstance(has[name], list | dict)))
    for of in ("labels", "annotations"):
        keys = before["metadata"].get(of, {})
        lines.append(f"{of}: " + ", ".join(key for key in after["metadata"].get(of, {}) if key not in keys))
    return [f"+ {cut(line)}" for line in lines]


def in_short(why):
    """Who the Pod is, why it was answered so, and where its id is from."""
    for line, reason in zip(why, [*why[1:], ""]):
        word, _, text = line.strip().partition(" ")
        if word in ("found", "because"):
            yield text.strip()
        elif " TPU_WORKER_ID=" in line:
            yield f"TPU_WORKER_ID: {reason.strip()}"


def show_column(heading, lines):
    for line in lines:
        for part in textwrap.wrap(line, 92, subsequent_indent="  "):
            print(f"  {heading:8}{part}")
            heading = ""


def agree(pods):
    """What the plain check of tests/readers says about all members together."""
    check = subprocess.run([sys.executable, ROOT / "tests" / "readers" / "agree.py", "-"],
                           input="".join(json.dumps(pod) + "\n" for pod in pods), text=True,
                           capture_output=True)
    return check.returncode == 0, (check.stdout + check.stderr).strip()


def tpu_pod(review):
    """Whether the webhook is asked about such a Pod: its match conditions leave out the others,
    which is Ray's head here."""
    return b'"google.com/tpu"' in review


def demonstrate(title, reviews, program, webhook, verbose):
    pods = {}
    for review in filter(tpu_pod, reviews):
        response = webhook.admit(review)
        patch = json.loads(base64.b64decode(response.get("patch", "W10=")))
        pod = apply_patch(json.loads(review)["request"]["object"], patch)
        # JobSet's own webhook refuses a follower that comes before its leader stands; it comes again.
        pods[pod["spec"]["hostname"]] = review, pod
    review, after = next(iter(pods.values()))
    before = json.loads(review)["request"]["object"]
    name = before["metadata"].get("generateName", "")
    why = subprocess.run([pathlib.Path(program).with_name("review_text")], input=review,
                         stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[1:]
    good, verdict = agree([pod for _, pod in pods.values()])
    print(f"\n{title} ({name}*, one of {len(pods)} Pods)")
    if verbose:
        show("before", shown(before))
        show("after", shown(after))
        show("why (kubectl tpu review --output text)", why)
        print(f"  {verdict}")
    else:
        show_column("before", [described(before)])
        show_column("after", added(before, after))
        show_column("why", in_short(why))
        show_column("verdict", [verdict])
    return good


def main(program, *options):
    with tempfile.TemporaryDirectory() as folder, Webhook(program, pathlib.Path(folder)) as webhook:
        print(f"tpu-webhook serve on https://localhost:{webhook.port}/mutate, with a certificate for localhost")
        results = [demonstrate(title, (RECORDED / story / "reviews.jsonl").read_bytes().splitlines(),
                               program, webhook, "--verbose" in options)
                   for title, story in WORKLOADS]
    if "--verbose" not in options:
        print("\nEvery variable, and the reason of each operation: scripts/demo --verbose")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
