"""hostile.py PROGRAM: what `explain` does with texts that want to harm it, and with very many Pods.

Each case ends within its time and memory, says what was wrong where something was, and prints no
byte that a terminal obeys.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
SECONDS = 60  # that one may take on a busy machine; figures are printed
MEMORY = 1024 * MIB
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: @NAME}
spec:
  completions: @PODS
  parallelism: @PODS
  completionMode: Indexed
  template:
    spec:
      subdomain: @SUBDOMAIN
      restartPolicy: Never
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: @SHAPE}
      containers:
        - name: @CONTAINER
          image: jax
          env: [{name: TPU_NAME, value: @VALUE}]
          resources: {limits: {google.com/tpu: 4}}
"""


def job(name="train", pods="2", subdomain="svc", shape="2x4", container="jax", value="a"):
    words = {"@NAME": name, "@PODS": pods, "@SUBDOMAIN": subdomain, "@SHAPE": shape, "@CONTAINER": container, "@VALUE": value}
    return re.sub("|".join(words), lambda found: words[found.group()], JOB)


def aliases():
    levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"{new}: &{new} [{', '.join(['*' + old] * 10)}]" for old, new in zip("abcdefgh", "bcdefghi")]
    return "\n".join(levels) + "\n"


def app_wrapper(*children, name="a"):
    items = "".join(f"  - template: {child}\n" for child in children)
    return f"apiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\nmetadata: {{name: {name}}}\nspec:\n  components:\n{items}"


def lists(depth):
    return "{apiVersion: v1, kind: List, items: [" * depth + "{apiVersion: v1, kind: Pod}" + "]}" * depth


def shared_runtime(jobs, mib):
    runtime = ("apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata: {name: r}\nspec: {template: {spec: "
               "{replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: node, image: " + "x" * (mib * MIB) +
               "}]}}}}}]}}}\n")
    return runtime + "".join("---\napiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
                             f"metadata: {{name: t{i}}}\nspec: {{runtimeRef: {{name: r}}}}\n" for i in range(jobs))


# name: (text, or what makes it; exit code; what is said)
REFUSED = {
    "aliases that explode": (aliases(), 2, "more than a million values"),
    "an alias of itself": ("kind: Job\nspec: &a\n  template: *a\n", 2, "nested deeper than 64 levels"),
    "brackets of YAML": ("kind: Job\nspec: " + "[" * 100_000, 2, "not YAML"),
    "brackets of JSON": ('{"kind":"Job","spec":' + "[" * 100_000, 2, "nested deeper than 64 levels"),
    "100 MB": (lambda: "kind: Job\n#" + "x" * 100_000_000, 2, "more than 8 MiB"),
    "very many keys": (lambda: "kind: Job\n" + "".join(f"k{i}: v\n" for i in range(700_000)), 0, "Job without apiVersion"),
    "no text": ("\n---\n", 2, "holds no objects"),
    "a word": ("hello\n", 2, "is not an object"),
    "no UTF-8": ("kind: Job\nmetadata: {name: \"\udcff\"}\n", 2, "not valid UTF-8"),
    "two billion Pods": (job(pods="2147483647"), 0, "2147483647 Pods were not looked at"),
    "more Pods than a number holds": (job(pods="99999999999999999999"), 1, "is not a whole number"),
    "fewer Pods than none": (job(pods="-1"), 1, "is not a whole number"),
    "Pods in words": (job(pods="two"), 1, "expected a number"),
    "a list for an object": ("apiVersion: batch/v1\nkind: Job\nmetadata: []\nspec: []\n", 1, "expected an object"),
    "no template": ("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n", 1, "is missing"),
    "a name of markup": (job(name='"<img src=x onerror=alert(1)>"'), 1, "is not a DNS label"),
    "a name that a terminal obeys": (job(name='"\\e[2J\\u202e"'), 1, "\\u001b[2J\\u202e"),
    "a value that a terminal obeys": (job(value='"\\e[2J<script>"'), 0, "TPU_NAME=\\u001b[2J<script>"),
    "a container that a terminal obeys": (job(container='"\\e[31m"'), 0, "TPU_WORKER_ID"),
    "a wrapper that a terminal obeys": (app_wrapper("{apiVersion: v1, kind: Pod, metadata: {name: p}}", name='"\\e[2J"'), 1, "\\u001b[2J"),
    "children of a wrong type": (app_wrapper("[]", "3", "{}", "{kind: 4}"), 1, "spec.components[0].template: must be an object"),
    "components of a wrong type": (app_wrapper().replace("components:", "components: x"), 0, "is missing"),
    "lists in lists in an AppWrapper": (app_wrapper(lists(20)), 1, "metadata.name: is missing"),
    "lists deeper than files are read": (app_wrapper(lists(40)), 2, "nested deeper than 64 levels"),
    "1,000 TrainJobs of a runtime of 2 MiB": (lambda: shared_runtime(1000, 2), 0, "1000 objects: 0 refused, 985 doubtful"),
}

# name: (text, what is said)
LARGE = {
    "1,000 documents, 10,000 Pods": ("---\n".join(job(name=f"train-{i}", pods="10") for i in range(1000)), "1000 objects"),
    "2,500 slices, 10,000 Pods": ("---\n".join(job(name=f"train-{i}", pods="4", shape="4x4") for i in range(2500)), "2500 slices"),
    "1,536 hosts": (job(pods="1536", shape="16x16x24").replace("tpu-v6e-slice", "tpu-v5p-slice"), "0-1535"),
}


def run(program, text, *flags):
    """Its exit code, what it said, and CPU seconds and peak bytes of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "manifest.yaml"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        child = subprocess.Popen([program, "explain", str(path), *flags], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))
        said = child.stdout.read().decode("utf-8")
        _, status, used = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), said, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def faults(name, ran, wanted_code, wanted):
    code, said, _, peak = ran
    if code != wanted_code:
        yield f"{name}: exit code {code}, expected {wanted_code}: {said[:200]!r}"
    if wanted not in said:
        yield f"{name}: {wanted!r} is not in {said[:400]!r}"
    if CONTROLS.search(said):
        yield f"{name}: prints {CONTROLS.search(said).group()!r}"
    if peak > MEMORY:
        yield f"{name}: {peak // MIB} MiB, expected {MEMORY // MIB} at most"


def main(program):
    program = str(pathlib.Path(program).resolve())
    wrong = []
    for name, (text, wanted) in LARGE.items():
        ran = run(program, text)
        wrong += [each for each in faults(name, ran, ran[0], wanted) if ran[0] in (0, 1)]
        if ran[0] not in (0, 1):
            wrong.append(f"{name}: exit code {ran[0]}")
        print(f"{name}: {ran[2]:.1f} s of CPU, {ran[3] // MIB} MiB")
    for name, (text, code, wanted) in REFUSED.items():
        wrong += faults(name, run(program, text() if callable(text) else text), code, wanted)
    print("\n".join(wrong) or f"{len(REFUSED)} hostile inputs and {len(LARGE)} large ones: as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
