"""localhost/pause:1, the sandbox of a Pod: one static program."""

import pathlib
import subprocess

from . import archive

NAME = "localhost/pause:1"
SOURCE = pathlib.Path(__file__).with_name("pause.c")


def make(work: pathlib.Path, path: pathlib.Path) -> None:
    root = work / "root"
    root.mkdir()
    subprocess.run(["gcc", "-static", "-Os", "-s", "-Wall", "-Werror", "-o", root / "pause", SOURCE], check=True)
    archive.write(path, NAME, root, {"Entrypoint": ["/pause"], "User": "65535:65535"})
