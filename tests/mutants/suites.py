"""The tests that judge a mutant, in suites: one of GoogleTest, or a file of tests/server."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_THE_CORE = ("unit/topology_test", "unit/webhook_test", "unit/ledger_test", "unit/growth_test", "golden/golden_test")
OF_THE_SERVER = ("unit/kube_test", "unit/server_test", "golden/hostile_test", "golden/expand_test", "fuzz/corpus_test")
# Of tests/server, with the real program; they wait for the limits of connections.
SERVER = ("framing", "limits", "operations", "client_certificates")
# Fewer interleavings and texts: what is caught is caught by the first of them.
QUICK = {"TPUWH_HOSTILE_SHARE": "200", "TPUWH_WORLDS": "2000"}
MEMORY = 8 << 30  # bytes of address space


class Suites:
    """Of a build. `reached` and `seconds` of each are kept beside it for as long as `digest` is the same.

    core: the decision's own alone, for changes of it."""

    def __init__(self, build, core):
        self._build = build
        self._programs = OF_THE_CORE if core else OF_THE_CORE + OF_THE_SERVER
        self._modules = () if core else SERVER
        self.seconds, self._of_number = {}, {}

    def targets(self):
        return [f"tests/{program}" for program in self._programs] + (["server/tpu-webhook"] if self._modules else [])

    def find_reach(self, kept, digest):
        if kept.exists() and (known := json.loads(kept.read_text()))["digest"] == digest:
            self.seconds, self._of_number = known["seconds"], {int(n): s for n, s in known["reached"].items()}
            return
        names = self._names()
        for number, name in enumerate(names, 1):
            self._find_reach_of(name)
            print(f"reach: {number} of {len(names)}, {name} {self.seconds[name]:.1f} s", flush=True)
        kept.write_text(json.dumps({"digest": digest, "seconds": self.seconds, "reached": self._of_number}))

    def _find_reach_of(self, name):
        with tempfile.TemporaryDirectory() as folder:
            file, start = pathlib.Path(folder) / "reached", time.monotonic()
            if (code := self.run(name, {"TPUWH_MUTANTS_REACHED": str(file)}, 900)) != 0:
                sys.exit(f"mutants: {name} fails as it is: {code}")
            self.seconds[name] = time.monotonic() - start
            for line in set(file.read_text().split()) if file.exists() else ():
                self._of_number.setdefault(int(line), []).append(name)

    def reaching(self, number):
        """The quickest first."""
        return sorted(self._of_number.get(number, []), key=self.seconds.get)

    def all(self):
        return sorted((name for name in self.seconds if not name.startswith("server:")), key=self.seconds.get)

    def _names(self):
        return [f"{program}:{suite}" for program in self._programs for suite in self._suites_of(program)] + [
            f"server:{module}" for module in self._modules]

    def _suites_of(self, program):
        listed = subprocess.run([self._build / "tests" / program, "--gtest_list_tests"], check=True, capture_output=True,
                                text=True).stdout
        names = [line.split("#")[0].strip() for line in listed.splitlines() if not line.startswith(" ")]
        return [name.rstrip(".") for name in names if name.endswith(".")]

    def first_failure(self, names, environment):
        """Of these suites in turn: its name, with "(time)" where it did not end; "" where none fails."""
        for name in names:
            if (code := self.run(name, environment, 10 + 5 * self.seconds[name])) != 0:
                return f"{name} (time)" if code == "time" else name
        return ""

    def run(self, name, environment, limit):
        """Its exit code, or "time"."""
        program, suite = name.split(":", 1)
        with tempfile.TemporaryDirectory() as folder:
            if program == "server":
                command = [sys.executable, "-B", ROOT / "tests" / "server" / "run.py",
                           _wrapped(folder, self._build / "server" / "tpu-webhook", environment), f"{suite}."]
            else:
                command = [self._build / "tests" / program, f"--gtest_filter={suite}.*", "--gtest_fail_fast", "--gtest_brief=1"]
            return _run(command, {**os.environ, **QUICK, **environment}, limit, self._build.parent / "tree")


def _wrapped(folder, program, environment):
    """tests/server gives the program an environment of its own."""
    script = pathlib.Path(folder) / "tpu-webhook"
    words = " ".join(f"{key}='{value}'" for key, value in environment.items())
    script.write_text(f'#!/bin/sh\nexec env {words} "{program}" "$@"\n')
    script.chmod(0o700)
    return script


def _run(command, environment, limit, folder):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               cwd=folder, env=environment, start_new_session=True,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        _end(process)


def _end(process):
    """And whatever it began."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()
