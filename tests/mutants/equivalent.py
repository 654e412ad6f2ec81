"""Changes that change nothing, each with its reason: equivalent.txt."""

import pathlib


class Equivalent:
    """Two lines for each: FILE | the source's line | OPERATOR: what stood there -> what stands there | which of those
    that say the same, as run.py prints it; and the reason, behind blanks."""

    def __init__(self):
        self._all = {}
        name = None
        for line in (pathlib.Path(__file__).parent / "equivalent.txt").read_text().splitlines():
            if line.startswith(" ") and name:
                self._all[name] = (self._all[name] + " " + line.strip()).strip()
            elif line and not line.startswith("#"):
                name = line.strip()
                self._all[name] = ""
        if without := [name for name, reason in self._all.items() if not reason]:
            raise ValueError(f"equivalent.txt: no reason: {without}")

    def has(self, name):
        return name in self._all

    def without(self, names):
        """Of what is in the table, what is in the sources no more."""
        return sorted(set(self._all) - set(names))
