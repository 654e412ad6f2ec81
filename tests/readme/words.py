#!/usr/bin/env python3
"""Finds retired words in texts for users and in comments.

words.py ROOT                 one line per breach: file:line, the word, what is right; exit 1 if there is one
words.py ROOT --settle        removes from comments_before.txt the digests that no file has any more
words.py --self-test          a made-up tree with one breach at a time: each must be found

The string literals of all C++ layers, the texts of charts, README.md and docs/*.md are read. words_allowed.txt lists
the exceptions with their reasons. docs/architecture.md ("Words") has the words to use.

The comments of a C++ file are read, too, unless comments_before.txt has their digest: the comments of that file have
not changed since docs/style.md got its rules for comments.
"""

import bisect
import hashlib
import itertools
import pathlib
import re
import sys
import tempfile

ALLOWED = "tests/readme/words_allowed.txt"
BEFORE = "tests/readme/comments_before.txt"
LAYERS = ("base", "topology", "webhook", "server", "kubectl")

# What is retired, and what is right. A blank stands for several, and for a line break.
RETIRED = [(re.compile(pattern.replace(" ", " +"), re.IGNORECASE), right)
           for pattern, right in (
    (r"\bfor ever\b", "forever"),
    (r"(?<!there\x20)\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|such\b)\w+",
     "is not a ..."),
    (r"\b\w+ anew\b", "rebuilt, again"),
    (r"\bin silence\b|\bfallen silent\b", "never forms, waits forever, silently, stopped sending data"),
    (r"\bheard nothing\b", "received nothing"),
    (r"\bwants\b", "asks for, requests, needs"),
    (r"\bwant\b(?<!you\x20want)", "expected; of a Pod: asks for"),
    (r"\bgone\b", "deleted, removed"),
    (r"\bcomes? as\b", "supports"),
    (r"\blook(?:s|ed|ing)? after\b", "handles"),
    (r"\bstands? (?:here )?twice\b", "duplicate ..."),
    (r"\bnobody (?:can|has|is)\b", "say who or what: not a terminal, no container has"),
    (r"\b(?:asked to )?come again\b", "deferred (503)"),
    (r"\bpassed over\b", "skipped"),
    (r"\bleft as (?:it|they) (?:is|are|was|were)\b", "left unchanged"),
    (r"\bcreated as (?:it|they) (?:is|are|was|were)\b", "created unchanged"),
    (r"\b(?:are|is) let in\b", "admitted"),
    (r"\bas ever\b", "as usual"),
    (r"\bgentle\b", "say the number"),
    (r"\bthrown away\b|\baway with\b", "discarded, uninstall"),
    (r"\bmakes? (?:it|them) again\b|\bcreate it again\b", "recreates"),
    (r"\b(?:at the )?start alone\b", "once, at startup"),
    (r"\bplain decimal\b", "whole number"),
    (r"\bgood until\b", "valid until"),
    (r"\b(?:cannot|can) be asked\b", "unreachable; say who asks whom"),
)]

# What is retired in a comment, whose lines are read as one text ("^\s*": where it begins).
IN_COMMENTS = [(re.compile(pattern.replace(" ", " +")), right)
               for pattern, right in (
    (r"^\s*Of (?!course)", "begin with the thing, not with what it is a part of"),
    (r"^\s*What(?:ever)?\b(?! is a )|^\s*Who(?:ever)?\b", "a noun as the subject"),
    (r"^\s*Nothing (?:where|if|for|of)\b", "Returns nullopt if ..., Returns false if ..."),
    (r"\b(?:[Ss]tands?|[Ss]tood)\b(?! for)", "is, are, runs"),
    (r"\b[Tt]old\b", "reported, known, given"),
    (r"\bby itself\b", "by default, alone"),
    (r"\b(?:[Ss]ome|[Nn]o|[Ee]very|[Aa]ny)body\b", "the caller, the operator, no caller"),
    (r"\b[Rr]ooms?\b(?! for)|\b[Hh]ouses?\b", "module"),
    (r"\b[Ss]tor(?:y|ies)\b", "scenario"),
    (r"\bwhat (?:it|they|he|one) (?:says?|does|do|has|have|is|are)\b", "a noun: the value, the answer, the fields"),
)]

# A comment, a raw string, a string, a character: in this order, since each may hold the others.
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|R\"([^(\s]*)\((.*?)\)\1\"|\"((?:[^\"\\\n]|\\.)*)\""
                   r"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
TEMPLATE_COMMENT = re.compile(r"\{\{-? ?/\*.*?\*/ ?-?\}\}", re.DOTALL)
ESCAPE = re.compile(r"\\(.)")
SPACE = re.compile(r"\s")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


