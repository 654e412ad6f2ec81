"""Step 2: one host. Who writes a Pod's variables at admission, what the device plugin adds, and whose value wins."""

from __future__ import annotations

import pathlib
import sys

from . import objects, private, waiting
from .findings import Step
from .kubectl import Failed, Kubectl
from .pools import ACCELERATOR, label
from .screen import Screen

HOST_SECONDS = 420  # for either Pod; of which most is the image's, once
READERS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "readers"
HARMLESS = ("ALT", "TPU_TOPOLOGY_ALT", "WRAP", "TPU_TOPOLOGY_WRAP", "TPU_RUNTIME_METRICS_PORTS")
IDENTITY = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES", "TPU_NAME")
INJECTED = "tpu-webhook.dev/injected"
WHO_WINS = "whose-value-wins"  # the fact


def admission(kubectl: Kubectl, making: objects.Making, step: Step) -> bool:
    """What webhooks write into a Pod of a Job, by trials that store nothing. Whether tpu-webhook enforces."""
    hosts = making.pool.hosts
    try:
        ours = kubectl.would_create(objects.member(making, hosts))
        others = waiting.variables(kubectl.would_create(objects.member(making, hosts, objects.NOT_INJECTED)))
        preset = {"TPU_WORKER_ID": "7", "TPU_WORKER_HOSTNAMES": "kept-0,kept-1"}
        env = [{"name": name, "value": value} for name, value in preset.items()]
        kept = waiting.variables(kubectl.would_create(objects.member(making, hosts, objects.NOT_INJECTED, env)))
    except Failed as failed:
        step.not_known("admission", failed.kind, fact="gke-own-webhook")
        return False
    enforced = INJECTED in ours["metadata"].get("annotations", {})
    step.note(
        "admission",
        "tpu-webhook writes the values" if enforced else "tpu-webhook writes nothing: not installed, or in shadow mode",
    )
    step.equal(
        "other-injector",
        sorted(name for name in others if name in IDENTITY or name.startswith("MEGASCALE_")),
        [],
        fact="gke-own-webhook",
    )
    step.equal(
        "values-kept",
        sorted(name for name, value in preset.items() if kept.get(name) == value),
        sorted(preset),
        fact="gke-own-webhook",
    )
    return enforced


def run(kubectl: Kubectl, screen: Screen, making: objects.Making, names: private.Names, step: Step) -> None:
    """Two Pods one after another on one free host; neither uses a chip."""
    node = (making.pool.free or making.pool.nodes)[0]
    said = _environment(kubectl, screen, objects.host_pod(making, "host", node), step)
    if said is None:
        return
    image, host, specified = said
    written = {
        name: value for name, value in host["named"].items() if name not in image["named"] and name not in specified
    }
    _compare(written, node, making.pool.chips, names, step)
    more = host["others"] - image["others"]
    step.equal(
        "other-variables",
        f"{max(0, more)} of other names",
        "0 of other names",
        of=names.host(node["metadata"]["name"]),
        fact="platform-environment",
    )
    _who_wins(kubectl, screen, making, node, written, step)


def _compare(written: dict, node: dict, chips: int, names: private.Names, step: Step) -> None:
    """With what tests/readers says of this node."""
    about = {"of": names.host(node["metadata"]["name"]), "fact": "platform-environment"}
    sys.path.append(str(READERS))
    try:
        import device_plugin  # of this checkout: what the readers' tests rest on
    except ImportError:
        step.not_known(
            "device-plugin", f"{len(written)} variables; run it from a checkout to have them compared", **about
        )
        return
    if not device_plugin.known(label(node, ACCELERATOR), chips):
        step.not_known(
            "device-plugin", f"{len(written)} variables; expected ones are not known of this accelerator", **about
        )
        return
    expected, address = device_plugin.device_plugin(node, chips), device_plugin.host_ip(node)
    both = [[_value(name, of.get(name), address) for of in (written, expected)] for name in {*expected, *written}]
    for found, wanted in sorted(both, key=lambda pair: (pair[0] == pair[1], pair)):
        step.equal("device-plugin", found, wanted, **about)


def _value(name: str, value: str | None, address: str) -> str:
    if value is None:
        return f"{name} is not set"
    host, _, rest = value.partition(address)
    return f"{name}={'(host)' + private.plain(rest) if not host and rest else private.plain(value)}"


def _who_wins(kubectl: Kubectl, screen: Screen, making: objects.Making, node: dict, written: dict, step: Step) -> None:
    names = [name for name in HARMLESS if written.get(name)]
    about = {"fact": WHO_WINS}
    if len(names) < 3:
        step.not_known(
            "who-wins", f"the device plugin writes {len(names)} of the variables that a trial needs, of 3", **about
        )
        return
    other, empty, referred = names[:3]
    env = [
        {"name": "TRY_OWN", "value": "own"},
        {"name": other, "value": "of-the-pod"},
        {"name": empty, "value": ""},
        {"name": "TRY_EXPANDED", "value": "$(TRY_OWN)"},
        {"name": "TRY_REFERRED", "value": f"$({referred})"},
        {"name": "TRY_TOLD", "valueFrom": objects.told()},
        {"name": "TRY_TOLD_AGAIN", "value": "$(TRY_TOLD)"},
    ]
    said = _environment(kubectl, screen, objects.host_pod(making, "wins", node, env), step)
    if said is None:
        return
    found = said[1]["named"]
    node_s, wins = "the node's", "the Pod's"
    step.equal(
        "pod-over-plugin", {"of-the-pod": wins, written[other]: node_s}.get(found.get(other), "another"), wins, **about
    )
    step.equal("empty-over-plugin", {"": wins, written[empty]: node_s}.get(found.get(empty), "another"), wins, **about)
    step.equal("own-reference", _as("its value", found.get("TRY_EXPANDED") == "own"), "its value", **about)
    literal = {f"$({referred})": "stays as it is written", written[referred]: "becomes the node's value"}
    step.equal("plugin-reference", literal.get(found.get("TRY_REFERRED"), "another"), "stays as it is written", **about)
    step.equal(
        "annotation",
        _as("its value", found.get("TRY_TOLD") == found.get("TRY_TOLD_AGAIN") == "told"),
        "its value",
        **about,
    )


def _as(words: str, true: bool) -> str:
    return words if true else "another"


def _environment(kubectl: Kubectl, screen: Screen, pod: dict, step: Step):
    """(of the container without chips, of the one with them, the names that its specification sets); None if that is
    not known, and the step says why."""
    name = pod["metadata"]["name"]
    try:
        kubectl.create(pod)
        try:
            (ran,) = waiting.ended(kubectl, screen, "app.kubernetes.io/name=tpu-webhook-try", 1, HOST_SECONDS)
            (image, _), (host, _) = (waiting.printed(kubectl, ran, container) for container in ("image", "host"))
            if image and host:
                return image, host, set(waiting.variables(ran))
            step.not_known(name, "its containers did not print what they should: has the image Python as `python`?")
        except waiting.GaveUp as gave_up:
            step.not_known(name, gave_up.why)
        finally:
            kubectl.delete("pod", name)
    except Failed as failed:
        screen.aside(failed.text)
        step.not_known(name, failed.kind)
    return None
