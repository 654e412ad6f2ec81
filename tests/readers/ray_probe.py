"""Runs in Ray's virtual environment: what Ray's TPU manager makes of each process.

stdin: processes (container_env.Process as JSON); stdout: for each, what a raylet would register.
The chip count is the one thing given, from what the container asks for: there is no /dev here.
"""

from forked import answer, attempt, minimal

BASE = minimal()

from ray._private.accelerators.tpu import TPUAcceleratorManager as Manager  # noqa: E402

_READ = ("tpu_name", "tpu_worker_id", "tpu_topology", "tpu_pod_type", "accelerator_type",
         "additional_resources", "accelerator_labels")


def probe(process):
    Manager.get_current_node_num_accelerators = staticmethod(lambda: process["chips"])
    out = {what: attempt(getattr(Manager, f"get_current_node_{what}")) for what in _READ}
    out["workers"] = attempt(Manager.get_num_workers_in_current_tpu_pod)
    return out


answer(probe, BASE)
