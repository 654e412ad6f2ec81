"""citations.py: what sources, tests, charts and pages cite is there.

citations.py              the checkout in the current folder
citations.py --self-test  plants one breach of each kind in a copy, and each must be found

A page is cited by its path from the root (docs/facts.md#watch), or by its name beside the file that
cites it; "#id" is a heading of it. A decision is cited as docs/decisions/0012 or by its number, a file
or a test by its path. Upstream sources are cited by name and version, and are not looked at.
"""

import collections
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

READ = (".cpp", ".hpp", ".py", ".md", ".yaml", ".tpl", ".txt", ".cmake", ".sh", "")
PASSED_OVER = re.compile(  # data, and the files that have to name what they look for
    r"\.(json|jsonl|svg|mod|sum)$|^LICENSE$|^tests/fuzz/(corpus|regressions)/|^tests/golden/slices/"
    r"|^tests/readme/(citations|words)\.py$")

# Where citations once led that nobody who has only this repository can follow.
RETIRED = (
    (re.compile(r"\bDESIGN\b|(?<![\w/`\"'=-])\bD(?:[1-9]|1[0-9])\b(?![\w-])"),
     "a page that is not in this repository", "docs/decisions/NNNN, or a heading of docs/architecture.md"),
    (re.compile(r"(?<![\w/.-])reference/(?:\w+\.md\b|\s*$)|(?<![\w/.-])(?:\.\./)*shared/(?!text)\w|(?<![\w/.-])seeds/\d"),
     "a page that is not in this repository", "docs/facts.md#id, or the upstream source with its version"),
    (re.compile(r"(?<![\w./-])R(?:[1-9]|1[0-9]|2[0-9])\b(?![\w-])"),
     "a rule of a page that is not in this repository", "docs/facts.md#id"),
    (re.compile(r"\bcontract\.md [A-F]\b|\b\w+\.md \d+\.\d"),
     "a section by number", "the page and the words of its heading: docs/contract.md#http"),
    (re.compile(r"(?<![\w/-])issue \d+\b(?! of )(?<!client-go issue \d\d\d)(?<!its issue \d\d\d\d)"),
     "an issue that is not in this repository", "what it asks for: docs/threat-model.md#what-holds-meanwhile"),
    (re.compile(r"(?:\"\"\"|// |# )[CHLM]\d\w?(?: and [CHLM]\d)?: "),
     "an attack by a label of a list that is not in this repository", "what the attack does"),
)

# A line without any of these cites nothing: most of them.
HINT = re.compile(r"\.(?:md|py|cpp|hpp|txt|json|svg|yaml|cmake)\b|DESIGN|reference/|shared/|seeds/|\b[CDHLMR]\d|issue|ecision|//.*(?:::|\(\))")
URL = re.compile(r"https?://\S+")
PAGE = re.compile(r"(?<![\w./*{}-])((?:\.\./)*(?:[\w.-]+/)*[\w-]+\.md)\b(#[\w-]+(?:(?:,| and) #[\w-]+)*)?")
DECISION = re.compile(r"(?<![\w./])(?:docs/)?decisions/(\d{4})(?![\w-]*\.md)|\b[Dd]ecision (\d+)\b")
FILE = re.compile(r"(?<![\w./${}-])((?:tests|docs|topology|webhook|server|charts|scripts|bench)/(?:[\w-]+/)*[\w-]+"
                  r"\.(?:py|cpp|hpp|txt|md|json|svg|yaml|cmake))\b(?!\*)(?:::(\w+))?")

KINDS = ("why.md",)  # of every golden case
# A header named in a comment of C++, without its folder.
HEADER = re.compile(r"(?<![\w./<*-])([\w-]+\.(?:hpp|cpp))\b")
# A function or a qualified name in a comment of C++.
CODE = re.compile(r"(?<![\w.])(?:[A-Za-z_]\w*::)+([a-z_]\w*)\b|(?<![\w.])([a-z]\w{3,})\(\)")
NOT_CODE = re.compile(r'//.*|"(?:[^"\\\n]|\\.)*"')

FACTS = "docs/facts.md"

Found = collections.namedtuple("Found", "file line what right")


