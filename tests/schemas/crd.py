"""The OpenAPI schema in a CustomResourceDefinition that controller-gen wrote, without a YAML library.

Of controller-gen's YAML only mappings and lists are kept: a scalar is as good as none, and one that goes on over
several lines is passed over.
"""

import re

_KEY = re.compile(r"""(?P<key>[\w.$/-]+|'[^']*'|"[^"]*"):(?:\s+(?P<value>\S.*))?$""")


def versions(text: str) -> dict:
    """The schema of each version: {"v1": {"properties": …}}."""
    spec = _tree(text)["spec"]
    return {each["name"]: each["schema"]["openAPIV3Schema"] for each in spec["versions"]["-"]}


def _tree(text: str) -> dict:
    """Mappings as dicts; a list is a dict whose "-" holds its mappings."""
    root: dict = {}
    open_mappings = [(-1, root)]  # column, mapping
    scalar_from = None  # the column of a key whose value may go on below it
    for line in text.split("\n"):
        body = line.strip()
        column = len(line) - len(line.lstrip())
        if not body or (scalar_from is not None and column > scalar_from):
            continue
        scalar_from = None
        if body.startswith("- "):
            while open_mappings[-1][0] >= column + 1:
                open_mappings.pop()
            item: dict = {}
            open_mappings[-1][1].setdefault("-", []).append(item)
            column, body = column + 2, body[2:]
            open_mappings.append((column - 1, item))
        found = _KEY.match(body)
        if not found:
            continue
        while open_mappings[-1][0] >= column:
            open_mappings.pop()
        key = found["key"].strip("'\"")
        if found["value"] is None:
            below: dict = {}
            open_mappings[-1][1][key] = below
            open_mappings.append((column, below))
        else:
            open_mappings[-1][1][key] = found["value"]
            scalar_from = column
    return root
