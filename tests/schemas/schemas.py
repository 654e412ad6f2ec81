"""schemas.py PROGRAM: the table of `explain --fields` is held to the schemas of the pinned releases.

Each field of each type is in one row, by itself or with all that it stands in; each row is a field of a schema. The
schemas come with the Go modules of tests/e2e/controlplane/modules: Kubernetes' OpenAPI, and the CRDs of JobSet,
LeaderWorkerSet, KubeRay, Kueue, Kubeflow Trainer and AppWrapper, of all served versions together.
"""

import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import crd  # noqa: E402
from controlplane import cache, programs  # noqa: E402

# Where the CRDs of operators are in their modules.
OPERATORS = {
    "disaggregatedset": "config/crd/bases/disaggregatedset.x-k8s.io_{}.yaml",
    "trainer": "manifests/base/crds/trainer.kubeflow.org_{}.yaml",
    "appwrapper": "config/crd/bases/workload.codeflare.dev_{}.yaml",
    "jobset": "config/components/crd/bases/jobset.x-k8s.io_{}.yaml",
    "lws": "config/crd/bases/leaderworkerset.x-k8s.io_{}.yaml",
    "kuberay": "config/crd/bases/ray.io_{}.yaml",
    "kueue": "config/components/crd/bases/kueue.x-k8s.io_{}.yaml",
}
# Modules of which no program is built: those that Kueue is built with.
OF_KUEUE = {"trainer": "github.com/kubeflow/trainer/v2", "appwrapper": "github.com/project-codeflare/appwrapper"}
OF_PROGRAM = {"disaggregatedset": "lws"}  # CRDs in the module of another name
NO_MODULE = {"ComputeClass", "PathwaysJob"}  # GKE's page alone says what it has; no proxy has the module


def module_folder(name: str) -> pathlib.Path:
    """Of a module: that which a program is built from, or that Kueue is built with."""
    program = "kueue" if name in OF_KUEUE else OF_PROGRAM.get(name, name)
    module = OF_KUEUE.get(name) or programs.SOURCES[program].module
    folder = programs.pinned_folder(program)
    answer = subprocess.run(["go", "mod", "download", "-json", module], cwd=folder, env=cache.go_environment(module=folder),
                            capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise SystemExit(f"{module} cannot be had: {answer.stdout}{answer.stderr}")
    return pathlib.Path(json.loads(answer.stdout)["Dir"])


class Schemas:
    """What a type of the table is in the modules: a list of schemas, of one for each version."""

    def __init__(self):
        openapi = module_folder("kube-apiserver") / "api/openapi-spec/swagger.json"
        self.definitions = json.loads(openapi.read_text(encoding="utf-8"))["definitions"]
        self.folders = {}

    def of(self, names: str) -> list:
        return [schema for name in names.split() for schema in self._of(name)]

    def _of(self, name: str) -> list:
        operator, colon, rest = name.partition(":")
        if not colon:
            return [self.definitions[name if name.startswith("io.") else f"io.k8s.api.{name}"]]
        file = OPERATORS[operator]
        if operator not in self.folders:
            self.folders[operator] = module_folder(operator)
        plural, _, below = rest.partition("#")
        found = list(crd.versions((self.folders[operator] / file.format(plural)).read_text(encoding="utf-8")).values())
        for step in filter(None, below.split(".")):
            found = [each["properties"][step] for each in found]
        return found

    def fields(self, schemas: list) -> dict:
        """The fields of these together, each with its schemas; of a list those of its elements."""
        out = collections.defaultdict(list)
        for schema in schemas:
            schema = self._inner(schema)
            for name, below in (schema.get("properties") or {}).items():
                out[name].append(below)
        return out

    def _inner(self, schema: dict) -> dict:
        while "$ref" in schema or isinstance(schema.get("items"), dict):
            schema = self.definitions[schema["$ref"].split("/")[-1]] if "$ref" in schema else schema["items"]
        return schema


def faults_of(table_type: dict, schemas: Schemas) -> tuple:
    """What is wrong with the rows of one type, and how many fields they cover."""
    rows = collections.Counter(row["path"] for row in table_type["rows"])
    faults = [f"{path} stands in {count} rows" for path, count in rows.items() if count > 1]
    met, covered = set(), 0

    def walk(level: list, prefix: str):
        nonlocal covered
        for name, below in schemas.fields(level).items():
            path = prefix + name
            if path in rows:
                met.add(path)
                covered += 1
            elif any(row.startswith(path + ".") for row in rows):
                walk(below, path + ".")
            else:
                faults.append(f"{path} is in no row")

    walk(schemas.of(table_type["schema"]), "")
    faults += [f"{path} is in no schema" for path in rows if path not in met]
    return [f"{table_type['type']}: {fault}" for fault in faults], covered


def self_test(schemas: Schemas) -> None:
    """The three faults are found."""
    for name, rows in {"in no row": ["name"], "in no schema": ["fieldOfTomorrow"], "in 2 rows": ["name", "name"]}.items():
        made = {"type": "made", "schema": "core.v1.EnvVar", "rows": [{"path": path} for path in rows]}
        if not any(name in fault for fault in faults_of(made, schemas)[0]):
            raise SystemExit(f"a table with a field {name} passes")


def main(program: str) -> int:
    table = json.loads(subprocess.run([program, "explain", "--fields", "-o", "json"], check=True, capture_output=True,
                                      text=True).stdout)
    schemas = Schemas()
    self_test(schemas)
    faults, covered = [], 0
    for each in table:
        if each["type"] in NO_MODULE:
            continue
        found, fields = faults_of(each, schemas)
        faults, covered = faults + found, covered + fields
    print("\n".join(faults) or f"{covered} fields of {len(table) - len(NO_MODULE)} types, each in one row")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
