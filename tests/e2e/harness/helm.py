"""The release as somebody with Helm installs, upgrades and rolls it back."""

import subprocess

from controlplane import programs

from .release import NAME, NAMESPACE

VALUES = {"replicas": 1, "image": {"repository": "tpu-webhook"}, "config": {"mode": "enforce"}}
SAID = ["--set=replicas=1", "--set=image.repository=tpu-webhook", "--set=config.mode=enforce"]  # the same, for a command line


def helm(which: str, plane, verb: str, *arguments: str) -> None:
    """`which`: helm or helm3, of the pins."""
    place = ["--kubeconfig", str(plane.kubeconfig), "--namespace", NAMESPACE]
    answer = subprocess.run([programs.path(which), verb, NAME, *place, *arguments], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, f"{which} {verb}: {answer.stderr.strip()}"
