#!/usr/bin/env python3
"""A release in a real registry, checked as docs/verify.md says, and then with another byte.

    pushed.py --programs TPU-WEBHOOK KUBECTL-TPU [PART…]   of programs of this build: a minute
    pushed.py --released [PART…]                           as it is released, compiled for both architectures
    --signed                                               by cosign, and installed by krew, too

As root, with the Python of the e2e suite's packages. The registry is Debian's docker-registry, with TLS, on 127.0.0.1;
cosign and krew are those of tests/e2e/controlplane/pins.toml, "release".
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

from house import CHECKOUT, Registry, another_byte, follow, programs, steps
from checks import check, run

from releasing import registry as release_registry, run as release_run
from releasing.words import Refused

HOUSE = None  # the release that is checked
COMPILE = {}  # of the environment of the second one


class House:
    """A registry, a release in it, and what the page's reader has: a folder of the release's files, a shell."""

    def __init__(self, folder: pathlib.Path, registry: Registry, helm: str, words, signed: dict | None):
        self.registry, self.folder, self.signed = registry, folder, bool(signed)
        self.environment = registry.environment()
        self.environment["PATH"] = f"{folder}/bin:{self.environment['PATH']}"
        (folder / "bin").mkdir()
        os.symlink(helm, folder / "bin" / "helm")
        if signed:
            for name, path in signed.items():
                os.symlink(path, folder / "bin" / name)
            self.environment |= {"COSIGN_PASSWORD": ""}
            subprocess.run(["cosign", "generate-key-pair"], cwd=folder, env=self.environment, check=True, capture_output=True)
            words = [*words, "--key", folder / "cosign.key"]
        self.words = ["--registry", registry.name, "--rehearsal", "--download-url", "https://downloads.example.org", *words]
        self.files = self.released(cloned(CHECKOUT, folder / "one"))
        self.digests = dict(line.split()[::-1] for line in (self.files / "images.txt").read_text(encoding="utf-8").splitlines())
        versions = {name.rsplit(":", 1)[1] for name in self.digests}
        assert len(versions) == 1 and len(self.digests) == 3, self.digests
        self.version, = versions
        self.environment |= {"REGISTRY": registry.name, "VERSION": self.version}

    def released(self, clone: pathlib.Path, **more) -> pathlib.Path:
        """The files of a release that a clone makes."""
        done = subprocess.run([clone / "scripts" / "release", *map(str, self.words)], env=self.environment | more,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        print("".join(f"       {line}\n" for line in done.stdout.splitlines() if line.startswith("release: ")), end="", flush=True)
        return clone / "build" / "released"

    def follow(self, step: str) -> subprocess.CompletedProcess:
        """In a copy of the files, which are small: a step may write."""
        with tempfile.TemporaryDirectory() as folder:
            there = pathlib.Path(folder) / "files"
            shutil.copytree(self.files, there)
            return follow(step, there, self.environment | {"KREW_ROOT": f"{folder}/krew"})


def cloned(source: pathlib.Path, to: pathlib.Path) -> pathlib.Path:
    """A clean clone; of a checkout with changes that are not committed, with these committed."""
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org", "-C"]
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", source, to], check=True)
    changed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--modified", "--others", "--exclude-standard"],
                             check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, changed):
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        if (source / name).exists():
            shutil.copy(source / name, to / name)
        else:
            (to / name).unlink()
    if any(changed):
        subprocess.run([*git, to, "add", "--all"], check=True)
        subprocess.run([*git, to, "commit", "--quiet", "--message", "What is not committed"], check=True)
    return to


NEED_A_SIGNATURE = {"list", "image-signatures", "chart-signature", "krew"}


def chosen() -> list[str]:
    return [step for step in steps() if HOUSE.signed or step not in NEED_A_SIGNATURE]


@check
def each_step_of_the_page_passes():
    assert set(steps()) >= NEED_A_SIGNATURE | {"files", "images", "all-images", "chart", "sbom"}
    for step in chosen():
        done = HOUSE.follow(step)
        assert done.returncode == 0, f"{step}: {done.stdout}{done.stderr}"
        print(f"       {step}: {(done.stdout.strip() or done.stderr.strip()).splitlines()[-1][:150] if done.stdout + done.stderr else 'nothing said'}", flush=True)


@check
def helm_4_and_3_take_the_chart_by_its_digest():
    """Both bring the archive that is among the files."""
    bin3 = HOUSE.folder / "bin3"
    bin3.mkdir()
    os.symlink(programs("helm3")[0], bin3 / "helm")
    for path in (HOUSE.environment["PATH"], f"{bin3}:{HOUSE.environment['PATH']}"):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(HOUSE.files / "images.txt", folder)
            done = follow("chart", folder, HOUSE.environment | {"PATH": path})
            assert done.returncode == 0, done.stderr
            brought, = pathlib.Path(folder).glob("*.tgz")
            print(f"       {brought.name[:60]}", flush=True)
            assert brought.read_bytes() == (HOUSE.files / f"tpu-webhook-{HOUSE.version}.tgz").read_bytes()


@check
def another_byte_in_a_file_is_refused():
    """In whichever: in the list of files itself, its signature says it."""
    names = [line.split("  ")[1] for line in (HOUSE.files / "checksums.txt").read_text(encoding="utf-8").splitlines()]
    assert len(names) >= 7, names
    for name in names:
        for where in (0.0, 0.5, 1.0):
            with another_byte(HOUSE.files / name, where):
                done = HOUSE.follow("files")
            assert done.returncode and f"{name}: FAILED" in done.stdout, f"{name}: {done.stdout}{done.stderr}"
    print(f"       {len(names)} files, three places each", flush=True)
    if HOUSE.signed:
        for name in ("checksums.txt", "checksums.txt.sigstore.json", "cosign.pub"):
            with another_byte(HOUSE.files / name):
                assert HOUSE.follow("list").returncode, name
        with another_byte(HOUSE.files / f"kubectl-tpu_{HOUSE.version}_linux_amd64.tar.gz"):
            done = HOUSE.follow("krew")
        assert done.returncode and "checksum" in done.stderr, done.stderr


@check
def another_byte_in_the_registry_is_refused():
    """In every blob: index, manifests, configurations, layers, and where there are signatures, those. The list that leads
    to signatures is found by a tag: who changes it can hide one, and makes none."""
    before = {step: HOUSE.follow(step).returncode for step in chosen()}
    assert not any(before.values()), before
    refused = {}
    for blob in HOUSE.registry.blobs():
        with another_byte(blob):
            by = next((step for step in ("chart", "all-images", "image-signatures", "chart-signature")
                       if step in chosen() and HOUSE.follow(step).returncode), None)
        kind = what_is(blob)
        assert by or kind in NOBODY_READS, f"{kind} {blob.parent.name} is taken with another byte"
        refused.setdefault(f"{kind} by {by}", []).append(blob)
    for what, blobs in sorted(refused.items()):
        print(f"       {len(blobs)} {what}", flush=True)
    assert len(HOUSE.registry.blobs()) >= 9


NOBODY_READS = {"list of signatures", "empty configuration"}  # the second is {}, of a signature


def what_is(blob: pathlib.Path) -> str:
    if blob.stat().st_size > 100_000:
        return "layer"
    try:
        value = json.loads(blob.read_bytes())
    except ValueError:
        return "layer"
    if value == {}:
        return "empty configuration"
    if "manifests" in value:
        return "list of signatures" if any("artifactType" in each for each in value["manifests"]) else "index"
    return "manifest" if "layers" in value else "configuration" if "rootfs" in value or "apiVersion" in value else "other"


@check
def podman_refuses_a_layer_with_another_byte():
    """What it has fetched before is gone: it would not ask again."""
    subprocess.run(["podman", "system", "reset", "--force"], env=HOUSE.environment, check=True, capture_output=True)
    largest = max(HOUSE.registry.blobs(), key=lambda path: path.stat().st_size if native(path) else 0)
    with another_byte(largest):
        done = HOUSE.follow("images")
    assert done.returncode and "Digest did not match" in done.stderr, done.stderr
    assert HOUSE.follow("images").returncode == 0


def native(blob: pathlib.Path) -> bool:
    """Whether it is a layer of an image for this machine."""
    return f"sha256:{blob.parent.name}" in layers(HOUSE.registry, f"tpu-webhook@{HOUSE.digests[f'tpu-webhook:{HOUSE.version}']}")


def layers(registry: Registry, image: str) -> str:
    return subprocess.run(["skopeo", "inspect", f"docker://{registry.name}/{image}"], env=HOUSE.environment, capture_output=True, text=True, check=True).stdout


@check
def a_clone_in_another_folder_releases_the_same():
    """Files, layers, configurations, manifests and the chart's archive: the same bytes, so nothing is replaced."""
    before = {blob.parent.name for blob in HOUSE.registry.blobs()}
    again = HOUSE.released(cloned(HOUSE.folder / "one", HOUSE.folder / "a-longer-name" / "two"), **COMPILE)
    one, two = ({path.name: path.read_bytes() for path in files.iterdir() if not path.name.endswith(".sigstore.json")}
                for files in (HOUSE.files, again))
    assert one.keys() == two.keys() and not [name for name in one if one[name] != two[name]], [name for name in one if one[name] != two.get(name)]
    after = {blob.parent.name for blob in HOUSE.registry.blobs()}
    assert HOUSE.signed or before == after, after - before
    times = {path.stat().st_mtime for files in (HOUSE.files, again) for path in files.iterdir() if path.suffix in (".tgz", ".gz")}
    assert len(times) == 1, times
    print(f"       {len(one)} files, {len(before)} blobs", flush=True)