class Tree:
    """The files of a checkout."""

    def __init__(self, root):
        self._root = pathlib.Path(root)
        listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                                check=True, capture_output=True, text=True).stdout.splitlines()
        self.files = {name for name in listed if (self._root / name).is_file()}
        self.decisions = {name.split("/")[-1][:4] for name in self.files if name.startswith("docs/decisions/")}
        self.names = {name.split("/")[-1] for name in self.files} | {"catalog_rows.hpp"}  # generated

    @functools.cache
    def text(self, name):
        return (self._root / name).read_text(encoding="utf-8", errors="replace")

    @functools.cached_property
    def identifiers(self):
        """Every word of the C++ code, without comments and strings."""
        code = (self.text(name) for name in self.files if name.endswith((".hpp", ".cpp")))
        return {word for text in code for word in re.findall(r"\w+", NOT_CODE.sub("", text))}

    @functools.cache
    def anchors(self, page):
        """The ids that headings have, as GitHub makes them."""
        heads = re.findall(r"^#+ (.+)$", self.text(page), re.MULTILINE)
        return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}

    @functools.cache
    def find(self, cited, citing):
        """The file that is meant: from the root, or from the folder of the file that cites it, or above."""
        if cited in self.files:
            return cited
        for folder in pathlib.PurePosixPath(citing).parents:
            parts = []
            for part in (folder / cited).parts:
                parts = parts[:-1] if part == ".." else parts + [part]
            if "/".join(parts) in self.files and (folder != pathlib.PurePosixPath(".") or "/" in cited):
                return "/".join(parts)
        return None


