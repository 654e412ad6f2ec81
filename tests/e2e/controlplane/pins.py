"""The set of releases that this process builds and runs: pins.toml, and which of its tables was asked for."""

import functools
import os
import tomllib

from . import cache

FILE = cache.HERE / "pins.toml"


@functools.cache
def chosen() -> str:
    """$TPUWH_PINS, else the default."""
    name = os.environ.get("TPUWH_PINS") or _file()["default"]
    if name not in sets():
        raise SystemExit(f"TPUWH_PINS: {name}: {FILE} has " + ", ".join(sets()))
    return name


def sets() -> list:
    return [name for name in _file() if name != "default"]


def release(project: str) -> str:
    """The release of a project, as in v1.2.3."""
    return _table("releases")[project]


def has(project: str, wanted: str) -> bool:
    """Whether the release of a project is this one or a later one: v0.10.0 comes after v0.9.0."""
    return _numbers(release(project)) >= _numbers(wanted)


def _numbers(text: str) -> list:
    return [int(number) for number in text.removeprefix("v").split(".")]


def modules() -> dict:
    """What is built together: name -> (folder of modules/, names of programs)."""
    return {name: (what["folder"], tuple(what["programs"])) for name, what in _table("modules").items()}


def programs() -> set:
    """All that is built."""
    return {name for _, names in modules().values() for name in names}


def _table(which: str) -> dict:
    """Of the chosen set, and of those that it is like where it has none of its own."""
    found, name = {}, chosen()
    while name:
        set_of = _file()[name]
        found = {**set_of.get(which, {}), **found}
        name = set_of.get("like")
    return found


@functools.cache
def _file() -> dict:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
