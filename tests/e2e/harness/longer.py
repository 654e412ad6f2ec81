"""What takes minutes of both cores in full, and tells the same story of fewer: label `long` has it whole."""

import os

LONG = os.environ.get("TPUWH_LONG") == "1"


def whole(full: int, otherwise: int) -> int:
    """`full` with TPUWH_LONG=1."""
    return full if LONG else otherwise
