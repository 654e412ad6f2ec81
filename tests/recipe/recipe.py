"""Does what docs/architecture.md says of adding a workload API and a TPU generation, in a copy of the tree.

    python3 tests/recipe/recipe.py . [--build build/recipe] [--write-only]

A made-up API (files/rack.*) and a made-up generation (files/generation.json) are added by the files of the
two recipes, and no other file; the programs are built and asked for them. It fails where the recipe names
another set of files than what was touched, or where a program does not know of them.

--write-only: make the copy and say which files were touched; for a look at it by hand.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE / "files"
LABEL = "tpu9q"
MODULE = "webhook/workloads"
GENERATED = {"charts/tpu-webhook/templates/_program.tpl", "charts/tpu-webhook/values.schema.json"}


class Tree:
    """A copy of the checkout, and which files of it were touched."""

    def __init__(self, root: pathlib.Path, to: pathlib.Path):
        self.root, self.to, self.touched = root, to, set()

    def copy(self):
        names = subprocess.run(["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
        wanted = {name for name in names.split("\0") if name and (self.root / name).is_file()}
        for old in (path for path in self.to.rglob("*") if path.is_file()):
            name = str(old.relative_to(self.to))
            if not name.startswith("build/") and name not in wanted:
                old.unlink()
        for name in sorted(wanted):
            _put(self.to / name, (self.root / name).read_bytes(), (self.root / name).stat().st_mode)

    def write(self, name: str, text: str):
        self.touched.add(name)
        _put(self.to / name, text.encode(), 0o644)

    def insert(self, name: str, after: str, text: str):
        """`text` behind the only place where `after` stands."""
        whole = (self.to / name).read_text(encoding="utf-8")
        assert whole.count(after) == 1, f"{name}: {after!r} stands {whole.count(after)} times"
        self.write(name, whole.replace(after, after + text))


def _put(path: pathlib.Path, data: bytes, mode: int):
    """Leaves a file that is the same alone, so that nothing is compiled for it."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode & 0o777)


def add_api(tree: Tree):
    for name in ("rack.hpp", "rack.cpp"):
        tree.write(f"{MODULE}/{name}", (FILES / name).read_text(encoding="utf-8"))
    tree.insert(f"{MODULE}/CMakeLists.txt", "    pod.cpp\n", "    rack.cpp\n")
    tree.insert(f"{MODULE}/table.cpp", f'#include "{MODULE}/pod.hpp"\n', f'#include "{MODULE}/rack.hpp"\n')
    tree.insert(f"{MODULE}/table.cpp", "table[] = {", "rack_workload, ")
    tree.insert("webhook/config/kind.hpp", "lws, statefulset,", " rack,")
    vocabulary = "webhook/read/vocabulary.hpp"
    tree.insert(vocabulary, "  priority,          // ours (prefix)\n", "  rack_name,         // the Rack controller\n  rack_shelf,\n  rack_seat,\n")
    keys = "".join(f'    {{"racks.example.dev/{each}"}},\n' for each in ("name", "shelf", "seat"))
    tree.insert(vocabulary, '    {"priority", true},\n', keys)


def add_generation(tree: Tree):
    row = (FILES / "generation.json").read_text(encoding="utf-8").rstrip()
    tree.insert("topology/tpu-catalog.json", '  "generations": [\n', row + ",\n")


def recipe(root: pathlib.Path, heading: str, api: str) -> set:
    """The files in the first column of the table of files under a heading."""
    page = (root / "docs/architecture.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = section.split("| File | What |\n")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]+`) \|", table, re.M)
    return {name.replace("<api>", api) for row in rows for name in re.findall(r"`([^`]+)`", row)}


def compare(what: str, wanted: set, touched: set):
    assert wanted == touched, f"{what}: the recipe has {sorted(wanted)}, touched were {sorted(touched)}"
    print(f"{what}: {len(touched)} files: {', '.join(sorted(touched))}")


