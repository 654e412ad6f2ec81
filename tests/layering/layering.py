#!/usr/bin/env python3
"""Holds the include lines, the namespaces and the CMake lists of the tree against the design.

layering.py ROOT          one line per breach, and the code lines that each program links; exit 1 if there is a breach
layering.py --self-test   a made-up tree with one breach at a time: each must be found

An arrow is "may be included by": base <- topology <- webhook <- server <- kubectl, and within these the rooms of
rooms.txt. docs/architecture.md
"""

import pathlib
import re
import sys
import tempfile

from rooms import circles, read_table, room_of

LAYERS = ("base", "topology", "webhook", "server", "kubectl")  # each may include itself and those before it
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
# Made by the build, so not to be found in the tree.
GENERATED = ("catalog_rows.hpp",)
# Error and Result are the words of all layers, and Json is one of the server and the tools: they are said without a room.
IN_NO_ROOM = {"base/result.hpp": "tpuwh", "server/text/json.hpp": "tpuwh::server"}
TABLE = "tests/layering/rooms.txt"
# Whoever is in the way of Pods and what people run stand on one ground and do not see each other; what reads a
# cluster decides nothing. By the rooms that a room reaches, however far.
NEVER = (("kubectl", "server/serve"), ("server/kube", "webhook/decide"), ("server/kube", "webhook/answer"))

PROGRAMS = {"tpu-webhook": "server/cli/tpu_webhook", "kubectl-tpu": "kubectl/cli"}
# Folders that hold rooms and are none, and no part of a name.
HOUSES = ("serve", "inspect", "predict", "reference")
# "Plain" renames the namespaces of kubectl; until then they are those of the folder that it was part of.
MOVED = {"kubectl": "server", "kubectl/cli": "server/cli/kubectl_tpu", "kubectl/pages": "server/cli/pages"}
NAMESPACE = re.compile(r"^\s*(?:inline )?namespace (tpuwh[\w:]*) \{")
NAMED = re.compile(r"(?<![\w/.-])(?:base|topology|webhook|server|kubectl)/[\w/]+\.[ch]pp\b")
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]")
COMMENT_OR_STRING = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
TARGET = re.compile(r"\b(?:add_library|add_executable|target_sources|tpuwh_room)\s*\(([^)]*)\)", re.S)


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


def rooms(root):
    """Breaches of the table: edges that it does not have or nobody uses, circles, files in no room."""
    allowed = read_table(root / TABLE)
    used = {}
    for layer in LAYERS:
        for path in files_of(root, layer):
            file = path.relative_to(root).as_posix()
            room = room_of(file)
            used.setdefault(room, set())
            if room in ("server", "webhook"):
                yield f"{file}: at the top of {room}/; every file is in a room"
            elif room not in allowed:
                yield f"{file}: room {room} is not in {TABLE}"
            for number, header in includes_of(path):
                other = room_of(header)
                if other == room or not (root / header).is_file():
                    continue
                used[room].add(other)
                if room in allowed and other not in allowed[room]:
                    yield f'{file}:{number}: "{header}": {room} may not include {other} ({TABLE})'
    for room, others in allowed.items():
        if room not in used:
            yield f"{TABLE}: {room} has no files"
        for other in sorted(others - used.get(room, others)):
            yield f"{TABLE}: no file of {room} includes {other}"
    for around in circles(used):
        yield " -> ".join(around) + ": a circle of rooms"


def within(room, folder):
    return room == folder or room.startswith(folder + "/")


