"""golden.py PROGRAM [--update]: what `explain` prints of the guides' manifests and of some that are
wrong is in the .txt files beside this one, a part that an earlier case has word for word as "as in CASE"; its JSON
is what docs/explain.schema.json says; and what nobody asked to be unfolded fits on a screen.

A case is a .yaml file here, or one of CASES: files and flags, from the root of the project.
"""

import difflib
import json
import pathlib
import re
import subprocess
import sys

import schema

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SCREEN = 60  # lines
REFUSED = 1

CASES = {
    "job-2x4": ["tests/e2e/manifests/job-2x4.yaml"],
    "job-2x4-all": ["tests/e2e/manifests/job-2x4.yaml", "--all"],
    "statefulset": ["tests/e2e/manifests/statefulset.yaml"],
    "jobset-multislice-kueue": ["tests/e2e/manifests/jobset-multislice.yaml", "tests/e2e/manifests/kueue.yaml"],
    "tpu7x-two-containers": ["tests/e2e/manifests/job-tpu7x-two-containers.yaml"],
    "rayjob": ["tests/e2e/manifests/rayjob.yaml"],
    "deployment": ["tests/e2e/manifests/deployment.yaml"],
    "a-folder": ["tests/e2e/manifests"],
    "refused": ["tests/golden/findings/TPU-401-two-of-four.yaml"],
    "refused-pods": ["tests/golden/findings/TPU-406-eight-of-four.yaml"],
    "own-kinds": ["--rules", "docs/samples/company-rules.yaml", "docs/samples/company.yaml"],
    "jobset-quota-short": ["tests/golden/explain/jobset-quota-short.yaml", "tests/e2e/manifests/kueue.yaml"],
    "spot-and-flex-start": ["tests/golden/findings/TPU-112-spot-and-flex-start.yaml"],
}


def cases():
    own = {path.stem: [str(path.relative_to(ROOT))] for path in sorted(HERE.glob("*.yaml")) if path.stem not in CASES}
    return {**CASES, **own}


def explain(program, *arguments):
    ran = subprocess.run([program, "explain", *arguments], capture_output=True, text=True, cwd=ROOT)
    if ran.returncode > REFUSED or ran.stderr:
        raise SystemExit(f"explain {' '.join(arguments)}: exit code {ran.returncode}\n{ran.stderr}")
    return ran


def json_faults(program, name, arguments):
    ran = explain(program, *arguments, "--output", "json")
    value = json.loads(ran.stdout)
    wanted = json.loads((ROOT / "docs/explain.schema.json").read_text(encoding="utf-8"))
    out = [f"{name}: JSON: {each}" for each in schema.faults(value, wanted, wanted)]
    if (value["verdict"] == "refused") != (ran.returncode == REFUSED):
        out.append(f"{name}: verdict {value['verdict']}, exit code {ran.returncode}")
    return out


def without_repetition(texts):
    """{case: its text}, where a part of three lines or more that an earlier case has is its first line and that case's name."""
    first, out = {}, {}
    for name, text in texts.items():
        parts = re.split(r"(?<=\n)(?=\n  \S|\S)", text)
        for number, part in enumerate(parts):
            if part.count("\n") > 3 and first.setdefault(part, name) != name:
                parts[number] = f"\n  {part.splitlines()[1].strip()}: as in {first[part]}\n"
        out[name] = "".join(parts)
    return out


def main(program, update):
    program = str(pathlib.Path(program).resolve())
    faults = []
    printed = {name: explain(program, *arguments).stdout for name, arguments in cases().items()}
    for name, text in without_repetition(printed).items():
        arguments = cases()[name]
        golden = HERE / f"{name}.txt"
        if update:
            golden.write_text(text, encoding="utf-8")
        old = golden.read_text(encoding="utf-8") if golden.exists() else ""
        if text != old:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), golden.name, "printed"))
            faults.append(f"{name}: prints something else")
        lines = printed[name].count("\n")
        if "--all" not in arguments and lines > SCREEN:
            faults.append(f"{name}: {lines} lines, expected {SCREEN} at most")
        faults += json_faults(program, name, arguments)
    extra = {path.stem for path in HERE.glob("*.txt")} - cases().keys()
    faults += [f"{each}.txt belongs to no case" for each in sorted(extra)]
    print("\n".join(faults) or f"{len(cases())} explanations, as text and as JSON")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv[2:]))
