"""Step 3: all hosts of a slice become one job, with values by tpu-webhook; and the same Job without them."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import time

from . import objects, private, waiting
from .findings import Step
from .kubectl import Failed, Kubectl
from .screen import Screen

SECONDS = 480  # images on the other hosts are loaded in it
WITHOUT = "ValueError: coordinator_address should be defined."
ROOT = pathlib.Path(__file__).resolve().parents[2]
_SELECTOR = f"job-name={objects.NAME}"
_ALL = ("jobs.batch,pods,services", "--all")


def program(given: str) -> str:
    """kubectl-tpu: the one that is given, that of PATH, that of this checkout; "" if there is none."""
    if given:
        return given
    built = [str(ROOT / "build" / preset / "server" / "kubectl-tpu") for preset in ("ci", "dev", "release")]
    return shutil.which("kubectl-tpu") or next((path for path in built if os.access(path, os.X_OK)), "")


def run(
    kubectl: Kubectl,
    screen: Screen,
    making: objects.Making,
    names: private.Names,
    enforced: bool,
    tool: str,
    step: Step,
) -> None:
    hosts = making.pool.hosts
    if enforced:
        step.note("values-by", "tpu-webhook in the cluster; the Pods are those of an Indexed Job")
        _with_values(kubectl, screen, names, making, [objects.job(making, hosts)], step)
    elif tool:
        try:
            pods = [objects.plain(pod) for pod in made_offline(tool, making, hosts)]
        except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
            screen.aside(f"{tool} explain: {error}")
            step.not_known("values-by", "kubectl tpu explain made no Pods of the Job")
        else:
            step.note("values-by", "kubectl tpu, outside of the cluster; the Pods are plain ones, without a Job")
            _with_values(kubectl, screen, names, making, pods, step)
    else:
        step.not_known("values-by", "neither tpu-webhook in the cluster nor kubectl-tpu here; see --program")
    _without_values(kubectl, screen, names, making, step)


def made_offline(tool: str, making: objects.Making, hosts: int) -> list:
    """The Pods of the Job as tpu-webhook would have them stored."""
    given = "".join(json.dumps(one) + "\n" for one in (objects.service(making), objects.job(making, hosts)))
    done = subprocess.run(
        [tool, "explain", "-", "--output", "pods"], input=given, capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        raise subprocess.SubprocessError(done.stderr.strip() or f"exit code {done.returncode}")
    pods = [json.loads(line) for line in done.stdout.splitlines()]
    if len(pods) != hosts:
        raise ValueError(f"{len(pods)} Pods for {hosts} hosts")
    return pods


def _with_values(kubectl, screen, names, making, made: list, step: Step) -> None:
    hosts = making.pool.hosts
    ran = _ran(kubectl, screen, [objects.service(making), *made], hosts, "with-values", names, step)
    if ran is None:
        return
    pods, said, lines, seconds = ran
    env = [waiting.variables(pod) for pod in pods]
    ids = sorted(one.get("TPU_WORKER_ID", "none") for one in env)
    step.equal("worker-ids", [private.plain(one) for one in ids], sorted(map(str, range(hosts))))
    lists = {one.get("TPU_WORKER_HOSTNAMES", "") for one in env}
    step.equal(
        "host-names",
        f"{len(lists)} list of {len(lists.pop().split(','))}" if len(lists) == 1 else f"{len(lists)} lists",
        f"1 list of {hosts}",
    )
    if not all(said):
        step.equal(
            "one-job",
            [names.clean(line) for line in dict.fromkeys(line for one, line in zip(said, lines) if not one)],
            "one job of all hosts",
        )
        return
    step.equal(
        "one-job",
        [f"{int(one['process'])} of {int(one['processes'])}" for one in sorted(said, key=lambda one: one["process"])],
        [f"{number} of {hosts}" for number in range(hosts)],
    )
    step.equal("sum", sorted({float(one["sum"]) for one in said}), sorted({float(one["expected"]) for one in said}))
    first = said[0]
    if first["platform"] == "tpu":
        chips = making.pool.total
        each = {chips: 1, 2 * chips: 2}.get(first["devices"], 1)  # v3 and tpu7x have two devices a chip
        step.equal("chips", f"{int(first['devices'])} devices", f"{each * chips} devices")
    else:
        step.not_known("chips", f"JAX used {private.word(first['platform'])}: no chip was used")
    step.note(
        "seconds",
        f"{seconds:.0f} from creation to the end; in the slowest: "
        + ", ".join(
            f"{what} {max(float(one['seconds'][what]) for one in said):.1f}" for what in ("import", "join", "sum")
        ),
    )
    step.note("versions", f"JAX {private.version(first['jax'])} on {private.word(first['kind'])}")


def _without_values(kubectl, screen, names, making, step: Step) -> None:
    """An Indexed Job that tpu-webhook is asked to leave alone, as it leaves a namespace in shadow mode."""
    hosts = making.pool.hosts
    made = [objects.service(making), objects.job(making, hosts, objects.NOT_INJECTED)]
    ran = _ran(kubectl, screen, made, hosts, "without-values", names, step)
    if ran is None:
        return
    _, said, lines, seconds = ran
    if all(said):
        step.equal("without-values", "one job: something else gave the values", WITHOUT, fact="gke-own-webhook")
    else:
        step.equal("without-values", list(dict.fromkeys(names.clean(line) for line in lines)), [WITHOUT])
    step.note("seconds-without", f"{seconds:.0f} from creation to the end")


def _ran(kubectl, screen, made: list, hosts: int, what: str, names: private.Names, step: Step):
    """(Pods, what each printed, their last lines, seconds); None if it did not come so far, and the step says why."""
    began = time.monotonic()
    try:
        kubectl.create(*made)
        try:
            pods = waiting.ended(kubectl, screen, _SELECTOR, hosts, SECONDS)
        finally:
            seconds = time.monotonic() - began
        for pod in pods:
            names.hide(pod["status"].get("podIP", ""))
        words = [waiting.printed(kubectl, pod, "member") for pod in pods]
        kubectl.delete(*_ALL)
        return pods, [said for said, _ in words], [line for _, line in words], seconds
    except waiting.GaveUp as gave_up:
        _gave_up(kubectl, gave_up, what, names, step)
    except Failed as failed:
        screen.aside(failed.text)
        step.not_known(what, failed.kind)
    return None


def _gave_up(kubectl: Kubectl, gave_up: waiting.GaveUp, what: str, names: private.Names, step: Step) -> None:
    """Containers that began and did not end are a finding; that none began is not."""
    try:
        if gave_up.running:
            lines = dict.fromkeys(names.clean(waiting.printed(kubectl, pod, "member")[1]) for pod in gave_up.running)
            step.equal(what, f"{gave_up.why}; last lines: {' | '.join(lines)}", "all end")
        else:
            step.not_known(what, gave_up.why)
        kubectl.delete(*_ALL)
    except Failed as failed:
        step.not_known(what, f"{gave_up.why}; then {failed.kind}")
