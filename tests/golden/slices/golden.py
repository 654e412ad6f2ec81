#!/usr/bin/env python3
"""golden.py PROGRAM [--update]: what `slices` and `audit` print of clusters made of recorded Pods.

Each case is a cluster of snapshot.py, as it is or spoiled, and a file CASE.txt with the commands
and what they print. --update writes the files.
"""

import difflib
import json
import pathlib
import subprocess
import sys

import snapshot

HERE = pathlib.Path(__file__).parent


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


def run(program, cluster, *command):
    done = subprocess.run([program, *command, "--cluster", "-"], input=json.dumps(cluster),
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def printed(program, cluster):
    """Both commands in text, and in JSON spread over lines."""
    out = ""
    for command in ("slices",), ("audit",), ("slices", "-o", "json"), ("audit", "-o", "json"):
        code, text = run(program, cluster, *command)
        if "json" in command:
            text = json.dumps(json.loads(text), indent=1) + "\n"
        out += f"$ tpu-webhook {' '.join(command)}\n{text}exit code {code}\n\n"
    return out


def main(program, update=None):
    failed = 0
    for name, make in CASES.items():
        file = HERE / f"{name}.txt"
        found = printed(program, make())
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
    print(f"{len(CASES)} cases, {failed} differ")
    return 1 if failed and update != "--update" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
