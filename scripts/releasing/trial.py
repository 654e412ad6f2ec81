"""Each program started with what the release gives it alone: no library, file or variable of this machine.

Another architecture's runs under qemu, which stands beside it in its root.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import tempfile

from .words import CHECKOUT, Architecture, Refused, run

REVIEWS = CHECKOUT / "tests" / "golden" / "recorded"


def _run(root: pathlib.Path, architecture: Architecture, program: str, *words, text: str = "", well=(0,)) -> str:
    command = [shutil.which("chroot"), "--userspec=65532:65532", root]
    if not architecture.native:
        emulator = shutil.which(f"qemu-{architecture.machine}-static")
        shutil.copy(emulator, root / "qemu")
        command.append("/qemu")
    done = subprocess.run([*map(str, command), program, *words], input=text, capture_output=True, text=True, env={}, check=False)
    if done.returncode not in well:
        raise Refused(f"{program} {' '.join(words)} for {architecture.name}, with its own files alone: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def of_archive(archive: pathlib.Path, architecture: Architecture, version: str) -> str:
    """The static program in an empty root. What it answers to every recorded review, for another architecture to answer alike."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        root.chmod(0o755)
        run("tar", "--extract", "--file", archive, "--directory", root, "kubectl-tpu")
        said = _run(root, architecture, "/kubectl-tpu", "--version")
        if version not in said:
            raise Refused(f"{archive.name} says {said.strip()}, and the release is {version}")
        reviews = [path.read_text(encoding="utf-8").splitlines()[0] for path in sorted(REVIEWS.glob("*/reviews.jsonl"))]
        return "".join(_run(root, architecture, "/kubectl-tpu", "review", "-", text=review, well=(0, 1)) for review in reviews)


def of_image(root: pathlib.Path, architecture: Architecture, program: str, version: str) -> None:
    """The program of an image with the image's files."""
    said = _run(root, architecture, f"/usr/bin/{program}", "--version")
    if version not in said:
        raise Refused(f"{program} for {architecture.name} says {said.strip()}, and the release is {version}")
    if program == "tpu-webhook":
        _run(root, architecture, f"/usr/bin/{program}", "rules", "--output", "json")
        _run(root, architecture, f"/usr/bin/{program}", "config", "check", "-", text='{"mode": "shadow"}')
