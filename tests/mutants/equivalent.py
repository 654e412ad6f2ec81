"""Changes that change nothing, each with its reason: equivalent.txt."""

import pathlib


class Equivalent:
    """A line for each: FILE | the source's line | OPERATOR -> what stands there | REASON."""

    def __init__(self, tree):
        self._tree, self._all = tree, set()
        for line in (pathlib.Path(__file__).parent / "equivalent.txt").read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            file, source, change, reason = (part.strip() for part in line.split(" | "))
            if not reason:
                raise ValueError(f"equivalent.txt: no reason: {line}")
            self._all.add((file, " ".join(source.split()), change))

    def has(self, site):
        source = (self._tree / site.file).read_text().splitlines()[site.line - 1]
        return (site.file, " ".join(source.split()), f"{site.operator} -> {' '.join(site.after.split())}") in self._all
