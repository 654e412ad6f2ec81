"""generated.py FILE COMMAND...: fails when FILE is not what COMMAND prints."""

import difflib
import pathlib
import subprocess
import sys


def main(file, *command):
    wanted = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = pathlib.Path(file).read_text()
    if found == wanted:
        return 0
    sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), wanted.splitlines(True),
                                               file, "generated"))
    print(f"{file} is not current; write it again:\n  {' '.join(command)} > {file}")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
