"""The rows of the project's catalog: every shape of every machine type of every generation."""

import dataclasses
import json

import paths

_FILE = paths.ROOT / "topology" / "tpu-catalog.json"


@dataclasses.dataclass(frozen=True)
class Row:
    accelerator: str  # value of GKE's accelerator label
    machine: str
    topology: str
    chips: int        # per host
    hosts: int

    def __str__(self):
        return f"{self.machine} {self.topology}"


def rows():
    with open(_FILE) as file:
        catalog = json.load(file)
    return [Row(generation["gke_accelerator_label"], machine["name"], shape["topology"],
                machine["chips_per_vm"], shape["vms"])
            for generation in catalog["generations"]
            for machine in generation["machine_types"]
            for shape in machine["topologies"]]


def row(machine, topology):
    return next(r for r in rows() if (r.machine, r.topology) == (machine, topology))
