"""python3 -m controlplane.real.images PROGRAM [--check], in tests/e2e and as root: makes the images, and tries them."""

import argparse
import pathlib

from . import check, ensure

parser = argparse.ArgumentParser(prog="python3 -m controlplane.real.images", description=__doc__)
parser.add_argument("program", type=pathlib.Path, help="the tpu-webhook to pack")
parser.add_argument("--check", action="store_true", help="also unpack each and run what it is for")
arguments = parser.parse_args()
images = ensure(arguments.program)
for name, path in images.items():
    print(f"{name}  {path}  {path.stat().st_size / 1e6:.1f} MB")
if arguments.check:
    check.check(images)