def comments(name, line):
    """Of a line, what may cite: all of a page or script, of C++ what is no string."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line) if name.endswith((".cpp", ".hpp")) and "//" not in line else line


def faults(tree, name, line):
    """(what was found, what would be right) of each citation on a line."""
    line = URL.sub("", comments(name, line)).replace('" / "', "/")  # paths of Python
    for pattern, what, right in RETIRED:
        for match in pattern.finditer(line):
            yield f"{match[0].strip()!r} is {what}", right
    for cited, ids in PAGE.findall(line):
        page = tree.find(cited, name)
        if page is None:
            if cited not in KINDS and not upstream(line, cited) and not made_up(name, line):
                yield f"{cited!r} is not a page of this repository", "the path from the root: docs/facts.md"
            continue
        for anchor in re.findall(r"[\w-]+", ids.replace(" and ", " ")):
            if anchor not in tree.anchors(page):
                yield f"{page} has no heading '#{anchor}'", near(anchor, tree.anchors(page))
    for four, number in DECISION.findall(line):
        number = four or f"{int(number):04}"
        if number not in tree.decisions:
            yield f"decision {number} does not exist", f"docs/decisions/{min(tree.decisions)} to {max(tree.decisions)}"
    for cited, test in FILE.findall(line):
        if cited.endswith(".md"):
            continue
        if tree.find(cited, name) is None:
            if not made_up(name, line):
                yield f"{cited!r} does not exist", "the path of a file of this repository"
        elif test and not re.search(rf"\b{test}\b", tree.text(tree.find(cited, name))):
            yield f"{cited} has no {test}", "the name of a test that is in it"


def code(tree, name, line):
    """The same of what a comment of C++ names in the code: files without their folder, functions, a::b."""
    if not name.endswith((".hpp", ".cpp")) or "//" not in line:
        return
    comment = line[line.index("//"):]
    for qualified, function in CODE.findall(comment):
        if (qualified or function) not in tree.identifiers:
            yield f"'{qualified or function}' is not in the code", "a name that is"
    for header in HEADER.findall(comment):
        if header not in tree.names:
            yield f"there is no {header}", "the name of a file of this repository"


def near(anchor, anchors):
    first = [each for each in sorted(anchors) if each.split("-")[0] == anchor.split("-")[0]]
    return "one of " + ", ".join(f"#{each}" for each in first or sorted(anchors)[:8])


def upstream(line, page):
    """A page of another project, named with it: "ai-on-gke/kuberay-tpu-webhook README.md"."""
    return re.search(rf"[\w-]+/[\w.-]+ (?:[\w.-]+/)*{re.escape(page)}", line) is not None \
        or page.startswith("sig-")  # kubernetes/community


def made_up(name, line):
    """Trees that the tests of tests/layering make up."""
    return name == "tests/layering/layering.py" and ('"' in line or "gone" in line)


def uncited(tree):
    """Facts that nothing rests on: the page is to stay short."""
    cited = {each for name in tree.files if name != FACTS and is_read(name)
             for each in re.findall(r"#([a-z][\w-]+)", tree.text(name))}
    for number, line in enumerate(tree.text(FACTS).splitlines() if FACTS in tree.files else [], 1):
        if line.startswith("### ") and line[4:] not in cited:
            yield Found(FACTS, number, f"no file cites #{line[4:]}", "a citation where code rests on it, or no such fact")


def is_read(name):
    return not PASSED_OVER.search(name) and pathlib.PurePosixPath(name).suffix in READ


def check(root):
    tree = Tree(root)
    found, cited = list(uncited(tree)), 0
    for name in sorted(tree.files):
        if not is_read(name):
            continue
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            if not HINT.search(line):
                continue
            cited += len(PAGE.findall(line)) + len(DECISION.findall(line)) + len(FILE.findall(line))
            found += [Found(name, number, what, right)
                      for look in (faults, code) for what, right in look(tree, name, line)]
    return found, cited


# --- the test of the test

BREACHES = (  # what a line says, and what must be said of it
    ("// (DESIGN D5)", "not in this repository"),
    ("// given once (D2)", "not in this repository"),
    ("// reference/contract.md A.2", "not in this repository"),
    ("// see ../shared/reference/gang.md", "not in this repository"),
    ("// the manifest of shared/seeds/001", "not in this repository"),
    ("// as R19 says", "a rule of a page"),
    ("// contract.md B.3", "a section by number"),
    ("// workloads.md 2.4", "a section by number"),
    ("// asked for by issue 12", "an issue that is not"),
    ("// C1: deleted Pods", "an attack by a label"),
    ("// floor.md says so", "'floor.md' is not a page"),
    ("// docs/gone.md", "'docs/gone.md' is not a page"),
    ("// docs/facts.md#no-such-fact", "docs/facts.md has no heading '#no-such-fact'"),
    ("// docs/facts.md#watch and #no-such-fact", "docs/facts.md has no heading '#no-such-fact'"),
    ("// docs/decisions/0099", "decision 0099 does not exist"),
    ("// decision 99 says why", "decision 0099 does not exist"),
    ("// tests/server/gone.py", "'tests/server/gone.py' does not exist"),
    ("// tests/readme/links.py::no_such_test", "has no no_such_test"),
)
SOUND = ("// docs/facts.md#watch, #list and #watch-list; docs/decisions/0012 and decision 8; tests/readme/links.py::main; "
         "https://example.org/reference/x.md; kubernetes-sigs/jobset README.md; client-go issue 374")


def self_test():
    missed = []
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["git", "init", "-q", root], check=True)
        for name in Tree(".").files:
            if name.endswith(".md") or name == "tests/readme/links.py":
                copy = pathlib.Path(root, name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(pathlib.Path(name).read_bytes())
        tree = Tree(root)
        for kind in ("server/planted.hpp", "tests/planted.py", "docs/planted.md", "charts/planted.yaml"):
            for line, wanted in BREACHES:
                said = [what for what, _ in faults(tree, kind, line)]
                if not any(wanted in what for what in said):
                    missed.append(f"{kind}: {line!r} passed; {said}")
            missed += [f"{kind}: a sound line: {what}" for what, _ in faults(tree, kind, SOUND)]
        # The whole way: a file that is planted, found with its line.
        planted = pathlib.Path(root, "server/planted.hpp")
        planted.parent.mkdir(exist_ok=True)
        planted.write_text("#pragma once\n// (DESIGN D5)\n// as gone.hpp says\n// limits::gone\n// see be_gone()\n")
        facts = pathlib.Path(root, FACTS)
        facts.write_text("### nobody-rests-on-it\n\n" + facts.read_text(encoding="utf-8"), encoding="utf-8")
        found = {(each.file, each.line) for each in check(root)[0]}
        missed += [] if (FACTS, 1) in found else ["a fact that nothing cites was not found"]
        missed += [f"line {line} of a planted file was not found" for line in (2, 3, 4, 5)
                   if ("server/planted.hpp", line) not in found]
    print("\n".join(missed) or f"{len(BREACHES)} breaches, each found")
    return 1 if missed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found, cited = check(".")
    for each in found:
        print(f"{each.file}:{each.line}: {each.what}; right would be {each.right}")
    if not found:
        print(f"{cited} citations, each leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
