"""links.py: every relative link of a page in the checkout leads to a file."""

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


def main():
    pages = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                           check=True, capture_output=True, text=True).stdout.split()
    broken = [f"{page}: {link}" for page in pages
              for link in LINK.findall(pathlib.Path(page).read_text())
              if not (pathlib.Path(page).parent / link).exists()]
    print("\n".join(broken) or f"{len(pages)} pages, all links lead somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