def build(tree: Tree):
    folder = tree.to / "build/ci"
    environment = {**os.environ, "CCACHE_BASEDIR": str(tree.to)}
    flags = ["-DTPUWH_BENCH=OFF", "-DTPUWH_TESTS=OFF",
             "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -DNDEBUG -Wno-cpp"]  # answers are the same, in half the time
    for command in (["cmake", "--preset", "ci", *flags], ["ninja", "-C", str(folder), "server/tpu-webhook", "server/kubectl-tpu"]):
        done = subprocess.run(command, cwd=tree.to, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return folder / "server/tpu-webhook", folder / "server/kubectl-tpu"


class Program:
    def __init__(self, path: pathlib.Path):
        self.path = path

    def says(self, *arguments: str, stdin: str = "", code: int = 0) -> str:
        done = subprocess.run([self.path, *arguments], input=stdin, capture_output=True, text=True)
        assert done.returncode == code, f"{arguments}: {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
        return done.stdout


def has(text: str, *wanted: str):
    for each in wanted:
        assert each in text, f"{each!r} is not in:\n{text[:4000]}"


def env_of(pod: dict, index: int) -> dict:
    return {each["name"]: each.get("value") for each in pod["spec"]["containers"][index].get("env", [])}


# ---- what the programs are asked


def a_pod_is_answered_with_ids(tools: Program):
    pod = json.loads(tools.says("review", str(FILES / "pod.yaml"), "-o", "object"))
    # Seat 3 of slices of two hosts: host 1 of slice 1, with two processes.
    for container, worker in ((0, "2"), (1, "3")):
        env = env_of(pod, container)
        assert env["TPU_WORKER_ID"] == worker, env
        assert env["TPU_WORKER_HOSTNAMES"] == "ibm-top-2.ibm,ibm-top-2.ibm,ibm-top-3.ibm,ibm-top-3.ibm", env
        has(env["TPU_PROCESS_ADDRESSES"], "ibm-top-2.ibm:8471,ibm-top-2.ibm:8472,ibm-top-3.ibm:8471")
    has(tools.says("review", str(FILES / "pod.yaml"), "-o", "text"), "label racks.example.dev/seat")
    torch = json.loads(tools.says("review", str(FILES / "pod.yaml"), "-o", "object", "--torch-tpu"))
    assert env_of(torch, 0)["TORCH_TPU_TOPOLOGY"] == "2,2,2,4", env_of(torch, 0)


def an_object_is_checked(tools: Program):
    good = (FILES / "rack.yaml").read_text(encoding="utf-8")
    assert json.loads(tools.says("review", "-o", "json", stdin=good))["warnings"] == []
    bad = tools.says("review", "-o", "json", stdin=good.replace("seats: 4", "seats: 3"))
    has(bad, "TPU-409", "seats is 3", "2x2x2 with 4 chips per Pod has 2 hosts")
    shape = tools.says("review", "-o", "json", stdin=good.replace("2x2x2", "3x3x3"), code=1)
    has(shape, "part top", "3x3x3")


def a_manifest_is_explained(tools: Program):
    text = tools.says("explain", str(FILES / "rack.yaml"))
    has(text, "Rack ml/ibm: 2 slices of 2x2x2 on tpu9q: 4 Pods, 16 chips")
    pods = [json.loads(line) for line in tools.says("explain", str(FILES / "rack.yaml"), "-o", "pods").splitlines()]
    assert [pod["metadata"]["name"] for pod in pods] == [f"ibm-top-{i}" for i in range(4)], pods
    assert [env_of(pod, 0)["TPU_WORKER_ID"] for pod in pods] == ["0", "2", "0", "2"]
    has(tools.says("explain", "--help"), "Rack or Pod")


def slices_are_seen(tools: Program):
    cluster = {"kind": "List", "apiVersion": "v1", "items": [json.loads(line) for line in tools.says("explain", str(FILES / "rack.yaml"), "-o", "pods").splitlines()]}
    for pod in cluster["items"]:
        pod["metadata"].setdefault("uid", pod["metadata"]["name"])
        pod["status"] = {"phase": "Running"}
    has(tools.says("slices", "--cluster", "-", stdin=json.dumps(cluster)), "ibm", "tpu9q", "2x2x2")


def the_catalog_lists_the_generation(tools: Program):
    has(tools.says("catalog"), LABEL, "tpu9q-standard-4t")
    has(tools.says("catalog", "madeup", "2x2x2", "--dranet"), "TPU9q (Madeup)", "two containers of 2 chips", "workload-policy")
    has(tools.says("catalog", LABEL, "4x4x4", "--dynamic-slicing"), "made of", "1.99.0")


def the_entries_know_the_api(tools: Program):
    entries = json.loads(tools.says("rules", "--entries", "--output=json"))
    assert [entry["name"] for entry in entries["entries"] if entry["workloads"] == ["rack"]] == ["rack.pods.tpu-webhook.dev"]
    assert {"workload": "rack", "group": "racks.example.dev", "versions": ["v1beta1"], "resources": ["racks"]} in entries["objects"]
    has(tools.says("config", "schema"), '"rack"')
    has(tools.says("rules"), "spec.shelves[*]: name, seats, template")


def the_chart_sends_it(tree: Tree, program: pathlib.Path):
    before = {name: (tree.to / name).read_text(encoding="utf-8") for name in GENERATED}
    subprocess.run([sys.executable, "tests/charts/generate.py", "--program", str(program)], cwd=tree.to, check=True)
    for name in GENERATED:
        assert (tree.to / name).read_text(encoding="utf-8") != before[name], f"{name} is as before"
    has((tree.to / "charts/tpu-webhook/templates/_program.tpl").read_text(encoding="utf-8"), "rack.pods.tpu-webhook.dev", "resources: [racks]")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/recipe"), help="folder of the copy")
    parser.add_argument("--write-only", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    tree = Tree(root, options.build.resolve())
    tree.copy()
    add_api(tree)
    api, tree.touched = tree.touched, set()
    add_generation(tree)
    compare("API", recipe(root, "Adding a workload API", "rack"), api)
    compare("generation", recipe(root, "Adding a TPU generation", ""), tree.touched)
    if options.write_only:
        return 0
    subprocess.run([sys.executable, "tests/layering/layering.py", "."], cwd=tree.to, check=True, capture_output=True)
    server, tools = build(tree)
    for ask in (a_pod_is_answered_with_ids, an_object_is_checked, a_manifest_is_explained, slices_are_seen, the_catalog_lists_the_generation):
        ask(Program(tools))
    the_entries_know_the_api(Program(tools))
    the_chart_sends_it(tree, tools)
    return 0


if __name__ == "__main__":
    sys.exit(main())
