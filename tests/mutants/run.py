#!/usr/bin/env python3
"""Changes the sources, one place at a time, and counts which changes a test notices.

  tests/mutants/run.py                       300 of all sites, drawn by seed 1
  tests/mutants/run.py --seed 7 --draw 20    twenty others
  tests/mutants/run.py --seed 1 2 3          300 of each of these, built together
  tests/mutants/run.py --draw 9999           all sites: two hours of two processors
  tests/mutants/run.py --only webhook/text   of these sources alone; of topology and webhook, by their
                                             own suites, without building the server
  tests/mutants/run.py --seed 7 --report     what came of these before
  tests/mutants/run.py --sites               counts the sites and ends

Works in build/mutants, on a copy of the sources: each of the changes that were drawn stands in the copy behind a
switch, which the environment turns on, so that all of them are compiled once. What cannot stand behind a switch (a
value that the compiler needs, a variable's own arguments) is told and not judged; with --alone it is compiled by itself.
The suites of GoogleTest and of tests/server are run once to see which reach a switch; a mutant is judged by these alone,
the quickest first, until the first failure or five times the usual time of the processor. equivalent.txt has the
changes that change nothing, each with its reason.

A seed gives each site a number by what it says, not by where it stands: the lowest are drawn, so that a change of the
sources changes the draw only where it changes a site, and a draw of some sources holds what is theirs in a draw of all.

What was caught is kept in build/mutants/results.json for as long as its source is the same: a run that was broken off
goes on, and the next one judges again what survived.

Needs scripts/install-packages --fuzz. Exit code: 0 where at least 95 % are caught, 1 where not.
"""

import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import sites
import switches
from equivalent import Equivalent
from suites import ROOT, Suites

WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "ci"  # as that preset has it, so that what holds no switch comes from its cache
HEADER = WORK / "mutant.hpp"
SOURCES = ("base", "topology", "webhook", "server/kube/store", "server/serve/https")
WANTED = 0.95
FINDER = pathlib.Path(sites.__file__).read_bytes()


def main():
    arguments = options()
    configure()
    found = find_sites([file for file in source_files() if file.startswith(tuple(arguments.only))])
    if arguments.sites:
        return print_sites(found)
    names = {number_of(name): name for name in names_of(found)}
    drawn = draw(found, arguments)
    results = Results(WORK / "results.json")
    if arguments.report:
        return report(found, drawn, names, results)
    suites = Suites(BUILD, core=not any(site.file.startswith("server/") for site in found), longest=arguments.longest)
    switched = build_with_switches(drawn, suites.targets())
    suites.find_reach(WORK / "reach.json")
    equivalent = Equivalent()
    judge_all({number: site for number, site in drawn.items() if number in switched and not equivalent.has(names[number])},
              results, suites)
    for number in sorted(set(drawn) - set(switched)) if arguments.alone else ():
        judge_alone(number, drawn[number], results, suites)
    return report(found, drawn, names, results)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--draw", type=int, default=300)
    parser.add_argument("--only", nargs="+", default=list(SOURCES), metavar="FILE", help="sources, or folders of them")
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--longest", type=float, default=10.0, metavar="SECONDS", help="a suite that takes longer judges nothing")
    parser.add_argument("--report", action="store_true", help="what was judged before, and no more")
    parser.add_argument("--alone", action="store_true", help="also what cannot stand behind a switch: a build of each")
    return parser.parse_args()


# --- the copy and its build

