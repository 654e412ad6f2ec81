#!/usr/bin/env python3
"""actionlint on .github/workflows, and what it cannot know: that the scripts and options which they call are there.

No workflow has run: there is no forge here. actionlint is that of tests/e2e/controlplane/pins.toml, "release".
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from house import CHECKOUT, programs
from checks import check, run

WORKFLOWS = CHECKOUT / ".github" / "workflows"
ACTIONLINT = ""


def lint(*files):
    return subprocess.run([ACTIONLINT, "-no-color", *files], cwd=CHECKOUT, capture_output=True, text=True, check=False)


@check
def actionlint_finds_nothing():
    files = sorted(WORKFLOWS.glob("*.yml"))
    assert len(files) == 2, files
    done = lint(*files)
    assert done.returncode == 0, done.stdout + done.stderr


@check
def actionlint_finds_what_is_wrong():
    text = (WORKFLOWS / "release.yml").read_text(encoding="utf-8")
    for before, after, said in (("needs: test", "needs: tests", "needs"), ("runs-on: ubuntu-24.04", "runs_on: ubuntu-24.04", "runs_on"),
                                ("${{ github.repository }}", "${{ github.repo }}", "repo")):
        assert before in text, before
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "release.yml"
            path.write_text(text.replace(before, after), encoding="utf-8")
            done = lint(path)
        assert done.returncode and said in done.stdout, (after, done.stdout)


@check
def what_they_call_is_there():
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS.glob("*.yml"))
    called = re.findall(r"(?:^|[\s(])((?:scripts|\.ci)/[\w-]+)((?:\s+(?:\\\n\s*)?(?:--[\w-]+|\"[^\"\n]*\"|/\S+))*)", text)
    assert {name for name, _ in called} == {"scripts/release", "scripts/install-packages", ".ci/run"}, called
    for name, rest in called:
        assert os.access(CHECKOUT / name, os.X_OK), name
        said = (CHECKOUT / name).read_text(encoding="utf-8") if name == ".ci/run" else subprocess.run(
            [CHECKOUT / name, "--help"], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"--[\w-]+", rest):
            assert option in said, (name, option)


def main():
    global ACTIONLINT
    ACTIONLINT, = programs("actionlint", pins="release")
    sys.exit(1 if run(*sys.argv[1:]) else 0)


if __name__ == "__main__":
    main()
