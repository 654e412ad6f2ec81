"""Variables that a user sets himself, in every state, beside what the webhook makes of them: no Pod is made worse.

Each case puts some variables of one set, or of two, into all TPU containers of a workload, as a template does. JAX's and
Ray's own code reads every environment twice, as the user wrote it and as the webhook left it. A process that would have
started without the webhook has to start with it.
"""

import copy
import json
import math
import pathlib
import random
import tempfile

import container_env
import readers
import zone
from pods import reviewed, tpu_containers

PROCESSES = 2000  # environments that the webhook left, at least

JAX = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT", "TPU_HOST_BOUNDS",
       "TPU_PROCESS_BOUNDS", "TPU_CHIPS_PER_HOST_BOUNDS", "TPU_CHIPS_PER_PROCESS_BOUNDS")
MEGASCALE = ("MEGASCALE_NUM_SLICES", "MEGASCALE_SLICE_ID", "MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_PORT")
SETS = (JAX, MEGASCALE, JAX + MEGASCALE, JAX + ("TPU_NAME",))
STATES = ("agrees", "contradicts", "platform", "alone", "empty", "elsewhere")

# What a user writes who runs each container by itself, and what contradicts every place.
_ALONE = {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost", "TPU_PROCESS_ADDRESSES": "localhost:8471",
          "TPU_HOST_BOUNDS": "1,1,1", "TPU_PROCESS_BOUNDS": "1,1,1", "MEGASCALE_NUM_SLICES": "1",
          "MEGASCALE_SLICE_ID": "0"}
