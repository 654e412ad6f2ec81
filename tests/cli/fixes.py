#!/usr/bin/env python3
"""Every fix that `explain` prints, done and tried: fixes.py PROGRAM [--show].

Over all manifests of the tree that something is said of: an edit is made in the manifest, the command makes
what it would make, and the manifest is explained again. The finding has to be gone and the verdict no worse.
Of each command that makes a node pool the Nodes are written as GKE documents them, from its flags alone, and
the slices have to fit on them. The program has no part in either but to be asked. PyYAML.

  --show  each fix, and how it went
"""

import copy
import io
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "support"))

from made_nodes import TPU, made_jobs, nodes_of  # noqa: E402: the path above comes first

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SHOW = "--show" in sys.argv
RANK = {"no_tpu": 0, "fine": 1, "doubtful": 2, "refused": 3}
VERBS = {"get", "describe", "list", "edit", "create", "update", "patch", "uncordon"}  # none of them ends anything


def explain(objects, *flags):
    """(exit code, what is said), or None for what cannot be read."""
    lines = "\n".join(json.dumps(each) for each in objects)
    ran = subprocess.run([PROGRAM, "explain", "-o", "json", *flags, "-"], input=lines, capture_output=True, text=True,
                         timeout=120, check=False, cwd=ROOT)
    return (ran.returncode, json.loads(ran.stdout)) if ran.stdout else None


def on_cluster(objects, items):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, file)
        file.flush()
        return explain(objects, "--cluster", file.name)


# --- what is tried

def documents(text):
    try:
        loaded = [each for each in yaml.safe_load_all(text) if isinstance(each, dict)]
    except yaml.YAMLError:
        return []
    return [item for each in loaded for item in (each["items"] if each.get("kind") == "List" else [each]) if "kind" in item]


def flags_of(text):
    """Those that are explain's too."""
    first = text.split("\n", 1)[0]
    words = first.removeprefix("# review ").split() if first.startswith("# review ") else []
    return [word for word in words if word.startswith(("--torch-tpu", "--base-port"))]


def manifests():
    """(name, flags, objects) of every manifest of the tree, also of those in pages."""
    files = [*(ROOT / "tests/golden").rglob("*.yaml"), *(ROOT / "tests/e2e/manifests").glob("*.yaml"),
             *(ROOT / "docs").rglob("*.yaml"), *(ROOT / "charts").glob("*/samples/*.yaml")]
    for file in sorted(files):
        text = file.read_text(encoding="utf-8")
        yield str(file.relative_to(ROOT)), flags_of(text), documents(text)
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        for number, block in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)):
            yield f"{page.relative_to(ROOT)}#{number}", [], documents(block)


def reports():
    """The same of every manifest that reports.py makes."""
    sys.path.insert(0, str(HERE))
    sys.argv = ["reports.py", PROGRAM]
    import reports as module  # noqa: PLC0415: it takes the program from the command line
    seen = []

    class Said(module.Said):
        def __init__(self, objects):
            seen.append(copy.deepcopy(objects))
            super().__init__(objects)

    module.Said = Said
    result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromModule(module))
    if not result.wasSuccessful():
        raise SystemExit("reports.py fails; see there first")
    return [*((f"reports.py {number}", [], objects) for number, objects in enumerate(seen)), *spoiled_ones(module)]


# --- right manifests, each spoiled in one way

KEY = "cloud.google.com/gke-tpu-"


def right_ones(reports_module):
    """(name, objects) of each workload API, with nothing wrong."""
    r = reports_module
    pathways = [r.replicated({"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a"}]}}, "head", hosts=1),
                r.replicated(replicas=2)]
    plain = {"spec": {"containers": [{"name": "main", "image": "a"}]}}
    yield "Job", r.job()
    yield "CronJob", [r.named("CronJob", "nightly", {"schedule": "0 0 * * *", "jobTemplate": {"spec": r.job()[0]["spec"]}}), r.job()[1]]
    yield "JobSet", r.jobset()
    yield "JobSet of two", r.jobset(r.replicated(name="a"), r.replicated(r.pod(topology="2x4"), name="b", hosts=2))
    yield "JobSet of Pathways", r.jobset(*pathways)
    yield "LeaderWorkerSet", r.lws()
    yield "LeaderWorkerSet with a leader", r.lws(leader=r.pod())
    yield "LeaderWorkerSet with a leader without chips", r.lws(leader=plain, size=5)
    yield "StatefulSet", r.stateful_set()
    yield "StatefulSet of two", r.stateful_set(replicas=8)
    yield "Deployment", r.deployment(r.pod(topology="2x2"))
    for kind in ("RayCluster", "RayJob", "RayService"):
        yield kind, r.ray(kind=kind)
    yield "RayCluster of two", r.ray(replicas=2)


