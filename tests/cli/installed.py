#!/usr/bin/env python3
"""installed.py CMAKE BUILD: what `cmake --install` puts beside the program is what it prints."""

import pathlib
import subprocess
import sys
import tempfile


def main(cmake, build):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cmake, "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
        prefix = pathlib.Path(folder)
        program = prefix / "bin/tpu-webhook"

        def prints(*arguments):
            return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

        share = prefix / "share"
        wanted = {share / "bash-completion/completions/tpu-webhook": ("completion", "bash"),
                  share / "zsh/site-functions/_tpu-webhook": ("completion", "zsh"),
                  share / "fish/vendor_completions.d/tpu-webhook.fish": ("completion", "fish"),
                  share / "man/man1/tpu-webhook.1": ("help", "--man"),
                  share / "man/man1/tpu-webhook-config-check.1": ("help", "--man", "config", "check")}
        wrong = [path for path, words in wanted.items()
                 if not path.is_file() or path.read_text(encoding="utf-8") != prints(*words)]
    print("\n".join(f"not installed, or other than printed: {path}" for path in wrong)
          or f"{len(wanted)} files are what the program prints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
