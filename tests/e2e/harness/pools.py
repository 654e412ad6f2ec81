"""Which node pools there are. All nodes exist from the start; a story cordons what it does without."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

from controlplane.nodes import Pool

from .api import Api

POOL = "cloud.google.com/gke-nodepool"
SLICES = tuple(f"tpu-slice-{letter}" for letter in "abcdefghijklmnop")  # sixteen, as the README's picture

ALL = (
    Pool("default-pool", "e2-standard-16", nodes=6),
    Pool("nodepool", "ct6e-standard-4t", "2x4"),  # "First Training Job With JAX on TPUs"
    Pool("tpu-pool", "ct6e-standard-8t", "2x4"),  # its bonus, one VM
    Pool("v6e-2x2", "ct6e-standard-4t", "2x2", nodes=2),
    Pool("tpu7x-2x2x2", "tpu7x-standard-4t", "2x2x2"),
    *(Pool(name, "ct6e-standard-4t", "4x4") for name in SLICES),
)


@contextlib.contextmanager
def only(api: Api, *names: str):
    """While this holds, of the 4x4 pools only these take Pods."""
    unwanted = [node["metadata"]["name"] for node in api.nodes()
                if node["metadata"]["labels"][POOL] in set(SLICES) - set(names)]
    cordon(api, unwanted)
    try:
        yield
    finally:
        cordon(api, unwanted, None)


def by_node(api: Api) -> dict:
    """Node name -> pool name."""
    return {node["metadata"]["name"]: node["metadata"]["labels"].get(POOL, "") for node in api.nodes()}


def cordon(api: Api, nodes: list, value=True) -> None:
    """None for `value` lets them take Pods again."""
    def one(name: str) -> None:
        api.patch("v1", "Node", name, {"spec": {"unschedulable": value}})

    with ThreadPoolExecutor(max_workers=8) as threads:
        list(threads.map(one, nodes))
