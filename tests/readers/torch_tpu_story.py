"""What TorchTPU's launcher makes of the environments, with the two variables of --torch-tpu and without
(docs/decisions/0037)."""

import math

from container_env import dims

GENERATIONS = {"v6e": ("0x006f", 1), "tpu7x": ("0x0076", 2)}  # device id on the bus, devices of a chip
CHIPS_OF_A_HOST = (2, 2, 1)  # of every host of several


def placed(processes, order):
    """Each process as the probe wants it. `order`: on which machine of the grid each host id is, or None where no
    chip answers."""
    out = []
    for p in processes:
        pci, devices = GENERATIONS[p.env["TPU_ACCELERATOR_TYPE"].split("-")[0]]
        host = int(p.env["TPU_WORKER_ID"]) // containers(p)
        out.append({**p.as_dict(), "pci": pci, "devices": p.chips * devices,
                    "coordinates": order and machine(p, order(host, hosts(p)))})
    return out


def hosts(process):
    return math.prod(dims(process.env["TPU_TOPOLOGY"])) // math.prod(CHIPS_OF_A_HOST)


def containers(process):
    return math.prod(CHIPS_OF_A_HOST) // process.chips


def machine(process, number):
    """The first chip of a machine, numbered as worker ids are: x first (docs/facts.md#worker-order)."""
    x, y, _ = (n // c for n, c in zip(dims(process.env["TPU_TOPOLOGY"]), CHIPS_OF_A_HOST))
    at = (number % x, number // x % y, number // (x * y))
    return [a * c for a, c in zip(at, CHIPS_OF_A_HOST)]


def in_order(host, _):
    return host


def reversed_order(host, count):
    return count - 1 - host


def complaints(asked, probes):
    """Over the probes of one slice: what keeps torch_tpu's ranks from forming it."""
    failed = [f"{p['label']}: {p['launched']}" for p in probes if isinstance(p["launched"], str)]
    if failed:
        return failed
    ranks = [int(p["launched"]["NODE_RANK"]) for p in probes]
    out = [] if sorted(ranks) == list(range(len(probes))) else [f"node ranks are {ranks}"]
    for process, p, rank in zip(asked, probes, ranks):
        said, devices = p["launched"], process["devices"]
        if int(said["NNODES"]) != len(probes):
            out.append(f"{p['label']} counts {said['NNODES']} nodes of {len(probes)}")
        entries = said["TORCH_TPU_SLICEBUILDER_ADDRESSES"].split(",")
        if len(entries) != devices * len(probes):
            out.append(f"{p['label']} has {len(entries)} addresses for {len(probes)} x {devices} devices")
        own = {entry.split(":")[0] for entry in entries[rank * devices:(rank + 1) * devices]}
        if own != {p["name"]}:
            out.append(f"{p['label']} has node rank {rank}, whose entries are {sorted(own)}")
        if said["hosts"] != len(probes):
            out.append(f"{p['label']} takes {said['TORCH_TPU_TOPOLOGY']} for nodes: {said['hosts']} of {len(probes)}")
    return out


# Workload, --torch-tpu, where the hosts are, and the only complaint; none is a slice that forms.
CASES = [
    ("ray-2x4x4", True, in_order, None),
    ("ray-2x4x4", False, in_order, "got neither"),
    ("ray-2x4x4", True, None, "got neither"),
    ("jobset-2x4x4", True, in_order, None),
    ("jobset-2x4x4", True, None, None),
    ("jobset-2x4x4", True, reversed_order, "whose entries are"),
    ("jobset-2x4x4", False, reversed_order, "takes 2,2,1 for nodes: 1 of 4"),
    ("jobset-tpu7x-2x2x2x2", True, in_order, "node ranks are [0, 0, 1, 1]"),
]
