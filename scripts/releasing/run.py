"""The command line of scripts/release."""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

from . import archives, build, images, signing, trial, version
from .registry import Registry
from .words import ARCHITECTURES, CHECKOUT, Architecture, Refused, run, say

DESCRIPTION = """\
Builds, tries and pushes a release of the commit that is checked out.

To the registry go REGISTRY/tpu-webhook and REGISTRY/kubectl-tpu, an index each over images for amd64 and
arm64, and REGISTRY/charts/tpu-webhook. Into the output folder go, for the release's page:

  kubectl-tpu_VERSION_linux_ARCH.tar.gz   the static program, with the licences of what is in it
  tpu-webhook-VERSION.tgz                 the chart
  tpu.yaml                                the manifest of krew
  PROGRAM_VERSION_linux_ARCH.spdx.json    what each program is made of (SPDX 2.3)
  inputs_ARCH.txt                         the packages that it was built of, with their SHA-256
  images.txt                              the digest of all that was pushed
  notes.txt                                the release notes: the changelog's section
  checksums.txt                           the SHA-256 of all of these
  checksums.txt.sigstore.json, cosign.pub with --key: the signature of checksums.txt, and its public key

With --sign nothing is built. FOLDER holds images.txt and checksums.txt of a release: the images in the registry
and checksums.txt are signed by these two lists alone, and FOLDER gets the signature and the public key. So the key
can be on another machine than the one that builds.

docs/verify.md says how each is checked. The same commit and the same Debian packages give the same bytes, in
whatever folder. The version is that of CMakeLists.txt.

examples:
  scripts/release --dry-run --registry registry.example.org/tpu-webhook
  scripts/release --rehearsal --plain-http --registry localhost:5000
  COSIGN_PASSWORD=… scripts/release --registry registry.example.org/tpu-webhook --key cosign.key \\
      --download-url https://downloads.example.org/v0.1.0
  COSIGN_PASSWORD=… scripts/release --registry registry.example.org/tpu-webhook --key cosign.key --sign lists

exit code: 0 done, 1 refused or failed, 2 wrong arguments
"""
EPILOG = """\
Needs root on Debian 12, and the packages of scripts/install-packages --release. Twenty minutes of CPU for each
architecture where ccache knows nothing of it. Environment: TPUWH_CACHE (default ~/.cache/tpu-webhook) keeps
Debian's packages between runs; HELM and COSIGN name those programs where they are not in PATH.
"""
TOOLS = {"skopeo": "skopeo", "buildah": "buildah", "cmake": "cmake", "ninja": "ninja-build", "git": "git",
         "readelf": "binutils", "dpkg-source": "dpkg-dev"}


@dataclasses.dataclass
class Plan:
    """What is released, and where to."""

    version: str
    commit: str
    epoch: int
    registry: Registry
    architectures: list[Architecture]
    notes: str
    out: pathlib.Path
    work: pathlib.Path
    helm: str
    programs: pathlib.Path | None
    where: str
    signer: signing.Signer | None

    def image(self, program: str) -> str:
        return f"{program}:{self.version}"

    def images(self) -> list[str]:
        return [self.image(program) for program in build.PROGRAMS] + [f"charts/tpu-webhook:{self.version}"]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="release", description=DESCRIPTION, epilog=EPILOG, add_help=False,
                                   formatter_class=argparse.RawDescriptionHelpFormatter, usage="scripts/release --registry HOST:PORT[/PATH] [options]")
    made.add_argument("-h", "--help", action="help", help="this text")
    made.add_argument("--version", action="version", version=version.said(), help="which version would be released")
    made.add_argument("--registry", required=True, metavar="HOST:PORT", help="where to push, with a path where it has one")
    made.add_argument("--plain-http", action="store_true", help="the registry has no TLS; for one on this machine")
    made.add_argument("--dry-run", action="store_true", help="say what would be done and what is in the way, and do nothing")
    made.add_argument("--rehearsal", action="store_true", help="also a version that the changelog calls unreleased")
    made.add_argument("--arch", default="amd64,arm64", metavar="LIST", help="default: amd64,arm64")
    made.add_argument("--output", type=pathlib.Path, default=CHECKOUT / "build" / "released", metavar="FOLDER", help="default: build/released; new, empty or of a run before")
    made.add_argument("--key", type=pathlib.Path, metavar="FILE", help="sign with this key of cosign, without a log")
    made.add_argument("--sign", type=pathlib.Path, metavar="FOLDER", help="only sign what the lists in FOLDER name, with --key")
    made.add_argument("--download-url", default="", metavar="URL", help="where the archives of kubectl-tpu will be, for krew; without it no manifest is made")
    made.add_argument("--programs", type=pathlib.Path, metavar="FOLDER", help="pack FOLDER/ARCH/{tpu-webhook,kubectl-tpu}, built before: for tests, in seconds")
    return made


def main(words: list[str]) -> int:
    given = parser().parse_args(words)
    try:
        if given.sign:
            sign_lists(given)
            return 0
        plan = planned(given)
        for line in described(plan, given):
            print(line)
        if given.dry_run:
            return 0
        released(plan)
    except Refused as refused:
        print(f"release: {refused}", file=sys.stderr)
        return 1
    return 0


