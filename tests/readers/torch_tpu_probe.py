"""Runs in TorchTPU's virtual environment: what its launcher makes of each process's environment.

torch_tpu_probe.py; stdin: processes, each with `devices`, those that its container sees, `pci`, what they are, and
`coordinates`, those of its first chip in the slice, or none where no chip answers; stdout: for each, what the launcher
leaves in the environment.

The launcher (torch_tpu/_internal/distributed/distributed.py) is unmodified. In its place stand: the package, which
imports torch; the reader of variables, which is C++ and links to torch; and the chips, whose count and coordinates
the bus and libtpu would say.
"""

import importlib.metadata
import json
import os
import pathlib
import platform
import sys
import types

from forked import answer, attempt, minimal

BASE = minimal()
VERSION = importlib.metadata.version("torch_tpu")
PACKAGE = pathlib.Path(importlib.metadata.distribution("torch_tpu").locate_file("torch_tpu"))
LEFT = ("TORCH_TPU_TOPOLOGY", "TORCH_TPU_SLICEBUILDER_ADDRESSES", "NNODES", "NODE_RANK", "MASTER_ADDR")


def package(name):
    """A package of the wheel whose own first lines are not run."""
    module = types.ModuleType(name)
    module.__path__ = [str(PACKAGE.joinpath(*name.split(".")[1:]))]
    sys.modules[name] = module
    return module


def stand_in(name, **members):
    parent, _, last = name.rpartition(".")
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    setattr(sys.modules[parent], last, module)


def integer(name, default_value=None):
    return int(os.environ[name]) if name in os.environ else default_value


for folder in ("", "._internal", "._internal.distributed", "._internal.utils"):
    package("torch_tpu" + folder)
stand_in("torch_tpu._internal.env", get_int_env_once=integer,
         get_str_env_once=lambda name, default_value=None: os.environ.get(name, default_value))
stand_in("torch_tpu._internal.utils.annotations", experimental=lambda reason: lambda function: function)
sys.argv = sys.argv[:1]  # absl reads them

from torch_tpu._internal.distributed import distributed  # noqa: E402


def launched(process):
    devices, coordinates = process["devices"], process["coordinates"]
    distributed.hardware.get_tpu_device_count = lambda: devices
    of_host = distributed.hardware._TOPOLOGY_BY_TPU_PCI_DEVICE_ID[process["pci"]][devices]
    distributed.hardware.get_tpu_topology = lambda world_size=None: of_host
    distributed._query_local_device_coords = lambda: coordinates
    distributed.set_tpu_launch_env(nproc_per_node=devices)
    left = {name: os.environ.get(name) for name in LEFT}
    return {**left, "hosts": len(distributed._get_slice_host_coordinates(left["TORCH_TPU_TOPOLOGY"]))}


def probe(process):
    return {"version": VERSION, "python": platform.python_version(), "launched": attempt(lambda: launched(process))}


answer(probe, BASE)
