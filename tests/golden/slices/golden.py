#!/usr/bin/env python3
"""golden.py PROGRAM [--update]: what `slices` and `audit` print of clusters made of recorded Pods.

Each case is a cluster of snapshot.py, as it is or spoiled. Of two, CASE.txt has the commands and all that
they print, of one of these as JSON, too. Of those whose JSON is in no file outcomes.txt says what it comes to,
so that a sentence changes in few places: those of every check are in unit/kubectl/inspect/slices. --update
writes the files.
"""

import difflib
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.resolve().parents[1] / "support"))

import readable_json  # noqa: E402
import snapshot  # noqa: E402


def of_kind(cluster, kind):
    return [each for each in cluster["items"] if each["kind"] == kind]


def env(pod, name):
    """The entry of the Pod's first container."""
    return next(e for e in pod["spec"]["containers"][0]["env"] if e["name"] == name)


def as_recorded(story):
    return lambda: snapshot.cluster(story)


def without_the_webhook():
    return snapshot.cluster("jobset-multislice", patched=False)


def a_worker_id_twice():
    """What a webhook with two replicas and no ledger makes of a RayCluster."""
    cluster = snapshot.cluster("raycluster")
    workers = [p for p in of_kind(cluster, "Pod") if "replicaIndex" in p["metadata"]["labels"]]
    for pod in workers:
        del pod["metadata"]["labels"]["tpu-webhook.dev/token"]
    first, second = (p for p in workers if p["metadata"]["labels"]["replicaIndex"] == "tpu-group-0"
                     and env(p, "TPU_WORKER_ID")["value"] in "12")
    env(second, "TPU_WORKER_ID")["value"] = env(first, "TPU_WORKER_ID")["value"]
    return cluster


def two_pools_and_no_service():
    cluster = snapshot.cluster("jobset-multislice")
    cluster["items"] = [each for each in cluster["items"] if each["kind"] != "Service"]
    cluster["items"].append({"kind": "Service", "metadata": {"namespace": "default",
                                                             "name": "kubernetes"}})
    of_kind(cluster, "Node")[1]["metadata"]["labels"][snapshot.POOL] = "tpu-slice-c"
    return cluster


def a_member_missing():
    cluster = snapshot.cluster("lws")
    cluster["items"].remove(of_kind(cluster, "Pod")[1])
    return cluster


def another_list_and_count():
    """A user's own values in one slice of two."""
    cluster = snapshot.cluster("jobset-multislice")
    for pod in of_kind(cluster, "Pod"):
        if pod["metadata"]["labels"]["jobset.sigs.k8s.io/job-index"] == "1":
            env(pod, "TPU_WORKER_HOSTNAMES")["value"] = "localhost"
            env(pod, "MEGASCALE_NUM_SLICES")["value"] = "3"
    return cluster


def nothing_but_pods():
    cluster = snapshot.cluster("statefulset")
    cluster["items"] = of_kind(cluster, "Pod")
    return cluster


CASES = {story: as_recorded(story) for story in (
    "deployment", "job-2x4", "job-tpu7x-two-containers", "jobset-multislice",
    "jobset-multislice-restart", "lws-first", "pod-single-host", "raycluster",
    "raycluster-indexed", "raycluster-replaced", "statefulset-again")}
CASES |= {
    "without-the-webhook": without_the_webhook,
    "a-worker-id-twice": a_worker_id_twice,
    "two-pools-and-no-service": two_pools_and_no_service,
    "a-member-missing": a_member_missing,
    "another-list-and-count": another_list_and_count,
    "nothing-but-pods": nothing_but_pods,
}
AS_JSON = "two-pools-and-no-service"
WHOLE = (AS_JSON, "nothing-but-pods")


def run(program, cluster, *command):
    done = subprocess.run([program, *command, "--cluster", "-"], input=json.dumps(cluster),
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def printed(program, cluster, as_json):
    """Both commands in text, and in JSON as people read it."""
    out = ""
    for command in (("slices",), ("audit",), *((("slices", "-o", "json"), ("audit", "-o", "json")) if as_json else ())):
        code, text = run(program, cluster, *command)
        if "json" in command:
            text = readable_json.readable(json.loads(text)) + "\n"
        out += f"$ kubectl tpu {' '.join(command)}\n{text}exit code {code}\n\n"
    return out


def place_of(found):
    parts = (found["workload"], found["name"], found["part"], found["slice"])
    return "/".join(str(part) for part in parts if part is not None)


def of_slice(found):
    line = f"{place_of(found)}: {len(found['members'])} of {found['hosts']} {found['phase']}"
    for what in "missing", "duplicates", "workerIds", "duplicateWorkerIds", "pools":
        if found[what]:
            line += f", {what} {' '.join(map(str, found[what]))}"
    return line + (", pools not known" if found["pools"] is None else "")


def of_finding(found):
    pods = " ".join(found["pods"]) or "no Pod"
    return f"{found['severity']} {found['check']} in {place_of(found)}: {pods}"


def outcome(program, cluster):
    """What both reports come to: each slice, each finding, each thing not known."""
    code, slices = run(program, cluster, "slices", "-o", "json")
    audit_code, audit = run(program, cluster, "audit", "-o", "json")
    for command, want in ("slices", code), ("audit", audit_code):
        assert run(program, cluster, command)[0] == want, f"{command}: JSON ends with {want}"
    slices, audit = json.loads(slices), json.loads(audit)
    lines = [of_slice(found) for found in slices["slices"]]
    lines += [of_finding(found) for found in audit["findings"]]
    lines += [f"not known: {each}" for each in audit["notKnown"]]
    return "".join(f"  {line}\n" for line in [*lines, f"exit codes {code}, {audit_code}"])


def files(program):
    """File name -> text."""
    out = {f"{name}.txt": printed(program, CASES[name](), name == AS_JSON) for name in WHOLE}
    out["outcomes.txt"] = "".join(f"{name}\n{outcome(program, make())}"
                                  for name, make in CASES.items() if name != AS_JSON)
    return out


def main(program, update=None):
    failed = 0
    for name, found in files(program).items():
        file = HERE / name
        wanted = file.read_text() if file.exists() else ""
        if found == wanted:
            continue
        failed += 1
        if update == "--update":
            file.write_text(found)
            print(f"wrote {file}")
        else:
            sys.stdout.writelines(difflib.unified_diff(
                wanted.splitlines(True), found.splitlines(True), str(file), "printed"))
    print(f"{len(CASES)} cases, {failed} files differ")
    return 1 if failed and update != "--update" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