def planned(given) -> Plan:
    """The plan, or every reason why there is none."""
    wrong, names = list(version.disagreements()), given.arch.split(",")
    if unknown := [name for name in names if name not in ARCHITECTURES]:
        raise Refused(f"--arch {','.join(unknown)}: want amd64, arm64 or both")
    chosen = [ARCHITECTURES[name] for name in names]
    said = version.said()
    notes, unreleased = version.notes(said)
    if unreleased and not given.rehearsal:
        wrong.append(f"CHANGELOG.md calls {said} unreleased: write the day of the release into its heading, or give --rehearsal")
    if changes := "" if given.programs else version.changes():
        wrong.append("not as committed, and a release is of a commit:\n  " + "\n  ".join(changes.splitlines()[:10]))
    out = given.output.resolve()
    if out.exists() and any(out.iterdir()) and not (out / ".released").exists():
        wrong.append(f"--output {out} holds something else; want a new or empty folder")
    wrong += lacking(chosen, bool(given.programs))
    helm = tool("helm", wrong)
    cosign = tool("cosign", wrong) if given.key else ""
    if given.key and not given.key.is_file():
        wrong.append(f"--key {given.key} is not there: cosign generate-key-pair makes one")
    registry = Registry(given.registry, given.plain_http)
    if wrong:
        raise refusal("released", wrong)
    return Plan(said, version.commit(), version.time_of_commit(), registry, chosen, notes, out,
                CHECKOUT / "build" / "releasing", helm, given.programs, given.download_url,
                signing.Signer(cosign, given.key) if given.key and not given.dry_run else None)


def refusal(what: str, wrong: list[str]) -> Refused:
    return Refused("\n".join([f"cannot be {what}:", *(f"* {each}" for each in wrong)]))


def lacking(chosen: list[Architecture], packed_alone: bool) -> list[str]:
    tools = dict(TOOLS)
    if not packed_alone:
        tools |= {each.compiler: f"g++-12-{each.triplet.replace('_', '-')}" for each in chosen}
    tools |= {f"qemu-{each.machine}-static": "qemu-user-static" for each in chosen if not each.native}
    missing = sorted({package for name, package in tools.items() if not shutil.which(name)})
    found = [f"missing: {' '.join(missing)}; scripts/install-packages --release installs them"] if missing else []
    if os.geteuid():
        found.append("needs root: it puts root file systems together")
    return found


def tool(name: str, wrong: list[str]) -> str:
    path = os.environ.get(name.upper()) or shutil.which(name) or ""
    if not path or not shutil.which(path):
        wrong.append(f"{name} is not in PATH; {name.upper()}=… names it")
    return path


def described(plan: Plan, given) -> list[str]:
    there = {image: plan.registry.digest(image) for image in plan.images()}
    lines = [f"{plan.version}, commit {plan.commit}, for {' and '.join(each.name for each in plan.architectures)}"]
    if given.programs:
        lines.append(f"programs of {given.programs}: not a release, since nobody knows what these were built from")
    lines += [f"  to {plan.registry.name}/{image}" + (f", which is there: {digest}" if digest else "") for image, digest in there.items()]
    lines.append(f"  files in {plan.out}")
    lines.append(f"  {'signed with ' + str(given.key) if given.key else 'not signed: no --key'}; "
                 f"{'krew downloads from ' + plan.where if plan.where else 'no manifest of krew: no --download-url'}")
    return lines


def released(plan: Plan) -> None:
    started = time.monotonic()
    shutil.rmtree(plan.out, ignore_errors=True)
    plan.out.mkdir(parents=True)
    (plan.out / ".released").touch()
    plan.work.mkdir(parents=True, exist_ok=True)
    source = plan.work / "source"
    build.exported(plan.commit, source)
    built = [of(plan, each, source) for each in plan.architectures]
    lists = pack(plan, built)
    files(plan, built, source)
    push(plan, lists)
    checksums(plan)
    say(f"{plan.version} is released: {plan.out}, {time.monotonic() - started:.0f} s")


def of(plan: Plan, architecture: Architecture, source: pathlib.Path) -> build.Built:
    if plan.programs:
        return build.Built(architecture, plan.programs / architecture.name, None)
    made = build.made(architecture, source, plan.work)
    archives.write(plan.out / f"inputs_{architecture.name}.txt", (made.sysroot / "inputs").read_bytes() + build.compiler(architecture).encode(), plan.epoch)
    return made


