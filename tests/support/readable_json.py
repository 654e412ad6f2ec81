"""JSON as people read it: a value is in one line if it fits. tests/golden/golden_case.cpp writes the same."""

import json

COLUMNS = 130


def readable(value, indent=0, used=0):
    """`indent` columns stand before each line, `used` before the first."""
    flat = json.dumps(value, ensure_ascii=False)
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
