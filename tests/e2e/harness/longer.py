"""What takes minutes of both cores in full, and tells the same story of fewer: label `long` has it in full."""

import os


def in_full(full: int, otherwise: int) -> int:
    """`full` with TPUWH_LONG=1."""
    return full if os.environ.get("TPUWH_LONG") == "1" else otherwise
