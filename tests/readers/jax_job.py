"""Runs in JAX's virtual environment, inside the namespaces: all processes of a job at once.

jax_job.py TIMEOUT PORT; stdin: processes; stdout: for each {label, error or None, seconds, and what
it said}. PORT is this JAX's own for its coordinator. JAX is imported once, which is what takes the
time; each process is a fork with its own environment (forked.py). The first failure decides:
whoever still waits is stopped.
"""

import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import time

from forked import minimal

FOLDER = pathlib.Path(tempfile.gettempdir())
HOME = os.environ["HOME"]
# The Ray image's own JAX_PLATFORMS names the TPU; there is none here.
BASE = {**minimal("GCE_METADATA_IP", "TPU_LIBRARY_PATH"), "JAX_PLATFORMS": "cpu", "HOME": HOME}

import jax_member  # noqa: E402

SLACK_SECONDS = 60  # over JAX's own timeout, which ends 5 s late


def environment(process, port):
    """Process 0 listens on the address of its own name only, as in a Pod: on all addresses a
    wrong coordinator would be answered, since every name is loopback here."""
    own_address = f"{process['address']}:{port}"
    return {"JAX_COORDINATOR_BIND_ADDRESS": own_address, **process["env"], **BASE}


class Member:
    def __init__(self, process, timeout, port, number):
        self.label = process["label"]
        self._said, self._errors = FOLDER / f"{number}.out", FOLDER / f"{number}.err"
        self._code = self._seconds = None
        self._child = os.fork()
        if self._child == 0:
            os.environ.clear()
            os.environ.update(environment(process, port))
            for path, stream in ((self._said, sys.stdout), (self._errors, sys.stderr)):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), stream.fileno())
            os._exit(jax_member.join(process["name"], timeout))

    def ended(self, started):
        if self._code is None:
            child, status = os.waitpid(self._child, os.WNOHANG)
            if child:
                self._code = os.waitstatus_to_exitcode(status)
                self._seconds = round(time.monotonic() - started, 1)
        return self._code is not None

    def failed(self):
        return bool(self._code)

    def stop(self):
        if self._code is None:
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)

    def outcome(self):
        lines = [line for line in self._said.read_text().splitlines() if line.startswith("{")]
        said = json.loads(lines[-1]) if lines else {}
        error = said.get("error")
        if error is None and self._code is None:
            error = "was still waiting for the others when the harness stopped it"
        elif error is None and self._code:
            error = self._abort()
        return {**said, "label": self.label, "error": error, "seconds": self._seconds}

    def _abort(self):
        """What JAX's C++ client said before it ended the process."""
        text = self._errors.read_text()
        found = re.findall(r"absl::Status: ([^\n]*)", text)
        return f"ended with {self._code}: {found[0] if found else text[-300:]}"


def main(timeout, port):
    started = time.monotonic()
    members = [Member(p, int(timeout), port, i) for i, p in enumerate(json.load(sys.stdin))]
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
