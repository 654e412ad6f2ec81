"""Runs in a container: prints the variables that are of TPUs, and how many others there are. No TPU library is loaded,
so no chip is used; of a variable that is somebody's own neither name nor value leaves the container."""

import json
import os

PREFIXES = ("TPU_", "MEGASCALE_", "VBAR_", "CLOUD_TPU_", "TORCH_TPU_", "LIBTPU_", "TRY_")
NAMES = ("HOST_BOUNDS", "CHIPS_PER_HOST_BOUNDS", "WRAP", "ALT")

named = {name: value for name, value in os.environ.items() if name.startswith(PREFIXES) or name in NAMES}
print("tpu-webhook-try " + json.dumps({"named": named, "others": len(os.environ) - len(named)}), flush=True)
