#!/usr/bin/env python3
"""scripts/release without a registry: tests/release/quick.py TPU-WEBHOOK KUBECTL-TPU [PART…].

What it refuses, and the bytes of what it writes. tests/release/pushed.py has a registry.
"""

import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

from house import CHECKOUT
from checks import check, run

from releasing import archives, elf, images, parts, version
from releasing.words import Refused

PROGRAMS = []


def release(*words, **environment):
    done = subprocess.run([CHECKOUT / "scripts" / "release", *words], capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", **environment})
    return done.returncode, done.stdout, done.stderr


@check
def help_says_what_is_made_and_how_it_is_asked_for():
    status, said, _ = release("--help")
    assert status == 0
    for word in ("--registry", "--dry-run", "--key", "docs/verify.md", "examples:", "exit code:", "checksums.txt"):
        assert word in said, word


@check
def all_that_is_in_the_way_is_said_at_once():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "something").touch()
        status, said, wrong = release("--registry", "localhost:5000", "--dry-run", "--output", folder, "--key", "/nowhere")
        assert (status, said) == (1, ""), (status, said)
        for line in (f"{folder} holds something else", "helm is not in PATH; HELM=", "/nowhere is not there"):
            assert line in wrong, (line, wrong)


@check
def wrong_arguments_are_named():
    assert release()[0] == 2
    for words, said in ((("--registry", "http://localhost:5000"), "without http://"),
                        (("--registry", "localhost:5000", "--arch", "riscv64"), "--arch riscv64: want amd64, arm64 or both")):
        status, _, wrong = release(*words, "--rehearsal", "--programs", "/nowhere", HELM="/bin/true")
        assert status == 1 and said in wrong, (status, wrong)


COSIGN = """#!/bin/sh
echo "$@" >>"$SAID"
case $1 in
  public-key) echo PUBLIC ;;
  sign-blob) while [ $# -gt 1 ]; do [ "$1" != --bundle ] || echo BUNDLE >"$2"; shift; done ;;
esac
"""


@check
def two_lists_of_digests_are_all_that_a_signature_takes():
    """scripts/release --sign, with a cosign that says what it was asked."""
    images = "".join(f"sha256:{digit * 64}  {name}:1.2.3\n" for digit, name in zip("abc", ("tpu-webhook", "kubectl-tpu", "charts/tpu-webhook")))
    listed = f"{hashlib.sha256(images.encode()).hexdigest()}  images.txt\n{'d' * 64}  kubectl-tpu_1.2.3_linux_amd64.tar.gz\n"
    cases = [  # images.txt, checksums.txt, whether there is a key, what is said; "" where it is signed
        (images, listed, True, ""), (images.replace("a" * 64, "e" * 64), listed, True, "is not the one that"), (images, "", True, "is not the one that"),
        (images, None, True, "checksums.txt is not there"), (None, listed, True, "images.txt is not there"), (images, listed, False, "no key: give --key")]
    malformed = "sha256:ab  --key:1\n"
    cases.append((malformed, f"{hashlib.sha256(malformed.encode()).hexdigest()}  images.txt\n", True, "expected DIGEST  NAME:TAG, got 'sha256:ab"))
    for first, second, key, refusal in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "lists").mkdir()
            (root / "cosign").write_text(COSIGN, encoding="utf-8")
            (root / "cosign").chmod(0o755)
            (root / "key").write_text("KEY", encoding="utf-8")
            for name, text in ("images.txt", first), ("checksums.txt", second):
                if text is not None:
                    (root / "lists" / name).write_text(text, encoding="utf-8")
            status, _, wrong = release("--registry", "localhost:5000/a", "--plain-http", "--sign", str(root / "lists"),
                                       *(["--key", str(root / "key")] if key else []), COSIGN=str(root / "cosign"), SAID=str(root / "said"))
            assert (status, refusal in wrong) == (1 if refusal else 0, True), (refusal, status, wrong)
            if refusal:
                assert not (root / "said").exists(), refusal
                continue
            asked = (root / "said").read_text(encoding="utf-8").splitlines()
            signed = [line.split()[-1] for line in asked if line.startswith("sign ")]
            assert signed == [f"localhost:5000/a/{name}@sha256:{digit * 64}" for digit, name in
                              zip("abc", ("tpu-webhook", "kubectl-tpu", "charts/tpu-webhook"))], asked
            assert [line.split()[-1] for line in asked if line.startswith("sign-blob ")] == [str(root / "lists" / "checksums.txt")], asked
            assert {path.name for path in (root / "lists").iterdir()} == {"images.txt", "checksums.txt", "checksums.txt.sigstore.json", "cosign.pub"}