def literals(source):
    """(text, offset of each part) of every string literal; adjacent ones are one."""
    parts, end = [], None
    for found in TOKEN.finditer(source):
        text, at = found.group(2), found.start(2)
        if text is None:
            text, at = found.group(3), found.start(3)
        line = source[source.rfind("\n", 0, found.start()) + 1:found.start()]
        if text is None or line.startswith("#include"):
            continue
        if found.group(2) is None:  # of the same length, so that offsets stay
            text = ESCAPE.sub(lambda e: "  " if e.group(1) == "n" else " " + e.group(1), text)
        if parts and not source[end:found.start()].strip():
            parts.append((text, at))
        else:
            yield from [parts] if parts else []
            parts = [(text, at)]
        end = found.end()
    yield from [parts] if parts else []


def passages(path, source):
    """Lists of (text, offset): what is read as one text."""
    if path.suffix in (".cpp", ".hpp"):
        yield from literals(source)
    elif path.suffix in (".yaml", ".tpl", ".txt"):
        blank = TEMPLATE_COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)
        yield [(re.sub(r"^( *)#", r"\1 ", blank, flags=re.MULTILINE), 0)]
    else:
        yield [(source, 0)]


def matches(parts, patterns, ignored=None):
    """(offset, word, what is right) of each pattern in the text that these parts make; `ignored` matches nothing."""
    text = SPACE.sub(" ", "".join(part for part, _ in parts))
    if ignored:
        text = ignored.sub(lambda found: "x" * len(found.group()), text)
    begins = list(itertools.accumulate((len(part) for part, _ in parts), initial=0))
    for pattern, right in patterns:
        for found in pattern.finditer(text):
            part = bisect.bisect_right(begins, found.start()) - 1
            yield parts[part][1] + found.start() - begins[part], " ".join(found.group().split()), right


def breaches(path, source):
    """(offset, word, what is right)."""
    for parts in passages(path, source):
        yield from matches(parts, RETIRED)


def comments(source):
    """[(line, offset)] of each comment; lines that follow each other are one."""
    parts, end = [], None
    for found in TOKEN.finditer(source):
        comment = found.group()
        if not comment.startswith(("//", "/*")):
            continue
        begins = source.rfind("\n", 0, found.start()) + 1
        alone = not source[begins:found.start()].strip()
        body = comment[2:].removesuffix("*/") if comment.startswith("/*") else comment.lstrip("/")
        at = found.end() - len(comment) + comment.index(body) if body else found.start()
        if parts and alone and not source[end:found.start()].strip() and source.count("\n", end, found.start()) == 1:
            parts.append((body, at))
        else:
            yield from [parts] if parts else []
            parts = [(body, at)]
        end = found.end()
    yield from [parts] if parts else []


