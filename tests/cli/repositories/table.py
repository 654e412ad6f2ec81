"""The table of public files, and what `explain` says of a text in the table's words."""

import json
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

import shapes

COLUMNS = ("repository", "path", "part", "filled", "expected", "shape", "corrected")


@dataclass
class Row:
    repository: str
    path: str            # a pattern of fnmatch, of files that are answered alike
    part: str = ""       # "#2": the second manifest of a page or a script
    filled: str = ""     # "NAME=value,...": placeholders that are filled in first
    expected: str = ""
    shape: str = ""      # an expression of shapes.py
    corrected: str = ""  # why the first expectation was wrong

    @property
    def is_manifest(self):
        return not self.expected.startswith("no manifest")

    @property
    def label(self):
        return f"{self.repository} {self.path}{self.part} {self.filled}".strip()


@dataclass
class Table:
    repositories: dict = field(default_factory=dict)  # short name: (owner/name, commit)
    rows: list = field(default_factory=list)


def read_table():
    table = Table()
    for line in (pathlib.Path(__file__).parent / "files.tsv").read_text().splitlines():
        cells = line.split("\t")
        if cells[0] == "# repository" and len(cells) == 4:
            table.repositories[cells[1]] = (cells[2], cells[3])
        elif not line.startswith("#"):
            table.rows.append(Row(**dict(zip(COLUMNS, cells))))
    return table


def lines(objects):
    return "\n".join(json.dumps(each) for each in objects)


def text_of(shape):
    """The manifest of a shape: JSON lines, or a text as it is."""
    made = eval(shape, vars(shapes))  # an expression of our own table
    return made if isinstance(made, str) else lines(made)


def of(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def words_of(workload):
    ids = sorted({each.get("finding") or each["id"] or "-" for each in workload["findings"]})
    if workload["verdict"] == "refused":
        return f"refused: {workload['kind']}, {', '.join(ids)}"
    groups = workload["groups"]
    topology = "/".join(sorted({each["topology"] for each in groups}))
    accelerator = "/".join(sorted({each["accelerator"] or "any accelerator" for each in groups}))
    slices = [f"{of(workload['slices'], 'slice')} of {topology} on {accelerator}"] if workload["slices"] else []
    parts = [workload["kind"], *slices, of(workload["pods"], "Pod"), of(workload["chips"], "chip"), *ids]
    return f"{workload['verdict']}: {', '.join(parts)}"


def explained(program, text, *flags):
    return subprocess.run([program, "explain", *flags, "-"], input=text, capture_output=True, text=True, timeout=60, check=False)


def verdict(program, text):
    """As the column "expected" has it; what makes a text unreadable is left out."""
    ran = explained(program, text, "-o", "json")
    if ran.returncode == 2:
        return "unreadable"
    said = json.loads(ran.stdout)
    words = [words_of(each) for each in said["workloads"] if each["verdict"] != "no_tpu"]
    words += [f"not read: {each.split()[0]}" for each in said["notRead"]]
    return " | ".join(words) or "no Pods"


def agrees(expected, got):
    return got == expected or (got == "unreadable" and re.match("unreadable: ", expected) is not None)
