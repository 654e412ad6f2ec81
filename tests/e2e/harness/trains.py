"""What containers of the stories with real nodes run: a training program by JAX alone, without a word about TPUs.

It fits a linear model; each process holds its own rows, and every step sums the gradient over all of them, between hosts
by gloo since there are no chips. Whoever finds the others trains; else JAX's own error is the last line.
"""

import json
import time

import jax
import numpy as np

ROWS, FEATURES, STEPS, RATE = 512, 16, 60, 0.1

began = time.monotonic()
jax.distributed.initialize(initialization_timeout=90)  # ids, count and coordinator: from the environment alone
import jax.numpy as jnp  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

joined = time.monotonic() - began
rows = NamedSharding(Mesh(np.array(jax.devices()), ("host",)), PartitionSpec("host"))
own = np.random.default_rng(jax.process_index())
inputs = own.normal(size=(ROWS, FEATURES)).astype(np.float32)
truth = np.linspace(-1, 1, FEATURES, dtype=np.float32)
x = jax.make_array_from_process_local_data(rows, inputs)
y = jax.make_array_from_process_local_data(rows, inputs @ truth)


@jax.jit
def step(weights, x, y):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((x @ w - y) ** 2))(weights)
    return weights - RATE * gradient, loss


weights = jnp.zeros(FEATURES)
for _ in range(STEPS):
    weights, loss = step(weights, x, y)
told = multihost_utils.process_allgather(np.array([jax.process_index()])).ravel().tolist()
print(json.dumps({
    "process": jax.process_index(), "of": jax.process_count(), "heard": told, "loss": float(loss),
    "seconds": {"joined": round(joined, 1), "all": round(time.monotonic() - began, 1)},
}), flush=True)
