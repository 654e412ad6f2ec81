"""record.py: writes CASE.jsonl for each CASE.yaml beside it: the objects that the code of Kubeflow Trainer and
LeaderWorkerSet makes of it. It builds controllers/ with the modules of tests/e2e/controlplane/modules/today/operators,
which have both. That takes a minute if the end-to-end suite has built Kueue, and else several.

The unit tests of kubectl/predict/wrappers compare what is made there with these files.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "e2e"))

from controlplane import cache  # noqa: E402

MODULES = cache.MODULES / "today" / "operators"


def build(folder: pathlib.Path) -> pathlib.Path:
    """The program, by the flags of the end-to-end suite, whose packages are compiled then."""
    command = ["nice", "-n", "19", "go", "build", "-p", "2", "-trimpath", "-gcflags=all=-dwarf=false",
               "-ldflags=-s -w", "-o", folder / "controllers", HERE / "controllers" / "main.go"]
    subprocess.run(command, cwd=MODULES, env=cache.go_environment(module=MODULES), check=True)
    return folder / "controllers"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = build(pathlib.Path(folder))
        for case in sorted(HERE.glob("*.yaml")):
            made = subprocess.run([program, case], check=True, capture_output=True, text=True).stdout
            case.with_suffix(".jsonl").write_text(made, encoding="utf-8")
            print(f"{case.name}: {len(made.splitlines())} objects")


if __name__ == "__main__":
    main()
