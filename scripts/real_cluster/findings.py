"""What was found, beside what was expected; and the report that is made of it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time

OK, DIFFERS, NOT_KNOWN = "ok", "differs", "not known"
FORMAT = 1


@dataclasses.dataclass
class Check:
    id: str
    outcome: str
    found: str
    expected: str = ""
    of: str = ""  # p0, h1, …
    fact: str = ""  # an id of docs/facts.md


@dataclasses.dataclass
class Step:
    id: str
    title: str
    checks: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    @property
    def outcome(self) -> str:
        of_all = [check.outcome for check in self.checks] or [NOT_KNOWN]
        return next(one for one in (DIFFERS, NOT_KNOWN, OK) if one in of_all)

    def equal(self, check: str, found, expected, **more) -> bool:
        """Whether it is as expected."""
        same = found == expected
        self.checks.append(Check(check, OK if same else DIFFERS, _text(found), _text(expected), **more))
        return same

    def holds(self, check: str, holds: bool, found: str, expected: str, **more) -> None:
        self.checks.append(Check(check, OK if holds else DIFFERS, found, expected, **more))

    def not_known(self, check: str, why: str, **more) -> None:
        self.checks.append(Check(check, NOT_KNOWN, why, **more))

    def note(self, check: str, found: str, **more) -> None:
        """There is nothing that it should be."""
        self.checks.append(Check(check, OK, found, **more))

    @contextlib.contextmanager
    def timed(self):
        began = time.monotonic()
        try:
            yield self
        finally:
            self.seconds = round(self.seconds + time.monotonic() - began, 1)


@dataclasses.dataclass
class Report:
    kit: str  # commit of the checkout
    date: str
    server: str = ""
    image: str = ""  # default, given
    pools: list = dataclasses.field(default_factory=list)
    injectors: list = dataclasses.field(default_factory=list)
    device_classes: dict = dataclasses.field(default_factory=dict)
    steps: list = dataclasses.field(default_factory=list)

    @property
    def outcome(self) -> str:
        return next((one for one in (DIFFERS, NOT_KNOWN) if one in [step.outcome for step in self.steps]), OK)

    def as_dict(self) -> dict:
        return {
            "report": "tpu-webhook on a real cluster",
            "format": FORMAT,
            "kit": self.kit,
            "date": self.date,
            "outcome": self.outcome,
            "server": self.server,
            "image": self.image,
            "pools": self.pools,
            "injectors": self.injectors,
            "deviceClasses": self.device_classes,
            "steps": [
                {
                    "id": step.id,
                    "title": step.title,
                    "outcome": step.outcome,
                    "seconds": step.seconds,
                    "checks": [_without_empty(check) for check in step.checks],
                }
                for step in self.steps
            ],
        }


def as_json(report: dict) -> str:
    """For eyes too: a line for each pool, injector and check."""

    def lines(many: list, indent: str) -> str:
        return "[" + ",".join(f"\n{indent} {json.dumps(one)}" for one in many) + (f"\n{indent}]" if many else "]")

    def step(one: dict) -> str:
        head = json.dumps({name: value for name, value in one.items() if name != "checks"})
        return f'{head[:-1]}, "checks": {lines(one["checks"], "  ")}}}'

    parts = []
    for name, value in report.items():
        if name == "steps":
            text = "[" + ",".join(f"\n  {step(one)}" for one in value) + "\n ]"
        else:
            text = lines(value, " ") if isinstance(value, list) else json.dumps(value)
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _without_empty(check: Check) -> dict:
    return {name: value for name, value in dataclasses.asdict(check).items() if value != "" or name == "found"}


def _text(value) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value)) or "none"
    return value if isinstance(value, str) else str(value)
