"""The terminal: what is printed while it runs, and the report as text."""

from __future__ import annotations

import itertools
import sys
import time

from .findings import DIFFERS, NOT_KNOWN, OK, Report, Step

_COLOUR = {OK: "32", DIFFERS: "31", NOT_KNOWN: "33"}
_EVERY = 15  # seconds between lines of progress in a file


class Screen:
    """Results on `out`, and what passes by on `err`."""

    def __init__(self):
        self._out, self._err, self._progress, self._last = sys.stdout, sys.stderr, "", 0.0

    def say(self, text: str = "") -> None:
        self._clear()
        print(text, file=self._out, flush=True)

    def aside(self, text: str) -> None:
        """For the user alone: it may hold names, and is no part of the report."""
        self._clear()
        print(text, file=self._err, flush=True)

    def progress(self, text: str) -> None:
        if self._err.isatty():
            self._clear()
            self._progress = text[:100]
            print(f"  … {self._progress}", end="", file=self._err, flush=True)
        elif time.monotonic() - self._last > _EVERY:
            self._last = time.monotonic()
            print(f"  … {text}", file=self._err, flush=True)

    def ask(self, question: str) -> bool:
        self._clear()
        print(f"{question} [y/N] ", end="", file=self._err, flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    def step(self, number: int, step: Step) -> None:
        self.say(f"{number} {step.title}: {self._coloured(step.outcome)} ({step.seconds:.1f} s)")
        for (outcome, name, of), group in itertools.groupby(
            step.checks, key=lambda check: (check.outcome, check.id, check.of)
        ):
            checks = list(group)
            if outcome == OK and len(checks) > 1:
                self._line(outcome, name, of, f"{len(checks)} as expected")
                continue
            for check in checks:
                self._line(
                    outcome,
                    name,
                    of,
                    check.found + (f"; expected {check.expected}" if outcome != OK and check.expected else ""),
                )

    def total(self, report: Report) -> None:
        counts = [
            sum(check.outcome == one for step in report.steps for check in step.checks)
            for one in (OK, DIFFERS, NOT_KNOWN)
        ]
        self.say("{} checks ok, {} differ, {} not known".format(*counts))

    def _line(self, outcome: str, name: str, of: str, text: str) -> None:
        self.say(f"  {self._coloured(outcome.ljust(9))}  {of:<3} {name:<18} {text}")

    def _coloured(self, word: str) -> str:
        code = _COLOUR.get(word.strip())
        return f"\033[{code}m{word}\033[0m" if self._out.isatty() and code else word

    def _clear(self) -> None:
        if self._progress:
            print("\r\033[K", end="", file=self._err, flush=True)
            self._progress = ""
