"""charts/tpu-webhook, rendered by the real helm."""

import json
import os
import pathlib
import subprocess
import tempfile

import yaml

from controlplane import programs

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHART = pathlib.Path(os.environ.get("TPUWH_CHART") or ROOT / "charts" / "tpu-webhook")


def render(release: str, namespace: str, values: dict) -> list:
    """The objects that `helm install` would create, in helm's order; the image is one that nobody pulls."""
    values = {**values, "image": {"repository": "tpu-webhook", **values.get("image", {})}}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(values, file)
        file.flush()
        command = [programs.path("helm"), "template", release, str(CHART), "--namespace", namespace, "--no-hooks"]
        command += ["--values", file.name, "--kube-version", programs.KUBERNETES_VERSION]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"helm template: {answer.stderr.strip()}")
    return [document for document in yaml.safe_load_all(answer.stdout) if document]


def one(objects: list, kind: str, name: str = "tpu-webhook") -> dict:
    """The only object of a kind and name."""
    found = [obj for obj in objects if obj["kind"] == kind and obj["metadata"]["name"] == name]
    if len(found) != 1:
        raise RuntimeError(f"the chart renders {len(found)} objects of kind {kind} with the name {name}, not 1")
    return found[0]
