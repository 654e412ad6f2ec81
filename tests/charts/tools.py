"""The programs that these tests run, as tests/e2e/controlplane pins them."""

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from controlplane import programs  # noqa: E402  pylint: disable=wrong-import-position


def helm_program():
    """The pinned helm 4; the first call builds it."""
    programs.ensure(["helm"])
    return programs.path("helm")


def helm_programs():
    """That, and helm 3, whose patches are others; the first call builds both."""
    programs.ensure(["helm", "helm3"])
    return [programs.path("helm"), programs.path("helm3")]


def kubectl_program():
    """The pinned kubectl where it is built, or that of this machine; "" without any."""
    pinned = programs.path("kubectl")
    return pinned if os.path.exists(pinned) else shutil.which("kubectl") or ""
