"""A page whose commands are run: its blocks of shell, in their order, in one shell.

A block is fenced with ```sh. One with ```sh yours says what only a reader can, and is not run: whoever runs the page sets
the variables that it sets. A block of ```text right behind one of shell is what is then seen: each of its lines, in order,
is in what the block printed, where … is anything.
"""

import dataclasses
import os
import pathlib
import re
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Block:
    line: int  # of the page, counted from 1, of its first command
    text: str
    yours: bool
    seen: list  # lines of ```text behind it


class Failed(AssertionError):
    """A block ended with an error, or was not followed by what the page shows."""


def blocks(page: pathlib.Path) -> list:
    found, fence, begun, ended, shown = [], None, 0, 0, None
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if fence is None:
            fence, begun = line[3:].split(), number + 1
            continue
        inside = lines[begun - 1:number - 1]
        if fence == ["text"] and shown and not any(one.strip() for one in lines[ended:begun - 2]):
            shown.seen = inside
        shown = None
        if fence[:1] == ["sh"]:
            shown = Block(begun, "\n".join(inside), fence[1:] == ["yours"], [])
            found.append(shown)
        fence, ended = None, number
    return found


def variables(block: Block) -> list:
    """Those that it sets."""
    return re.findall(r"^(?:export )?([A-Z_]+)=", block.text, re.MULTILINE)


def commands(block: Block) -> list:
    """Its lines that are no comment."""
    return [line for line in block.text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


class Shell:
    """One bash for all blocks, in `folder`, with these variables; `log` keeps what was run and printed."""

    def __init__(self, folder: pathlib.Path, env: dict, log: pathlib.Path):
        self._log = log.open("w", encoding="utf-8")
        self._bash = subprocess.Popen(["bash", "--noprofile", "--norc"], stdin=subprocess.PIPE, cwd=folder, text=True,
                                      env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, block: Block, seconds: float = 300) -> str:
        """What it prints; Failed if one of its commands fails, or the page says otherwise."""
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            out, end = pathlib.Path(folder) / "out", pathlib.Path(folder) / "end"
            # With -e a command that fails ends the shell, and the file that says the end is never there.
            self._bash.stdin.write(f"set -e -o pipefail\n{{\n{block.text}\n}} >{out} 2>&1 </dev/null\ntouch {end}\n")
            self._bash.stdin.flush()
            while not end.exists() and self._bash.poll() is None and time.monotonic() - began < seconds:
                time.sleep(0.02)
            text = out.read_text(encoding="utf-8") if out.exists() else ""
            ended = end.exists()
        self._log.write(f"# line {block.line}, {time.monotonic() - began:.1f} s\n{block.text}\n--\n{text}\n")
        self._log.flush()
        if not ended:
            self.end()
            raise Failed(f"line {block.line}: {block.text}\nfailed or took more than {seconds} s:\n{text}")
        if missing := unseen(block.seen, text):
            raise Failed(f"line {block.line}: {block.text}\nthe page shows\n  {missing}\nand it printed\n{text}")
        return text

    def end(self) -> None:
        self._bash.kill()
        self._bash.wait()
        self._log.close()


def unseen(seen: list, text: str) -> str:
    """The first of these lines that does not come after the others; "" if all do."""
    lines = iter(text.splitlines())
    for wanted in seen:
        pattern = ".*".join(re.escape(part) for part in wanted.strip().split("…"))
        if wanted.strip() and not any(re.search(pattern, line.strip()) for line in lines):
            return wanted
    return ""
