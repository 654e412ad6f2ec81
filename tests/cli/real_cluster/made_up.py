"""A kubectl of a made-up cluster, in a folder.

world.json is the cluster and how it behaves (world.py); state.json what was created since; calls.jsonl every call,
with what it was given. Pods end at once: programs that show variables really run, with those that a device plugin and
the kubelet would give (tests/readers); of a job's members, which ask for JAX, the last words are made up from their
variables.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "readers"))

import container_env  # noqa: E402

BASE = {"PATH": "/usr/bin:/bin", "HOSTNAME": "host", "COMPANY_TOKEN": "hunter2", "TPU_LIBRARY_PATH": "/lib/libtpu.so"}
WORLD: dict = {}


class Refused(Exception):
    """What kubectl says on standard error."""


def answer(folder, arguments, given):
    """(exit code, standard output, standard error) of one call."""
    home = pathlib.Path(folder)
    WORLD.clear()
    WORLD.update(json.loads((home / "world.json").read_text(encoding="utf-8")), home=home)
    with open(home / "calls.jsonl", "a", encoding="utf-8") as calls:
        calls.write(json.dumps({"arguments": arguments, "given": given}) + "\n")
    words = [one for one in arguments if not one.startswith("--")]
    flags = dict(one[2:].partition("=")[::2] for one in arguments if one.startswith("--"))
    file = home / "state.json"
    state = (
        json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"namespace": None, "pods": [], "logs": {}}
    )
    verb = {"get": get, "create": create, "delete": delete, "logs": logs, "version": version, "auth": may}[words[0]]
    try:
        out = verb(state, words[1:], flags, given)
    except Refused as refused:
        return 1, "", str(refused)
    write(state)
    return int(out == "no"), out, ""


def write(state):
    file = WORLD["home"] / "state.json"
    file.with_suffix(".new").write_text(json.dumps(state), encoding="utf-8")
    os.replace(file.with_suffix(".new"), file)


def version(*_):
    return json.dumps({"serverVersion": {"gitVersion": WORLD["version"]}})


def may(state, words, flags, given):
    return "no" if " ".join(words[1:]) in WORLD["forbidden"] else "yes"


def get(state, words, flags, given):
    kind = words[0]
    if kind == "namespace":
        return json.dumps(state["namespace"]) if state["namespace"] else ""
    if "all-namespaces" in flags:
        return "\n".join(WORLD["podsOn"].get(flags["field-selector"].partition("=")[2], []))
    if kind == "pods":
        key, _, value = flags["selector"].partition("=")
        return listed([pod for pod in state["pods"] if pod["metadata"]["labels"].get(key) == value])
    if kind == "serviceaccounts":
        return listed([{"metadata": {"name": "default"}}])
    if kind not in WORLD["objects"]:
        raise Refused(f'error: the server doesn\'t have a resource type "{kind.partition(".")[0]}"')
    return listed(WORLD["objects"][kind])


def create(state, words, flags, given):
    objects = json.loads(given)
    objects = objects["items"] if objects["kind"] == "List" else [objects]
    for one in objects:
        if one["kind"] in WORLD["wrong"]:
            raise Refused(WORLD["wrong"][one["kind"]])
    if objects[0]["kind"] == "Namespace":
        state["namespace"] = objects[0]
        write(state)
        time.sleep(WORLD["slowly"])
        return given
    pods = [
        pod
        for one in objects
        for pod in ([admitted(one)] if one["kind"] == "Pod" else made(one) if one["kind"] == "Job" else [])
    ]
    if flags.get("dry-run") == "server":
        return json.dumps(pods[0])
    for index, pod in enumerate(pods):
        run(state, pod, index)
    return ""


def delete(state, words, flags, given):
    if words[0] == "namespace":
        if not WORLD["stuck"]:
            state.update(namespace=None, pods=[], logs={})
        return ""
    state["pods"] = [] if "all" in flags else [pod for pod in state["pods"] if pod["metadata"]["name"] not in words[1:]]
    return ""


def logs(state, words, flags, given):
    return state["logs"][f"{words[0]}/{flags['container']}"]


def listed(items):
    return json.dumps({"kind": "List", "items": items})


# -- admission --------------------------------------------------------------------------------


def program(command, text):
    asked = [os.environ["MADE_UP_PROGRAM"], command, "-", "--output", "object" if command == "review" else "pods"]
    answer = subprocess.run(asked, input=text, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in answer.splitlines()]


def admitted(pod):
    if WORLD["enforce"] and pod["metadata"].get("ownerReferences"):
        (pod,) = program("review", json.dumps(pod))
    return injected(pod)


def made(job):
    """Of a Job, as its controller makes them."""
    if not WORLD["enforce"]:
        job["spec"]["template"]["metadata"]["annotations"]["tpu-webhook.dev/inject"] = "false"
    return [injected(pod) for pod in program("explain", json.dumps(job))]


def injected(pod):
    """By somebody else, where there is somebody."""
    if not WORLD["injector"] or "batch.kubernetes.io/job-completion-index" not in pod["metadata"]["annotations"]:
        return pod
    env, values = pod["spec"]["containers"][0].setdefault("env", []), WORLD["injector"]
    mine = {"TPU_WORKER_ID": pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"], **values}
    have = {one["name"] for one in env}
    if WORLD["replaces"]:
        env[:] = [one for one in env if one["name"] not in mine]
    env += [{"name": name, "value": value} for name, value in mine.items() if WORLD["replaces"] or name not in have]
    return pod


# -- the nodes --------------------------------------------------------------------------------


def run(state, pod, index):
    pod["metadata"].setdefault("name", pod["metadata"].get("generateName", "") + f"{index:05d}")
    pod["status"] = {"podIP": f"10.77.{index}.9"}
    state["pods"].append(pod)
    if WORLD["pods"] == "pending":
        pod["status"]["phase"] = "Pending"
        return
    nodes = [
        node
        for node in WORLD["objects"]["nodes"]
        if pod["spec"]["nodeSelector"].items() <= node["metadata"]["labels"].items()
    ]
    node = nodes[index % len(nodes)]
    pod["spec"]["nodeName"] = node["metadata"]["name"]
    if WORLD["pods"] == "no image":
        pod["status"].update(
            phase="Pending", containerStatuses=[{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]
        )
        return
    container = pod["spec"]["containers"][0]
    chips = int(container["resources"]["limits"]["google.com/tpu"])
    plugin = {**container_env.device_plugin(node, chips), **WORLD["plugin"]}
    own = container_env.pod_env(pod, container, node, pod["status"]["podIP"], "x")
    environment = {**BASE, **plugin, **own} if WORLD["podWins"] else {**BASE, **own, **plugin}
    environment = {name: value for name, value in environment.items() if value is not None}
    name = pod["metadata"]["name"]
    if "initContainers" in pod["spec"]:
        state["logs"][f"{name}/image"] = shown(pod["spec"]["initContainers"][0], BASE)
        state["logs"][f"{name}/host"] = shown(container, environment)
        pod["status"]["phase"] = "Succeeded"
    else:
        state["logs"][f"{name}/member"] = trained(environment, node)
        pod["status"]["phase"] = "Running" if WORLD["pods"] == "hang" else "Succeeded"


def shown(container, environment):
    return subprocess.run(
        [sys.executable, "-S", *container["command"][1:]], env=environment, capture_output=True, text=True, check=True
    ).stdout


def trained(environment, node):
    if "TPU_WORKER_ID" not in environment:
        return f"Traceback (most recent call last):\n  File x\n{WORLD['withoutValues']}\n"
    if WORLD["pods"] == "hang":
        return WORLD["lastLine"] + "\n"
    names = environment["TPU_WORKER_HOSTNAMES"].split(",")
    chips = int(node["status"]["allocatable"]["google.com/tpu"])
    total = float(sum(chips * (number + 1) for number in range(len(names))))
    said = {
        "process": int(environment["TPU_WORKER_ID"]),
        "processes": len(names),
        "local": chips,
        "devices": chips * len(names),
        "platform": "tpu",
        "kind": "TPU v6 lite",
        "jax": "0.10.2",
        "sum": total,
        "expected": total,
        "seconds": {"import": 2.1, "join": 1.0, "sum": 8.25},
    }
    return f"I0000 {node['metadata']['name']} begins\ntpu-webhook-try {json.dumps(said)}\n"
