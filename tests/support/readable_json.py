"""JSON as people read it: a value is in one line if it fits. tests/golden/golden_case.cpp writes the same.

A string that makes a line of more than 200 columns is {"joined": ["its ", "pieces"]}; joined() makes it whole.
"""

import json

COLUMNS, LONGEST, PIECE = 130, 200, 100


def _in_pieces(text):
    """In pieces of at most PIECE bytes, which end behind a comma or a blank."""
    pieces, rest = [], text.encode()
    while len(rest) > PIECE:
        end = max(rest[:PIECE].rfind(b","), rest[:PIECE].rfind(b" ")) + 1 or PIECE
        pieces.append(rest[:end].decode())
        rest = rest[end:]
    return {"joined": [*pieces, rest.decode()]}


def joined(value):
    """`value` without pieces."""
    if isinstance(value, dict):
        return "".join(value["joined"]) if [*value] == ["joined"] else {key: joined(each) for key, each in value.items()}
    return [joined(each) for each in value] if isinstance(value, list) else value


def readable(value, indent=0, used=0):
    """`indent` columns stand before each line, `used` before the first."""
    flat = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and used + len(flat.encode()) > LONGEST:
        return readable(_in_pieces(value), indent, used)
    if used + len(flat.encode()) <= COLUMNS or not value or not isinstance(value, (dict, list)):
        return flat
    before = " " * (indent + 2)
    if isinstance(value, dict):
        heads = [f"{before}{json.dumps(key, ensure_ascii=False)}: " for key in value]
        brackets, each = "{}", value.values()
    else:
        heads, brackets, each = [before] * len(value), "[]", value
    lines = (head + readable(one, indent + 2, len(head.encode())) for head, one in zip(heads, each, strict=True))
    return f"{brackets[0]}\n" + ",\n".join(lines) + f"\n{' ' * indent}{brackets[1]}"
