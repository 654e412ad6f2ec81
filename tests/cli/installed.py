#!/usr/bin/env python3
"""installed.py CMAKE BUILD: what `cmake --install` puts beside the programs is what kubectl-tpu and the build print."""

import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = {"bash-completion/completions/kubectl-tpu": "bash", "zsh/site-functions/_kubectl-tpu": "zsh",
           "fish/vendor_completions.d/kubectl-tpu.fish": "fish"}


def main(cmake, build):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as manual:
        subprocess.run([pathlib.Path(build) / "kubectl/pages/man_pages", manual], check=True)
        subprocess.run([cmake, "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
        bin, share = pathlib.Path(folder, "bin"), pathlib.Path(folder, "share")
        pages = sorted(pathlib.Path(manual, "kubectl-tpu").iterdir())
        assert pathlib.Path(manual, "kubectl-tpu", "kubectl-tpu-ledger-list.1") in pages
        wanted = {share / f"man/man1/{each.name}": each.read_text(encoding="utf-8") for each in pages}
        for path, shell in SCRIPTS.items():
            wanted[share / path] = subprocess.run([bin / "kubectl-tpu", "completion", shell], check=True, capture_output=True,
                                                  text=True).stdout
        wrong = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
        wrong += [path for path in share.rglob("*tpu-webhook*") if path.is_file()]  # a server has neither
        if os.readlink(bin / "kubectl_complete-tpu") != "kubectl-tpu":
            wrong.append(bin / "kubectl_complete-tpu")
        if not os.access(bin / "tpu-webhook", os.X_OK):
            wrong.append(bin / "tpu-webhook")
    print("\n".join(f"not installed, or other than printed: {path}" for path in wrong)
          or f"{len(wanted)} files are what kubectl-tpu and man_pages print")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
