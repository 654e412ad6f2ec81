#!/usr/bin/env python3
"""The attacks of tests/security on the program in its container: tests/image/attacks.py IMAGE.tar ATTACKER [PART…].

A Pod of the chart is attacked as tests/security/run.py attacks the bare program (pod.py: read-only root,
no capabilities, seccomp, uid), within the memory limit that the chart gives it. PART as there; without
one, those of `CHOSEN`. "" stands for all: a quarter of an hour.
"""

import os
import pathlib
import select
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("security", "server", "support", "support/workloads", "e2e")]

import attack  # noqa: E402
import certificates  # noqa: E402
import cgroup  # noqa: E402
import pod  # noqa: E402
from checks import check, run  # noqa: E402

LIMIT = 512 << 20  # the chart's memory limit
# What it can be made to hold, and all attacks at once; without a container tests/security has every one.
CHOSEN = ("a_container_that", "memory.", "slots.bodies_that_never_come_again_and_again", "together.")


class Process:
    """A process that somebody else started, as far as subprocess.Popen would show it."""

    def __init__(self, container):
        self._container, self.pid = container, container.pid
        self._end = os.pidfd_open(self.pid)

    def poll(self):
        """None while it runs, else what podman says of its end."""
        if not select.select([self._end], [], [], 0)[0]:
            return None
        return f"exit code {self._container.inspected('{{.State.ExitCode}}')}"

    def close(self):
        os.close(self._end)


class Contained:
    """A server as attacks know it (tests/server/program.py), in a Pod of the chart; a context manager. At
    its end the kernel must have refused it no memory."""

    port, health_port = pod.PORT, pod.HEALTH

    def __init__(self, *flags, limit=LIMIT, beginning=(), account=None):
        assert not beginning, "nothing stands before what the chart says"
        self._limit = limit
        if account:
            flags += ("--service-account", str(account.folder))
        self._pod = pod.Pod(restart="Never", extraArgs=joined(flags), extraEnv=variables(account), **mounted(flags), **({} if limit == LIMIT else resources(limit)))
        try:
            self.process = Process(self._pod)
            self._cgroup = cgroup.of_process(self.process.pid)
            assert self._cgroup.limit() == limit, f"{self._cgroup.folder}: {self._cgroup.limit()}"
        except BaseException:
            self._pod.__exit__()
            raise
        self.ca, self.folder, self.log = self._pod.ca, self._pod.folder, self._pod.log

    def __enter__(self):
        return self

    def __exit__(self, kind=None, *_):
        try:
            ended = self.process.poll()
            if kind is None:
                assert ended is None, f"the server ended: {ended}"
                self._judge()
        finally:
            self.process.close()
            self._pod.__exit__()

    def _judge(self):
        killed, met = self._cgroup.refused()
        said = (f"cgroup of the container: peak {self._cgroup.peak() >> 20} MiB of {self._limit >> 20}, "
                f"limit met {met} times, {killed} killed")
        print(f"       {said}", flush=True)
        assert killed == met == 0, said


def joined(flags):
    """As the chart wants them: ["--flag=value"]."""
    found = []
    for flag in flags:
        if flag.startswith("--"):
            found.append(flag)
        else:
            found[-1] += f"={flag}"
    return found


def variables(account):
    return [{"name": name, "value": value} for name, value in account.environment.items()] if account else []


def mounted(flags):
    """The chart's values by which files that flags name are in the container, too."""
    folders = sorted({os.path.dirname(flag) for flag in flags if flag.startswith("/")})
    for folder in folders:
        os.chmod(folder, 0o755)  # the program is no root there
    names = {folder: f"flags-{number}" for number, folder in enumerate(folders)}
    return {"extraVolumes": [{"name": name, "hostPath": {"path": folder}} for folder, name in names.items()],
            "extraVolumeMounts": [{"name": name, "mountPath": folder, "readOnly": True} for folder, name in names.items()]}


def resources(limit):
    return {"resources": {"requests": {"memory": str(limit)}, "limits": {"memory": str(limit)}}}


attack.SERVER = Contained
import ledger  # noqa: E402,F401  (their checks register themselves, as those of a contained server)
import loops  # noqa: E402,F401
import memory  # noqa: E402
import slots  # noqa: E402,F401
import together  # noqa: E402,F401


@check
def a_container_that_has_too_little_memory_is_noticed():
    """At an eighth of the chart's limit the kernel ends it under the largest attack, and that is seen: so the others can fail."""
    attack.SERVER = lambda **_: Contained(limit=LIMIT // 8)
    before = killed_by_kernel()
    try:
        memory.judge(memory.all_of_it_at_once)
    except AssertionError as error:
        assert "exit code 137" in str(error) and killed_by_kernel() > before, error
        print(f"       as it shall be: {error}", flush=True)
    else:
        raise AssertionError("nobody noticed")
    finally:
        attack.SERVER = Contained


def killed_by_kernel():
    """Processes that it ended for want of memory. The container's own count goes with its cgroup; podman 4.3 says never."""
    lines = pathlib.Path("/proc/vmstat").read_text(encoding="utf-8").splitlines()
    return int(dict(line.split() for line in lines)["oom_kill"])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pod.ARCHIVE, attack.ATTACKER = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    pod.alone()
    with certificates.made():
        sys.exit(1 if run(*(sys.argv[3:] or CHOSEN), beside=False) else 0)  # the chart's ports: one Pod at a time


if __name__ == "__main__":
    main()
