#!/usr/bin/env python3
"""Holds the include lines, the namespaces and the CMake lists of the tree against the design.

layering.py ROOT          one line per breach; exit 1 if there is a breach
layering.py --self-test   a made-up tree with one breach at a time: each must be found

An arrow is "may be included by": base <- topology <- webhook <- server <- kubectl, and within these the modules
that a module's CMakeLists.txt says it USES. docs/architecture.md
"""

import pathlib
import re
import sys
import tempfile

from ceilings import GENERATED
from modules import LAYERS, circles, module_of, read_table

SOURCES = (".cpp", ".hpp")

# What a layer may include besides the standard library; a name that ends in '/' is a folder.
LIBRARIES = {
    "base": ("boost/system/",),
    "topology": ("boost/system/",),
    "webhook": ("fmt/", "immintrin.h"),
    "server": ("",),  # all that there is
    "kubectl": ("",),
}

# Standard headers that are no business of base, topology and webhook: they decide, and do nothing else.
PURE = ("base", "topology", "webhook")
IMPURE = {
    "a file": ("fstream", "filesystem", "cstdio"),
    "printing": ("iostream", "ostream", "istream", "print", "syncstream"),
    "a thread": ("thread", "mutex", "shared_mutex", "condition_variable", "future", "semaphore",
                 "latch", "barrier", "stop_token", "atomic", "coroutine"),
    "a clock": ("ctime",),
    "a random number": ("random",),
    "a signal": ("csignal", "csetjmp"),
}
# <chrono> itself is allowed, because time is an argument; asking for it is not.
IMPURE_CALLS = {
    "a clock": r"\b(system|steady|high_resolution|utc|tai|gps|file)_clock\b",
    "the environment": r"\bgetenv\b",
    "ending the process": r"\b(abort|exit|_Exit|quick_exit|terminate)\s*\(",
    "a random number": r"\b(rand|srand)\s*\(",
}

# What simdjson finds is read in one file.
EXEMPT = {"base/json/reader.cpp": ("simdjson.h",), "base/base64.cpp": ("immintrin.h",)}
# Error and Result are the words of all layers, and Json is one of the server and the tools: they are outside of its namespace.
OUTSIDE = {"base/result.hpp": "tpuwh", "server/text/json.hpp": "tpuwh::server"}
# Whoever is in the way of Pods and what people run stand on one ground and do not see each other; what reads a
# cluster decides nothing. By the modules that a module reaches, however far.
NEVER = (("kubectl", "server/serve"), ("server/kube", "webhook/decide"), ("server/kube", "webhook/answer"))

# Folders that hold modules, are none themselves, and are no part of a namespace.
GROUPS = ("serve", "inspect", "predict", "reference")
# "Plain" renames the namespaces of kubectl; until then they are those of the folder that it was part of.
MOVED = {"kubectl": "server", "kubectl/cli": "server/cli/kubectl_tpu", "kubectl/pages": "server/cli/pages"}
NAMESPACE = re.compile(r"^\s*(?:inline )?namespace (tpuwh[\w:]*) \{")
NAMED = re.compile(r"(?<![\w/.-])(?:base|topology|webhook|server|kubectl)/[\w/]+\.[ch]pp\b")
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")
COMMENT_OR_STRING = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
TARGET = re.compile(r"\b(?:add_library|add_executable|target_sources|tpuwh_module)\s*\(([^)]*)\)", re.S)


def named(header, names):
    return any(header.startswith(n) if n.endswith("/") or not n else header == n for n in names)


def is_standard(header):
    return "." not in header and "/" not in header


def check_library(layer, file, header):
    """Why this layer may not include <header>, or None."""
    exempt = EXEMPT.get(file, ())
    if named(header, LIBRARIES[layer]) or named(header, exempt):
        return None
    if not is_standard(header):
        return f"<{header}> is no library of {layer}"
    if layer in PURE:
        for what, headers in IMPURE.items():
            if header in headers:
                return f"<{header}> is {what}, which {layer} knows nothing of"
    return None


def check_own(layer, root, header):
    """Why this layer may not include "header", or None."""
    if header in GENERATED:
        return None
    owner = header.split("/")[0]
    if owner not in LAYERS:
        return f'"{header}" is in no layer; write the path from the root'
    if LAYERS.index(owner) > LAYERS.index(layer):
        return f'"{header}" points up: {owner} is above {layer}'
    if not (root / header).is_file():
        return f'"{header}" does not exist'
    return None


