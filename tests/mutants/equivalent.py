#!/usr/bin/env python3
"""Changes that change nothing, each with its reason: equivalent.txt.

  tests/mutants/equivalent.py      exit code 1 where the sources no longer have the line of one
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Equivalent:
    """Reads equivalent.txt, the list of mutants that behave like the original code. A line names a mutant as run.py
    prints it: FILE | the source's line | OPERATOR: original -> mutated | its number among mutants with the same text.
    An indented line is the reason for the mutants above it, up to the previous reason."""

    def __init__(self):
        self._all, names = {}, []
        for line in (pathlib.Path(__file__).parent / "equivalent.txt").read_text().splitlines():
            if line.startswith(" "):
                self._all.update(dict.fromkeys(names, line.strip()))
                names = []
            elif line and not line.startswith("#"):
                names.append(line)
        if names:
            raise ValueError(f"equivalent.txt: no reason: {names}")

    def has(self, name):
        return name in self._all

    def without(self, names):
        """Of what is in the table, what is in the sources no more."""
        return sorted(set(self._all) - set(names))

    def gone(self):
        """Whose line is in its file no more; run.py also knows whether the change is."""
        return sorted(name for name in self._all if not _has_line(name))


def _has_line(name):
    file, _, rest = name.partition(" | ")
    line = rest.rsplit(" | ", 2)[0]  # which may have one itself
    path = ROOT / file
    return path.is_file() and line in (" ".join(each.split()) for each in path.read_text().splitlines())


def main():
    gone = Equivalent().gone()
    for name in gone:
        print(f"equivalent.txt has what is in the sources no more:\n{name}")
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main())
