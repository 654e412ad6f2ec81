"""Runs inside the namespaces: a Ray head, one raylet per process, and the driver.

ray_cluster.py VENV SLICES; stdin: processes; stdout: the driver's answer. The exit code is
the driver's, or 1 if a node did not start.
"""

import json
import os
import pathlib
import subprocess
import sys

DRIVER = pathlib.Path(__file__).with_name("ray_driver.py")
HEAD = "127.0.0.1:6399"

# A head that stays silent, and nodes that are as small as they get. The address is given
# because Ray would look for its own by asking the network.
START = ["--node-ip-address=127.0.0.1", "--num-cpus=1", "--num-gpus=0",
         "--object-store-memory=80000000", "--disable-usage-stats",
         "--include-log-monitor=false"]
AT_A_TIME = 2


def start(venv, name, env, *args):
    """`ray start` with a folder of its own: in one folder parallel starts race for sockets."""
    command = [f"{venv}/bin/ray", "start", *args, *START, f"--temp-dir={os.environ['HOME']}/{name}"]
    return name, subprocess.Popen(command, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)


def wait(started):
    name, child = started
    text = child.communicate()[0]
    if child.returncode:
        sys.exit(f"{name}: ray start ended with {child.returncode}\n{text[-1500:]}")


def main(venv, slices):
    processes = json.load(sys.stdin)
    base = {"PATH": f"{venv}/bin:/usr/bin:/bin", "HOME": os.environ["HOME"],
            "RAY_enable_metrics_collection": "0"}
    wait(start(venv, "h", base, "--head", f"--port={HEAD.split(':')[1]}",
               "--include-dashboard=false"))
    running = []
    for i, p in enumerate(processes):
        # What the Pod says of its own Ray cluster must not reach this one.
        env = {k: v for k, v in p["env"].items() if not k.startswith("RAY_")}
        running.append(start(venv, f"n{i}", {**env, **base}, f"--address={HEAD}",
                             "--resources=" + json.dumps({"TPU": p["chips"]})))
        if len(running) == AT_A_TIME:
            wait(running.pop(0))
    for started in running:
        wait(started)
    return subprocess.run([f"{venv}/bin/python", str(DRIVER), HEAD, str(len(processes)), slices],
                          env=base).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