def templates(value):
    """Each spec of a Pod that asks for chips."""
    if isinstance(value, dict):
        if TPU in json.dumps(value.get("containers", [])):
            yield value
        else:
            for each in value.values():
                yield from templates(each)
    elif isinstance(value, list):
        for each in value:
            yield from templates(each)


def holders(value, *names):
    """Each mapping that has one of these numbers."""
    if isinstance(value, dict):
        if any(isinstance(value.get(name), int) for name in names):
            yield value
        for each in value.values():
            yield from holders(each, *names)
    elif isinstance(value, list):
        for each in value:
            yield from holders(each, *names)


def numbers(objects, change):
    for holder in holders(objects[0], "completions", "numOfHosts", "size"):
        for name in ("completions", "parallelism", "numOfHosts", "size"):
            if isinstance(holder.get(name), int):
                holder[name] = change(holder[name])
    if objects[0]["kind"] == "StatefulSet":
        objects[0]["spec"]["replicas"] = change(objects[0]["spec"]["replicas"])


def in_templates(change):
    def spoil(objects):
        for spec in templates(objects[0]):
            change(spec)
    return spoil


def chips(number):
    return in_templates(lambda spec: spec["containers"][0]["resources"]["limits"].update({TPU: number}))


def select(**labels):
    return in_templates(lambda spec: spec["nodeSelector"].update({KEY + key: value for key, value in labels.items()}))


def variable(name, value):
    return in_templates(lambda spec: spec["containers"][0].setdefault("env", []).append({"name": name, "value": value}))


SPOILS = {
    "fewer Pods": lambda objects: numbers(objects, lambda count: max(1, count - 1)),
    "more Pods": lambda objects: numbers(objects, lambda count: count + 1),
    "twice the Pods": lambda objects: numbers(objects, lambda count: count * 2),
    "one chip": chips(1), "three chips": chips(3), "eight chips": chips(8), "half a chip": chips("500m"), "no number of chips": chips("many"),
    "no topology": in_templates(lambda spec: spec["nodeSelector"].pop(KEY + "topology")),
    "upper case": select(topology="4X4"), "a type": select(topology="v6e-16"), "a turned one": select(topology="4x2"),
    "not listed": select(topology="6x6"), "no shape": select(topology="four"), "another shape": select(topology="8x8"),
    "a short accelerator": select(accelerator="v6e"), "an unknown one": select(accelerator="h100"),
    "host network": in_templates(lambda spec: spec.update(hostNetwork=True)),
    "the node's name servers": in_templates(lambda spec: spec.update(dnsPolicy="Default")),
    "a host name": in_templates(lambda spec: spec.update(hostname="somebody")),
    "Always": in_templates(lambda spec: spec.update(restartPolicy="Always")),
    "Never": in_templates(lambda spec: spec.update(restartPolicy="Never")),
    "an id": variable("TPU_WORKER_ID", "7"), "a list": variable("TPU_WORKER_HOSTNAMES", "a,b"),
    "slices": variable("MEGASCALE_NUM_SLICES", "9"), "a port": variable("TPU_PROCESS_PORT", "http"),
    "JAX's own numbers": variable("JAX_NUM_PROCESSES", "3"),
    "no Service": lambda objects: objects.__delitem__(slice(1, None)),
    "no subdomain": in_templates(lambda spec: spec.pop("subdomain", None)),
    "no indexes": lambda objects: [each.pop("completionMode", None) for each in holders(objects[0], "completions")],
}


def spoiled_ones(reports_module):
    for name, objects in right_ones(reports_module):
        for how, spoil in SPOILS.items():
            changed = copy.deepcopy(objects)
            spoil(changed)
            if changed != objects:
                yield f"{name}, {how}", [], changed


# --- what is done

def steps_of(pointer):
    return [each.replace("~1", "/").replace("~0", "~") for each in pointer.split("/")[1:]]


def edit(target, change):
    *way, last = steps_of(change["path"])
    for step in way:
        if isinstance(target, list):
            target = target[int(step)]
        else:
            if target.get(step) is None:
                target[step] = {}
            target = target[step]
    key = int(last) if isinstance(target, list) else last
    if "remove" in change:
        del target[key]
    else:
        target[key] = change["value"]


def same(each, name):
    metadata = each.get("metadata", {})
    return (each["kind"], metadata.get("namespace", "default"), metadata.get("name", "(no name)")) == name


def made_by(command):
    """What `kubectl create` hears when the command is pasted as it is printed, behind blanks; None of gcloud's."""
    if not command["text"].endswith("| kubectl create -f -"):
        return None
    pasted = "kubectl() { cat; }\n" + textwrap.indent(command["text"], "    ")
    return yaml.safe_load(subprocess.run(["sh", "-c", pasted], capture_output=True, text=True, timeout=10, check=True).stdout)