def copy_sources(instead):
    """Files that changed alone, so that ninja builds no more. `instead`: file -> what stands in it."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    kept = set()
    for name in filter(lambda name: name and (ROOT / name).is_file(), names):
        target, text = TREE / name, instead.get(name, (ROOT / name).read_bytes())
        kept.add(target)
        if not target.exists() or target.read_bytes() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text)
            shutil.copymode(ROOT / name, target)
    for old in [path for path in TREE.rglob("*") if path.is_file() and path not in kept and BUILD not in path.parents]:
        old.unlink()


def configure():
    if not (BUILD / "build.ninja").exists():  # or what stands there would be compiled again
        copy_sources({})
    if not HEADER.exists() or HEADER.read_text() != switches.HEADER:
        HEADER.write_text(switches.HEADER)
    # It trains on the recorded Pods, which costs three builds.
    subprocess.run(["cmake", "--preset", "ci"], cwd=TREE, check=True, stdout=subprocess.DEVNULL)


def build(targets):
    """What the compiler said where they cannot be built, else nothing."""
    done = subprocess.run(["ninja", "-k", "0", "-C", BUILD, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.stdout if done.returncode else ""


def build_with_switches(drawn, targets):
    """The numbers of those that can stand behind a switch. What cannot is kept: each costs a build to find."""
    file = WORK / "unswitched.json"
    without = set(json.loads(file.read_text())) if file.exists() else set()
    numbers = set(drawn) - without
    while True:
        files = collections.defaultdict(dict)
        for number in numbers:
            files[drawn[number].file][number] = drawn[number]
        copy_sources({file: switches.with_switches(read(file), here, HEADER) for file, here in files.items()})
        said = build(targets)
        if not said:
            return numbers
        # What a constexpr constructor begins with is told on the constructor's line.
        files = {file for file in files if re.search(rf"/{re.escape(file)}:\d+(?::\d+)?: error", said)}
        wrong = ({number for number in numbers if is_named(drawn[number], said)} or
                 {number for number in numbers if drawn[number].file in files})
        if not wrong:
            sys.exit(f"{said[-4000:]}\nmutants: the sources cannot be built")
        print(f"{len(wrong)} cannot stand behind a switch: " +
              ", ".join(f"{drawn[number].file}:{drawn[number].line}" for number in sorted(wrong)), flush=True)
        numbers -= wrong
        without |= wrong
        file.write_text(json.dumps(sorted(without)))


def is_named(site, said):
    lines = {int(line) for line in re.findall(rf"/{re.escape(site.file)}:(\d+)(?::\d+)?: error", said)}
    text = text_of(site)
    return any(text[:begin].count(b"\n") < line <= text[:end].count(b"\n") + 1 for begin, end, _ in site.parts for line in lines)


# --- sites

def source_files():
    return sorted(str(path.relative_to(ROOT)) for folder in SOURCES for path in (ROOT / folder).rglob("*")
                  if path.suffix in (".cpp", ".hpp"))


def compiler_arguments():
    """Of each module: its sources are read here, and what the build generated where it is built."""
    out = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        words = [word.replace(str(TREE), str(ROOT)) if str(BUILD) not in word else word
                 for word in shlex.split(entry["command"])]
        output = words[words.index("-o") + 1]
        said = out.setdefault(output.split("/CMakeFiles/")[0], [])
        said += [word for word in words if word.startswith(("-I", "-D", "-std")) and word not in said]
    return out


def find_sites(files):
    if said := build([pathlib.PurePath("topology", "generated", "catalog_rows.hpp")]):
        sys.exit(f"{said[-4000:]}\nmutants: the catalog's rows cannot be generated")
    arguments = compiler_arguments()
    cached = WORK / "sites.json"
    known = json.loads(cached.read_text()) if cached.exists() else {}
    digests = {file: hashlib.sha256((ROOT / file).read_bytes() + FINDER).hexdigest() for file in files}
    todo = [file for file in files if known.get(file, {}).get("digest") != digests[file]]
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = {file: pool.submit(find_in, file, arguments_of(file, arguments)) for file in todo}
        for file, job in jobs.items():
            known[file] = {"digest": digests[file], "sites": [list(vars(site).values()) for site in job.result()]}
            cached.write_text(json.dumps(known))
    return [sites.Site(*values[:-1], tuple(map(tuple, values[-1]))) for file in files for values in known[file]["sites"]]


def arguments_of(file, arguments):
    folder = str(pathlib.Path(file).parent)
    while folder not in arguments and "/" in folder:
        folder = folder.rpartition("/")[0]
    return [*arguments.get(folder, arguments["topology"]), *(["-xc++"] if file.endswith(".hpp") else [])]


def find_in(file, arguments):
    return sites.Finder().find(ROOT, file, arguments)


def text_of(site):
    return read(site.file)


@functools.cache
def read(file):
    return (ROOT / file).read_bytes()


def draw(found, arguments):
    """Of what runs when the program does, number -> site; the rest is counted. Of each seed."""
    named = {name: site for name, site in names_of(found).items() if not site.constexpr}
    drawn = {name: None for seed in arguments.seed
             for name in sorted(named, key=lambda name: number_of(f"{seed} {name}"))[:arguments.draw]}
    return {number_of(name): named[name] for name in drawn}


def names_of(found):
    """What each says: the file, the line's text, the change; and which of those that say the same."""
    out, seen = {}, collections.Counter()
    for site in sorted(found):
        said = f"{site.file} | {line_of(site)} | {site.told(text_of(site)).partition(' ')[2]}"
        seen[said] += 1
        out[f"{said} | {seen[said]}"] = site
    return out


