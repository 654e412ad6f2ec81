#!/usr/bin/env python3
"""Gives our patches to the library of the API server: run.py PROGRAM [FILE or FOLDER…].

Of each review, the patch and the Pod after it as `kubectl tpu review` says them; a library in Go, the one of
k8s.io/apiserver, must make the same Pod of it. Without files: the golden reviews and the seeds of the fuzz target
`review`; build/fuzz/corpus/review has those that the fuzzer found.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "e2e"), str(HERE.parents[1] / "support")]
import golden_reviews  # noqa: E402  pylint: disable=wrong-import-position
from controlplane import cache  # noqa: E402  pylint: disable=wrong-import-position

TESTS = HERE.parents[1]


def files(words, folder):
    if not words:
        return [*golden_reviews.written_to(pathlib.Path(folder)), *sorted((TESTS / "golden/recorded").glob("*/reviews.jsonl")),
                *sorted((TESTS / "fuzz/corpus/review").iterdir())]
    out = []
    for path in map(pathlib.Path, words):
        out += sorted(path.iterdir()) if path.is_dir() else [path]
    return out


def reviews(path):
    """One, or one a line; none where it is no JSON."""
    text = path.read_bytes()
    for parts in ([text], text.splitlines()):
        try:
            return [json.loads(part) for part in parts]
        except ValueError:
            continue
    return []


def lines(program, path):
    """One for each review that is read and has a patch."""
    said = [subprocess.run([program, "review", "-o", output, path], capture_output=True, text=True, check=False).stdout
            for output in ("review", "object")]
    answers, pods = (list(map(json.loads, text.splitlines())) for text in said)
    asked = reviews(path)
    if len(answers) != len(asked) or len(pods) != len(asked):
        return  # some are of no use, and have no line
    for number, (review, answer, pod) in enumerate(zip(asked, answers, pods)):
        if patch := answer.get("response", {}).get("patch"):
            yield {"name": f"{path} {number}", "object": review["request"]["object"],
                   "patch": json.loads(base64.b64decode(patch)), "patched": pod}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not shutil.which("go"):
        print("no go to build the library with")
        sys.exit(1 if os.environ.get("TPUWH_READERS_REQUIRED") else 77)
    with tempfile.TemporaryDirectory() as folder:
        cases = [line for path in files(sys.argv[2:], folder) for line in lines(sys.argv[1], path)]
    text = "".join(json.dumps(case) + "\n" for case in cases)
    sys.exit(subprocess.run(["go", "run", "."], cwd=HERE, env=cache.go_environment(), input=text, text=True,
                            check=False).returncode)


if __name__ == "__main__":
    main()
