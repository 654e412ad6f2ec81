"""One process of a job that really forms, on the CPU; jax_job.py forks into it.

Joins, writes its own name under its process id, and prints what everybody wrote: service, lists
and API objects are compared in one go.
"""

import json
import platform

import jax
import requests  # noqa: F401  (JAX imports it to ask the metadata server)
from jax._src.distributed import global_state

BARRIER_MS = 30_000


def join(own_name, timeout):
    """Prints one line, and returns an exit code."""
    try:
        jax.distributed.initialize(initialization_timeout=timeout)
        client = global_state.client
        client.key_value_set(f"who/{global_state.process_id}", own_name)
        client.wait_at_barrier("everybody has written", BARRIER_MS)
        who = {int(key.rsplit("/", 1)[1]): name for key, name in client.key_value_dir_get("who")}
        said = {"id": global_state.process_id, "count": global_state.num_processes,
                "coordinator": global_state.coordinator_address,
                "names": [who[i] for i in sorted(who)],
                "version": jax.__version__, "python": platform.python_version()}
        jax.distributed.shutdown()
    except Exception as error:  # most failures are no exception: JAX's C++ client aborts
        said = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(said), flush=True)
    return int("error" in said)
