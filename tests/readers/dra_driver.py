"""What the TPU DRA driver tells the scheduler of a node, and gives a container there that has a claim (docs/facts.md#dra).

Its own file, which needs Python 3.9 and nothing else, beside device_plugin.py.
"""

import device_plugin

NAME = "tpu.google.com"
DEVICE_CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": NAME},
                "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{NAME}"'}}]}}
ACCELERATOR, TOPOLOGY = f"{NAME}/accelerator", f"{NAME}/topology"  # labels of a node, its own before GKE's
_GKE = {ACCELERATOR: "cloud.google.com/gke-tpu-accelerator", TOPOLOGY: "cloud.google.com/gke-tpu-topology"}
_OF_ONE_HOST = {1: "1x1", 2: "1x2", 4: "2x2", 8: "2x4"}
_NOT_WRITTEN = ("TPU_RUNTIME_METRICS_PORTS",)
_BOUNDS = ("HOST_BOUNDS", "CHIPS_PER_HOST_BOUNDS", "WRAP", "ALT", "TPU_HOST_BOUNDS", "TPU_CHIPS_PER_HOST_BOUNDS",
           "TPU_TOPOLOGY_WRAP", "TPU_TOPOLOGY_ALT")


def topology(labels, chips):
    """The one that it takes a node's to be: where no label says one, that of a single host."""
    return _label(labels, TOPOLOGY) or _OF_ONE_HOST.get(chips, "")


def envs(labels, chips, address):
    """The variables of its CDI edits, which are the node's: nothing of a claim or a Pod changes them but its log levels."""
    accelerator, shape = _label(labels, ACCELERATOR), topology(labels, chips)
    node = {"metadata": {"labels": {_GKE[ACCELERATOR]: accelerator, _GKE[TOPOLOGY]: shape}},
            "status": {"allocatable": {"google.com/tpu": str(chips)}, "addresses": [{"type": "InternalIP", "address": address}]}}
    left_out = _NOT_WRITTEN if accelerator.endswith("slice") else (*_NOT_WRITTEN, *_BOUNDS)
    gets = {name: value for name, value in device_plugin.device_plugin(node, chips).items() if name not in left_out}
    if chips == _product(shape):  # tpu7x too, unlike the device plugin
        gets.update(TPU_WORKER_ID="0", TPU_WORKER_HOSTNAMES="localhost")
    return gets


def resource_slice(node, labels, chips):
    """What it publishes of a node's chips."""
    common = {"brand": {"string": "Google"}, "accelerator": {"string": _label(labels, ACCELERATOR)}, "chipCount": {"int": chips}}
    if shape := topology(labels, chips):
        common["topology"] = {"string": shape}
    devices = [{"name": str(index), "attributes": {"index": {"int": index}, **common}} for index in range(chips)]
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{node}-tpu"},
            "spec": {"driver": NAME, "nodeName": node, "devices": devices,
                     "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}}


def _label(labels, key):
    return labels.get(key) or labels.get(_GKE[key], "")


def _product(shape):
    total = 1
    for each in device_plugin.dims(shape):
        total *= each
    return total
