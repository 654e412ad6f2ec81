"""What a release is called: CMakeLists.txt says it, and nothing else may say otherwise."""

from __future__ import annotations

import re

from .words import CHECKOUT, Refused, run


def _found(pattern: str, file: str) -> str:
    match = re.search(pattern, (CHECKOUT / file).read_text(encoding="utf-8"), re.MULTILINE)
    if not match:
        raise Refused(f"{file} does not say {pattern}")
    return match[1]


def said() -> str:
    """Of both programs, their images, archives and the chart, which has a version for itself in a checkout alone."""
    return _found(r"^project\(tpu-webhook VERSION (\S+)", "CMakeLists.txt")


def disagreements() -> list[str]:
    """Files that name another version of the programs than CMakeLists.txt."""
    wanted, found = said(), []
    if (app := _found(r"^appVersion: \"?([^\"\s]+)", "charts/tpu-webhook/Chart.yaml")) != wanted:
        found.append(f"charts/tpu-webhook/Chart.yaml: appVersion is {app}, CMakeLists.txt says {wanted}")
    heading = _found(r"^## (\S+)", "CHANGELOG.md")
    if heading != wanted:
        found.append(f"CHANGELOG.md: the first section is {heading}, CMakeLists.txt says {wanted}")
    return found


def notes(version: str) -> tuple[str, bool]:
    """The section of the changelog, and whether its heading says that it is not released yet."""
    text = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {re.escape(version)}\b([^\n]*)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not match:
        raise Refused(f"CHANGELOG.md has no section {version}: write one, since it is the release notes")
    return match[2].strip() + "\n", "unreleased" in match[1]


def commit() -> str:
    return run("git", "-C", CHECKOUT, "rev-parse", "HEAD").strip()


def time_of_commit() -> int:
    """Seconds since 1970: the time of everything that a release writes."""
    return int(run("git", "-C", CHECKOUT, "log", "-1", "--format=%ct"))


def changes() -> str:
    """Files that are not as they are committed."""
    return run("git", "-C", CHECKOUT, "status", "--porcelain").strip()
