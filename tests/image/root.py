#!/usr/bin/env python3
"""What an image holds (scripts/image-root), without a container: tests/image/root.py PROGRAM.

The folder is made twice of PROGRAM, and the program started in it by chroot, as the image's user.
Standard library alone; as root, or where a user may make namespaces.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tests" / "server"))

from checks import check, run  # noqa: E402

MOST = 20_000_000  # bytes, unpacked; 17 MB when this was written
CHROOT = shutil.which("chroot", path=os.environ["PATH"] + ":/usr/sbin")

ENVIRONMENT = {**os.environ, "VERSION": "1.2.3", "REVISION": "abc", "SOURCE_DATE_EPOCH": "86400"}


def made(folder):
    """root and SBOM of the program."""
    subprocess.run([CHECKOUT / "scripts" / "image-root", PROGRAM, folder], check=True, env=ENVIRONMENT,
                   stdout=subprocess.DEVNULL)
    return pathlib.Path(folder) / "root", (pathlib.Path(folder) / "sbom.spdx.json").read_bytes()


def inside(root, *words, **options):
    """Runs the image's program with nothing around it but its own files."""
    if os.geteuid() == 0:
        enter = [CHROOT, "--userspec=65532:65532", root]
    else:
        enter = [shutil.which("unshare"), "--map-root-user", CHROOT, root]
    return subprocess.run([*enter, "/usr/bin/tpu-webhook", *words], capture_output=True, text=True,
                          timeout=60, env={}, **options)


def content(root):
    """{path: (mode, what it is)} of all that a layer holds."""
    found = {}
    for path in sorted(root.rglob("*")):
        what = os.readlink(path) if path.is_symlink() else (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder")
        found[str(path.relative_to(root))] = (path.lstat().st_mode, what)
    return found


@check
def the_program_starts_with_its_own_files_alone():
    with tempfile.TemporaryDirectory() as folder:
        root, _ = made(folder)
        version = inside(root, "--version")
        assert version.returncode == 0 and version.stdout.startswith("tpu-webhook "), version
        answer = inside(root, "config", "check", "-", input='{"mode": "shadwo"}')
        assert answer.returncode == 2 and "expected enforce|shadow" in answer.stderr, answer
        answer = inside(root, "rules", "--output", "json")
        assert answer.returncode == 0 and json.loads(answer.stdout)["writes"], answer


@check
def it_is_small_and_holds_nothing_else():
    with tempfile.TemporaryDirectory() as folder:
        root, _ = made(folder)
        files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
        size = sum(path.stat().st_size for path in files)
        print(f"       {len(files)} files, {size / 1e6:.1f} MB", flush=True)
        assert size <= MOST, size
        assert not [path for path in files if path.name in ("sh", "bash", "dash", "busybox")]
        # Programs are the webhook and the loader of its libraries, nothing that a thief could use.
        programs = {path.name for path in files if "bin" in path.parts}
        assert programs == {"tpu-webhook"}, programs


@check
def twice_of_the_same_is_the_same():
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        (first, first_list), (second, second_list) = made(one), made(two)
        assert content(first) == content(second)
        assert first_list == second_list


@check
def every_library_is_in_the_list_with_its_version():
    with tempfile.TemporaryDirectory() as folder:
        root, text = made(folder)
        document = json.loads(text)
        assert document["spdxVersion"] == "SPDX-2.3"
        assert document["creationInfo"]["created"] == "1970-01-02T00:00:00Z", document["creationInfo"]
        packages = {package["name"]: package for package in document["packages"]}
        assert packages["tpu-webhook"]["versionInfo"] == "1.2.3"
        assert packages["tpu-webhook"]["sourceInfo"] == "commit abc"
        for library in [path for path in root.rglob("*.so*") if path.is_file()]:
            inside_root = "/" + str(library.relative_to(root))
            owners = [name for name in packages if name != "tpu-webhook" and subprocess.run(
                ["dpkg", "-L", name], capture_output=True, text=True).stdout.find(library.name) >= 0]
            assert owners, f"{inside_root} is of no package in the list"
        for name in set(packages) - {"tpu-webhook"}:
            installed = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], check=True,
                                       capture_output=True, text=True).stdout
            assert packages[name]["versionInfo"] == installed, name
        related = {one["relatedSpdxElement"] for one in document["relationships"]}
        assert related == {package["SPDXID"] for package in document["packages"]}


def refusal(*words):
    ended = subprocess.run([CHECKOUT / "scripts" / "image-root", *words], capture_output=True, text=True)
    return ended.returncode, ended.stderr


@check
def it_says_what_is_wrong():
    with tempfile.TemporaryDirectory() as folder:
        status, said = refusal("/nowhere/tpu-webhook", folder)
        assert status == 1 and "/nowhere/tpu-webhook is not there" in said, said
        made(folder)
        status, said = refusal(PROGRAM, folder)
        assert status == 1 and "exists" in said, said
        assert refusal()[0] == 2


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(1 if run(*sys.argv[2:]) else 0)