@check
def the_version_stands_in_one_place():
    assert not version.disagreements(), version.disagreements()
    said = subprocess.run([PROGRAMS[0], "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    assert said == version.said(), said
    # What a build takes from there must not have it, too.
    for name in ("Dockerfile", "scripts/image", "scripts/image-root", "scripts/release"):
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        assert not re.search(rf"(?<![\d.]){re.escape(said)}(?![\d.])", text), name


@check
def notes_are_the_section_of_the_changelog():
    notes, unreleased = version.notes(version.said())
    heading = next(line for line in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## "))
    assert unreleased == ("unreleased" in heading), heading
    if unreleased:
        with tempfile.TemporaryDirectory() as folder:
            status, _, wrong = release("--registry", "localhost:5000", "--programs", "/nowhere", "--output", folder, HELM="/bin/true")
        assert status == 1 and "or give --rehearsal" in wrong, wrong
    assert notes and "\n## " not in notes and not notes.startswith("## "), notes[:80]
    try:
        version.notes("99.0.0")
    except Refused as refused:
        assert "no section 99.0.0" in str(refused)
    else:
        raise AssertionError("a version without notes is taken")


@check
def an_archive_follows_from_its_files():
    with tempfile.TemporaryDirectory() as folder:
        one, two = pathlib.Path(folder, "one.tar.gz"), pathlib.Path(folder, "two.tar.gz")
        files = {"kubectl-tpu": b"\x7fELF", "LICENSE": b"text", "copyright/fmt": b"MIT"}
        archives.packed(files, one, 1_700_000_000)
        archives.packed(dict(reversed(files.items())), two, 1_700_000_000)
        assert one.read_bytes() == two.read_bytes() and one.stat().st_mtime == 1_700_000_000
        with tarfile.open(one) as archive:
            entries = {each.name: each for each in archive}
        assert list(entries) == sorted(files) and entries["kubectl-tpu"].mode == 0o755 and entries["LICENSE"].mode == 0o644
        assert {(each.mtime, each.uid, each.gid, each.uname) for each in entries.values()} == {(1_700_000_000, 0, 0, "")}
        archives.packed({**files, "LICENSE": b"Text"}, two, 1_700_000_000)
        assert gzip.decompress(one.read_bytes()) != gzip.decompress(two.read_bytes())


@check
def krew_is_told_each_archive_with_its_digest():
    made = archives.krew("1.2.3", "https://example.org/v1.2.3/", {"arm64": "b" * 64, "amd64": "a" * 64}).decode()
    assert "metadata:\n  name: tpu\nspec:\n  version: v1.2.3\n" in made, made
    found = re.findall(r'arch: (\w+)\n    uri: (\S+)\n    sha256: "(\w+)"\n    bin: kubectl-tpu\n', made)
    assert found == [(name, f"https://example.org/v1.2.3/kubectl-tpu_1.2.3_linux_{name}.tar.gz", digit * 64)
                     for name, digit in (("amd64", "a"), ("arm64", "b"))], found


@check
def readelf_finds_what_the_loader_loads():
    for program in PROGRAMS:
        printed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        loaded = {pathlib.Path(path).resolve() for path in re.findall(r"(/\S+) \(0x", printed)}
        assert {path.resolve() for path in elf.libraries(program)} == loaded, program


@check
def a_library_that_is_not_there_is_named():
    with tempfile.TemporaryDirectory() as folder:
        try:
            elf.libraries(PROGRAMS[0], folder)
        except SystemExit as ended:
            assert "libc.so.6" in str(ended) and folder in str(ended), ended
        else:
            raise AssertionError("nobody missed them")


MAP = """Archive member included to satisfy reference by file (symbol)

server/text/libtpuwh_server_text.a(text.cpp.o)
                              server/cli/tpu_webhook/main.cpp.o (tpuwh::text)
/mnt/static/libfmt.a(format.cc.o)
                              server/text/libtpuwh_server_text.a(text.cpp.o) (fmt)
/usr/lib/gcc/x86_64-linux-gnu/12/../../../x86_64-linux-gnu/libc.a(exit.o)
                              /mnt/static/libfmt.a(format.cc.o) (exit)

Discarded input sections

LOAD /usr/lib/gcc/x86_64-linux-gnu/12/crtbeginS.o
LOAD server/cli/tpu_webhook/main.cpp.o
LOAD /mnt/static/libspdlog.a
"""
DEPS = """server/text/CMakeFiles/tpuwh_server_text.dir/text.cpp.o: #deps 2, deps mtime 1 (VALID)
    /mnt/source/server/text/text.hpp
    /mnt/sysroot/usr/include/fmt/../fmt/core.h

server/log/CMakeFiles/tpuwh_server_log.dir/text.cpp.o: #deps 1, deps mtime 1 (VALID)
    /mnt/sysroot/usr/include/spdlog/spdlog.h
"""


@check
def a_list_names_what_the_linker_took():
    """An archive of which nothing was taken is no part of a program, nor is a header that only another part read."""
    outside, members = parts._of_map(MAP)
    assert outside == ["/mnt/static/libfmt.a", "/usr/lib/gcc/x86_64-linux-gnu/12/crtbeginS.o", "/usr/lib/x86_64-linux-gnu/libc.a"], outside
    assert members == {("server/text/libtpuwh_server_text.a", "text.cpp.o")}, members
    assert parts._headers(DEPS, members) == {"/mnt/sysroot/usr/include/fmt/core.h"}


@check
def an_index_lists_what_it_was_given():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        archives_made = [made_up_image(folder, name) for name in ("amd64", "arm64")]
        first = images.indexed(archives_made, "1.0", {"a": "b"}, folder / "one")
        assert images.indexed(archives_made, "1.0", {"a": "b"}, folder / "two") == first
        blob = folder / "one" / "blobs" / "sha256" / first.removeprefix("sha256:")
        assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name
        listed = json.loads(blob.read_bytes())["manifests"]
        assert [each["platform"] for each in listed] == [{"architecture": name, "os": "linux"} for name in ("amd64", "arm64")]
        for each in listed:
            manifest = (blob.parent / each["digest"].removeprefix("sha256:")).read_bytes()
            assert len(manifest) == each["size"] and hashlib.sha256(manifest).hexdigest() == each["digest"].removeprefix("sha256:")


def made_up_image(folder, architecture):
    """An OCI archive with a configuration alone."""
    root = folder / architecture
    (root / "blobs" / "sha256").mkdir(parents=True)

    def blob(value):
        text = json.dumps(value).encode()
        digest = hashlib.sha256(text).hexdigest()
        (root / "blobs" / "sha256" / digest).write_bytes(text)
        return {"digest": f"sha256:{digest}", "size": len(text)}
    config = blob({"architecture": architecture, "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}})
    kind = "application/vnd.oci.image.manifest.v1+json"
    manifest = blob({"schemaVersion": 2, "mediaType": kind, "layers": [],
                     "config": config | {"mediaType": "application/vnd.oci.image.config.v1+json"}})
    (root / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest | {"mediaType": kind}]}))
    (root / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    with tarfile.open(folder / f"{architecture}.tar", "w") as archive:
        archive.add(root, ".")
        for path in root.rglob("*"):
            archive.add(path, str(path.relative_to(root)), recursive=False)
    return folder / f"{architecture}.tar"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAMS += [str(pathlib.Path(word).resolve()) for word in sys.argv[1:3]]
    sys.exit(1 if run(*sys.argv[3:]) else 0)
