"""What a user of kubectl reads, compared with golden/NAME.txt to the letter.

TPUWH_UPDATE_GOLDEN=1 tests/e2e/run … writes the files; their diff is read like code.
"""

import json
import os
import pathlib
import re
import tempfile

from .namespace import Namespace

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def kubectl_create(namespace: Namespace, obj: dict, *more: str) -> str:
    """All that `kubectl create -f pod.json` prints."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "pod.json"
        file.write_text(json.dumps(obj), encoding="utf-8")
        answer = namespace.kubectl("create", "-f", str(file), *more)
    return _the_same_anywhere(f"$ kubectl create -f {file} {' '.join(more)}".rstrip(), answer.stderr + answer.stdout, folder)


def reads(name: str, text: str) -> None:
    """`text` is what golden/NAME.txt says."""
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("TPUWH_UPDATE_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"golden/{file.name} says otherwise"


def _the_same_anywhere(command: str, text: str, folder: str) -> str:
    """Without what differs from run to run: folders, uids, loopback addresses."""
    text = f"{command}\n{text}".replace(f"{folder}/", "")
    text = re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "UID", text)
    return re.sub(r"127(\.\d+){3}:443", "ADDRESS:443", text)
