"""The program under test: run to its end, or serving on free ports of the loopback and ended by
its process id."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

import certificates

PROGRAM = None  # path of tpu-webhook; run.py sets it
START_LIMIT = 10.0
END_LIMIT = 40.0
# What the operators' program has; the rest is tpu-webhook's.
TOOLS = ("explain", "review", "slices", "audit", "doctor", "ledger", "catalog", "findings", "policy", "certificate")
FAKE_KUBECTL = pathlib.Path(__file__).resolve().parents[1] / "support" / "fake_kubectl"  # a folder for PATH
ENVIRONMENT = {"PATH": f"{FAKE_KUBECTL}:/usr/bin:/bin", "HOME": "/nonexistent"}


def tools(program=None):
    """kubectl-tpu, which the build puts beside tpu-webhook."""
    return str(pathlib.Path(program or PROGRAM).with_name("kubectl-tpu"))


def is_of_tools(arguments):
    """Whether to ask kubectl-tpu: it alone has most commands, and `config check` of it also reads YAML."""
    words = [str(each) for each in arguments]
    if words[:1] == ["rules"]:
        return "json" not in words or bool({"--diff", "--entries", "--rbac"} & set(words))
    return bool(words) and words[0] in (*TOOLS, "config")


def of(*arguments):
    """The program that has this command."""
    return tools() if is_of_tools(arguments) else PROGRAM


def run(program, *arguments, stdin=None, interrupt_after=None, limit=30):
    """(exit code, standard output, standard error); with SIGINT after so many seconds."""
    process = subprocess.Popen([program, *arguments], env=ENVIRONMENT, text=True,
                               stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        try:
            if interrupt_after:
                time.sleep(interrupt_after)
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(stdin, timeout=limit)
            return process.returncode, out, err
        finally:
            process.kill()  # unless it has ended


def resident_bytes(pid):
    """(now, the kernel's peak); (0, 0) once the process is gone."""
    fields = {}
    with contextlib.suppress(OSError):
        status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in status.splitlines())
    return tuple(int(fields.get(name, "0 kB").split()[0]) << 10 for name in ("VmRSS", "VmHWM"))


class Program:
    """`tpu-webhook serve` with the tests' own certificate, or one that `flags` name; a context manager. `beginning`: a
    command that becomes it. `account`: made_up_api.Account."""

    def __init__(self, *flags, drain_delay="0s", beginning=(), account=None):
        self._folder = tempfile.TemporaryDirectory(prefix="tpu-webhook-test-")
        self.folder = pathlib.Path(self._folder.name)
        self.ca, _ = certificates.own_pair()
        self._log = open(self.folder / "log", "w+b")
        command = [*beginning, PROGRAM, "serve", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0",
                   "--drain-delay", drain_delay]
        if "--tls-cert" not in flags:
            command += certificates.own_flags()
        if account:
            command += ["--service-account", str(account.folder)]
        self.process = subprocess.Popen(command + [str(f) for f in flags], stderr=self._log, stdout=subprocess.DEVNULL,
                                        env={**os.environ, **(account.environment if account else {})})
        try:
            self.port, self.health_port = self._ports()
        except BaseException:
            self.__exit__()
            raise

    def _ports(self):
        until = time.monotonic() + START_LIMIT
        pattern = re.compile(r'address"?[=:]"?127\.0\.0\.1:(\d+).*health"?[=:]"?127\.0\.0\.1:(\d+)')
        while time.monotonic() < until:
            if found := pattern.search(self.log()):
                return int(found[1]), int(found[2])
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"did not start: {self.log()}")

    @property
    def metrics_port(self):
        return int(re.search(r'metrics"?[=:]"?127\.0\.0\.1:(\d+)', self.log())[1])

    def log(self):
        return (self.folder / "log").read_text()

    def log_lines(self, message):
        """The JSON log lines with this message, once they are written."""
        time.sleep(0.2)
        lines = [json.loads(line) for line in self.log().splitlines()]
        return [line for line in lines if line["msg"] == message]

    def wait_for_log(self, text, limit=10.0):
        until = time.monotonic() + limit
        while text not in self.log():
            assert time.monotonic() < until, f"no {text!r} in the log:\n{self.log()}"
            time.sleep(0.02)

    def resident_bytes(self):
        return resident_bytes(self.process.pid)[0]

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self, limit=END_LIMIT):
        """Exit code; fails if it takes longer than `limit` seconds."""
        return self.process.wait(limit)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
        self._log.close()
        self._folder.cleanup()
