"""Runs the real readers over composed processes, each in its virtual environment and in
namespaces where only the zone's names resolve."""

import json
import os
import pathlib
import subprocess
import sys

import netns

HERE = pathlib.Path(__file__).resolve().parent

SKIP = 77  # ctest's SKIP_RETURN_CODE, and install's exit code without a registry

PORTS = {"jax": 8482, "jax-0.6": 8476}  # where the coordinator listens; another since 0.8.1

PROBE_SECONDS = 90
FORM_SECONDS = 180
RAY_CLUSTER_SECONDS = 180
INSTALL_SECONDS = 600


def venv(name):
    """The folder of a virtual environment; ends the story as skipped if it cannot be had."""
    result = subprocess.run([HERE / "install", name], stdout=subprocess.PIPE, text=True,
                            timeout=INSTALL_SECONDS)
    if result.returncode != 0:
        may_skip = not os.environ.get("TPUWH_READERS_REQUIRED")  # .ci/run sets it
        sys.exit(SKIP if result.returncode == SKIP and may_skip else 1)
    return pathlib.Path(result.stdout.strip())


def jax_derives(processes, hosts, version="jax", in_one=False):
    """What JAX's cluster detection makes of each process. `version`: which of requirements/; `in_one`: without a fork
    for each."""
    return _answer([_python(version), HERE / "jax_probe.py", *["--in-one"] * in_one], processes, hosts,
                   PROBE_SECONDS, chips=processes[0].chips)


def jax_forms(processes, hosts, timeout, version="jax"):
    """What becomes of each process when all join one job. `timeout` is JAX's, in seconds."""
    return _answer([_python(version), HERE / "jax_job.py", timeout, PORTS[version]], processes,
                   hosts, FORM_SECONDS, chips=processes[0].chips)


def torch_tpu_launches(processes, hosts):
    """What TorchTPU's launcher makes of each process (torch_tpu_story.placed)."""
    return _answer([_python("torch-tpu"), HERE / "torch_tpu_probe.py"], processes, hosts, PROBE_SECONDS)


def ray_derives(processes, hosts, in_one=False):
    """What Ray's TPU manager makes of each process."""
    return _answer([_python("ray"), HERE / "ray_probe.py", *["--in-one"] * in_one], processes, hosts,
                   PROBE_SECONDS)


def ray_forms(processes, hosts, slices):
    """What the driver says of a cluster of one raylet per process; an error if it is not whole."""
    return _answer([sys.executable, HERE / "ray_cluster.py", venv("ray"), slices], processes,
                   hosts, RAY_CLUSTER_SECONDS)


def _python(name):
    return venv(name) / "bin" / "python"


def _answer(command, processes, hosts, timeout, chips=0):
    result = netns.run([str(word) for word in command], hosts=hosts, chips=chips, timeout=timeout,
                       stdin=json.dumps([p if isinstance(p, dict) else p.as_dict() for p in processes]))
    if result.returncode != 0:
        raise RuntimeError(f"{pathlib.Path(command[1]).name} ended with {result.returncode}:\n"
                           f"{result.stdout[-1500:]}{result.stderr[-3000:]}")
    return json.loads(result.stdout)
