#!/usr/bin/env python3
"""Runs `explain` on the real files of files.tsv: mirror.py PROGRAM FOLDER [--print].

FOLDER has a git directory of each repository that contains its commit, as FOLDER/OWNER+NAME/repo, FOLDER/OWNER+NAME or
FOLDER/NAME. Prints a line for each difference, and the counts of each repository. --print also prints what `explain`
prints. The exit code is 1 if a file is missing from the table or an answer differs from the expected one.
"""

import collections
import dataclasses
import fnmatch
import pathlib
import re
import subprocess
import sys

ARGUMENTS, sys.argv[1:] = sys.argv[1:], sys.argv[1:2]  # reports.py takes the first

from table import agrees, explained, read_table, verdict  # noqa: E402

NAME = re.compile(r"(^|[^.\w])google\.com/tpu(?![\w/])")
BLOCK = re.compile(r"^([ \t]*)(```+|~~~+)[ \t]*(\w*)[^\n]*\n(.*?)^[ \t]*\2[ \t]*$", re.S | re.M)
HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)^\s*\1\s*$", re.S | re.M)


class Repository:
    def __init__(self, folder, name, commit):
        owner, short = name.split("/")
        places = [folder / f"{owner}+{short}" / "repo", folder / f"{owner}+{short}", folder / short]
        self.place = next((each for each in places if each.is_dir()), None)
        if self.place is None:
            sys.exit(f"no {' or '.join(map(str, places))}")
        self.commit = commit

    def git(self, *arguments):
        return subprocess.run(["git", "-C", self.place, *arguments], capture_output=True, text=True, errors="replace",
                              check=False).stdout

    def files(self):
        found = self.git("grep", "-lI", "google.com/tpu", self.commit)
        return {line.split(":", 1)[1] for line in found.splitlines()}

    def text(self, path):
        return self.git("show", f"{self.commit}:{path}")


def without_indent(indent, body):
    return "\n".join(line.removeprefix(indent) for line in body.split("\n"))


def parts(path, text):
    """Returns the manifests of a page or a script in their order, each as a reader would copy it."""
    if path.endswith(".sh"):
        found = [body for _, body in HERE_DOCUMENT.findall(text)]
    else:
        blocks = [without_indent(indent, body) for indent, _, _, body in BLOCK.findall(text)]
        found = [part for block in blocks for part in ([body for _, body in HERE_DOCUMENT.findall(block)] or [block])]
    return [part for part in found if NAME.search(part)]


def filled_in(text, values):
    for name, value in (each.split("=", 1) for each in values.split(",") if each):
        for form in (f"${{{name}}}", f"<{name}>", f"{{{name}}}"):
            text = text.replace(form, value)
        text = re.sub(rf"\${re.escape(name)}\b", value, text)
    return text


def real_text(repository, row):
    text = repository.text(row.path)
    if row.part:
        text = parts(row.path, text)[int(row.part.removeprefix("#")) - 1]
    return filled_in(text, row.filled)


def of_each_file(row, files):
    """Returns a copy of the row for each file that matches the pattern row.path, or one copy if no file matches."""
    return [dataclasses.replace(row, path=path) for path in sorted(fnmatch.filter(files, row.path)) or [row.path]]


def manifests_of(rows):
    """Counts the manifests, and those for which no verdict is expected. A values file of a chart is not a manifest."""
    manifests = [row for row in rows if row.is_manifest and row.expected != "unreadable: values of a chart"]
    count = {"manifests": len({(row.path, row.part) for row in manifests})}
    for head in ("not read", "unreadable"):
        count[head] = len({(row.path, row.part) for row in manifests if row.expected.startswith(head)})
    return count


def main():
    if len(ARGUMENTS) < 2 or "--help" in ARGUMENTS:
        print(__doc__)
        return 0 if "--help" in ARGUMENTS else 2
    program, folder, *flags = ARGUMENTS
    table = read_table()
    counts, wrong = collections.defaultdict(collections.Counter), 0
    for short, (name, commit) in table.repositories.items():
        repository, count = Repository(pathlib.Path(folder), name, commit), counts[short]
        files = repository.files()
        rows = [one for row in table.rows if row.repository == short for one in of_each_file(row, files)]
        for path in sorted(files ^ {row.path for row in rows}):
            wrong += 1
            print(f"{short} {path}: the file must be both in the repository and in the table")
        for label, number in collections.Counter(row.label for row in rows).items():
            if number > 1:
                wrong += 1
                print(f"the table has {number} rows with the label {label}, expected one")
        count["files"] = len(files)
        for row in rows:
            if not row.is_manifest:
                continue
            text = real_text(repository, row)
            got = verdict(program, text)
            count["runs"] += 1
            count["corrected"] += bool(row.corrected)
            if agrees(row.expected, got):
                count["as expected"] += 1
            else:
                wrong += 1
                print(f"{row.label}\n  expected {row.expected}\n  got      {got}")
            if "--print" in flags:
                print(f"--- {row.label}\n{explained(program, text).stdout}")
        for head, number in manifests_of(rows).items():
            count[head] = number
    heads = ("files", "manifests", "not read", "unreadable", "runs", "as expected", "corrected")
    print("\t".join(("repository", *heads)))
    for short, count in [*counts.items(), ("together", sum(counts.values(), collections.Counter()))]:
        print("\t".join((short, *(str(count[head]) for head in heads))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
