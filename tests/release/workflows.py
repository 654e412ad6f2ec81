#!/usr/bin/env python3
"""workflows.py [PART]: .github/workflows by actionlint and by rules of our own, which need PyYAML.

No workflow has run: there is no forge here. actionlint is that of tests/e2e/controlplane/pins.toml, "release"; the checks
called rules.* do without it.
"""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from house import CHECKOUT, programs
from checks import check, row, run

WORKFLOWS = CHECKOUT / ".github" / "workflows"


@functools.cache
def actionlint():
    return programs("actionlint", pins="release")[0]


def lint(*files):
    return subprocess.run([actionlint(), "-no-color", *files], cwd=CHECKOUT, capture_output=True, text=True, check=False)


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


# --- rules of our own

SHA = re.compile(r"[\w./-]+@[0-9a-f]{40}")
IMAGE = re.compile(r"[\w./:-]+@sha256:[0-9a-f]{64}")
SECRET = re.compile(r"secrets(?:\.|\[\s*'|\[\s*\")(\w+)")
# What a job may write, and the only jobs that may.
WRITES = {"build": {"packages"}, "sign": {"packages"}, "page": {"contents"}}
DIGESTS = {"digests"}  # the artifacts that a job with a key may get


def faults(text):
    """What is wrong with a workflow, each with its place."""
    workflow, found = yaml.safe_load(text), []
    # A comment behind a pin says which release it is, for people and for programs that raise it.
    for line in text.splitlines():
        if re.match(r"\s*(?:- )?(?:uses|image):", line) and "@" in line and not re.search(r"\s# v?\d+(\.\d+)+$", line):
            found.append(f"no release behind the pin: {line.strip()}")
    if workflow.get("permissions") not in ({}, {"contents": "read"}):
        found.append("permissions of all jobs: expected none, or contents: read")
    if "secrets" in str(workflow.get("env", "")):
        found.append("a secret in the environment of all jobs")
    if "pull_request_target" in workflow[True]:  # YAML 1.1 reads "on" as a boolean
        found.append("pull_request_target: a change of anybody with secrets of ours")
    for name, job in workflow["jobs"].items():
        found += [f"{name}: {each}" for each in faults_of(name, job)]
    return found


def faults_of(name, job):
    permissions = job.get("permissions") or {}
    if not isinstance(permissions, dict):
        return [f"permissions: {permissions}"]
    for of, what in permissions.items():
        if what != "read" and of not in WRITES.get(name, ()):
            yield f"writes {of}"
    if "uses" in job:
        if not job["uses"].startswith("./"):
            yield f"a workflow of others: {job['uses']}"
        if "secrets" in job:
            yield "gives its secrets to another workflow"
        return
    containers = [job.get("container"), *(job.get("services") or {}).values()]
    for container in filter(None, containers):
        image = container if isinstance(container, str) else container["image"]
        if not IMAGE.fullmatch(image):
            yield f"image {image} is not pinned by digest"
    for step in job["steps"]:
        action = step.get("uses", "")
        if action and not action.startswith("./") and not SHA.fullmatch(action) and not IMAGE.fullmatch(action.removeprefix("docker://")):
            yield f"action {action} is not pinned by commit"
        if action.startswith("actions/checkout@") and (step.get("with") or {}).get("persist-credentials") is not False:
            yield "the checkout leaves its token for all that follows"
    yield from faults_of_secrets(name, job)
    yield from faults_of_artifacts(job)


def faults_of_secrets(name, job):
    """The key of the signatures is in one step of a job that gets digests and builds nothing of what it signs."""
    held = set(SECRET.findall(str({key: value for key, value in job.items() if key != "steps"})))
    if held:
        yield f"secrets of a whole job: {sorted(held)}"
    keys = [step for step in job["steps"] if set(SECRET.findall(str(step))) - {"GITHUB_TOKEN"}]
    if not keys:
        return
    if not job.get("environment"):
        yield "a key without an environment, whose rules say who may use it"
    if "container" in job or "contents" in WRITES.get(name, ()):
        yield "a key beside what writes the page, or in a container of its own"
    if len(keys) > 1 or "uses" in keys[0]:
        yield "a key in more than one step, or in an action of others"
    got = [(step.get("with") or {}).get("name") for step in job["steps"] if step.get("uses", "").startswith("actions/download-artifact@")]
    if set(got) != DIGESTS:
        yield f"a key beside artifacts {got}: expected digests alone"
    calls = re.findall(r"scripts/\S+.*", " ".join(step.get("run", "").replace("\\\n", " ") for step in job["steps"]))
    if any("scripts/install-packages" in call or ("scripts/release" in call and "--sign" not in call) for call in calls):
        yield "a key in a job that builds"


