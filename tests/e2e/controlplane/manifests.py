"""Operators' own objects (CRDs, roles, webhook configurations), rendered from their Go modules.

`kubectl kustomize MODULE/config/default` makes YAML; `kubectl label --local -o json` turns it into
JSON, which Python reads without a library, and marks each object with the operator's name.
"""

import json
import pathlib
import subprocess

RECIPE = "kustomize config/default, label, json; 1"
LABEL = "e2e.tpu-webhook.dev/operator"


def render(operator: str, module_folder: pathlib.Path, home: pathlib.Path) -> None:
    """Write <home>/objects/<operator>.json, a list of objects in kustomize's order."""
    kubectl = str(home / "bin" / "kubectl")
    yaml_text = _run([kubectl, "kustomize", str(module_folder / "config" / "default")])
    json_text = _run([kubectl, "label", "--local", "-f", "-", "-o", "json", f"{LABEL}={operator}"], yaml_text)
    target = home / "objects" / f"{operator}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(_documents(json_text)) + "\n", encoding="utf-8")


def load(operator: str, home: pathlib.Path) -> list:
    return json.loads((home / "objects" / f"{operator}.json").read_text(encoding="utf-8"))


def _documents(text: str) -> list:
    """kubectl prints one JSON object after another, without a comma."""
    decoder, found, position = json.JSONDecoder(), [], 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        value, position = decoder.raw_decode(text, position)
        found.append(value)
    return found


def _run(command: list, stdin: str = "") -> str:
    answer = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {answer.stderr.strip()}")
    return answer.stdout