def pack(plan: Plan, built: list[build.Built]) -> dict[str, tuple[pathlib.Path, str]]:
    """Of each program the OCI layout with all its images, and the digest of its index."""
    made = {}
    for program in build.PROGRAMS:
        one_each = []
        for each in built:
            say(f"packing {program} for {each.architecture.name}")
            to = plan.work / f"image-{program}-{each.architecture.name}"
            one_each.append(images.packed(each, program, to))
            name = f"{program}_{plan.version}_linux_{each.architecture.name}.spdx.json"
            archives.write(plan.out / name, (to / "sbom.spdx.json").read_bytes(), plan.epoch)
            with tempfile.TemporaryDirectory() as root:
                images.unpacked(one_each[-1], pathlib.Path(root))
                trial.of_image(pathlib.Path(root), each.architecture, program, plan.version)
        layout = plan.work / f"layout-{program}"
        annotations = {"org.opencontainers.image.version": plan.version, "org.opencontainers.image.revision": plan.commit}
        made[program] = layout, images.indexed(one_each, plan.version, annotations, layout)
    return made


def files(plan: Plan, built: list[build.Built], source: pathlib.Path) -> None:
    digests, answers = {}, {}
    for each in built:
        to = plan.out / archives.name_of(plan.version, each.architecture.name)
        archives.packed({"kubectl-tpu": archives.stripped(each.folder / "kubectl-tpu", each.architecture.triplet),
                         "LICENSE": archives.licence(), **build.licences(each)}, to, plan.epoch)
        digests[each.architecture.name] = archives.sha256(to)
        if each.sysroot:
            answers[each.architecture.name] = trial.of_archive(to, each.architecture, plan.version)
    if len(set(answers.values())) > 1:
        raise Refused(f"kubectl-tpu for {' and '.join(answers)} answers the recorded reviews differently")
    archives.chart(plan.helm, source, plan.version, plan.out, plan.epoch)
    if plan.where:
        archives.write(plan.out / "tpu.yaml", archives.krew(plan.version, plan.where, digests), plan.epoch)
    archives.write(plan.out / "notes.txt", plan.notes.encode(), plan.epoch)


def push(plan: Plan, lists: dict[str, tuple[pathlib.Path, str]]) -> None:
    """What has the name already and is something else is never replaced."""
    for program, (layout, digest) in lists.items():
        there = plan.registry.digest(plan.image(program))
        if there and there != digest:
            raise Refused(f"{plan.registry.name}/{plan.image(program)} is there and is another one: {there}, and this is {digest}; "
                          f"a release is never replaced: raise the version in CMakeLists.txt")
        say(f"pushing {plan.image(program)} {digest}")
        plan.registry.push_image(layout, plan.image(program))
    chart = f"charts/tpu-webhook:{plan.version}"
    archive = plan.out / f"tpu-webhook-{plan.version}.tgz"
    before = plan.registry.digest(chart)
    if before and not plan.registry.holds_chart(chart, archives.sha256(archive)):
        raise Refused(f"{plan.registry.name}/{chart} is there and is another one: a release is never replaced: raise the version in CMakeLists.txt")
    say(f"pushing {chart}")
    plan.registry.push_chart(plan.helm, archive)
    lines = [f"{plan.registry.digest(image)}  {image}\n" for image in plan.images()]
    archives.write(plan.out / "images.txt", "".join(lines).encode(), plan.epoch)


def checksums(plan: Plan) -> None:
    names = sorted(path.name for path in plan.out.iterdir() if not path.name.startswith("."))
    text = "".join(f"{archives.sha256(plan.out / name)}  {name}\n" for name in names)
    archives.write(plan.out / "checksums.txt", text.encode(), plan.epoch)
    if plan.signer:
        sign(plan.out, plan.registry, plan.signer)
        archives.write(plan.out / "cosign.pub", plan.signer.public_key(), plan.epoch)


def sign(folder: pathlib.Path, registry: Registry, signer: signing.Signer) -> None:
    """The images that images.txt names by their digests, and checksums.txt."""
    for line in (folder / "images.txt").read_text(encoding="utf-8").splitlines():
        digest, image = line.split()
        signer.image(f"{registry.name}/{image.rsplit(':', 1)[0]}@{digest}", plain=registry.plain)
    signer.file(folder / "checksums.txt")


def sign_lists(given) -> None:
    """What --sign does; or every reason why it cannot."""
    wrong = [] if given.key else ["no key: give --key"]
    if given.key and not given.key.is_file():
        wrong.append(f"--key {given.key} is not there: cosign generate-key-pair makes one")
    images, list_of_files = given.sign / "images.txt", given.sign / "checksums.txt"
    wrong += [f"{path} is not there" for path in (images, list_of_files) if not path.is_file()]
    cosign = tool("cosign", wrong)
    if wrong:
        raise refusal("signed", wrong)
    if f"{archives.sha256(images)}  images.txt" not in list_of_files.read_text(encoding="utf-8").splitlines():
        wrong.append(f"{images} is not the one that {list_of_files} lists")
    wrong += [f"{images}: expected DIGEST  NAME:TAG, got {line!r}" for line in images.read_text(encoding="utf-8").splitlines()
              if not re.fullmatch(r"sha256:[0-9a-f]{64}  [\w./-]+:[\w.-]+", line)]
    if wrong:
        raise refusal("signed", wrong)
    signer = signing.Signer(cosign, given.key)
    sign(given.sign, Registry(given.registry, given.plain_http), signer)
    (given.sign / "cosign.pub").write_bytes(signer.public_key())
    say(f"signed what {images} and {list_of_files} name")