def faults_of_artifacts(job):
    """What a job publishes is compared with the list of checksums, and that with the one which the build named."""
    runs = "\n".join(step.get("run", "") for step in job["steps"])
    for published, what in (("gh release create", "a page"), ("--sign ", "signatures")):
        if published not in runs:
            continue
        before = runs.partition(published)[0]
        if not re.search(r'sha256sum --check --strict <<<"\$CHECKSUM  \S*checksums.txt"', before) or "needs.build.outputs.checksum" not in str(job.get("env")):
            yield f"{what} for a list that is not compared with that of the build"
        if what == "a page" and "sha256sum --check --strict checksums.txt" not in before:
            yield "a page with files that are not compared with the list"
        if what == "a page" and "$CHECKSUM" not in runs.rpartition("sha256sum --check --strict checksums.txt")[2].partition(published)[0]:
            yield "a page that does not say the checksum of the list"


def workflow(name):
    return (WORKFLOWS / name).read_text(encoding="utf-8")


def is_without_faults(name):
    found = faults(workflow(name))
    assert not found, "\n".join(found)


for each in sorted(path.name for path in WORKFLOWS.glob("*.y*ml")):
    row(f"rules.hold_in {each}", lambda each=each: is_without_faults(each))

KEY = "          COSIGN_KEY: ${{ secrets.COSIGN_KEY }}\n"
WRONG = [  # file, what is replaced, by what, what is said
    ("release.yml", r"actions/checkout@[0-9a-f]{40}", "actions/checkout@v5", "build: action actions/checkout@v5 is not pinned"),
    ("release.yml", r"actions/download-artifact@[0-9a-f]{40}", "actions/download-artifact@018cc2c", "is not pinned by commit"),
    ("test.yml", r"actions/setup-go@[0-9a-f]{40}", "actions/setup-go@main", "is not pinned by commit"),
    ("test.yml", r"@sha256:[0-9a-f]{64}  # 12.15", "", "image docker.io/library/debian:12 is not pinned by digest"),
    ("release.yml", r"  # v5\.0\.0", "", "no release behind the pin"),
    ("release.yml", "          persist-credentials: false\n", "", "leaves its token"),
    ("test.yml", "          persist-credentials: false\n", "", "leaves its token"),
    ("release.yml", "permissions: {}", "permissions: write-all", "permissions of all jobs"),
    ("test.yml", "permissions:\n  contents: read\n", "", "permissions of all jobs"),
    ("test.yml", "  pull_request:", "  pull_request_target:", "a change of anybody"),
    ("release.yml", "    env:\n      REGISTRY:", "    env:\n      KEY: ${{ secrets.COSIGN_KEY }}\n      REGISTRY:", "build: secrets of a whole job"),
    ("release.yml", "      - name: Build, try and push\n", "      - name: Build, try and push\n        env:\n" + KEY, "build: a key beside artifacts"),
    ("release.yml", "      contents: read\n      packages: write  # the registry\n", "      contents: write\n", "build: writes contents"),
    ("release.yml", "    uses: ./.github/workflows/test.yml\n", "    uses: ./.github/workflows/test.yml\n    secrets: inherit\n", "gives its secrets"),
    ("release.yml", r"    environment: signing.*\n", "", "sign: a key without an environment"),
    ("release.yml", "          name: digests\n          path: digests\n", "          name: released\n          path: digests\n", "sign: a key beside artifacts"),
    ("release.yml", " --sign digests", "", "sign: a key in a job that builds"),
    ("release.yml", r'        run: sha256sum --check --strict <<<"\$CHECKSUM  digests/checksums.txt"\n', "        run: 'true'\n", "signatures for a list that is not compared"),
    ("release.yml", r'          sha256sum --check --strict <<<"\$CHECKSUM  checksums.txt"\n', "", "a page for a list that is not compared"),
    ("release.yml", "          sha256sum --check --strict checksums.txt\n", "", "page: a page with files that are not compared"),
    ("release.yml", r"          printf '.*checksums.txt: .*\n", "          cp released/notes.txt notes.txt\n", "does not say the checksum"),
]


def is_found(name, before, after, said):
    text = workflow(name)
    assert re.search(before, text), before
    found = faults(re.sub(before, lambda _: after, text))
    assert any(said in each for each in found), found


for number, each in enumerate(WRONG):
    row(f"rules.find.{number} {each[3]}", lambda each=each: is_found(*each))


@check
def rules_hold_where_debian_is_put_together():
    """Without a keyring debootstrap warns, and installs what nobody signed."""
    found = [line.strip() for path in (CHECKOUT / "scripts").rglob("*") if path.is_file() and "__pycache__" not in path.parts
             for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if re.match(r"\s*(?:sudo )?debootstrap ", line)]
    assert len(found) == 1 and all("--force-check-gpg" in line and "--keyring=" in line for line in found), found


def main():
    sys.exit(1 if run(*sys.argv[1:]) else 0)


if __name__ == "__main__":
    main()