def check_calls(layer, line):
    if layer not in PURE:
        return None
    code = COMMENT_OR_STRING.sub("", line)
    for what, pattern in IMPURE_CALLS.items():
        if re.search(pattern, code):
            return f"{what}, which {layer} knows nothing of: {line.strip()}"
    return None


def files_of(root, layer):
    return sorted(p for p in (root / layer).rglob("*") if p.suffix in SOURCES)


def sources(root):
    """Breaches in the sources of the layers."""
    for layer in LAYERS:
        for path in files_of(root, layer):
            file = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                include = INCLUDE.match(line)
                if not include:
                    breach = None if file in EXEMPT else check_calls(layer, line)
                elif include[1] == "<":
                    breach = check_library(layer, file, include[2])
                else:
                    breach = check_own(layer, root, include[2])
                if breach:
                    yield f"{file}:{number}: {breach}"


def includes_of(path):
    """(line number, "header") for each include of our own."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        include = INCLUDE.match(line)
        if include and include[1] == '"' and include[2] not in GENERATED:
            yield number, include[2]


def header_circles(root):
    """Headers that include each other in a circle."""
    includes = {path.relative_to(root).as_posix(): [header for _, header in includes_of(path)]
                for layer in LAYERS for path in files_of(root, layer)}
    for around in circles(includes):
        yield " -> ".join(around) + ": a circle"


def lists_of(module):
    return f"{module}/CMakeLists.txt"


def modules(root):
    """Breaches of the lists: edges that they do not have or nobody uses, circles, files in no module."""
    allowed = read_table(root)
    used = {}
    for layer in LAYERS:
        for path in files_of(root, layer):
            file = path.relative_to(root).as_posix()
            module = module_of(file)
            if module in ("server", "webhook"):
                yield f"{file}: at the top of {module}/; every file is in a module"
            elif module not in allowed and module not in used:
                yield f"{lists_of(module)}: has no tpuwh_module(), or no add_subdirectory() leads to it"
            used.setdefault(module, set())
            for number, header in includes_of(path):
                other = module_of(header)
                if other == module or not (root / header).is_file():
                    continue
                used[module].add(other)
                if module in allowed and other not in allowed[module]:
                    yield f'{file}:{number}: "{header}": {module} may not include {other} ({lists_of(module)})'
    for module, others in allowed.items():
        if module not in used:
            yield f"{lists_of(module)}: {module} has no files"
        for other in sorted(others - used.get(module, others)):
            yield f"{lists_of(module)}: USES {other}, which no file of {module} includes"
    for around in circles(used):
        yield " -> ".join(around) + ": a circle of modules"


def within(module, folder):
    return module == folder or module.startswith(folder + "/")


def reached(module, allowed):
    """The modules that this one links, itself included."""
    found, todo = {module}, [module]
    while todo:
        for other in allowed.get(todo.pop(), ()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def far_reaches(root):
    """Modules that reach one they must not know of."""
    allowed = read_table(root)
    for module in allowed:
        for folder, other in NEVER:
            if within(module, folder):
                for far in sorted(each for each in reached(module, allowed) if within(each, other)):
                    yield f"{lists_of(module)}: {module} reaches {far}; {folder} may know nothing of {other}"


def namespace_of(module):
    """The folder, without the groups: server/serve/https is named like server/net."""
    moved = MOVED.get(module) or re.sub(r"^kubectl\b", MOVED["kubectl"], module)
    return "::".join(["tpuwh", *(name for name in moved.split("/") if name not in GROUPS)])


def namespaces(root):
    """Namespaces that are not their file's folder."""
    for layer in LAYERS:
        for path in files_of(root, layer):
            file = path.relative_to(root).as_posix()
            wanted = namespace_of(module_of(file))
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = NAMESPACE.match(line)
                if found and found[1] not in (wanted, OUTSIDE.get(file)) \
                        and not found[1].startswith(wanted + "::"):
                    yield f"{file}:{number}: namespace {found[1]}, its folder is {wanted}"


def pages(root):
    """Sources that a page or a comment names and that are not there."""
    texts = [page for pattern in ("*.md", "docs/**/*.md", "tests/**/*.md", "bench/*.md", "charts/**/*.*")
             for page in root.glob(pattern)]
    for path in sorted([*texts, *(p for layer in LAYERS for p in files_of(root, layer))]):
        file = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if INCLUDE.match(line):
                continue
            for named_file in NAMED.findall(line):
                if not (root / named_file).is_file():
                    yield f"{file}:{number}: names {named_file}, which is not there"


