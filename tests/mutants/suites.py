"""The tests that judge a mutant, in suites: one of GoogleTest, or a file of tests/server."""

import functools
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# growth_test measures, which a busy machine spoils.
OF_THE_CORE = ("unit/topology_test", "unit/webhook_test", "unit/ledger_test", "golden/golden_test")
OF_THE_SERVER = ("unit/kube_test", "unit/server_test", "unit/tools_test", "golden/hostile_test", "golden/expand_test", "fuzz/corpus_test",
                 "fuzz/corpus_test_of_tools")
# Of tests/server, with the real program; they wait for the limits of connections.
SERVER = ("framing", "limits", "operations", "client_certificates")
# Fewer interleavings and texts: what is caught is caught by the first of them.
QUICK = {"TPUWH_HOSTILE_SHARE": "200", "TPUWH_WORLDS": "2000", "TPUWH_ROUNDS": "300"}
MEMORY = 8 << 30  # bytes of address space
SLOW = 0.3  # seconds of a suite that runs by itself


class Suites:
    """Of a build. What each reaches and its seconds of the processor are kept for as long as its program is the same.

    core: the decision's own alone, for changes of it. longest: seconds; what takes longer judges nothing."""

    def __init__(self, build, core, longest=math.inf):
        self._build, self._longest = build, longest
        self._programs = OF_THE_CORE if core else OF_THE_CORE + OF_THE_SERVER
        self._modules = () if core else SERVER
        self.seconds, self._of_number = {}, {}

    def targets(self):
        return [f"tests/{program}" for program in self._programs] + (["server/tpu-webhook"] if self._modules else [])

    def find_reach(self, kept):
        known = json.loads(kept.read_text()) if kept.exists() else {}
        names = self._names()
        for number, name in enumerate(names, 1):
            digest = self._digest(name.split(":")[0])
            if known.get(name, {}).get("digest") != digest:
                known[name] = {"digest": digest, **self._reach_of(name)}
                print(f"reach: {number} of {len(names)}, {name} {known[name]['seconds']:.1f} s", flush=True)
                kept.write_text(json.dumps(known))
            self.seconds[name] = known[name]["seconds"]
            for mutant in known[name]["reached"]:
                self._of_number.setdefault(mutant, []).append(name)

    @functools.cache
    def _digest(self, program):
        files = [self._build / "server" / "tpu-webhook", *sorted((ROOT / "tests" / "server").glob("*.py"))] \
            if program == "server" else [self._build / "tests" / program]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()

    def _reach_of(self, name):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "reached"
            code, seconds = self.run(name, {"TPUWH_MUTANTS_REACHED": str(file)}, 900)
            if code != 0:
                sys.exit(f"mutants: {name} fails as it is: {code}")
            lines = set(file.read_text().split()) if file.exists() else ()
            return {"seconds": seconds, "reached": sorted(map(int, lines))}

    def reaching(self, number):
        return [name for name in self._of_number.get(number, []) if self.seconds[name] < self._longest]

    def all(self):
        return [name for name, seconds in self.seconds.items() if not name.startswith("server:") and seconds < self._longest]

    def _names(self):
        return [f"{program}:{suite}" for program in self._programs for suite in self._suites_of(program)] + [
            f"server:{module}" for module in self._modules]

    def _suites_of(self, program):
        listed = subprocess.run([self._build / "tests" / program, "--gtest_list_tests"], check=True, capture_output=True,
                                text=True).stdout
        names = [line.split("#")[0].strip() for line in listed.splitlines() if not line.startswith(" ")]
        return [name.rstrip(".") for name in names if name.endswith(".")]

    def first_failure(self, names, environment):
        """Of these suites, the quickest first: its name, with "(time)" where it did not end; "" where none fails."""
        for program, suites in self._runs(names):
            limit = 2 + 5 * sum(self.seconds[f"{program}:{suite}"] for suite in suites)
            code, _, failed = self._run(program, suites, environment, limit)
            if code != 0:
                return f"{program}:{failed or suites[0]}" + (" (time)" if code == "time" else "")
        return ""

    def _runs(self, names):
        """What is quick runs in one process of its program; the rest one by one."""
        quick, slow = {}, []
        for name in sorted(names, key=self.seconds.get):
            program, suite = name.split(":", 1)
            if program != "server" and self.seconds[name] < SLOW:
                quick.setdefault(program, []).append(suite)
            else:
                slow.append((program, [suite]))
        return [*quick.items(), *slow]

    def run(self, name, environment, limit):
        """Its exit code, or "time" where it took more than `limit` seconds of the processor; and how many it took."""
        program, suite = name.split(":", 1)
        return self._run(program, [suite], environment, limit)[:2]

    def _run(self, program, suites, environment, limit):
        """And the test that failed, of GoogleTest."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
            if program == "server":
                command = [sys.executable, "-B", ROOT / "tests" / "server" / "run.py",
                           _wrapped(folder, self._build / "server" / "tpu-webhook", environment), f"{suites[0]}."]
            else:
                command = [self._build / "tests" / program, "--gtest_filter=" + ":".join(f"{suite}.*" for suite in suites),
                           "--gtest_fail_fast", "--gtest_brief=1"]
            code, seconds = _run(command, {**os.environ, **QUICK, **environment}, limit, self._build.parents[1], out)
            out.seek(0)
            failed = re.search(rb"^\[  FAILED  \] ([^,\s]+)", out.read(), re.MULTILINE)
            return code, seconds, failed[1].decode() if failed else ""


def _wrapped(folder, program, environment):
    """tests/server gives the program an environment of its own."""
    script = pathlib.Path(folder) / "tpu-webhook"
    words = " ".join(f"{key}='{value}'" for key, value in environment.items())
    script.write_text(f'#!/bin/sh\nexec env {words} "{program}" "$@"\n')
    script.chmod(0o700)
    return script


def _run(command, environment, limit, folder, out):
    """A group of processes, in the session of ours, whose priority it has. Others may have the processor: beside the
    limit of its own time there is one of ten times as long, for what waits."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, cwd=folder,
                               env=environment, process_group=0, preexec_fn=lambda: _limit(limit))
    end, pause = time.monotonic() + 60 + 10 * limit, 0.005
    try:
        while time.monotonic() < end:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                code = process.returncode = os.waitstatus_to_exitcode(status)
                return "time" if code == -signal.SIGXCPU else code, used.ru_utime + used.ru_stime
            time.sleep(pause)
            pause = min(0.1, pause * 1.2)
        return "time", 0
    finally:
        _end(process)


def _limit(seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))


def _end(process):
    """And whatever it began."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()