def reached(room, allowed):
    """The rooms that this one links, itself included."""
    found, todo = {room}, [room]
    while todo:
        for other in allowed.get(todo.pop(), ()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def houses(root):
    """Rooms that reach one they must not know of."""
    allowed = read_table(root / TABLE)
    for room in allowed:
        for folder, other in NEVER:
            if within(room, folder):
                for far in sorted(each for each in reached(room, allowed) if within(each, other)):
                    yield f"{TABLE}: {room} reaches {far}; {folder} may know nothing of {other}"


def code_lines(root):
    """room -> lines of its sources that are neither blank nor a comment."""
    out = {}
    for layer in LAYERS:
        for path in files_of(root, layer):
            file = path.relative_to(root).as_posix()
            room = room_of(file)
            lines = (line.strip() for line in path.read_text().splitlines())
            out[room] = out.get(room, 0) + sum(bool(line) and not line.startswith("//") for line in lines)
    return out


def sizes(root):
    """What each program is made of."""
    allowed, lines = read_table(root / TABLE), code_lines(root)
    linked = {program: reached(room, allowed) for program, room in PROGRAMS.items()}
    for program, rooms in {**linked, "both": set().union(*linked.values())}.items():
        yield f"{program}: {sum(lines[each] for each in rooms):,} code lines in {len(rooms)} rooms"


def namespace_of(room):
    """The folder, without the house and its floor: server/serve/https and kubectl/review are named as what is beside them."""
    moved = MOVED.get(room) or re.sub(r"^kubectl\b", MOVED["kubectl"], room)
    return "::".join(["tpuwh", *(name for name in moved.split("/") if name not in HOUSES)])


def namespaces(root):
    """Namespaces that are not their file's folder."""
    for layer in LAYERS:
        for path in files_of(root, layer):
            file = path.relative_to(root).as_posix()
            wanted = namespace_of(room_of(file))
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = NAMESPACE.match(line)
                if found and found[1] not in (wanted, IN_NO_ROOM.get(file)) \
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
    yield from rooms(root)
    yield from houses(root)
    yield from namespaces(root)
    yield from pages(root)


# ---- the self test

GOOD = {
    "tests/layering/rooms.txt": """# a comment
base:
base/json: base
topology: base
webhook/read: topology
webhook/answer: topology webhook/read
server/net:
server/serve/https: server/net webhook/answer
server/cli: server/serve/https
""",
    "base/CMakeLists.txt": "tpuwh_room()",
    "base/result.hpp": "#include <boost/system/result.hpp>\nnamespace tpuwh {\nnamespace tpuwh::base {\n",
    "base/json/CMakeLists.txt": "tpuwh_room(SOURCES reader.cpp)",
    "base/json/reader.hpp": '#include "base/result.hpp"\nnamespace tpuwh::base::json {\n',
    "base/json/reader.cpp": '#include "base/json/reader.hpp"\n#include <simdjson.h>\n',
    "topology/CMakeLists.txt": "add_library(t STATIC dims.cpp ${generated})  # gone.cpp\n",
    "topology/dims.hpp": '#include "base/result.hpp"\n#include <boost/system/result.hpp>\n#include <cstdint>\n',
    "topology/dims.cpp": '#include "topology/dims.hpp"\n#include "catalog_rows.hpp"\n',
    "webhook/read/CMakeLists.txt": 'tpuwh_room(SOURCES "pod.cpp" LIBRARIES fmt::fmt)\n',
    "webhook/read/pod.hpp": '#include "topology/dims.hpp"\nnamespace tpuwh::webhook::read {\n',
    "webhook/read/pod.cpp": 'const char* text = "getenv( steady_clock )";\n',
    "webhook/answer/CMakeLists.txt": "tpuwh_room(\n  SOURCES\n    admit.cpp)\n",
    "webhook/answer/admit.hpp": '#include <chrono>\n#include <fmt/core.h>\n#include "topology/dims.hpp"\n'
                                '#include "webhook/read/pod.hpp"\n',
    "webhook/answer/admit.cpp": '#include "webhook/answer/admit.hpp"\n#include <immintrin.h>\n// exit()\n'
                                "namespace tpuwh::webhook::answer::parts {\n",
    "server/cli/CMakeLists.txt": "add_executable(s ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)\n",
    "server/cli/main.cpp": '#include "server/serve/https/session.hpp"\n#include <unistd.h>\n#include <iostream>\n',
    "server/net/asio.hpp": "",
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


def table(old, new):
    assert old in GOOD[TABLE]
    return {TABLE: GOOD[TABLE].replace(old, new)}


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
     {"webhook/read/CMakeLists.txt": "tpuwh_room(SOURCES pod.cpp gone.cpp)\n"},
     "webhook/read/gone.cpp does not exist"),
    ("there, not listed", {"webhook/read/new.cpp": ""}, "webhook/read/new.cpp: in no target"),
    ("a test that no folder lists", {"tests/unit/topology/new_test.cpp": "// Of what is new.\n"}, "lists new_test.cpp wrongly"),
    ("a list of tests without order",
     {"tests/unit/topology/CMakeLists.txt": "target_sources(t PRIVATE dims_test.cpp all_test.cpp)\n"}, "not in the order"),
    ("a test of nobody knows what", {"tests/unit/topology/all_test.cpp": '#include "topology/dims.hpp"\n'},
     "all_test.cpp: has neither"),
    ("a file at the top of server", {"server/log.hpp": ""}, "server/log.hpp: at the top of server/"),
    ("an include against the table",
     {"server/net/asio.hpp": '#include "topology/dims.hpp"\n'}, "server/net may not include topology"),
    ("an edge that nobody needs", table("server/net:", "server/net: topology"),
     "no file of server/net includes topology"),
    ("a circle of rooms",
     {**table("server/net:", "server/net: server/serve/https"),
      "server/net/other.hpp": '#include "server/serve/https/session.hpp"\n'},
     "server/serve/https -> server/net -> server/serve/https: a circle of rooms"),
    ("a tool knows what serves, by another room",
     {TABLE: GOOD[TABLE].replace("server/cli: ", "server/rules: server/serve/https\nkubectl/review: server/rules\nserver/cli: "),
      "server/rules/a.hpp": '#include "server/serve/https/session.hpp"\n',
      "kubectl/review/a.hpp": '#include "server/rules/a.hpp"\n'},
     "kubectl/review reaches server/serve/https"),
    ("a room that is in no table", {"webhook/new/a.hpp": ""}, "room webhook/new is not in"),
    ("a room without files", table("server/net:", "server/old:\nserver/net:"), "server/old has no files"),
    ("a page that names what is gone", {"docs/a.md": "see `webhook/read/gone.hpp`, `webhook/read/pod.hpp`\n"},
     "docs/a.md:1: names webhook/read/gone.hpp"),
    ("the namespace of another room", {"server/net/asio.hpp": "namespace tpuwh::server {\n"},
     "namespace tpuwh::server, its folder is tpuwh::server::net"),
    ("a namespace that begins alike", {"server/net/asio.hpp": "namespace tpuwh::server::nets {\n"},
     "namespace tpuwh::server::nets, its folder is tpuwh::server::net"),
)
# An include that points up breaks two rules at once: the layers' and the table.
UP = (
    ("topology includes webhook", dims('#include "webhook/read/pod.hpp"'), '"webhook/read/pod.hpp" points up'),
    ("webhook includes server", {"webhook/read/pod.cpp": '#  include "server/net/asio.hpp"\n'},
     '"server/net/asio.hpp" points up'),
    ("base includes topology", {"base/json/reader.cpp": '#include "base/json/reader.hpp"\n#include "topology/dims.hpp"\n'},
     "points up"),
    ("server includes kubectl", {"kubectl/review/a.hpp": '#include "server/net/asio.hpp"\n',
                                 TABLE: GOOD[TABLE] + "kubectl/review: server/net\n",
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
    root = pathlib.Path(what).resolve()
    found = self_test() if what == "--self-test" else list(breaches(root))
    if what != "--self-test":
        print("\n".join(sizes(root)))
    print("\n".join(found) or "nothing to complain of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
