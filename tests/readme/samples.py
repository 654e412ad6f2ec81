"""samples.py PROGRAM FILE: runs each sample of a Markdown file and compares what it prints.

A sample is a block of commands behind the comment "<!-- sample -->", and the block after it,
which is what they print. `tpu-webhook` means PROGRAM, and `kubectl tpu` the kubectl-tpu beside it: a kubectl of our
own passes words on to a plugin as kubectl does, and has no other command.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

KUBECTL = """#!/bin/sh
[ "$1" = tpu ] || exit 1
shift
exec kubectl-tpu "$@"
"""
SAMPLE = re.compile(r"<!-- sample -->\n```sh\n(.*?)```\n```\n(.*?)```\n", re.DOTALL)


def run(commands, folder):
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", commands], capture_output=True, text=True, timeout=60,
                          env=environment)
    return done.stdout + done.stderr


def main(program, file):
    samples = SAMPLE.findall(pathlib.Path(file).read_text())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in "tpu-webhook", "kubectl-tpu":
            pathlib.Path(folder, name).symlink_to(pathlib.Path(program).resolve().with_name(name))
        kubectl = pathlib.Path(folder, "kubectl")
        kubectl.write_text(KUBECTL)
        kubectl.chmod(0o755)
        for commands, wanted in samples:
            got = run(commands, folder)
            if got != wanted:
                failed += 1
                print(f"{commands}prints\n{got}{file} says\n{wanted}")
    print(f"{len(samples)} samples, {failed} failed")
    return 1 if failed or not samples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
