"""The libraries that the loader wants beside a program, by readelf: it need not run here, as ldd wants."""

from __future__ import annotations

import os
import pathlib
import re
import sys

from .words import run

TRIPLETS = {"Advanced Micro Devices X86-64": "x86_64-linux-gnu", "AArch64": "aarch64-linux-gnu"}


def libraries(program, root="/") -> list[pathlib.Path]:
    """Their paths below ROOT, as the program's system will have them; the loader among them. Nothing for a static one."""
    root = pathlib.Path(root)
    loader = re.search(r"program interpreter: (\S+)\]", run("readelf", "--program-headers", "--wide", program))
    if not loader:
        return []
    folders = [f"{usr}/{name}" for usr in ("/lib", "/usr/lib") for name in (triplet(program), "")]
    found, waiting, missing = {loader[1]}, [program], []
    while waiting:
        for name in _needed(waiting.pop()):
            path = next((f"{folder.rstrip('/')}/{name}" for folder in folders
                         if os.path.exists(_below(root, f"{folder.rstrip('/')}/{name}"))), None)
            if name == os.path.basename(loader[1]):
                continue
            if not path:
                missing.append(name)
            elif path not in found:
                found.add(path)
                waiting.append(_below(root, path))
    if missing:
        sys.exit(f"image-root: {program} wants {', '.join(missing)}, and there is none below {root}")
    return sorted(pathlib.Path(path) for path in found)


def triplet(program) -> str:
    """Of the architecture that it is for, as in x86_64-linux-gnu."""
    return TRIPLETS[re.search(r"Machine:\s+(.*)", run("readelf", "--file-header", program))[1]]


def _needed(path) -> list[str]:
    return re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", run("readelf", "--dynamic", "--wide", path))


def _below(root: pathlib.Path, path: str) -> pathlib.Path:
    return root / path.lstrip("/")