def digest(source):
    text = "\n".join(body.strip() for parts in comments(source) for body, _ in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def breaches_of_comments(source):
    for parts in comments(source):
        for offset, word, right in matches(parts, IN_COMMENTS, QUOTED):
            yield offset, f"comment: {word}", right


def sources(root):
    for layer in LAYERS:
        for suffix in ("cpp", "hpp"):
            yield from (root / layer).rglob(f"*.{suffix}")


def pages(root):
    yield from sources(root)
    for suffix in ("yaml", "tpl", "txt", "md", "json"):
        yield from (root / "charts").rglob(f"*.{suffix}")
    yield from [root / "README.md"]
    yield from (root / "docs").glob("*.md")


def read_allowed(root):
    """{(file, word): line number}, and what is wrong with the list itself."""
    allowed, faults = {}, []
    for number, line in enumerate((root / ALLOWED).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 3 or not all(fields):
            faults.append(f"{ALLOWED}:{number}: expected FILE | WORD | REASON")
        else:
            allowed[fields[0], fields[1].lower()] = number
    return allowed, faults


def check(root):
    allowed, faults = read_allowed(root)
    before = set((root / BEFORE).read_text(encoding="utf-8").split())
    used, read = set(), 0
    for path in sorted(pages(root)):
        name, source = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        read += 1
        found = list(breaches(path, source))
        if path.suffix in (".cpp", ".hpp") and digest(source) not in before:
            found += breaches_of_comments(source)
        for offset, word, right in sorted(found):
            if (name, word.lower()) in allowed:
                used.add((name, word.lower()))
            else:
                faults.append(f"{name}:{source.count(chr(10), 0, offset) + 1}: \"{word}\"; "
                              f"right: {right}")
    faults += [f"{ALLOWED}:{allowed[each]}: \"{each[1]}\" is not in {each[0]}"
               for each in sorted(allowed.keys() - used)]
    return faults, read


# ---- the self-test

GOOD = {
    "webhook/a.cpp": '#include "a/gone.hpp"\n// it wants what is gone, for ever: a comment\n'
                     '/* a token\nthat is no token */\nauto a = "there is no such Service";\n'
                     "char c = '\"';\nauto b = \"topology \\\"2x2\\\"; expected 2x4\";\n"
                     'auto d = "the Pod is no longer alive";\n',
    "topology/b.hpp": 'auto a = "is not a multiple of";\n',
    "server/c.cpp": 'auto a = R"(\nIf you want TLS, pass --tls-cert)";\n',
    "charts/t/values.yaml": "# Replicas.\nreplicas: 1\n",
    "charts/t/templates/NOTES.txt": "{{- /* for ever */ -}}\nReady.\n",
    "README.md": "A webhook. There is no image.\n",
    "docs/contract.md": "Words.\n",
    "docs/decisions/1.md": "It wants this for ever.\n",
    "kubectl/d.cpp": "// Of the first what is told stands here.\n",
    "base/e.cpp": '// Returns "what it is" of `somebody`.\nauto a = 1;  // what is given\n',
    BEFORE: "97437e479312\n",
    ALLOWED: "# FILE | WORD | REASON\n",
}
BAD = [  # file, text, line and word of the breach
    ("webhook/a.cpp", 'auto a = "waits for ever";\n', "1: \"for ever\"; right: forever"),
    ("webhook/a.cpp", 'auto a = "waits for "\n         "ever";\n', '1: "for ever"'),
    ("webhook/a.cpp", 'auto a =\n  "x";\nauto b = "the key "\n  "stands here twice";\n',
     '4: "stands here twice"; right: duplicate'),
    ("webhook/a.cpp", 'auto a = "name \\"x\\" is no DNS label";\n', '1: "is no DNS"'),
    ("webhook/a.cpp", 'auto a = "\\nis made anew";\n', '1: "made anew"'),
    ("webhook/a.cpp", 'auto a = "the Pod wants 4";\n', '1: "wants"'),
    ("webhook/a.cpp", 'auto a = "the Pods want 4";\n', '1: "want"'),
    ("webhook/a.cpp", "char c = '\"';\nauto a = \"it is gone\";\n", '2: "gone"'),
    ("webhook/a.cpp", '// "\nauto a = "it comes as 2x2";\n', '2: "comes as"'),
    ("topology/b.hpp", 'auto a = "holds chips in silence";\n', '1: "in silence"'),
    ("server/c.cpp", 'auto a = R"(\nIt looks\nafter Pods)";\n', '2: "looks after"'),
    ("server/c.cpp", 'auto a = "nobody can be asked here";\n', '1: "nobody can"'),
    ("server/c.cpp", 'auto a = "expected a plain decimal";\n', '1: "plain decimal"'),
    ("charts/t/values.yaml", "# Kept for\n# ever.\na: 1\n", '1: "for ever"'),
    ("charts/t/values.schema.json", '{"description": "What it looks after."}\n', '1: "looks after"'),
    ("charts/t/templates/NOTES.txt", "\nAway with it\n", '2: "Away with"'),
    ("kubectl/d.cpp", "// Returns a name.\n\n// Of the second\n", '3: "comment: Of"'),
    ("base/e.cpp", "int a;\n// The Pod waits\n// until it is\n// told.\n", '4: "comment: told"; right: reported'),
    ("base/e.cpp", "int a;  // What it has.\n", '1: "comment: What"'),
    ("base/e.cpp", "/* The value stands\nhere. */\n", '1: "comment: stands"'),
    ("base/e.cpp", "// Who waits.\n", '1: "comment: Who"'),
    ("base/e.cpp", "// See the room.\n", '1: "comment: room"'),
    ("README.md", "Pods are\nleft as they are.\n", '2: "left as they are"'),
    ("docs/contract.md", "One\n\nis passed over.\n", '3: "passed over"'),
    (ALLOWED, "README.md | for ever |\n", "1: expected FILE | WORD | REASON"),
    (ALLOWED, "README.md | for ever | quoted\n", '1: "for ever" is not in README.md'),
]


def self_test():
    failed = 0

    def found(files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(pathlib.Path(folder))[0]

    if got := found(GOOD):
        failed += 1
        print("nothing is wrong, but", got)
    for name, text, wanted in BAD:
        got = found({**GOOD, name: text})
        if not any(each.startswith(f"{name}:{wanted}") for each in got):
            failed += 1
            print(f"{name}: {text!r}\n  wanted {wanted}\n  got {got}")
    allowed = {"README.md": "It wants this.\n", ALLOWED: "README.md | wants | a quotation\n"}
    if got := found({**GOOD, **allowed}):
        failed += 1
        print("allowed, but", got)
    print(f"{len(BAD) + 2} trees, {failed} failed")
    return 1 if failed else 0


def settle(root):
    have = {digest(path.read_text(encoding="utf-8")) for path in sources(root)}
    lines = (root / BEFORE).read_text(encoding="utf-8").splitlines()
    (root / BEFORE).write_text("".join(f"{line}\n" for line in lines if line in have), encoding="utf-8")
    return 0


def main(argument, *options):
    if argument == "--self-test":
        return self_test()
    if options == ("--settle",):
        return settle(pathlib.Path(argument))
    faults, read = check(pathlib.Path(argument))
    print("\n".join(faults) or f"{read} files, no retired word")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
