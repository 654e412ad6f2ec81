"""Operators' own objects (CRDs, roles, webhook configurations), rendered from their Go modules.

`kubectl kustomize MODULE/FOLDER` makes YAML; `kubectl label --local -o json` turns it into
JSON, which Python reads without a library, and marks each object with the operator's name.
"""

import contextlib
import dataclasses
import json
import pathlib
import shutil
import subprocess
import tempfile

RECIPE = "kustomize config/default, label, json; 1"
LABEL = "e2e.tpu-webhook.dev/operator"


@dataclasses.dataclass(frozen=True)
class Objects:
    """Where a module has an operator's objects."""

    folder: str = "config/default"
    without: str = ""  # a resource of its kustomization that is not wanted


def render(operator: str, module_folder: pathlib.Path, objects: Objects, home: pathlib.Path) -> None:
    """Write <home>/objects/<operator>.json, a list of objects in kustomize's order."""
    kubectl = str(home / "bin" / "kubectl")
    with _left_out(module_folder, objects) as root:
        yaml_text = _run([kubectl, "kustomize", str(root / objects.folder)])
    json_text = _run([kubectl, "label", "--local", "-f", "-", "-o", "json", f"{LABEL}={operator}"], yaml_text)
    target = home / "objects" / f"{operator}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(_documents(json_text)) + "\n", encoding="utf-8")


@contextlib.contextmanager
def _left_out(module_folder: pathlib.Path, objects: Objects):
    """The module's folder, or a copy of the part with its objects, without what is not wanted."""
    if not objects.without:
        yield module_folder
        return
    with tempfile.TemporaryDirectory() as copy:
        top = pathlib.Path(objects.folder).parts[0]
        shutil.copytree(module_folder / top, pathlib.Path(copy) / top)
        file = pathlib.Path(copy) / objects.folder / "kustomization.yaml"
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = [line for line in lines if objects.without not in line]
        if len(kept) != len(lines) - 1:
            raise RuntimeError(f"{objects.folder}/kustomization.yaml of {module_folder} has no line with {objects.without}")
        file.chmod(0o644)
        file.write_text("".join(kept), encoding="utf-8")
        yield pathlib.Path(copy)


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
