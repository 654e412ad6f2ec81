#!/usr/bin/env python3
"""Random Pods, owners and annotations, and other webhooks that inject before and after ours.

neighbours.py --program PATH [--seed N] [--stories N]

A story is a workload whose Pods pass through a chain of webhooks, ours at a random place in it, and
then ours again as often as the API server would reinvoke it: once more after every chain that
changed something behind it. At the end the oracle holds against the Pods as the others alone would
have left them: ids stay unique, nothing of anybody else's is changed, one more pass is empty.
Besides, 1,000 Pods of LeaderWorkerSets with random variables, before and after its own webhook.
"""

import argparse
import json
import random
import sys

import paths  # noqa: F401
import catalog
import fleet
import oracle
from apiserver import container
from controllers import bare_pod
from pods import tpu_containers
from stateful import lws_pod, lws_written
from webhook import Webhook, applied

SEED = 20261121
STORIES = 300
LWS_PODS = 1000

_ROWS = [("ct6e-standard-4t", "4x4"), ("ct6e-standard-4t", "2x4"), ("ct5lp-hightpu-4t", "2x4"),
         ("ct5p-hightpu-4t", "2x2x2"), ("tpu7x-standard-4t", "2x2x2"),
         ("tpu7x-standard-4t", "2x2x1"), ("ct6e-standard-8t", "2x4")]
_INDEX = "batch.kubernetes.io/job-completion-index"


# Neighbours: each changes a copy of a Pod as a webhook of its kind would, the same way whenever
# it is called with the same number.

def _every_container(pod):
    return [*pod["spec"]["containers"], *pod["spec"].get("initContainers", [])]


def prepends_env(pod, number):
    for each in _every_container(pod):
        each["env"] = [_variable(f"MESH_{number}"), *each.get("env", [])]


