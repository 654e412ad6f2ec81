"""Runs inside the namespaces: all processes of a job at once, jax_member.py in each.

jax_job.py PYTHON TIMEOUT PORT; stdin: processes; stdout: for each {label, error or None, seconds,
and what it said}. PORT is this JAX's own for its coordinator. The first failure decides: whoever still waits is stopped.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MEMBER = pathlib.Path(__file__).with_name("jax_member.py")
SLACK_SECONDS = 60  # over JAX's own timeout, which ends 5 s late


def environment(process, port):
    """Process 0 listens on the address of its own name only, as in a Pod: on all addresses a
    wrong coordinator would be answered, since every name is loopback here."""
    base = {k: os.environ[k] for k in ("GCE_METADATA_IP", "TPU_LIBRARY_PATH")}
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": os.environ["HOME"],
        "JAX_COORDINATOR_BIND_ADDRESS": f"{process['address']}:{port}",
        **base,
        **process["env"],
        "JAX_PLATFORMS": "cpu",
        "HARNESS_OWN_NAME": process["name"],
    }


class Member:
    def __init__(self, process, python, timeout, port, folder, number):
        self.label = process["label"]
        self._errors = folder / f"{number}.err"
        self._seconds = None
        with open(self._errors, "w") as errors:
            self._child = subprocess.Popen([python, str(MEMBER), timeout],
                                           env=environment(process, port),
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                           stderr=errors, text=True)

    def wait_for_import(self):
        if self._child.stdout.readline() != "imported\n":
            self._child.wait()

    def go(self):
        try:
            self._child.stdin.write("go\n")
            self._child.stdin.close()
        except BrokenPipeError:
            pass  # it died on import; the outcome says so

    def ended(self, started):
        if self._seconds is None and self._child.poll() is not None:
            self._seconds = round(time.monotonic() - started, 1)
        return self._seconds is not None

    def failed(self):
        return bool(self._child.returncode)

    def stop(self):
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def outcome(self):
        said = [line for line in self._child.stdout.read().splitlines() if line.startswith("{")]
        said = json.loads(said[-1]) if said else {}
        error = said.get("error")
        if error is None and self._seconds is None:
            error = "was still waiting for the others when the harness stopped it"
        elif error is None and self._child.returncode:
            error = self._abort()
        return {**said, "label": self.label, "error": error, "seconds": self._seconds}

    def _abort(self):
        """What JAX's C++ client said before it ended the process."""
        text = self._errors.read_text()
        found = re.findall(r"absl::Status: ([^\n]*)", text)
        return f"ended with {self._child.returncode}: {found[0] if found else text[-300:]}"


def main(python, timeout, port):
    folder = pathlib.Path(tempfile.gettempdir())
    members = [Member(p, python, timeout, port, folder, i)
               for i, p in enumerate(json.load(sys.stdin))]
    for member in members:
        member.wait_for_import()
    started = time.monotonic()
    for member in members:
        member.go()
    limit = started + float(timeout) + SLACK_SECONDS
    while time.monotonic() < limit:
        ended = [m for m in members if m.ended(started)]
        if len(ended) == len(members) or any(m.failed() for m in ended):
            break
        time.sleep(0.05)
    for member in members:
        member.stop()
    json.dump([m.outcome() for m in members], sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