@check
def a_registry_that_does_not_answer_is_named():
    done = subprocess.run([CHECKOUT / "scripts" / "release", "--registry", "localhost:1", "--rehearsal", "--arch", "amd64", "--programs", "/nowhere", "--dry-run"],
                          env=HOUSE.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "registry localhost:1 does not answer" in done.stderr, done.stderr


@check
def a_version_is_never_replaced():
    """By another image, as of an older build."""
    lists = {"tpu-webhook": (HOUSE.folder / "nothing", f"sha256:{'0' * 64}")}
    plan = types.SimpleNamespace(registry=release_registry.Registry(HOUSE.registry.name, False), image=lambda program: f"{program}:{HOUSE.version}")
    try:
        release_run.push(plan, lists)
    except Refused as refused:
        assert "a release is never replaced" in str(refused) and HOUSE.digests[f"tpu-webhook:{HOUSE.version}"] in str(refused), refused
    else:
        raise AssertionError("it was replaced")


def main():
    global HOUSE, COMPILE
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--programs", nargs=2, type=pathlib.Path)
    how.add_argument("--released", action="store_true")
    parser.add_argument("--signed", action="store_true")
    parser.add_argument("--arch", default="amd64,arm64")
    parser.add_argument("--compile", action="store_true", help="the second release takes nothing from ccache")
    parser.add_argument("part", nargs="*")
    given = parser.parse_args()
    signed = None
    if given.signed:
        signed = dict(zip(("cosign", "kubectl-krew"), programs("cosign", "krew", pins="release"))) | {"kubectl": programs("kubectl")[0]}
    COMPILE = {"CCACHE_RECACHE": "1"} if given.compile else {}
    helm, = programs("helm")
    with tempfile.TemporaryDirectory(prefix="tpu-webhook-release-") as name, Registry(pathlib.Path(name)) as registry:
        folder = pathlib.Path(name)
        if given.released:
            HOUSE = House(folder, registry, helm, ["--arch", given.arch], signed)
        else:
            built = folder / "programs" / "amd64"
            built.mkdir(parents=True)
            for program in given.programs:
                os.symlink(program.resolve(), built / program.name)
            HOUSE = House(folder, registry, helm, ["--arch", "amd64", "--programs", folder / "programs"], signed)
        os.environ["SSL_CERT_FILE"] = HOUSE.environment["SSL_CERT_FILE"]
        failed = run(*given.part)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
