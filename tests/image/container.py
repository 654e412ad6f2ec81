#!/usr/bin/env python3
"""The image, run by podman as the chart says: tests/image/container.py IMAGE.tar [PART…].

    container.py IMAGE.tar --program FILE   write a program to FILE that runs the image's with the
                                            chart's limits, for tests/e2e/run --program FILE

IMAGE.tar is an OCI archive with an image called tpu-webhook:VERSION (scripts/image). The chart is
rendered by the real helm, and its Deployment played as a Pod (pod.py): read-only root, no capabilities,
seccomp, uid, memory limit; what is changed for that is printed. As root, with the Python of the e2e suite.
"""

import os
import pathlib
import subprocess
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(CHECKOUT / "tests" / "server"), str(CHECKOUT / "tests" / "e2e")]

import pod as chart  # noqa: E402
from checks import check, run  # noqa: E402
from pod import Pod  # noqa: E402
from program import resident_bytes  # noqa: E402
from wire import ask  # noqa: E402


@check
def the_charts_pod_runs_and_answers():
    with Pod() as pod:
        for change in pod.changes:
            print(f"       changed for podman: {change}", flush=True)
        status = pod.status()
        assert set(status["Uid"]) == set(status["Gid"]) == {"65532"}, status
        assert {status[name][0] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}, status
        assert status["NoNewPrivs"] == ["1"] and status["Seccomp"] == ["2"], status
        assert pod.inspected("{{.HostConfig.ReadonlyRootfs}} {{.HostConfig.Memory}}") == f"true {512 << 20}"
        with pod.connect() as connection:
            ask(connection)
        size, peak = resident_bytes(pod.pid)
        print(f"       resident {size / 2**20:.1f} MiB, peak {peak / 2**20:.1f} MiB; {pod.started_ms():.0f} ms from its "
              f"start until it listens", flush=True)


@check
def nothing_can_be_written_or_started_in_it():
    with Pod() as pod:
        root = f"/proc/{pod.pid}/root"
        assert not [name for name in ("bin/sh", "usr/bin/sh", "usr/bin/env") if os.path.exists(f"{root}/{name}")]
        mounts = pathlib.Path(f"/proc/{pod.pid}/mounts").read_text(encoding="utf-8").splitlines()
        options = next(line.split()[3] for line in mounts if line.split()[1] == "/")
        assert "ro" in options.split(","), options


@check
def sigterm_ends_it_in_order():
    """The chart's drain: readiness goes first, and the last connection is answered."""
    with Pod({"drain": {"delay": "1s", "timeout": "5s"}}) as pod:
        with pod.connect() as connection:
            ask(connection)
            os.kill(pod.pid, 15)
            time.sleep(0.3)
            ask(connection)
        # podman starts it again at once, as a kubelet would.
        pod.wait_for('"msg":"stopped"')


def write_program(target):
    """A program that is the image's, in a container of its own with what the chart asks for: read-only root, no
    capabilities, no new privileges, seccomp, uid, memory limit. The host's network, and its files below the folder that
    the configuration file is in, since the control plane's mounts are folders there."""
    store = pathlib.Path(f"{target}.podman")
    store.mkdir(parents=True, exist_ok=True)
    (store / "containers.conf").write_text("[containers]\ndefault_ulimits = []\n", encoding="utf-8")
    podman = (f"env HOME=/root CONTAINERS_CONF={store}/containers.conf podman --storage-driver vfs --root {store}/root "
              f"--runroot {store}/run --runtime runc --cgroup-manager cgroupfs")
    loaded = subprocess.run([*podman.split(), "load", "--quiet", "--input", chart.ARCHIVE], check=True, capture_output=True, text=True)
    image = loaded.stdout.strip().split(": ", 1)[1]
    text = f"""#!/bin/bash
# Made by tests/image/container.py: the program of {image} in a container.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
folder=/tmp
for word; do case $word in --config=*) folder=${{word#--config=}} folder=${{folder%/release/*}} ;; esac; done
mapfile -t passed < <(env | sed -n 's/^\\(KUBERNETES_[A-Z_]*=.*\\)/--env=\\1/p')
exec {podman} run --rm --network host --read-only --cap-drop all --security-opt no-new-privileges \\
  --memory 512m --user 65532:65532 --log-driver none --volume "$folder:$folder:ro" "${{passed[@]}}" {image} "$@"
"""
    target.write_text(text, encoding="utf-8")
    target.chmod(0o755)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    chart.ARCHIVE = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2:3] == ["--program"]:
        write_program(pathlib.Path(sys.argv[3]).resolve())
        return
    chart.alone()
    sys.exit(1 if run(*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()
