"""Runs in JAX's virtual environment: what JAX's own cluster detection makes of each process.

stdin: processes (container_env.Process as JSON); stdout: for each, what JAX derives.
"""

import functools
import inspect
import os
import platform
import sys
import time

from forked import answer, attempt, minimal

# The Ray image's own JAX_PLATFORMS names the TPU; there is none here.
BASE = {**minimal("GCE_METADATA_IP", "TPU_LIBRARY_PATH"), "JAX_PLATFORMS": "cpu"}

import jax  # noqa: E402  (it freezes, on import, whether this is a TPU VM)
import requests  # noqa: E402, F401  (JAX imports it to ask the metadata server)
from jax._src import clusters  # noqa: E402
from jax._src.clusters import cloud_tpu_cluster  # noqa: E402
from jax._src.clusters.cloud_tpu_cluster import GkeTpuCluster  # noqa: E402

_sleep = time.sleep
time.sleep = lambda seconds: _sleep(min(seconds, 0.1))  # as many tries, shorter naps


_READ_BY_COORDINATOR = ("MEGASCALE_COORDINATOR_ADDRESS", "TPU_PROCESS_ADDRESSES_PATH", "TPU_PROCESS_ADDRESSES",
                        "TPU_WORKER_HOSTNAMES")
if "--in-one" in sys.argv:  # what the stand-in of the metadata server answers is asked once
    cloud_tpu_cluster.get_metadata = functools.cache(cloud_tpu_cluster.get_metadata)


@functools.cache
def coordinator_of(*_read):
    return attempt(coordinator)


def chosen_cluster():
    """The class that jax.distributed.initialize would pick: the first that says it is there."""
    for cluster in clusters.ClusterEnv._cluster_types:
        if not cluster.opt_in_only_method and cluster.is_env_present():
            return cluster.__name__
    return None


def coordinator():
    """JAX before 0.8.1 knows no other port than its own."""
    ask = GkeTpuCluster.get_coordinator_address
    known = inspect.signature(ask).parameters
    override = {"override_coordinator_port": None}
    return ask(timeout_secs=0.3, **{k: v for k, v in override.items() if k in known})


def probe(_process):
    return {
        "version": jax.__version__,
        "python": platform.python_version(),
        "chosen": attempt(chosen_cluster),
        "count": attempt(GkeTpuCluster.get_process_count),
        "id": attempt(GkeTpuCluster.get_process_id),
        "slice": attempt(GkeTpuCluster._get_slice_id),
        "list": attempt(GkeTpuCluster._get_worker_list_in_slice),
        "coordinator": coordinator_of(*map(os.environ.get, _READ_BY_COORDINATOR)),
    }


answer(probe, BASE)