def target_lists(root):
    """(CMake file, source named in a target of it) for each."""
    for path in sorted([*root.rglob("CMakeLists.txt"), *root.rglob("*.cmake")]):
        if "build" in path.relative_to(root).parts[:-1]:
            continue
        text = re.sub(r"#.*", "", path.read_text())
        for body in TARGET.findall(text):
            for word in body.split():
                word = word.strip('"')
                for variable, folder in (("CMAKE_CURRENT_SOURCE_DIR", path.parent),
                                         ("CMAKE_CURRENT_LIST_DIR", path.parent),
                                         ("PROJECT_SOURCE_DIR", root), ("CMAKE_SOURCE_DIR", root)):
                    word = word.replace("${" + variable + "}", str(folder))
                if word.endswith(SOURCES) and "$" not in word:
                    yield path, (path.parent / word).resolve()


def targets(root):
    """Sources that are named and not there, or there and not named."""
    listed = set()
    for cmake, source in target_lists(root):
        listed.add(source)
        if not source.is_file():
            yield f"{cmake.relative_to(root)}: {source.relative_to(root)} does not exist"
    for layer in LAYERS:
        for path in files_of(root, layer):
            if path.suffix == ".cpp" and path not in listed:
                yield f"{path.relative_to(root)}: in no target, so nobody builds it"


def unit_tests(root):
    """Tests that their folder does not list by name, or whose name says nothing of what they test."""
    units = root / "tests/unit"
    for folder in sorted({path.parent for path in units.rglob("*.cpp")}):
        where, cmake = folder.relative_to(root), folder / "CMakeLists.txt"
        lists = TARGET.findall(cmake.read_text()) if cmake.is_file() else []
        several = [[word for word in body.split() if word.endswith(".cpp")] for body in lists]
        there = sorted(path.name for path in folder.glob("*.cpp"))
        if sorted(sum(several, [])) != there:
            yield f"{where}: CMakeLists.txt lists {' '.join(sorted(set(sum(several, [])) ^ set(there)))} wrongly"
        if any(names != sorted(names) for names in several):
            yield f"{where}: CMakeLists.txt is not in the order of names"
        for test in folder.glob("*_test.cpp"):
            tested = root / test.relative_to(units).as_posix().removesuffix("_test.cpp")
            if not any(tested.with_suffix(suffix).is_file() for suffix in SOURCES) and not test.read_text().startswith("// "):
                yield f"{test.relative_to(root)}: has neither a source's name nor a first comment that says what it tests"


def breaches(root):
    root = root.resolve()
    yield from sources(root)
    yield from header_circles(root)
    yield from targets(root)
    yield from unit_tests(root)
    yield from modules(root)
    yield from far_reaches(root)
    yield from namespaces(root)
    yield from pages(root)


# ---- the self test

