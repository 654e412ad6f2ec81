"""What GKE's device plugin gives a container (docs/facts.md#platform-environment), from its node and its chips alone.

Its own file, which needs Python 3.9 and nothing else: scripts/try-on-a-real-cluster compares a real plugin with it.
"""

import math
import re

# GKE's accelerator label -> prefix of TPU_ACCELERATOR_TYPE, TensorCores per chip.
_GENERATIONS = {
    "tpu-v3-device": ("v3", 2),
    "tpu-v3-slice": ("v3", 2),
    "tpu-v4-lite-device": ("v4lite", 1),
    "tpu-v4-podslice": ("v4", 2),
    "tpu-v5-lite-device": ("v5lite", 1),
    "tpu-v5-lite-podslice": ("v5litepod", 1),
    "tpu-v5p-slice": ("v5p", 2),
    "tpu-v6e-slice": ("v6e", 1),
    "tpu7": ("tpu7", 2),
    "tpu7x": ("tpu7x", 2),
}
_TWO_DIMENSIONAL = ("v3", "v4lite", "v5lite", "v5litepod", "v6e")

_CHIP_BOUNDS = {1: (1, 1, 1), 2: (1, 2, 1), 4: (2, 2, 1), 8: (2, 4, 1)}
_METRICS_PORT = 8431


def known(accelerator, asked):
    """Whether `device_plugin` is right about a container of such a node that asks for so many chips: where no bounds
    are written (docs/facts.md#who-gets-bounds) it is not."""
    return accelerator in _GENERATIONS and asked in _CHIP_BOUNDS and accelerator.endswith(("slice", "tpu7x"))


def dims(text):
    """A topology or bounds as three numbers: "4x4" and "4,4,1" are the same."""
    numbers = [int(n) for n in re.split("[x,]", text)]
    return tuple(numbers + [1] * (3 - len(numbers)))


def device_plugin(node, asked):
    """What the device plugin gives a container of `node` that asks for `asked` chips."""
    have, on_node = node["metadata"]["labels"], int(node["status"]["allocatable"].get("google.com/tpu", 0))
    prefix, cores = _GENERATIONS[have["cloud.google.com/gke-tpu-accelerator"]]
    topology = have["cloud.google.com/gke-tpu-topology"]
    shape = dims(topology)
    total = math.prod(shape)
    per_host = _CHIP_BOUNDS[asked]
    if prefix in _TWO_DIMENSIONAL:
        wrap = [n == 16 and prefix != "v3" for n in shape]
    else:
        wrap = [min(shape) >= 4] * 3
    env = {
        "TPU_SKIP_MDS_QUERY": "true",
        "TPU_RUNTIME_METRICS_PORTS": _join(range(_METRICS_PORT, _METRICS_PORT + on_node)),
        "TPU_TOPOLOGY": topology,
        "TPU_ACCELERATOR_TYPE": f"{prefix}-{total * cores}",
        "VBAR_CONTROL_SERVICE_URL": f"{host_ip(node)}:8353",
    }
    for name, value in {
        "HOST_BOUNDS": _join(n // b for n, b in zip(shape, per_host)),
        "CHIPS_PER_HOST_BOUNDS": _join(per_host),
        "WRAP": _join(str(w).lower() for w in wrap),
        "ALT": "false",
    }.items():
        env[name] = value
        env[f"TPU_TOPOLOGY_{name}" if name in ("WRAP", "ALT") else f"TPU_{name}"] = value
    if on_node == total and prefix != "tpu7x":
        env.update(TPU_WORKER_ID="0", TPU_WORKER_HOSTNAMES="localhost")
    return env


def host_ip(node):
    return next(a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP")


def _join(values):
    return ",".join(map(str, values))
