"""What scripts/build says of ninja's lines, off a terminal: a made-up clock and made-up lines."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys

BUILD = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "build"
LINES = [*(f"[{done}/12] Building CXX object {done}.cpp.o" for done in range(1, 8)),
         "a.cpp:1:1: warning: what the compiler says",
         *(f"[{done}/12] Building CXX object {done}.cpp.o" for done in range(8, 13))]
WANTED = """\
demo: building, 3 of 12 steps, 0:30
demo: building, 6 of 12 steps, 1:00, about 1:00 to go
a.cpp:1:1: warning: what the compiler says
demo: building, 9 of 12 steps, 1:30, about 0:30 to go
demo: building, 12 of 12 steps, 2:00
demo: built, 12 steps, 2:00
"""


def main():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("build", str(BUILD))
    build = importlib.util.module_from_spec(importlib.util.spec_from_loader("build", loader))
    loader.exec_module(build)
    seconds = [0]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        progress = build.Progress("demo", now=lambda: seconds[0])
        for line in LINES:
            seconds[0] += 10 * line.startswith("[")
            progress.take(line)
        progress.end(built=True)
    if out.getvalue() == WANTED:
        return 0
    print(f"said\n{out.getvalue()}want\n{WANTED}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