def appends_env(pod, number):
    for each in _every_container(pod):
        each["env"] = [*each.get("env", []), _variable(f"OTEL_{number}"),
                       {"name": f"NODE_{number}", "valueFrom": {
                           "fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}]


def adds_sidecar(pod, number):
    at = number % (len(pod["spec"]["containers"]) + 1)
    pod["spec"]["containers"].insert(at, container(f"proxy-{number}", "envoy:1",
                                                   env=[_variable("TPU_WORKER_ID")]))


def adds_init(pod, number):
    first = container(f"iptables-{number}", "mesh:1")
    pod["spec"]["initContainers"] = [first, *pod["spec"].get("initContainers", [])]


def adds_metadata(pod, number):
    pod["metadata"].setdefault("labels", {})[f"mesh.example/rev-{number}"] = "a1"
    pod["metadata"].setdefault("annotations", {})[f"mesh.example/status-{number}"] = '{"ok":true}'


def adds_affinity(pod, number):
    preferred = pod["spec"].setdefault("affinity", {}).setdefault("podAntiAffinity", {}).setdefault(
        "preferredDuringSchedulingIgnoredDuringExecution", [])
    preferred.insert(0, {"weight": 1 + number % 100, "podAffinityTerm": {
        "labelSelector": {"matchLabels": {"app": "noise"}},
        "topologyKey": "kubernetes.io/hostname"}})


def adds_tolerations(pod, number):
    pod["spec"]["tolerations"] = [*pod["spec"].get("tolerations", []),
                                  {"key": f"team-{number}", "operator": "Exists"}]


NEIGHBOURS = (prepends_env, appends_env, adds_sidecar, adds_init, adds_metadata, adds_affinity,
              adds_tolerations)


def _variable(name):
    return {"name": name, "value": "theirs"}


# What users write

_VALUES = ("", "1", "a,b", "$(TPU_WORKER_ID)", "$$(X)", "$(NOT_THERE)", "é ü", "x" * 300,
           '{"a": 1}', "a=b", " ")


def random_env(chance, most=20):
    """A user's variables; none of a name that would make another slice of it."""
    out = []
    for i in range(chance.randrange(most)):
        name = chance.choice(("OMP_NUM_THREADS", "LIBTPU_INIT_ARGS", "XLA_FLAGS", "A.B",
                              "TPU_LIBRARY_PATH", "TPU_WORKER_IDS", "tpu_name", "MEGASCALE",
                              f"VAR_{i}"))
        kind = chance.randrange(4)
        if kind == 0:
            out.append({"name": name, "valueFrom": {"fieldRef": {
                "apiVersion": "v1", "fieldPath": "metadata.namespace"}}})
        elif kind == 1:
            out.append({"name": name})
        else:
            out.append({"name": name, "value": chance.choice(_VALUES)})
    return list({e["name"]: e for e in out}.values())


_WORDS = ("cluster-autoscaler.kubernetes.io/safe-to-evict", "app", "jobset", "ray.io", "tpu",
          "team", "sidecar.istio.io/inject", "a/b",
          "kubectl.kubernetes.io/last-applied-configuration",
          "tpu-webhook.dev.example/injected", "leaderworkerset.example/size")


def decorate(pod, chance):
    """Annotations that mean nothing to us, and a user's variables in every TPU container."""
    for word in chance.sample(_WORDS, chance.randrange(4)):
        pod["metadata"].setdefault("annotations", {})[word] = chance.choice(_VALUES)
    for each in tpu_containers(pod):
        each["env"] = _merged(each.get("env", []), random_env(chance))


def _merged(controllers, users):
    """The user's variables stand before those that a controller appends."""
    taken = {e["name"] for e in controllers}
    return [e for e in users if e["name"] not in taken] + controllers


def others(pod, chain):
    """The Pod as the neighbours alone leave it."""
    out = json.loads(json.dumps(pod))
    for neighbour, number in chain:
        neighbour(out, number)
    return out


def reinvoked(program, pods, chain, place):
    """The Pods after the chain with us at `place` in it, and after the passes that follow."""
    pods = [others(pod, chain[:place]) for pod in pods]
    pods = _ours(program, pods)
    behind = chain[place:]
    if behind:
        pods = _ours(program, [others(pod, behind) for pod in pods])
    return pods


def _ours(program, pods):
    out = program.objects(pods)
    for pod, old in zip(out, pods):
        if pod.get("kind") != "Pod":
            raise RuntimeError(f"{old['metadata'].get('name', old['metadata'])}: {pod}")
    return out


def story(program, chance, number):
    """Complaints of one workload in one chain."""
    machine, topology = chance.choice(_ROWS)
    shape = chance.choice(fleet.shapes(catalog.row(machine, topology)))
    workload = chance.choice(fleet.fleets(shape))
    for pod in workload.pods:
        decorate(pod, chance)
    if chance.random() < 0.5:
        workload.pods.reverse()
        last = len(workload.pods) - 1
        workload.slices = [[last - i for i in positions] for positions in workload.slices]
    chain = [(chance.choice(NEIGHBOURS), 100 * number + i) for i in range(chance.randrange(5))]
    place = chance.randrange(len(chain) + 1)
    after = reinvoked(program, workload.pods, chain, place)
    scene = oracle.Scene(
        f"{workload.name} on {shape}", [others(p, chain) for p in workload.pods], after,
        dict(enumerate(program.patches(after))), workload.slices, shape.node(), workload.services,
        workload.subdomain, one_job=workload.one_job, hosts_once=workload.hosts_once,
        named=workload.named, foreign=workload.foreign)
    names = [f"{neighbour.__name__}" for neighbour, _ in chain]
    names.insert(place, "ours")
    return [f"{scene.name}, {' > '.join(names)}: {c}" for c in oracle.check(scene)]


def second_tpu_container(program):
    """A webhook behind ours adds the second TPU container, which makes another slice of the Pods:
    half as many hosts, twice as many processes. Ours are computed again."""
    shape = fleet.Shape(catalog.row("tpu7x-standard-4t", "2x2x4"), 2)
    for workload in fleet.fleets(shape):
        if workload.foreign:
            continue  # LeaderWorkerSet's webhook has then counted one container itself
        # With half the chips per host every ordinal is a host of twice as many.
        halves = [_without_second(pod) for pod in workload.pods]
        first = program.objects(halves)
        if any(pod.get("kind") != "Pod" for pod in first):
            yield f"{workload.name}: {[p for p in first if p.get('kind') != 'Pod'][0]}"
            continue
        whole = [_with_second(pod, full) for pod, full in zip(first, workload.pods)]
        after, direct = _ours(program, whole), _ours(program, workload.pods)
        scene = oracle.Scene(
            f"{workload.name} on {shape}", workload.pods, after,
            dict(enumerate(program.patches(after))), workload.slices, shape.node(),
            workload.services, workload.subdomain,
            one_job=workload.one_job, hosts_once=workload.hosts_once, named=workload.named)
        yield from (f"{scene.name}, a container added: {c}" for c in oracle.check(scene))
        for a, b in zip(after, direct):
            for key, of in (("labels", "metadata"), ("affinity", "spec")):
                if a[of].get(key) != b[of].get(key):
                    yield (f"{workload.name}: {key} {a[of].get(key)}, had the container been there "
                           f"at once {b[of].get(key)}")


def _without_second(pod):
    out = json.loads(json.dumps(pod))
    out["spec"]["containers"] = [c for c in out["spec"]["containers"] if c["name"] != "tpu-1"]
    return out


def _with_second(pod, full):
    out = json.loads(json.dumps(pod))
    out["spec"]["containers"] += [c for c in full["spec"]["containers"] if c["name"] == "tpu-1"]
    return out


def unknown_owners(program, chance, count):
    """Owners nobody has heard of: a slice of several hosts is left as it is, with a warning; on one
    host there is nothing to know."""
    pods, many = [], []
    for i in range(count):
        machine, topology = chance.choice(_ROWS)
        shape = chance.choice(fleet.shapes(catalog.row(machine, topology)))
        pod = bare_pod(name=f"p-{i}", namespace=fleet.NAMESPACE, **shape.pod())
        kind = chance.choice(("TrainJob", "Workflow", "AppWrapper", "Volcano", "Job", "ReplicaSet"))
        pod["metadata"]["ownerReferences"] = [{
            "apiVersion": chance.choice(("example.com/v1", "batch/v1", "apps/v1")), "kind": kind,
            "name": f"x-{i}", "uid": f"u-{i}", "controller": True, "blockOwnerDeletion": True}]
        decorate(pod, chance)
        pods.append(pod)
        many.append(shape.row.hosts > 1)
    for pod, several, answer in zip(pods, many, program.answers(pods)):
        owner = pod["metadata"]["ownerReferences"][0]["kind"]
        if not answer.allowed:
            yield f"a {owner}'s Pod is denied: {answer.message}"
            continue
        after = applied(pod, answer.patch)
        if several and not answer.warnings:
            yield f"a {owner}'s Pod of several hosts: not a word"
        for old, new in zip(tpu_containers(pod), tpu_containers(after)):
            if several and old.get("env", []) != new.get("env", []):
                yield f"a {owner}'s Pod of several hosts: {new.get('env')} was guessed"


def lws_variables(program, chance, count):
    """LeaderWorkerSet's webhook rewrites the user's variables by position; ours touches no entry
    that it does not own: before it, after it, and once more after what it does behind us."""
    pods = []
    for i in range(count):
        machine, topology = chance.choice(_ROWS[:5])
        shape = chance.choice(fleet.shapes(catalog.row(machine, topology)))
        size = shape.row.hosts
        pod = lws_pod(lws="vllm", namespace=fleet.NAMESPACE, group=i, worker=chance.randrange(size),
                      size=size, **shape.pod())
        decorate(pod, chance)
        if chance.random() < 0.3:  # half a set of the user's own
            tpu_containers(pod)[0]["env"].insert(
                chance.randrange(1 + len(tpu_containers(pod)[0]["env"])),
                {"name": chance.choice(("TPU_WORKER_ID", "TPU_NAME", "TPU_WORKER_HOSTNAMES",
                                        "TPU_PROCESS_PORT", "LWS_GROUP_SIZE")),
                 "value": chance.choice(("7", "", "mine"))})
        pods.append(pod)
    first = _ours(program, pods)
    behind = [lws_written(pod) for pod in first]
    written = [lws_written(pod) for pod in pods]
    for when, before, after in (("before it", pods, first),
                                ("after it", written, _ours(program, written)),
                                ("again, after it", behind, _ours(program, behind))):
        for old, new in zip(before, after):
            yield from (f"{old['metadata']['name']}, {when}: {c}" for c in _moved(old, new))
    settled = _ours(program, behind)
    for pod, patch in zip(settled, program.patches(settled)):
        if patch:
            yield f"{pod['metadata']['name']}: a further pass gives {json.dumps(patch)[:200]}"


def _moved(old, new):
    """Entries that are not ours and are not the same, in the same order."""
    recorded = old["metadata"].get("annotations", {}).get("tpu-webhook.dev/injected", "")
    for a, b in zip(_every_container(old), _every_container(new)):
        mine = [e for e in a.get("env", []) if f"{e['name']}=" not in recorded]
        rest = iter(b.get("env", []))
        for entry in mine:
            if not any(entry == other for other in rest):
                yield f"{a['name']}: {json.dumps(entry)[:120]} is changed, moved or gone"
                break
        names = [e["name"] for e in b.get("env", [])]
        if len(set(names)) != len(names):
            yield f"{a['name']}: a variable is there twice: {names}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the tpu-webhook to ask")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--stories", type=int, default=STORIES)
    args = parser.parse_args()
    program, chance, wrong = Webhook(args.program), random.Random(args.seed), []
    for number in range(args.stories):
        wrong += story(program, chance, number)
    wrong += second_tpu_container(program)
    wrong += unknown_owners(program, chance, 200)
    wrong += lws_variables(program, chance, LWS_PODS)
    print("\n".join(wrong[:20]))
    print(f"seed {args.seed}: {args.stories} chains of webhooks, 200 unknown owners, {LWS_PODS} "
          f"Pods of LeaderWorkerSets: {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
