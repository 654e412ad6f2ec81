#!/usr/bin/env python3
"""The rooms of the tree and their edges, as rooms.txt says them; and the picture of them.

rooms.py            prints docs/rooms.svg
rooms.py --check    exit 1 if docs/rooms.svg is another picture
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PICTURE = HERE.parents[1] / "docs" / "rooms.svg"


def room_of(file):
    """The folder a file lies in."""
    return file.rpartition("/")[0]


def read_table(path):
    """room -> the rooms it may include, in the order of the file."""
    table = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            room, _, others = line.partition(":")
            table[room] = set(others.split())
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
    """A row for each room; a dot in the column of each room that it includes. Rooms stand in the order
    of the file, so a dot right of the diagonal would be the beginning of a circle."""
    rooms = list(table)
    size = len(rooms) * CELL
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {NAMES + size + 90} {TOP + size + 8}">',
           "<title>Which room includes which</title>", f"<style>{STYLE}\n</style>"]
    for number, room in enumerate(rooms):
        at = number * CELL
        middle = at + CELL // 2
        if number % 2:
            out.append(f'<rect class="band" x="0" y="{TOP + at}" width="{NAMES + size}" height="{CELL}"/>')
        out.append(f'<text x="4" y="{TOP + at + 13}">{room}</text>')
        out.append(f'<text transform="translate({NAMES + middle + 4} {TOP - 6}) rotate(-50)">{room}</text>')
    for number, room in enumerate(rooms):
        middle = number * CELL + CELL // 2
        out.append(f'<line class="line" x1="{NAMES + middle}" y1="{TOP}" x2="{NAMES + middle}" y2="{TOP + size}"/>')
        out.append(f'<rect class="self" x="{NAMES + middle - 4}" y="{TOP + middle - 4}" width="9" height="9"/>')
        for other in sorted(table[room], key=rooms.index):
            across = NAMES + rooms.index(other) * CELL + CELL // 2
            out.append(f'<circle class="edge" cx="{across}" cy="{TOP + middle}" r="5"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    picture = draw(read_table(HERE / "rooms.txt"))
    if sys.argv[1:] == ["--check"]:
        same = PICTURE.exists() and PICTURE.read_text() == picture
        print("docs/rooms.svg is the table" if same
              else "docs/rooms.svg is not the table: tests/layering/rooms.py > docs/rooms.svg")
        return 0 if same else 1
    if sys.argv[1:]:
        sys.exit(__doc__)
    print(picture, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