def number_of(name):
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1


def line_of(site):
    return " ".join(text_of(site).splitlines()[site.line - 1].decode().split())


def module_of(site):
    return str(pathlib.Path(site.file).parent)


def print_sites(found):
    modules = collections.Counter(map(module_of, found))
    for module, count in sorted(modules.items()):
        print(f"{count:6}  {module}")
    for operator, count in sorted(collections.Counter(site.operator for site in found).items()):
        print(f"{count:6}  {operator}")
    print(f"{len(found):6}  in all, of which {sum(site.constexpr for site in found)} are evaluated by the compiler")
    return 0


# --- a mutant

def judge_all(drawn, results, suites):
    """Two at a time: each is a program of its own."""
    todo = {number: site for number, site in drawn.items() if not results.is_caught(site)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(judge, number, suites): site for number, site in todo.items()}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            results.add(jobs[job], job.result())
            print(f"{done:4} of {len(jobs)}  {job.result()[:50]:50}  {jobs[job].told(text_of(jobs[job]))}", flush=True)


def judge(number, suites):
    reaching = suites.reaching(number)
    if not reaching:
        return "not reached"
    name = suites.first_failure(reaching, {"TPUWH_MUTANT": str(number)})
    return f"caught by {name}" if name else "survived"


def judge_alone(number, site, results, suites):
    if results.is_caught(site) or results.is_no_program(site):
        return
    copy_sources({site.file: site.apply(text_of(site))})
    if build(suites.targets()):
        result = "no program"
    else:
        name = suites.first_failure(suites.all(), {})
        result = f"caught by {name}" if name else "survived"
    results.add(site, result)
    print(f"alone {result[:50]:50}  {site.told(text_of(site))}", flush=True)


class Results:
    def __init__(self, file):
        self._file = file
        self._all = json.loads(file.read_text()) if file.exists() else {}

    @staticmethod
    def _key(site):
        return f"{site.file} {hashlib.sha256(text_of(site)).hexdigest()[:12]} {site.begin} {site.operator} {site.after}"

    def add(self, site, result):
        self._all[self._key(site)] = result
        self._file.write_text(json.dumps(self._all, indent=1))

    def is_caught(self, site):
        return self.of(site) == "caught"

    def is_no_program(self, site):
        return self.of(site) == "no program"

    def of(self, site):
        """In one word."""
        result = self._all.get(self._key(site), "")
        return "caught" if result.startswith("caught") else result


def report(found, drawn, names, results):
    equivalent = Equivalent()
    modules, left = collections.defaultdict(collections.Counter), []
    for number, site in drawn.items():
        said = "equivalent" if equivalent.has(names[number]) else results.of(site)
        if said in ("survived", "not reached"):
            left.append((said, names[number], site.line))
        modules[module_of(site)][said or "not judged"] += 1
    for module, here in sorted(modules.items()) if len(modules) > 1 else ():
        print(f"{module:25}" + ", ".join(f"{here[what]} {what}" for what in sorted(here)))
    counts = sum(modules.values(), collections.Counter())
    judged = counts["caught"] + len(left)
    print(f"\nsites       {len(found)}, {sum(site.constexpr for site in found)} evaluated by the compiler and not drawn")
    print(f"drawn       {len(drawn)}; {counts['no program'] + counts['not judged']} are values that the compiler needs")
    print(f"caught      {counts['caught']} of {judged}, {counts['caught'] / max(judged, 1):.1%}")
    print(f"equivalent  {counts['equivalent']}")
    for said, name, line in left:
        print(f"{said}, line {line}\n{name}")
    for name in equivalent.without(names.values()):
        if name.split(" | ")[0] in {site.file for site in found}:
            print(f"equivalent.txt has what is in the sources no more:\n{name}")
    return 0 if counts["caught"] >= WANTED * judged else 1


if __name__ == "__main__":
    sys.exit(main())
