"""Runs in each host's container: JAX finds the others by the environment alone, and they add up over all chips."""

import json
import time

began = time.monotonic()
import jax  # noqa: E402
import numpy as np  # noqa: E402

imported = time.monotonic()
jax.distributed.initialize(initialization_timeout=120)
joined = time.monotonic()

import jax.numpy as jnp  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

# Each host's chips side by side, so that its rows are one piece of the array.
devices = sorted(jax.devices(), key=lambda device: (device.process_index, device.id))
rows = NamedSharding(Mesh(np.array(devices), ("chip",)), PartitionSpec("chip"))
own = np.full(jax.local_device_count(), jax.process_index() + 1, dtype=np.float32)
values = jax.make_array_from_process_local_data(rows, own)
total = float(jax.jit(jnp.sum)(values))
print(
    "tpu-webhook-try "
    + json.dumps(
        {
            "process": jax.process_index(),
            "processes": jax.process_count(),
            "local": jax.local_device_count(),
            "devices": jax.device_count(),
            "platform": devices[0].platform,
            "kind": devices[0].device_kind,
            "jax": jax.__version__,
            "sum": total,
            "expected": float(sum(device.process_index + 1 for device in devices)),
            "seconds": {
                "import": round(imported - began, 1),
                "join": round(joined - imported, 1),
                "sum": round(time.monotonic() - joined, 1),
            },
        }
    ),
    flush=True,
)
