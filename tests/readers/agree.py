#!/usr/bin/env python3
"""Do the members of each workload agree? A plain check, without the programs that read them.

agree.py [FILE]   patched Pods, one JSON object per line ("-" or nothing: stdin)

One line per workload, saying that all members agree or what does not; exit 1 if any does not.
What it looks at: worker ids 0 to n-1, each once, with n from topology and chips; one list in
a slice, whose entry for an id is the Pod that has it; another list and name in another slice; a
subdomain to resolve by; no variable twice; across slices one count, distinct slice ids, and
one coordinator, which is worker 0 of slice 0.
"""

import collections
import dataclasses
import math
import sys

from pods import chips, dns_name, literal_env, read_lines, title, tpu_containers

_JOBSET = "jobset.sigs.k8s.io/"
_INDEX = "batch.kubernetes.io/job-completion-index"
_LWS = "leaderworkerset.sigs.k8s.io/"
_TOPOLOGY = "cloud.google.com/gke-tpu-topology"


@dataclasses.dataclass
class Member:
    """One TPU container."""
    label: str
    pod: dict
    number: int    # of the container among the Pod's TPU containers
    siblings: int  # TPU containers of the Pod
    chips: int
    env: dict

    @property
    def id(self):
        return self.env.get("TPU_WORKER_ID", "")

    def addresses(self):
        return _split(self.env.get("TPU_PROCESS_ADDRESSES"))

    def hosts(self):
        """The host of each process by worker id, from the list that JAX takes."""
        if self.addresses():
            return [a.rsplit(":", 1)[0] for a in self.addresses()]
        return _split(self.env.get("TPU_WORKER_HOSTNAMES"))

    def expected(self):
        """Processes of the slice: chips of the topology by chips of this container."""
        topology = self.pod["spec"].get("nodeSelector", {}).get(_TOPOLOGY)
        if topology is None:
            return None
        return math.prod(int(n) for n in topology.lower().split("x")) // self.chips


def _split(text):
    return text.split(",") if text else []


def workload(pod):
    """(workload, slice) that the Pod's labels name; the slice is "" where there is but one."""
    metadata = pod["metadata"]
    labels, namespace = metadata.get("labels", {}), metadata["namespace"]
    if _JOBSET + "jobset-name" in labels:
        names = labels[_JOBSET + "jobset-name"], labels[_JOBSET + "replicatedjob-name"]
        return f"jobset {namespace}/{'/'.join(names)}", labels[_JOBSET + "job-index"]
    if "ray.io/group" in labels:
        group = f"ray {namespace}/{labels['ray.io/cluster']}/{labels['ray.io/group']}"
        return group, labels.get("replicaIndex") or _first(pod, "TPU_NAME")
    if _LWS + "name" in labels:  # its leader and its workers have owners of their own
        return f"lws {namespace}/{labels[_LWS + 'name']}", _led_by(pod)
    owners = metadata.get("ownerReferences")
    if not owners:
        return f"pod {namespace}/{title(pod)}", ""
    owner = f"{owners[0]['kind'].lower()} {namespace}/{owners[0]['name']}"
    return owner, "" if _INDEX in labels else _led_by(pod)


def _led_by(pod):
    """What tells slices apart where no label does: the first host of the list."""
    return _first(pod, "TPU_WORKER_HOSTNAMES").split(",")[0] or _first(pod, "TPU_NAME")


def _first(pod, name):
    return literal_env(tpu_containers(pod)[0]).get(name, "")


def members(pod):
    containers = tpu_containers(pod)
    return [Member(f"{title(pod)}/{c['name']}", pod, i, len(containers), chips(c), literal_env(c))
            for i, c in enumerate(containers)]


def twice(pod):
    """Variables that a container has more than once: the API server takes it, kubectl apply
    and server-side apply do not."""
    for container in tpu_containers(pod):
        for name, times in collections.Counter(e["name"] for e in container.get("env", [])).items():
            if times > 1:
                yield f"{title(pod)}/{container['name']} has {name} {times} times"


def slice_complaints(slice_members):
    first = slice_members[0]
    have = [m.id for m in slice_members]
    wanted = first.expected() or len(first.hosts())
    if sorted(have) != sorted(map(str, range(wanted))):
        yield f"worker ids are {','.join(i or 'none' for i in have)}, not 0 to {wanted - 1}"
    for name in ("TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES", "TPU_NAME"):
        if len({m.env.get(name) for m in slice_members}) > 1:
            yield f"{name} differs between members of a slice"
    if len(first.hosts()) != wanted:
        yield f"{len(first.hosts())} entries for {wanted} processes"
        return
    named = _split(first.env.get("TPU_WORKER_HOSTNAMES"))  # once per host or per process
    if list(dict.fromkeys(named)) != list(dict.fromkeys(first.hosts())):
        yield "TPU_WORKER_HOSTNAMES and TPU_PROCESS_ADDRESSES name different hosts"
    for m in slice_members:
        yield from _own_entry(m)


