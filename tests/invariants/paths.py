"""Puts the folders whose modules these tests share on Python's path: `import paths` first."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

for folder in (HERE.parent / "readers", HERE.parent / "support" / "workloads", HERE):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
