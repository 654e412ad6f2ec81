#!/usr/bin/env python3
"""installed.py CMAKE BUILD: what `cmake --install` puts beside the programs is what they and the build print."""

import os
import pathlib
import subprocess
import sys
import tempfile


def main(cmake, build):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as manual:
        subprocess.run([pathlib.Path(build) / "kubectl/pages/man_pages", manual], check=True)
        subprocess.run([cmake, "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
        prefix = pathlib.Path(folder)
        bin, share = prefix / "bin", prefix / "share"
        wrong, count = [], 0
        for name, page in (("tpu-webhook", "config-check"), ("kubectl-tpu", "ledger-list")):
            def prints(*arguments, program=bin / name):
                return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

            pages = sorted(pathlib.Path(manual, name).iterdir())
            assert pathlib.Path(manual, name, f"{name}-{page}.1") in pages
            wanted = {share / f"man/man1/{each.name}": each.read_text(encoding="utf-8") for each in pages}
            scripts = {f"bash-completion/completions/{name}": "bash", f"zsh/site-functions/_{name}": "zsh",
                       f"fish/vendor_completions.d/{name}.fish": "fish"}
            if name == "kubectl-tpu":
                wanted |= {share / path: prints("completion", shell) for path, shell in scripts.items()}
            else:
                wrong += [share / path for path in scripts if (share / path).exists()]
            count += len(wanted)
            wrong += [path for path, text in wanted.items()
                      if not path.is_file() or path.read_text(encoding="utf-8") != text]
        if os.readlink(bin / "kubectl_complete-tpu") != "kubectl-tpu":
            wrong.append(bin / "kubectl_complete-tpu")
    print("\n".join(f"not installed, or other than printed: {path}" for path in wrong)
          or f"{count} files are what the programs and man_pages print")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
