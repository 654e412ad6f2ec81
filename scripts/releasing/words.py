"""Errors, commands and the two architectures."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import subprocess

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]


class Refused(Exception):
    """A sentence that says what is wrong and what to do."""


@dataclasses.dataclass(frozen=True)
class Architecture:
    name: str  # Debian's, OCI's and Go's
    triplet: str  # of its folders and compilers
    machine: str  # as qemu and CMake call it

    @property
    def compiler(self) -> str:
        return f"{self.triplet}-g++-12"

    @property
    def native(self) -> bool:
        return self.machine == os.uname().machine


ARCHITECTURES = {each.name: each for each in (
    Architecture("amd64", "x86_64-linux-gnu", "x86_64"),
    Architecture("arm64", "aarch64-linux-gnu", "aarch64"),
)}


def say(text: str) -> None:
    print(f"release: {text}", flush=True)


def run(*words, **options) -> str:
    """What a command prints; its own words where it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise Refused(f"{' '.join(map(str, words[:6]))}: {(done.stderr or done.stdout).strip()[-1500:]}")
    return done.stdout


def cache() -> pathlib.Path:
    """${TPUWH_CACHE}, else ~/.cache/tpu-webhook; what a release keeps between runs is below it."""
    chosen = os.environ.get("TPUWH_CACHE")
    root = pathlib.Path(chosen) if chosen else pathlib.Path.home() / ".cache" / "tpu-webhook"
    (root / "release").mkdir(parents=True, exist_ok=True)
    return root / "release"
