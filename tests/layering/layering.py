#!/usr/bin/env python3
"""Holds the include lines and the CMake lists of the tree against the design.

layering.py ROOT          one line per breach; exit 1 if there is one
layering.py --self-test   a made-up tree with one breach at a time: each must be found

An arrow is "may be included by": topology <- webhook <- server. docs/architecture.md
"""

import pathlib
import re
import sys
import tempfile

LAYERS = ("topology", "webhook", "server")  # each may include itself and those before it
SOURCES = (".cpp", ".hpp")

# What a layer may include besides the standard library; a name that ends in '/' is a folder.
LIBRARIES = {
    "topology": ("boost/system/",),
    "webhook": ("simdjson.h", "nlohmann/", "fmt/", "immintrin.h"),
    "server": ("",),  # all that there is
}

# Standard headers that are no business of topology and webhook: they decide, and do nothing else.
PURE = ("topology", "webhook")
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

# A program of the build, not of the library: it turns a file into a header.
EXEMPT = {"topology/generate_catalog.cpp": ("nlohmann/", "fstream", "iostream")}
# Made by the build, so not to be found in the tree.
GENERATED = ("catalog_rows.hpp",)

INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")
COMMENT_OR_STRING = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
TARGET = re.compile(r"\b(?:add_library|add_executable|target_sources)\s*\(([^)]*)\)", re.S)


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


def circles(root):
    """Headers that include each other in a circle."""
    includes = {}
    for layer in LAYERS:
        for path in files_of(root, layer):
            matches = map(INCLUDE.match, path.read_text().splitlines())
            file = path.relative_to(root).as_posix()
            includes[file] = [m[2] for m in matches if m and m[1] == '"']
    done = set()

    def visit(file, trail):
        if file in trail:
            yield " -> ".join([*trail[trail.index(file):], file]) + ": a circle"
        elif file not in done:
            for other in includes.get(file, ()):
                yield from visit(other, [*trail, file])
            done.add(file)

    for file in includes:
        yield from visit(file, [])


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


def breaches(root):
    root = root.resolve()
    yield from sources(root)
    yield from circles(root)
    yield from targets(root)


# ---- the self test

GOOD = {
    "topology/CMakeLists.txt": "add_library(t STATIC dims.cpp ${generated})  # gone.cpp\n",
    "topology/dims.hpp": "#include <boost/system/result.hpp>\n#include <cstdint>\n",
    "topology/dims.cpp": '#include "topology/dims.hpp"\n#include "catalog_rows.hpp"\n',
    "webhook/CMakeLists.txt": 'add_library(w STATIC\n  admit.cpp\n  "sub/pod.cpp")\n',
    "webhook/answer/admit.hpp": '#include <chrono>\n#include <fmt/core.h>\n#include "topology/dims.hpp"\n',
    "webhook/answer/admit.cpp": '#include "webhook/answer/admit.hpp"\n#include <simdjson.h>\n// exit()\n',
    "webhook/sub/pod.cpp": 'const char* text = "getenv( steady_clock )";\n',
    "server/CMakeLists.txt": "add_executable(s ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)\n",
    "server/main.cpp": '#include "webhook/answer/admit.hpp"\n#include <unistd.h>\n#include <iostream>\n',
    "build/CMakeLists.txt": "add_library(x of_the_build.cpp)\n",
}


def dims(line):
    return {"topology/dims.cpp": line + "\n"}


def admit(line):
    return {"webhook/answer/admit.cpp": line + "\n"}


# What breaks, the files written over GOOD, what the one complaint has to say.
BAD = (
    ("topology includes webhook", {"webhook/decide/notes.hpp": "", **dims('#include "webhook/decide/notes.hpp"')},
     '"webhook/decide/notes.hpp" points up'),
    ("webhook includes server", {"server/log/log.hpp": "", **admit('#  include "server/log/log.hpp"')},
     '"server/log/log.hpp" points up'),
    ("server includes tests", {"server/main.cpp": '#include "tests/support/answer.hpp"\n'},
     "is in no layer"),
    ("relative include", admit('#include "admit.hpp"'), "is in no layer"),
    ("missing header", admit('#include "topology/gone.hpp"'), "does not exist"),
    ("JSON in topology", dims("#include <nlohmann/json.hpp>"), "no library of topology"),
    ("fmt in topology", dims("#include <fmt/format.h>"), "no library of topology"),
    ("Asio in topology", dims("#include <boost/asio/post.hpp>"), "no library of topology"),
    ("spdlog in webhook", admit("#include <spdlog/spdlog.h>"), "no library of webhook"),
    ("socket in webhook", admit("#include <sys/socket.h>"), "no library of webhook"),
    ("Boost in webhook", admit("#include <boost/asio/post.hpp>"), "no library of webhook"),
    ("printing", admit("#include <iostream>"), "<iostream> is printing"),
    ("file", dims("#include <fstream>"), "<fstream> is a file"),
    ("thread", {"webhook/sub/pod.cpp": "#include <thread>\n"}, "<thread> is a thread"),
    ("clock", admit("auto now = std::chrono::steady_clock::now();"), "a clock"),
    ("environment", admit('auto x = std::getenv("X");'), "the environment"),
    ("ending", dims("void f() { std::abort(); }"), "ending the process"),
    ("circle", {"webhook/a.hpp": '#include "webhook/b.hpp"\n',
                "webhook/b.hpp": '#include "webhook/a.hpp"\n'},
     "webhook/a.hpp -> webhook/b.hpp -> webhook/a.hpp"),
    ("listed, not there",
     {"webhook/CMakeLists.txt": "add_library(w admit.cpp sub/pod.cpp gone.cpp)\n"},
     "webhook/gone.cpp does not exist"),
    ("there, not listed", {"webhook/new.cpp": ""}, "webhook/new.cpp: in no target"),
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