def _own_entry(m):
    alone = m.expected() == m.siblings  # nobody on another host has to find it
    name = dns_name(m.pod) or ("localhost" if alone else None)
    if name is None:
        yield f"{m.label} has no hostname and subdomain to be found by"
    elif m.id.isdecimal() and int(m.id) < len(m.hosts()):
        entry = m.hosts()[int(m.id)]
        if entry != name:
            yield f"{m.label} has id {m.id}, whose entry is {entry}; its name is {name}"
        port = m.env.get("TPU_PROCESS_PORT")
        if m.addresses() and m.addresses()[int(m.id)] != f"{entry}:{port}":
            yield f"{m.label} listens on {port}, its entry is {m.addresses()[int(m.id)]}"


def says(slices, name):
    """Whether any member has a value for this variable."""
    return any(m.env.get(name) for part in slices for m in part)


def job_complaints(slices):
    """Over the slices of a job: what its members say of each other across slices."""
    everybody = [m for part in slices for m in part]
    for name in ("MEGASCALE_NUM_SLICES", "MEGASCALE_COORDINATOR_ADDRESS"):
        values = sorted({m.env.get(name, "none") for m in everybody})
        if len(values) > 1:
            yield f"{name} is {' and '.join(values)}"
    numbers = [{m.env.get("MEGASCALE_SLICE_ID", "none") for m in part} for part in slices]
    if says(slices, "MEGASCALE_NUM_SLICES"):
        have = sorted(n for part in numbers for n in part)
        wanted = everybody[0].env.get("MEGASCALE_NUM_SLICES", "none")
        if have != sorted(map(str, range(len(slices)))) or wanted != str(len(slices)):
            yield f"slice ids are {','.join(have)} of {wanted}; there are {len(slices)} slices"
    coordinator = everybody[0].env.get("MEGASCALE_COORDINATOR_ADDRESS")
    zero = slices if len(slices) == 1 else [p for p, n in zip(slices, numbers) if n == {"0"}]
    if coordinator and zero and coordinator.split(":")[0] not in zero[0][0].hosts()[:1]:
        yield f"the coordinator is {coordinator}, worker 0 of slice 0 is {zero[0][0].hosts()[:1]}"


def shared(slices):
    """What belongs to one slice and two of them have."""
    lists = [set(part[0].hosts()) for part in slices]
    for i, names in enumerate(lists):
        for other in lists[:i]:
            if names & other:
                yield f"in the lists of two slices: {', '.join(sorted(names & other))}"
    names = collections.Counter(part[0].env.get("TPU_NAME") for part in slices)
    for name, times in names.items():
        if name and times > 1:
            yield f"TPU_NAME {name} is that of {times} slices"


def report(name, pods):
    """(line, whether all agree) for the Pods of one workload."""
    complaints = [c for pod in pods for c in twice(pod)]
    by_slice = collections.defaultdict(list)
    for pod in pods:
        by_slice[workload(pod)[1]] += members(pod)
    slices = list(by_slice.values())
    many = f"{name}: {_count(len(pods), 'Pod')}"
    if all(m.expected() == m.siblings == 1 for part in slices for m in part) and not complaints:
        return f"{many}, each a slice of its own on one host: nothing to agree on", True

    for part in slices:
        complaints += slice_complaints(part)
    complaints += shared(slices)
    complaints += job_complaints(slices)
    if complaints:
        return f"{many} DO NOT AGREE: {'; '.join(complaints)}", False
    sizes = "+".join(sorted({str(len(part)) for part in slices}))
    line = f"{many}, {_count(len(slices), 'slice')} of {sizes} processes"
    if says(slices, "MEGASCALE_NUM_SLICES"):
        line += f", one job, coordinator {slices[0][0].env.get('MEGASCALE_COORDINATOR_ADDRESS')}"
    elif len(slices) > 1:
        line += f", each a job of its own ({', '.join(sorted(by_slice))})"
    return f"{line}: all members agree", True


def _count(number, word):
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def reports(pods):
    """report() of each workload among the Pods, in the order of its first Pod."""
    workloads = collections.defaultdict(list)
    for pod in pods:
        if tpu_containers(pod):
            workloads[workload(pod)[0]].append(pod)
    return [report(name, members) for name, members in workloads.items()]


def main(path="-"):
    if path in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    try:
        found = reports(read_lines(sys.stdin.read() if path == "-" else open(path).read()))
    except RuntimeError as error:  # a line that is no Pod, such as a denial
        print(error)
        return 1
    if not found:
        print("no Pod that asks for TPUs")
    for line, _ in found:
        print(line)
    return 0 if found and all(agreed for _, agreed in found) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