_PLATFORM = {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost"}
_CONTRADICTS = {"TPU_WORKER_ID": "3", "TPU_WORKER_HOSTNAMES": "nobody.here", "TPU_NAME": "mine",
                "TPU_PROCESS_ADDRESSES": "nobody.here:1", "MEGASCALE_COORDINATOR_ADDRESS": "nobody.here"}

# From a field of the Pod: what users write, and what says of every Pod what the variable means. A reference to
# something else is trusted, since only the kubelet knows its value (docs/contract.md#sets-of-variables).
_FIELDS = {"job": {"TPU_WORKER_ID": "batch.kubernetes.io/job-completion-index"},
           "jobset": {"TPU_WORKER_ID": "batch.kubernetes.io/job-completion-index",
                      "MEGASCALE_NUM_SLICES": "jobset.sigs.k8s.io/replicatedjob-replicas",
                      "MEGASCALE_SLICE_ID": "jobset.sigs.k8s.io/job-index"},
           "lws": {"TPU_WORKER_ID": "leaderworkerset.sigs.k8s.io/worker-index"},
           "ray": {"TPU_WORKER_ID": "ray.io/replica-host-index"},
           "statefulset": {"TPU_WORKER_ID": "apps.kubernetes.io/pod-index"}}


def cases(rng):
    """Endlessly: a state for each of some variables."""
    while True:
        chosen = rng.choice(SETS)
        if rng.random() < 0.2:  # whole sets alike
            state = rng.choice(STATES)
            yield {name: state for name in chosen}
        else:
            yield {name: rng.choice(STATES) for name in rng.sample(chosen, rng.choice((1, 2, 2, 3, 4)))}


def entry(workload, name, state, ours):
    """An entry of a container's env, or None. `ours`: the value that the webhook writes without it."""
    values = {"agrees": ours, "contradicts": _CONTRADICTS.get(name, "x"), "platform": _PLATFORM.get(name),
              "alone": _ALONE.get(name), "empty": ""}
    if state == "elsewhere":
        label = _FIELDS.get(workload.split("-")[0], {}).get(name)
        path = f"metadata.labels['{label}']"
        return label and {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}
    return None if values[state] is None else {"name": name, "value": values[state]}


def edited(workload, reviews, plain, case):
    """The reviews with the case's variables in each TPU container."""
    reviews = copy.deepcopy(reviews)
    for review, pod in zip(reviews, plain):
        for container, written in zip(tpu_containers(review["request"]["object"]), tpu_containers(pod)):
            ours = {e["name"]: e.get("value") for e in written.get("env", [])}
            own = [e for e in container.get("env", []) if e["name"] not in case]
            container["env"] = own + [e for name, state in case.items()
                                      if (e := entry(workload, name, state, ours.get(name)))]
    return reviews


def starts(jobs, processes, probes):
    """For each process, whether it would start: libtpu by its bounds, JAX by what it derives, both with all others of
    the same job."""
    alone, members = [], {}
    for job, process, probe in zip(jobs, processes, probes):
        env, listed = process.env, probe["list"] if isinstance(probe["list"], list) else None
        bounds = env.get("TPU_PROCESS_BOUNDS") or env.get("TPU_HOST_BOUNDS", "1,1,1")
        try:
            fits = math.prod(container_env.dims(bounds)) == (len(listed) if listed else 1)
        except ValueError:
            fits = False
        derived = all(isinstance(probe[key], int) for key in ("count", "id")) and ":" in probe["coordinator"]
        if probe["chosen"] is None:
            alone.append(fits)
            continue
        right = fits and derived and " " not in probe["coordinator"] and 0 <= probe["id"] < probe["count"]
        alone.append(right)
        if right:
            host = probe["coordinator"].split(":")[0]
            key = (job, host, process.name if host == "localhost" else None, probe["count"])
            members.setdefault(key, []).append(len(alone) - 1)
    for (*_, whole), same in members.items():
        if sorted(probes[i]["id"] for i in same) != list(range(whole)):
            for i in same:
                alone[i] = False
    return alone


def worse_for_ray(before, after):
    """What Ray read before and cannot read now."""
    return [key for key, was in before.items()
            if isinstance(was, (int, dict)) and isinstance(after[key], str) and "Error" in after[key]]


def told(program, workloads, jobs_of, pods_and_cluster, seed=1):
    """Complaints, and how many environments were read."""
    rng = random.Random(seed)
    made = cases(rng)
    hosts, first, parts, lines = zone.LOOPBACK, 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for workload in workloads:
            plain, around = pods_and_cluster(program, workload.stem)
            reviews = [json.loads(line) for line in workload.read_text().splitlines() if line.strip()]
            hosts += zone.hosts_file(plain, around.services, first).removeprefix(zone.LOOPBACK)
            size = sum(len(tpu_containers(pod)) for pod in plain)
            allowed = (case for case in made if workload.stem.startswith("jobset") or
                       case.get("MEGASCALE_NUM_SLICES") != "alone")  # elsewhere a second slice is denied
            chosen = [next(allowed) for _ in range(PROCESSES // len(workloads) // size + 1)]
            variants = [edited(workload.stem, reviews, plain, case) for case in chosen]
            path = pathlib.Path(folder, workload.name)
            path.write_text("".join(json.dumps(r) + "\n" for variant in variants for r in variant))
            left = reviewed(program, path)
            job_of = {line: number for number, (some, _) in enumerate(jobs_of[workload.stem]) for line in some}
            for number, (case, variant) in enumerate(zip(chosen, variants)):
                after = left[number * len(plain):][:len(plain)]
                before = [r["request"]["object"] for r in variant]
                for pod, placed in zip(before, after):  # the place of a Pod is not what is compared
                    pod["spec"] |= {key: placed["spec"][key] for key in ("hostname", "subdomain")
                                    if key in placed["spec"]}
                jobs = [(workload.stem, number, job_of.get(i)) for i, pod in enumerate(after)
                        for _ in tpu_containers(pod)]
                parts.append((workload.stem, case, jobs, container_env.processes(before, around, first),
                              container_env.processes(after, around, first)))
            first += len(plain)
            lines += len(chosen)
    order = [process for *_, before, after in parts for process in before + after]
    answers = {"jax": readers.jax_derives(order, hosts, in_one=True), "ray": readers.ray_derives(order, hosts, in_one=True)}
    complaints, read, started = [], 0, 0
    at = 0
    for workload, case, jobs, before, after in parts:
        size = len(before)
        probes = {reader: (given[at:at + size], given[at + size:at + 2 * size]) for reader, given in answers.items()}
        at += 2 * size
        was, now = starts(jobs, before, probes["jax"][0]), starts(jobs, after, probes["jax"][1])
        read, started = read + size, started + sum(was)
        for i, process in enumerate(before):
            if was[i] and not now[i]:
                complaints.append(f"{workload} {case}: {process.label} starts without the webhook and not with it")
            for key in worse_for_ray(probes["ray"][0][i], probes["ray"][1][i]):
                complaints.append(f"{workload} {case}: {process.label}: Ray's {key} is {probes['ray'][1][i][key]}")
    return complaints, (f"{read} environments in {lines} cases read by JAX {answers['jax'][0]['version']} and Ray: "
                        f"{started} start without the webhook, and all of them with it")
