"""The table at the end, and whether every listed case ran.

stories.txt lists each case, `FILE::CASE`, one a line. A line that begins with `not-yet` is a case
of something that is not built: it must xfail (with the reason), and once it passes the run fails
until the line says so. `since PROJECT RELEASE` begins the line of a case of something that older
releases do not have: with pins below that release it is neither run nor asked for. A listed case that
did not run, was skipped, or xfailed without the word, fails the run; so does a case that is not listed.

A line `plane N` begins the cases of the Nth control plane. A whole run has one for each, side by
side, since most of a story is waiting.
"""

import collections
import dataclasses
import pathlib

from controlplane import pins

LIST = pathlib.Path(__file__).resolve().parents[1] / "stories.txt"


@dataclasses.dataclass
class Case:
    outcome: str = "not run"
    seconds: float = 0.0
    pods: int = 0
    note: str = ""


class Report:
    """A pytest plugin. `complete`: the whole list must have run; of `plane` alone, unless it is 0."""

    def __init__(self, complete: bool, plane: int = 0):
        self._complete, self._plane = complete, plane
        self.cases: dict = collections.defaultdict(Case)
        self.pictures: list = []  # (title, text), printed at the end
        self.collected: set = set()
        self.complaints: list = []

    def picture(self, title: str, text: str) -> None:
        """Something to be printed at the end, such as a table before and after."""
        self.pictures.append((title, text))

    def pytest_collection_modifyitems(self, config, items):
        """Sorts the cases as stories.txt lists them, and deselects those of newer releases and of other planes."""
        self.collected = {_id(item.nodeid) for item in items}
        _deselect(config, items, of_newer_releases().__contains__)
        order = {name: place for place, name in enumerate(listed()[0])}
        items.sort(key=lambda item: order.get(_id(item.nodeid), len(order)))
        if self._plane:
            ours = set(listed(self._plane)[0])
            _deselect(config, items, lambda case: case not in ours)

    def pytest_runtest_logreport(self, report):
        case = self.cases[_id(report.nodeid)]
        case.seconds += report.duration
        if report.failed:
            case.outcome = "failed"
        elif report.skipped:
            case.outcome = "not yet" if hasattr(report, "wasxfail") else "skipped"
            case.note = getattr(report, "wasxfail", "") or str(report.longrepr[-1])
        elif report.when == "call" and case.outcome != "failed":
            case.outcome = "passed"

    def pytest_sessionfinish(self, session):
        if self._complete:
            self.complaints = _complaints(self.cases, self.collected - set(listed()[0]) - of_newer_releases(), *listed(self._plane))
        if self.complaints and session.exitstatus == 0:
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        write = terminalreporter.write_line
        for title, text in self.pictures:
            terminalreporter.section(title, sep="-")
            write(text)
        terminalreporter.section("stories", sep="-")
        for name, case in self.cases.items():
            pods = f"{case.pods:>4} Pods" if case.pods else " " * 9
            write(f"{case.outcome:<8}{case.seconds:>7.1f} s  {pods}  {name}" + (f": {case.note}" if case.note else ""))
        ran = [case for case in self.cases.values() if case.outcome == "passed"]
        write(f"{len(ran)} of {len(self.cases)} cases passed, {sum(case.pods for case in self.cases.values())} Pods, "
              f"{sum(case.seconds for case in self.cases.values()):.0f} s")
        for complaint in self.complaints:
            write(complaint, red=True)


def listed(plane: int = 0, text: str | None = None) -> tuple:
    """(cases in their order, those of them that are not yet), of one control plane or, by 0, of all."""
    cases, not_yet, now = [], set(), 1
    for line in (LIST.read_text(encoding="utf-8") if text is None else text).splitlines():
        words = _words(line)
        if words[:1] == ["plane"]:
            now = int(words[1])
        elif words and plane in (0, now) and not _is_of_newer(words):
            cases.append(words[-1])
            if words[0] == "not-yet":
                not_yet.add(words[-1])
    return cases, not_yet


def of_newer_releases() -> set:
    """The cases of a newer release than the pins have."""
    return {words[-1] for words in map(_words, LIST.read_text(encoding="utf-8").splitlines()) if _is_of_newer(words)}


def _words(line: str) -> list:
    return line.partition("#")[0].split()


def _is_of_newer(words: list) -> bool:
    """since PROJECT vMAJOR.MINOR.PATCH CASE"""
    return words[:1] == ["since"] and not pins.has(words[1], words[2])


def planes() -> int:
    """How many control planes stories.txt has."""
    return LIST.read_text(encoding="utf-8").count("\nplane ")


def _complaints(ran: dict, strange: set, cases: list, not_yet: set) -> list:
    found = [f"{name}: not in stories.txt" for name in sorted(strange)]
    for name in cases:
        outcome = ran[name].outcome if name in ran else "not run"
        wanted = "not yet" if name in not_yet else "passed"
        if outcome == "passed" and wanted == "not yet":
            found.append(f"{name}: passes; take `not-yet` off in stories.txt")
        elif outcome not in (wanted, "failed"):
            found.append(f"{name}: {outcome}, though listed")
    return found


def _deselect(config, items: list, unwanted) -> None:
    """Those whose case is `unwanted`."""
    config.hook.pytest_deselected(items=[item for item in items if unwanted(_id(item.nodeid))])
    items[:] = [item for item in items if not unwanted(_id(item.nodeid))]


def _id(nodeid: str) -> str:
    return nodeid.rpartition("/")[2]