def done(objects, name, how):
    """The input once the steps are done."""
    out = copy.deepcopy(objects)
    for change in how["edits"]:
        of = change.get("object")
        wanted = (of["kind"], of["namespace"], of["name"]) if of else name
        edit(next(each for each in out if same(each, wanted)), change)
    for command in how["commands"]:
        out.append(made_by(command))
    return out


def zone_of(objects):
    found = re.search(r'"topology\.kubernetes\.io/zone": "([^"]+)"', json.dumps(objects))
    return found[1] if found else "us-east5-a"


# --- trials

class Count:
    def __init__(self):
        self.inputs = self.reviewed = self.edits = self.made = self.pools = self.choices = self.nothing = self.none = 0
        self.choice_ids, self.failed = {}, []

    def fail(self, what, why):
        self.failed.append(f"{what}: {why}")

    def show(self, what):
        if SHOW:
            print(what)


def try_findings(count, name, flags, objects, said):
    code, before = said
    for place, workload in enumerate(before["workloads"]):
        tried = set()
        for finding in workload["findings"]:
            how, identity = finding["how"], finding["id"]
            if "choice" in how:
                count.show(f"{name}, {workload['kind']} {workload['name']}, {identity}: a choice: {how['choice']}")
                count.choices += bool(how["choice"])
                count.nothing += not how["choice"]
                count.choice_ids[identity] = count.choice_ids.get(identity, 0) + 1
                continue
            if json.dumps(how) in tried:
                continue
            tried.add(json.dumps(how))
            count.edits += len(how["edits"])
            count.made += len(how["commands"])
            what = f"{name}, {workload['kind']} {workload['name']}, {identity}: {finding['fix']}"
            count.show(what)
            after = explain(done(objects, (workload["kind"], workload["namespace"], workload["name"]), how), *flags)
            if after is None:
                count.fail(what, "cannot be read any more")
                continue
            again = after[1]["workloads"][place]
            if identity in {each["id"] for each in again["findings"]}:
                count.fail(what, "is still found")
            if RANK[again["verdict"]] > RANK[workload["verdict"]] or after[0] > code:
                count.fail(what, f"the verdict was {workload['verdict']} and is {again['verdict']}: {again['sentence']}")


def review(objects, flags):
    lines = "\n".join(json.dumps(each) for each in objects)
    ran = subprocess.run([PROGRAM, "review", "-o", "json", *flags, "-"], input=lines, capture_output=True, text=True,
                         timeout=120, check=False, cwd=ROOT)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def try_review(count, name, flags, objects):
    """The same of `review`, which looks at each object alone."""
    rank = {"allowed": 0, "denied": 1, "unusable": 2}
    tried, edited = [], []
    for place, before in enumerate(review(objects, flags)):
        for finding in before["findings"]:
            if "choice" in finding["how"]:
                continue
            count.reviewed += len(finding["how"]["edits"])
            changed = copy.deepcopy(objects[place])
            for change in finding["how"]["edits"]:
                edit(changed, change)
            tried.append((finding, before["verdict"]))
            edited.append(changed)
    for (finding, verdict), after in zip(tried, review(edited, flags) if edited else [], strict=True):
        what = f"review of {name}, {finding['id']}: {finding['fix']}"
        if finding["id"] in {each["id"] for each in after["findings"]} or rank[after["verdict"]] > rank[verdict]:
            count.fail(what, f"{after['verdict']}: {[each['sentence'] for each in after['findings']]}")


def pools_of(said):
    commands, groups = [], 0
    for workload in said["workloads"]:
        for group in workload["groups"]:
            made = group.get("nodePools", {}).get("commands", [])
            groups += bool(made)
            commands += made
    return commands, groups


UNFIT = {"no_pool", "pool_taken", "pool_too_small", "pool_unusable", "capacity"}


def try_pools(count, name, objects, said):
    """All pools of an input together: its slices have to fit on them at once."""
    commands, groups = pools_of(said[1])
    if not commands or "--enable-slice-controller" in json.dumps(commands):  # who cuts these slices labels the nodes
        return
    nodes, names = [], []
    for pool, made in nodes_of(commands, zone_of(objects)):
        names.append(pool)
        nodes += made
    count.pools += len(names)
    what = f"{name}: {', '.join(names[:4])} of {groups} groups"
    count.show(what)
    if len(set(names)) != len(names):
        count.fail(what, "two node pools of one name")
        return
    after = on_cluster(objects, nodes)
    if after is None:
        count.fail(what, "cannot be asked")
        return
    for workload in after[1]["workloads"]:
        outlook = workload.get("outlook")
        for command in [each for wait in (outlook["waits"] if outlook else []) for each in wait["commands"]]:
            if command["verb"] not in VERBS:
                count.fail(what, f"says to {command['verb']}: {command['text']}")
        if not all(group.get("nodePools", {}).get("commands") for group in workload["groups"]):
            continue  # none was printed for one of them
        for wait in outlook["waits"] if outlook else []:
            if wait["cause"] in UNFIT:
                count.fail(what, f"{workload['kind']} {workload['name']} waits: {wait['what']}")


