"""Reads the reviews of the golden cases and the answers of the recorded stories, as tests/golden/*.cpp do.

A folder golden/<workload>/<case> holds review.json, a whole AdmissionReview, or change.json. change.json names a
recorded review or the review of another case, and what is changed in it (names in its text, then a JSON patch of
RFC 6902).
"""

import copy
import json
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[1]


def _step(at, token):
    return at[int(token)] if isinstance(at, list) else at[token]


def _place(document, path):
    """(what holds what a pointer names, the last token of the pointer)"""
    *before, last = (token.replace("~1", "/").replace("~0", "~") for token in path.split("/")[1:])
    for token in before:
        document = _step(document, token)
    return document, last


def changed(document, patch):
    """`document` with the operations of `patch`: add, replace, remove, copy and move. In place."""
    for operation in patch:
        op, (at, last) = operation["op"], _place(document, operation["path"])
        value = operation.get("value")
        if op in ("copy", "move"):
            whence, token = _place(document, operation["from"])
            value = copy.deepcopy(_step(whence, token))
            if op == "move":
                del whence[int(token) if isinstance(whence, list) else token]
        if op == "remove":
            del at[int(last) if isinstance(at, list) else last]
        elif op == "replace":
            _step(at, last)  # has to be there
            at[int(last) if isinstance(at, list) else last] = value
        elif isinstance(at, list):
            at.insert(len(at) if last == "-" else int(last), value)
        else:
            at[last] = value
    return document


def base_of(case):
    """What `base` names, FILE#N (the Nth line of a file below tests/) or the folder of another case, as `renamed` has it."""
    place, _, line = case["base"].partition("#")
    text = (TESTS / place).read_text(encoding="utf-8").splitlines()[int(line) - 1] if line else text_of(TESTS / place)
    for old, new in case.get("renamed", {}).items():
        text = text.replace(old, new)
    return json.loads(text)


def review_of(folder):
    """The review of the case in `folder`."""
    whole = folder / "review.json"
    if whole.exists():
        return json.loads(whole.read_text(encoding="utf-8"))
    case = json.loads((folder / "change.json").read_text(encoding="utf-8"))
    return changed(base_of(case), case.get("change", []))


def text_of(folder):
    """Its review, pretty printed."""
    return json.dumps(review_of(folder), ensure_ascii=False, indent=2) + "\n"


def responses(recording):
    """responses.json: a patch like an earlier response's is made of that one and the operations that differ."""
    out = []
    for response in json.loads((recording / "responses.json").read_text(encoding="utf-8")):
        if like := response.pop("like", 0):
            own = {operation["path"]: operation for operation in response["patch"]}
            patch = [own.get(operation["path"], operation) for operation in out[like - 1]["patch"]]
            response["patch"] = copy.deepcopy(patch)  # who reads it may change it
        out.append(response)
    return out


def written_to(folder):
    """The files of the reviews of all cases in `folder`, which need not be there: WORKLOAD.CASE.json."""
    folder.mkdir(exist_ok=True)
    files = {case: folder / f"{case.parent.name}.{case.name}.json" for case in cases()}
    for case, file in files.items():
        file.write_text(text_of(case), encoding="utf-8")
    return sorted(files.values())


def cases():
    """The folders of all cases, sorted."""
    golden = TESTS / "golden"
    return sorted(file.parent for name in ("review.json", "change.json") for file in golden.glob(f"*/*/{name}"))
