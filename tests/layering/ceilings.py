#!/usr/bin/env python3
"""Holds the size of both programs below the committed ceilings of ceilings.txt.

ceilings.py ROOT          the tokens and code lines of each program; exit 1 if one has more tokens than its ceiling, or
                          the ceiling is more than SLACK above them
ceilings.py --self-test   made-up trees: each size, and each failure

The size of a program is the tokens of all modules (whole folders) that the includes of its own module reach, however
far, and of the headers that the build generates for these. Comments are free. A literal is one token, and one more for
every 8 bytes beyond 40, so tables, pages and scripts in strings count.
"""

import functools
import pathlib
import re
import subprocess
import sys
import tempfile

from modules import LAYERS, module_of

PROGRAMS = {"tpu-webhook": "server/cli/tpu_webhook", "kubectl-tpu": "kubectl/cli"}
# How the build makes the headers that are not in the tree; the last argument is the header.
GENERATED = {"catalog_rows.hpp": ("scripts/generate_catalog.py", "topology/tpu-catalog.json")}
SLACK = 500
SUFFIXES = (".cpp", ".hpp", ".h", ".ipp", ".inc", ".def")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                   r'|[A-Za-z_]\w*|\d[\w.\']*|::|->|<=>|<<=|>>=|&&|\|\||[-+*/%&|^!=<>]=|\S', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def is_comment(token):
    return token.startswith(("//", "/*"))


@functools.cache
def tokens_of(text):
    """The tokens of a source, and its lines that are neither blank nor a comment alone."""
    found = [match[0] for match in TOKEN.finditer(text)]
    tokens = sum(1 + (max(0, len(each) - 40) // 8 if each.startswith(('"', "'", 'R"')) else 0)
                 for each in found if not is_comment(each))
    code = TOKEN.sub(lambda match: "" if is_comment(match[0]) else match[0], text)
    return tokens, sum(bool(line.strip()) for line in code.splitlines())


def generate(root, name):
    """The text of a header as the build makes it."""
    program, *arguments = GENERATED[name]
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder) / name
        subprocess.run([sys.executable, root / program, *(root / each for each in arguments), header], check=True)
        return header.read_text()


def sources(root):
    """module -> the texts of its files."""
    out = {}
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix in SUFFIXES:
                out.setdefault(module_of(path.relative_to(root).as_posix()), []).append(path.read_text(errors="replace"))
    return out


def reached(module, modules):
    """The modules and the generated headers that the includes of this one lead to, itself included."""
    found, todo, generated = set(), [module], set()
    while todo:
        here = todo.pop()
        if here in found:
            continue
        found.add(here)
        for header in (header for text in modules.get(here, ()) for header in INCLUDE.findall(text)):
            if header in GENERATED:
                generated.add(header)
            elif header.startswith(LAYERS):
                todo.append(module_of(header))
    return found, generated


def sizes(root):
    """program -> (tokens, code lines, number of modules)"""
    modules = sources(root)
    out = {}
    for program, start in PROGRAMS.items():
        if start in modules:
            found, generated = reached(start, modules)
            texts = [text for module in found for text in modules.get(module, ())]
            counts = [tokens_of(text) for text in [*texts, *(generate(root, name) for name in sorted(generated))]]
            out[program] = (*map(sum, zip(*counts)), len(found))
    return out


def read_ceilings(path):
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return {words[0]: int(words[1].replace(",", "")) for words in lines if words}


def breaches(measured, ceilings):
    for program, (tokens, _, _) in measured.items():
        ceiling = ceilings.get(program)
        if ceiling is None:
            yield f"ceilings.txt has no line for {program}, which has {tokens:,} tokens"
        elif tokens > ceiling:
            yield (f"{program} has {tokens:,} tokens, {tokens - ceiling:,} above its ceiling of {ceiling:,}; "
                   "make it smaller, or raise the ceiling together with a decision page that says why")
        elif ceiling > tokens + SLACK:
            yield f"{program} has {tokens:,} tokens, and its ceiling is {ceiling:,}; lower it to {tokens:,} in ceilings.txt"


# ---- the self test

GOOD = {
    "server/cli/tpu_webhook/main.cpp": '#include "base/names.hpp"\n#include <string>\n// a comment is free\nint main() {}\n',
    "base/names.hpp": '#include "topology/catalog.hpp"\n',
    "base/other.cpp": "int a;  /* free */\n",                                   # of a module that is reached
    "topology/catalog.hpp": "",
    "topology/catalog.cpp": '#include "catalog_rows.hpp"\nconst char* text = "' + "x" * 46 + '";\n',
    "topology/tpu-catalog.json": "int rows[] = {1, 2};  // free",
    "webhook/read/pod.hpp": "int not_reached;\n",
    "scripts/generate_catalog.py": "import pathlib, sys\npathlib.Path(sys.argv[2]).write_text(pathlib.Path(sys.argv[1]).read_text())\n",
}
# Each #include "..." has 3, <string> 5, main 6, a 3, the text 7 and one for its length, the rows 11.
SIZE = 3 * 3 + 5 + 6 + 3 + 8 + 11


def complaints(files, ceilings):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(breaches(sizes(root), ceilings))


def self_test():
    wrong = []
    for what, files, ceiling, wanted in (
            ("at the ceiling", GOOD, SIZE, None),
            ("a little below", GOOD, SIZE + SLACK, None),
            ("far below", GOOD, SIZE + SLACK + 1, f"lower it to {SIZE:,}"),
            ("one token too many", GOOD, SIZE - 1, "1 above its ceiling"),
            ("eight bytes more in a literal",
             {**GOOD, "topology/catalog.cpp": GOOD["topology/catalog.cpp"].replace("xx", "xxxxxxxxxx", 1)}, SIZE, "1 above"),
            ("a row more in what is generated", {**GOOD, "topology/tpu-catalog.json": "int rows[] = {1, 2, 3};"}, SIZE, "2 above"),
            ("a file that no include reaches, in a module that one reaches", {**GOOD, "base/new.hpp": "int b;"}, SIZE, "3 above"),
            ("a module that one more include reaches",
             {**GOOD, "base/names.hpp": GOOD["base/names.hpp"] + '#include "webhook/read/pod.hpp"\n'}, SIZE, "6 above"),
            ("a module that none reaches", {**GOOD, "webhook/write/json.hpp": "int c;"}, SIZE, None),
            ("a comment", {**GOOD, "base/names.hpp": GOOD["base/names.hpp"] + "// more\n/* of\nit */\n"}, SIZE, None),
            ("no ceiling", GOOD, None, "has no line for tpu-webhook")):
        found = complaints(files, {} if ceiling is None else {"tpu-webhook": ceiling})
        if len(found) != (wanted is not None) or wanted and wanted not in found[0]:
            wrong.append(f"{what}: wanted {wanted!r}, got {found}")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        found = self_test()
    else:
        root = pathlib.Path(sys.argv[1]).resolve()
        measured = sizes(root)
        found = list(breaches(measured, read_ceilings(pathlib.Path(__file__).with_name("ceilings.txt"))))
        for program, (tokens, lines, modules) in measured.items():
            print(f"{program}: {tokens:,} tokens in {lines:,} code lines of {modules} modules")
    print("\n".join(found) or "nothing to complain of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