GOOD = {
    "CMakeLists.txt": "".join(f"add_subdirectory({each})\n" for each in (
        "base", "base/json", "topology", "webhook", "server", "kubectl", "tests")),
    "webhook/CMakeLists.txt": "add_subdirectory(read)\n# add_subdirectory(gone)\nadd_subdirectory(answer)\n",
    "server/CMakeLists.txt": "add_subdirectory(net)\nadd_subdirectory(serve/https)\nadd_subdirectory(rules)\nadd_subdirectory(cli)\n",
    "kubectl/CMakeLists.txt": "add_subdirectory(review)\n",
    "base/CMakeLists.txt": "tpuwh_module()",
    "base/result.hpp": "#include <boost/system/result.hpp>\nnamespace tpuwh {\nnamespace tpuwh::base {\n",
    "base/json/CMakeLists.txt": "tpuwh_module(SOURCES reader.cpp USES base)",
    "base/json/reader.hpp": '#include "base/result.hpp"\nnamespace tpuwh::base::json {\n',
    "base/json/reader.cpp": '#include "base/json/reader.hpp"\n#include <simdjson.h>\n',
    "topology/CMakeLists.txt": "tpuwh_module(SOURCES dims.cpp ${generated} USES base)  # gone.cpp\n",
    "topology/dims.hpp": '#include "base/result.hpp"\n#include <boost/system/result.hpp>\n#include <cstdint>\n',
    "topology/dims.cpp": '#include "topology/dims.hpp"\n#include "catalog_rows.hpp"\n',
    "webhook/read/CMakeLists.txt": 'tpuwh_module(SOURCES "pod.cpp" USES topology LIBRARIES fmt::fmt)\n',
    "webhook/read/pod.hpp": '#include "topology/dims.hpp"\nnamespace tpuwh::webhook::read {\n',
    "webhook/read/pod.cpp": 'const char* text = "getenv( steady_clock )";\n',
    "webhook/answer/CMakeLists.txt": "tpuwh_module(\n  SOURCES\n    admit.cpp\n  USES topology\n       webhook/read)\n",
    "webhook/answer/admit.hpp": '#include <chrono>\n#include <fmt/core.h>\n#include "topology/dims.hpp"\n'
                                '#include "webhook/read/pod.hpp"\n',
    "webhook/answer/admit.cpp": '#include "webhook/answer/admit.hpp"\n#include <immintrin.h>\n// exit()\n'
                                "namespace tpuwh::webhook::answer::parts {\n",
    "server/cli/CMakeLists.txt": "tpuwh_module(USES server/serve/https)\nadd_executable(s ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)\n",
    "server/cli/main.cpp": '#include "server/serve/https/session.hpp"\n#include <unistd.h>\n#include <iostream>\n',
    "server/net/CMakeLists.txt": "tpuwh_module()\n",
    "server/net/asio.hpp": "",
    "server/serve/https/CMakeLists.txt": "tpuwh_module(USES server/net webhook/answer)\n",
    "server/serve/https/session.hpp": '#include "webhook/answer/admit.hpp"\n#include "server/net/asio.hpp"\n',
    "build/CMakeLists.txt": "add_library(x of_the_build.cpp)\n",
    "tests/unit/topology/CMakeLists.txt": "target_sources(t PRIVATE\n  all_test.cpp\n  dims_test.cpp)\n",
    "tests/unit/topology/all_test.cpp": "// All of it.\n",
    "tests/unit/topology/dims_test.cpp": '#include "topology/dims.hpp"\n',
}


def dims(line):
    return {"topology/dims.cpp": line + "\n"}


def admit(line):
    return {"webhook/answer/admit.cpp": line + "\n"}


def uses(module, *others):
    """The list of a module without sources."""
    return {lists_of(module): f"tpuwh_module(USES {' '.join(others)})\n"}


