"""scripts/try-on-a-real-cluster on nodes whose containers run: what a user with a TPU pool sees, but for the chips."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from controlplane import programs
from harness import built
from harness.api import wait_for
from harness.training import READER

KIT = pathlib.Path(__file__).resolve().parents[4] / "scripts" / "try-on-a-real-cluster"
NAMESPACE = "tpu-webhook-try"
SECONDS = 400
NO_CHIP = {("chips", "JAX used cpu: no chip was used")}


@pytest.fixture
def kit(plane, machines, api, tmp_path):
    """kit(…) starts it with these arguments, on pool slice-a; afterwards its namespace does not exist."""
    report = tmp_path / "report.json"

    def start(*arguments):
        command = [
            sys.executable,
            "-B",
            str(KIT),
            f"--kubeconfig={plane.kubeconfig}",
            f"--image={READER}",
            "--pool=slice-a",
            f"--program={built.program().with_name('kubectl-tpu')}",
            f"--output={report}",
            *arguments,
        ]
        path = f"{pathlib.Path(programs.path('kubectl')).parent}:{os.environ['PATH']}"
        return subprocess.Popen(
            command,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored where a shell runs us beside
        )

    start.report = report
    yield start
    assert api.get("v1", "Namespace", NAMESPACE) is None


def ended(started, seconds=SECONDS):
    """(exit code, what it printed, what it said to the user alone)."""
    try:
        out, err = started.communicate(timeout=seconds)
    finally:
        started.kill()  # unless it has ended
    return started.returncode, out, err


def passes(kit, machines, picture, title):
    """A whole run in which nothing differs, and which names nothing of the cluster; its checks by id."""
    began = time.monotonic()
    code, out, err = ended(kit("--yes"))
    picture(f"the kit, {title}: {time.monotonic() - began:.0f} s", out)
    assert code == 0, out + err
    text = kit.report.read_text(encoding="utf-8")
    for name in [NAMESPACE, *machines, *(one.name for many in machines.values() for one in many)]:
        # As a word: a pool may be called as a part of "one-slice-a-pool".
        assert not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text + out), name
    assert "10.244." not in text + out
    report = json.loads(text)
    checks = [check for step in report["steps"] for check in step["checks"]]
    assert {(one["id"], one["found"]) for one in checks if one["outcome"] != "ok"} == NO_CHIP
    assert [step["id"] for step in report["steps"]] == ["reads", "host", "slice", "clean"]
    return {one["id"]: one["found"] for one in checks}


def test_values_by_the_webhook(release, kit, machines, picture):
    found = passes(kit, machines, picture, "values by the webhook")
    assert found["values-by"].startswith("tpu-webhook in the cluster")
    assert found["without-values"] == "ValueError: coordinator_address should be defined."


def test_values_made_outside(release, kit, machines, picture):
    """Where the webhook only looks on, the values come from kubectl-tpu, and the Pods are plain ones."""
    release.upgrade({"config": {"mode": "shadow"}})
    try:
        found = passes(kit, machines, picture, "values made outside")
        assert found["values-by"].startswith("kubectl tpu, outside of the cluster")
    finally:
        release.upgrade({})
        release.wait_called()


@pytest.fixture
def edited(machines):
    """Its hosts as a driver's that edits containers: two of the device plugin's variables come by CDI."""
    spec = {"cdiVersion": "0.6.0", "kind": "e2e.tpu-webhook.dev/try", "devices": [
        {"name": "edit", "containerEdits": {"env": ["ALT=true", "TPU_TOPOLOGY_ALT=true"]}}
    ]}  # fmt: skip
    for one in machines["slice-a"]:
        one.know(spec)
        one.offer({"TPU_NEW": "7"}, cdi=["e2e.tpu-webhook.dev/try=edit"])
    yield
    for one in machines["slice-a"]:
        one.offer()


def test_what_differs_is_found(release, kit, edited, picture):
    """Where CDI has the last word, as with DRA, and the plugin writes one variable more."""
    code, out, err = ended(kit("--yes"))
    picture("the kit, on hosts that edit containers", out)
    assert code == 1, out + err
    steps = {step["id"]: step for step in json.loads(kit.report.read_text(encoding="utf-8"))["steps"]}
    differs = {(one["id"], one["found"]) for one in steps["host"]["checks"] if one["outcome"] == "differs"}
    assert differs == {
        ("device-plugin", "ALT=true"),
        ("device-plugin", "TPU_TOPOLOGY_ALT=true"),
        ("device-plugin", "TPU_NEW=7"),
        ("pod-over-plugin", "the node's"),
        ("empty-over-plugin", "the node's"),
    }
    assert steps["clean"]["outcome"] == "ok"


def test_ctrl_c_leaves_nothing(release, kit, api):
    """While its Pods run."""
    started = kit("--yes")
    wait_for("a Pod of it", lambda: api.get("v1", "Namespace", NAMESPACE) and api.pods(NAMESPACE), 120)
    started.send_signal(signal.SIGINT)
    code, out, err = ended(started)
    assert code == 130, out + err
    report = json.loads(kit.report.read_text(encoding="utf-8"))
    assert report["steps"][-1]["checks"][-1]["found"] == "nothing"
