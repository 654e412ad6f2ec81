#!/usr/bin/env python3
"""installed.py CMAKE BUILD: what `cmake --install` puts beside the programs is what they print."""

import os
import pathlib
import subprocess
import sys
import tempfile


def main(cmake, build):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cmake, "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
        prefix = pathlib.Path(folder)
        bin, share = prefix / "bin", prefix / "share"
        wrong, count = [], 0
        for name, page in (("tpu-webhook", "config-check"), ("kubectl-tpu", "ledger-list")):
            def prints(*arguments, program=bin / name):
                return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

            wanted = {share / f"bash-completion/completions/{name}": ("completion", "bash"),
                      share / f"zsh/site-functions/_{name}": ("completion", "zsh"),
                      share / f"fish/vendor_completions.d/{name}.fish": ("completion", "fish"),
                      share / f"man/man1/{name}.1": ("help", "--man"),
                      share / f"man/man1/{name}-{page}.1": ("help", "--man", *page.split("-"))}
            count += len(wanted)
            wrong += [path for path, words in wanted.items()
                      if not path.is_file() or path.read_text(encoding="utf-8") != prints(*words)]
        if os.readlink(bin / "kubectl_complete-tpu") != "kubectl-tpu":
            wrong.append(bin / "kubectl_complete-tpu")
    print("\n".join(f"not installed, or other than printed: {path}" for path in wrong)
          or f"{count} files are what the programs print")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
