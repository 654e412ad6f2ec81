"""What the harness reads of a Pod, and how a story spoils one by hand."""

import copy
import json
import pathlib
import subprocess

TPU = "google.com/tpu"


def reviewed(program, reviews, *flags):
    """The Pods of a review file as the server leaves them, in the file's order; asked is the program beside it."""
    asked = pathlib.Path(program).with_name("kubectl-tpu")
    result = subprocess.run([asked, "review", str(reviews), "--output", "object", *flags],
                            capture_output=True, text=True, timeout=60)
    if result.returncode != 0:
        raise RuntimeError(f"review {reviews} ended with {result.returncode}: {result.stderr}")
    pods = read_lines(result.stdout)
    asked = sum(1 for line in open(reviews) if line.strip())
    if len(pods) != asked:
        raise RuntimeError(f"{asked} reviews in {reviews}, {len(pods)} Pods came back")
    return pods


def read_lines(text):
    """Pods from JSON lines."""
    pods = [json.loads(line) for line in text.splitlines() if line.strip()]
    for pod in pods:
        if pod.get("kind") != "Pod":
            raise RuntimeError(f"not a Pod: {json.dumps(pod)[:200]}")
    return pods


def chips(container):
    """Chips a container asks for: its request, else its limit."""
    resources = container.get("resources", {})
    for kind in ("requests", "limits"):
        if TPU in resources.get(kind, {}):
            return int(resources[kind][TPU])
    return 0


def tpu_containers(pod):
    """The containers that run a TPU process, in the Pod's order."""
    return [c for c in pod["spec"]["containers"] if chips(c)]


def dns_name(pod):
    """`hostname.subdomain`, or None for a Pod that has no name of its own."""
    spec = pod["spec"]
    if spec.get("hostname") and spec.get("subdomain"):
        return f"{spec['hostname']}.{spec['subdomain']}"
    return None


def title(pod):
    """What a message calls the Pod: its host name, else what its name begins with."""
    metadata = pod["metadata"]
    return pod["spec"].get("hostname") or metadata.get("name") or metadata["generateName"]


def literal_env(container):
    """The variables with a literal value, as the container would have them: the last wins."""
    return {e["name"]: e.get("value", "") for e in container.get("env", [])
            if "valueFrom" not in e}


def spoiled(pods, index, **variables):
    """A copy of `pods` in which the Pod at `index` has these variables, None for none."""
    pods = copy.deepcopy(pods)
    for container in tpu_containers(pods[index]):
        env = [e for e in container.get("env", []) if e["name"] not in variables]
        env += [{"name": n, "value": v} for n, v in variables.items() if v is not None]
        container["env"] = env
    return pods


def spoiled_all(pods, **variables):
    """The same for every Pod."""
    for index in range(len(pods)):
        pods = spoiled(pods, index, **variables)
    return pods
