"""Puts the folders whose modules these tests share on Python's path: `import paths` first."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

for folder in ("server", "readers", "support/workloads", "invariants"):
    if str(HERE.parent / folder) not in sys.path:
        sys.path.insert(0, str(HERE.parent / folder))
