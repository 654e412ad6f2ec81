"""tests_exist.py PAGE: every test that a page names as `tests/FILE` or `tests/FILE::NAME` is there."""

import pathlib
import re
import sys

NAMED = re.compile(r"`(tests/[\w./-]+?)(?:::(\w+))?`")


def fault(file, name):
    path = pathlib.Path(file)
    if not path.exists():
        return f"no file {file}"
    if name and not re.search(rf"\b{name}\b", path.read_text(encoding="utf-8")):
        return f"no {name} in {file}"
    stories = path.parent / "stories.txt"
    if name and stories.exists() and f"{path.name}::{name}\n" not in stories.read_text(encoding="utf-8") + "\n":
        return f"{name} is not in {stories}"
    return None


def main():
    named = NAMED.findall(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    faults = [text for text in (fault(*each) for each in named) if text]
    print("\n".join(faults) or f"{len(named)} tests, all there")
    return 1 if faults or not named else 0


if __name__ == "__main__":
    sys.exit(main())