# What breaks, the files written over GOOD, what the one complaint has to say.
BAD = (
    ("server includes tests", {"server/cli/main.cpp": '#include "server/serve/https/session.hpp"\n'
                               '#include "tests/support/answer.hpp"\n'}, "is in no layer"),
    ("relative include", admit('#include "admit.hpp"'), "is in no layer"),
    ("missing header", admit('#include "topology/gone.hpp"'), "does not exist"),
    ("JSON in topology", dims("#include <nlohmann/json.hpp>"), "no library of topology"),
    ("the JSON reader in topology", dims('#include "base/json/reader.hpp"'), "topology may not include base/json"),
    ("simdjson in another file", admit("#include <simdjson.h>"), "no library of webhook"),
    ("fmt in topology", dims("#include <fmt/format.h>"), "no library of topology"),
    ("Asio in topology", dims("#include <boost/asio/post.hpp>"), "no library of topology"),
    ("spdlog in webhook", admit("#include <spdlog/spdlog.h>"), "no library of webhook"),
    ("socket in webhook", admit("#include <sys/socket.h>"), "no library of webhook"),
    ("Boost in webhook", admit("#include <boost/asio/post.hpp>"), "no library of webhook"),
    ("printing", admit("#include <iostream>"), "<iostream> is printing"),
    ("file", dims("#include <fstream>"), "<fstream> is a file"),
    ("thread", {"webhook/read/pod.cpp": "#include <thread>\n"}, "<thread> is a thread"),
    ("clock", admit("auto now = std::chrono::steady_clock::now();"), "a clock"),
    ("environment", admit('auto x = std::getenv("X");'), "the environment"),
    ("ending", dims("void f() { std::abort(); }"), "ending the process"),
    ("circle of headers", {"webhook/read/a.hpp": '#include "webhook/read/b.hpp"\n',
                           "webhook/read/b.hpp": '#include "webhook/read/a.hpp"\n'},
     "webhook/read/a.hpp -> webhook/read/b.hpp -> webhook/read/a.hpp"),
    ("listed, not there",
     {"webhook/read/CMakeLists.txt": "tpuwh_module(SOURCES pod.cpp gone.cpp USES topology)\n"},
     "webhook/read/gone.cpp does not exist"),
    ("there, not listed", {"webhook/read/new.cpp": ""}, "webhook/read/new.cpp: in no target"),
    ("a test that no folder lists", {"tests/unit/topology/new_test.cpp": "// Of what is new.\n"}, "lists new_test.cpp wrongly"),
    ("a list of tests without order",
     {"tests/unit/topology/CMakeLists.txt": "target_sources(t PRIVATE dims_test.cpp all_test.cpp)\n"}, "not in the order"),
    ("a test of nobody knows what", {"tests/unit/topology/all_test.cpp": '#include "topology/dims.hpp"\n'},
     "all_test.cpp: has neither"),
    ("a file at the top of server", {"server/log.hpp": ""}, "server/log.hpp: at the top of server/"),
    ("an include against the list",
     {"server/net/asio.hpp": '#include "topology/dims.hpp"\n'}, "server/net may not include topology"),
    ("an edge that nobody needs", uses("server/net", "topology"),
     "server/net/CMakeLists.txt: USES topology, which no file of server/net includes"),
    ("an edge to what is no module", uses("server/net", "server/nothing"), "USES server/nothing, which no file"),
    ("a circle of modules",
     {**uses("server/net", "server/serve/https"),
      "server/net/other.hpp": '#include "server/serve/https/session.hpp"\n'},
     "server/serve/https -> server/net -> server/serve/https: a circle of modules"),
    ("a tool knows what serves, by another module",
     {**uses("server/rules", "server/serve/https"), **uses("kubectl/review", "server/rules"),
      "server/rules/a.hpp": '#include "server/serve/https/session.hpp"\n',
      "kubectl/review/a.hpp": '#include "server/rules/a.hpp"\n'},
     "kubectl/review reaches server/serve/https"),
    ("a folder without a list", {"webhook/new/a.hpp": ""}, "webhook/new/CMakeLists.txt: has no tpuwh_module()"),
    ("a list that CMake does not read", {"webhook/new/a.hpp": "", **uses("webhook/new")}, "no add_subdirectory() leads to it"),
    ("a module without files", uses("server/rules"), "server/rules has no files"),
    ("a page that names what is gone", {"docs/a.md": "see `webhook/read/gone.hpp`, `webhook/read/pod.hpp`\n"},
     "docs/a.md:1: names webhook/read/gone.hpp"),
    ("the namespace of another module", {"server/net/asio.hpp": "namespace tpuwh::server {\n"},
     "namespace tpuwh::server, its folder is tpuwh::server::net"),
    ("a namespace that begins alike", {"server/net/asio.hpp": "namespace tpuwh::server::nets {\n"},
     "namespace tpuwh::server::nets, its folder is tpuwh::server::net"),
)
# An include that points up breaks two rules at once: that of the layers and that of the lists.
UP = (
    ("topology includes webhook", dims('#include "webhook/read/pod.hpp"'), '"webhook/read/pod.hpp" points up'),
    ("webhook includes server", {"webhook/read/pod.cpp": '#  include "server/net/asio.hpp"\n'},
     '"server/net/asio.hpp" points up'),
    ("base includes topology", {"base/json/reader.cpp": '#include "base/json/reader.hpp"\n#include "topology/dims.hpp"\n'},
     "points up"),
    ("server includes kubectl", {"kubectl/review/a.hpp": '#include "server/net/asio.hpp"\n',
                                 **uses("kubectl/review", "server/net"),
                                 "server/serve/https/other.hpp": '#include "kubectl/review/a.hpp"\n'}, "points up"),
)


def complaints(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(breaches(root))


def self_test():
    wrong = [f"good tree: {c}" for c in complaints(GOOD)]
    for name, files, wanted in BAD:
        found = complaints({**GOOD, **files})
        if len(found) != 1 or wanted not in found[0]:
            wrong.append(f"{name}: wanted one complaint with {wanted!r}, got {found}")
    for name, files, wanted in UP:
        found = complaints({**GOOD, **files})
        if not any(wanted in each for each in found):
            wrong.append(f"{name}: wanted a complaint with {wanted!r}, got {found}")
    return wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    what = sys.argv[1]
    found = self_test() if what == "--self-test" else list(breaches(pathlib.Path(what)))
    print("\n".join(found) or "nothing to complain of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
