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


def _run(root: pathlib.Path, architecture: Architecture, program: str, *words, text: str = "", well=(0,),
         errors: bool = False) -> str:
    command = [shutil.which("chroot"), "--userspec=65532:65532", root]
    if not architecture.native:
        emulator = shutil.which(f"qemu-{architecture.machine}-static")
        shutil.copy(emulator, root / "qemu")
        command.append("/qemu")
    done = subprocess.run([*map(str, command), program, *words], input=text, capture_output=True, text=True, env={}, check=False)
    if done.returncode not in well:
        raise Refused(f"{program} {' '.join(words)} for {architecture.name}, with its own files alone: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stderr if errors else done.stdout


def of_archive(archive: pathlib.Path, architecture: Architecture, version: str) -> str:
    """The static program in an empty root. What it answers to every recorded review, for another architecture to answer alike."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        root.chmod(0o755)
        run("tar", "--extract", "--file", archive, "--directory", root, "kubectl-tpu")
        said = _run(root, architecture, "/kubectl-tpu", "--version")
        if version not in said:
            raise Refused(f"{archive.name} says {said.strip()}, and the release is {version}")
        _finds_a_host(root, architecture)
        reviews = [path.read_text(encoding="utf-8").splitlines()[0] for path in sorted(REVIEWS.glob("*/reviews.jsonl"))]
        return "".join(_run(root, architecture, "/kubectl-tpu", "review", "-", text=review, well=(0, 1)) for review in reviews)


def _finds_a_host(root: pathlib.Path, architecture: Architecture) -> None:
    """The one thing that a static program of glibc may lack: names of hosts. Nobody listens there, which it has to say."""
    (root / "etc").mkdir()
    (root / "etc" / "hosts").write_text("127.0.0.1 api.example.org\n", encoding="utf-8")
    (root / "kubeconfig").write_text(KUBECONFIG, encoding="utf-8")
    said = _run(root, architecture, "/kubectl-tpu", "slices", "--kubeconfig", "/kubeconfig", well=(1, 2), errors=True)
    if "refused" not in said:
        raise Refused(f"kubectl-tpu for {architecture.name} does not find a host by its name: {said.strip()}")


KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: one
clusters: [{name: one, cluster: {server: "https://api.example.org:1"}}]
users: [{name: one, user: {token: none}}]
contexts: [{name: one, context: {cluster: one, user: one}}]
"""


def of_image(root: pathlib.Path, architecture: Architecture, program: str, version: str) -> None:
    """The program of an image with the image's files."""
    said = _run(root, architecture, f"/usr/bin/{program}", "--version")
    if version not in said:
        raise Refused(f"{program} for {architecture.name} says {said.strip()}, and the release is {version}")
    if program == "tpu-webhook":
        _run(root, architecture, f"/usr/bin/{program}", "rules", "--output", "json")
        _run(root, architecture, f"/usr/bin/{program}", "config", "check", "-", text='{"mode": "shadow"}')