# --- commands of a cluster that is not as it should be

def spoiled():
    """(name, objects, cluster, verb): one command each that mends it."""
    template = {"metadata": {"labels": {"app": "train"}},
                "spec": {"subdomain": "train", "restartPolicy": "Never",
                         "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "4x4"},
                         "containers": [{"name": "a", "image": "a", "resources": {"limits": {TPU: 4}}}]}}
    spec = {"completionMode": "Indexed", "completions": 4, "parallelism": 4, "template": template}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "ml"}, "spec": spec}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "train", "namespace": "ml"},
               "spec": {"clusterIP": "None", "selector": {"job-name": "train"}}}
    words = ["gcloud", "container", "node-pools", "create", "a", "--machine-type=ct6e-standard-4t", "--tpu-topology=4x4", "--num-nodes=4"]
    nodes = next(nodes_of([words], "us-east5-a"))[1]
    other = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "other", "namespace": "ml"}, "spec": {"clusterIP": "10.0.0.9"}}
    cpu = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "cpu", "labels": {}},
           "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    cordoned = copy.deepcopy(nodes)
    cordoned[1]["spec"]["unschedulable"] = True
    yield "a cordoned node", [job], [*cordoned, service], "uncordon"
    yield "no Service", [job], [*nodes, other], "create"
    yield "no node pool", [job], [service, cpu], "create"
    second = copy.deepcopy(job)
    second["metadata"]["name"] = "second"
    yield "no node pool for two", [job, second], [service, cpu], "create"


def mend(items, command, commands):
    out = copy.deepcopy(items)
    if command["verb"] == "uncordon":
        next(each for each in out if each["metadata"]["name"] == command["object"])["spec"].pop("unschedulable")
    elif made_by(command):
        out.append(made_by(command))
    else:
        words = [["gcloud", "container", "node-pools", "create", each["object"].removeprefix("node-pools "), *each["arguments"]]
                 for each in commands if each["verb"] == "create"]
        for _, nodes in nodes_of(words, "us-east5-a"):
            out += nodes
    return out


def outlooks(objects, items):
    return [each["outlook"] for each in on_cluster(objects, items)[1]["workloads"]]


def try_spoiled(count):
    for name, objects, items, verb in spoiled():
        commands = [command for outlook in outlooks(objects, items) for wait in outlook["waits"] for command in wait["commands"]]
        wanted = [command for command in commands if command["verb"] == verb]
        if not wanted:
            count.fail(name, f"no command that does {verb}: {commands}")
            continue
        count.made += len(wanted)
        if len({command["object"] for command in wanted}) != len(wanted):
            count.fail(name, f"makes one thing twice: {[command['object'] for command in wanted]}")
            continue
        for after in outlooks(objects, mend(items, wanted[0], commands)):
            if after["verdict"] != "forms":
                count.fail(f"{name}: {wanted[0]['text']}", after["sentence"])


def main():
    count = Count()
    for name, flags, objects in [*manifests(), *reports()]:
        said = explain(objects, *flags) if objects else None
        if said is None:
            continue
        count.inputs += 1
        count.none += sum("impossible" in group.get("nodePools", {}) for each in said[1]["workloads"] for group in each["groups"])
        try_findings(count, name, flags, objects, said)
        try_review(count, name, flags, objects)
        try_pools(count, name, objects, said)
    shapes_tried = 0
    for name, objects in made_jobs():
        said = explain(objects)
        shapes_tried += len(objects)
        count.none += sum("impossible" in group.get("nodePools", {}) for each in said[1]["workloads"] for group in each["groups"])
        try_pools(count, name, objects, said)
    try_spoiled(count)
    print("\n".join(count.failed))
    print(f"{count.inputs} manifests and {shapes_tried} of the catalog: {count.edits} edits and {count.made} commands in fixes, "
          f"{count.reviewed} edits of review, "
          f"{count.pools} node pools made and filled, {count.none} not printed, since no pool could hold the Pods; "
          f"{count.choices} choices ({', '.join(f'{key} {value}' for key, value in sorted(count.choice_ids.items()))}); "
          f"{len(count.failed)} failed")
    return 1 if count.failed or not (count.edits and count.made and count.pools and count.choices) else 0


if __name__ == "__main__":
    sys.exit(main())
