#!/usr/bin/env python3
"""The modules of the tree and their edges, as each module's CMakeLists.txt says them; and the picture of them.

modules.py            prints docs/modules.svg
modules.py --check    exit 1 if docs/modules.svg is another picture
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "modules.svg"
MODULE = re.compile(r"\btpuwh_module\s*\(([^)]*)\)", re.S)
FOLDER = re.compile(r"\badd_subdirectory\s*\(\s*([\w/]+)\s*\)")
LAYERS = ("base", "topology", "webhook", "server", "kubectl")  # each may include itself and those before it
KEYWORDS = ("SOURCES", "USES", "LIBRARIES")


def module_of(file):
    """The folder that a file is in."""
    return file.rpartition("/")[0]


def uses_of(arguments):
    """The words after USES."""
    keyword, out = "", []
    for word in arguments.split():
        if word in KEYWORDS:
            keyword = word
        elif keyword == "USES":
            out.append(word)
    return out


def read_table(root):
    """module -> the modules that it may include, in the order in which CMake reads their folders."""
    table = {}

    def visit(folder):
        path = root / folder / "CMakeLists.txt"
        if not path.is_file():
            return
        text = re.sub(r"#.*", "", path.read_text())
        for call in re.finditer(f"{MODULE.pattern}|{FOLDER.pattern}", text, re.S):
            if call[2]:
                below = f"{folder}/{call[2]}".lstrip("/")
                if below.split("/")[0] in LAYERS:
                    visit(below)
            elif folder:
                table[folder] = set(uses_of(call[1]))

    visit("")
    return table


def circles(edges):
    """Each circle of a graph, node -> the nodes it points to: its nodes, the first one again at the end."""
    done = set()

    def visit(node, trail):
        if node in trail:
            yield [*trail[trail.index(node):], node]
        elif node not in done:
            for other in sorted(edges.get(node, ())):
                yield from visit(other, [*trail, node])
            done.add(node)

    for node in edges:
        yield from visit(node, [])


CELL, NAMES, TOP = 17, 235, 190  # pixels: a cell, the names at the left, the names above
STYLE = """
  text { font: 12px ui-monospace, monospace; fill: #24292f }
  .band { fill: #eaeef2 } .line { stroke: #d0d7de } .self { fill: #afb8c1 } .edge { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #c9d1d9 } .band { fill: #21262d } .line { stroke: #30363d }
    .self { fill: #484f58 } .edge { fill: #58a6ff }
  }"""


def draw(table):
    """A row for each module; a dot in the column of each module that it includes. The modules are in the order in which
    CMake reads them: a dot right of the diagonal is a module that uses a later one."""
    modules = list(table)
    size = len(modules) * CELL
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {NAMES + size + 90} {TOP + size + 8}">',
           "<title>Which module includes which</title>", f"<style>{STYLE}\n</style>"]
    for number, module in enumerate(modules):
        at = number * CELL
        middle = at + CELL // 2
        if number % 2:
            out.append(f'<rect class="band" x="0" y="{TOP + at}" width="{NAMES + size}" height="{CELL}"/>')
        out.append(f'<text x="4" y="{TOP + at + 13}">{module}</text>')
        out.append(f'<text transform="translate({NAMES + middle + 4} {TOP - 6}) rotate(-50)">{module}</text>')
    for number, module in enumerate(modules):
        middle = number * CELL + CELL // 2
        out.append(f'<line class="line" x1="{NAMES + middle}" y1="{TOP}" x2="{NAMES + middle}" y2="{TOP + size}"/>')
        out.append(f'<rect class="self" x="{NAMES + middle - 4}" y="{TOP + middle - 4}" width="9" height="9"/>')
        for other in sorted(table[module], key=modules.index):
            across = NAMES + modules.index(other) * CELL + CELL // 2
            out.append(f'<circle class="edge" cx="{across}" cy="{TOP + middle}" r="5"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    picture = draw(read_table(ROOT))
    if sys.argv[1:] == ["--check"]:
        same = PICTURE.exists() and PICTURE.read_text() == picture
        print("docs/modules.svg is the table" if same
              else "docs/modules.svg is not the table: tests/layering/modules.py > docs/modules.svg")
        return 0 if same else 1
    if sys.argv[1:]:
        sys.exit(__doc__)
    print(picture, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
