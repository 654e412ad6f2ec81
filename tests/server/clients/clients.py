#!/usr/bin/env python3
"""Tests the program with the code by which an API server calls webhooks: clients.py PROGRAM

The code is k8s.io/apiserver's plugin for mutating webhooks with its ClientManager and client-go, from the Go module
proxy. The client sends recorded Pods by URL and by Service, 1 and 16 at a time, Pods of 200 KiB and 1 MiB, and Pods
while certificates are replaced, while the server ends, and while the server is stopped and continues. Prints the
measured figures, one on each line. The exit code is 0 or 1, or 77 if go is not installed.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1]
sys.path[:0] = [str(HERE.parent), str(TESTS / "e2e")]

import certificates  # noqa: E402
import program  # noqa: E402
from controlplane import cache  # noqa: E402  pylint: disable=wrong-import-position

NAMES = ("localhost", "tpu-webhook.tpu-webhook.svc")
SWAPS = 8
BETWEEN_SWAPS = 1.0  # seconds


def recorded():
    return "".join(file.read_text(encoding="utf-8") for file in sorted((TESTS / "golden/recorded").glob("*/reviews.jsonl")))


def say(what, *words):
    print(f"{what:42}", *words, flush=True)


class Serving:
    """The program with certificates from files, of which `ca` trusts all that there will be."""

    def __init__(self, folder, *flags, **options):
        self.pairs = [certificates.make_pair(folder, f"pair{number}", names=NAMES) for number in range(SWAPS + 1)]
        self.ca = folder / "ca.crt"
        self.ca.write_text("".join(cert.read_text() for cert, _ in self.pairs))
        self.cert, self.key = folder / "tls.crt", folder / "tls.key"
        self.put(0)
        self.program = program.Program("--ledger", "none", "--log-format", "json", "--tls-cert", self.cert,
                                       "--tls-key", self.key, *flags, **options)

    def put(self, number):
        cert, key = self.pairs[number]
        certificates.replace(self.cert, cert.read_bytes())
        certificates.replace(self.key, key.read_bytes())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.__exit__()


def build(folder):
    made = folder / "apiserver"
    subprocess.run(["go", "build", "-o", made, "."], cwd=HERE / "apiserver",
                   env=cache.go_environment(module=HERE / "apiserver"), check=True)
    return made


class Calls:
    """Runs while the block does; its figures afterwards."""

    def __init__(self, client, serving, *flags):
        self.process = subprocess.Popen([client, "-url", f"https://localhost:{serving.program.port}/mutate", "-ca", serving.ca,
                                         *map(str, flags)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.thread = threading.Thread(target=self._feed)
        self.said = None

    def _feed(self):
        self.process.stdin.write(recorded())
        self.process.stdin.close()

    def __enter__(self):
        self.thread.start()
        begun = self.process.stderr.readline()
        assert begun == "begins\n", begun + self.process.stderr.read()
        # client-go writes of each call that fails there, and would wait for a reader.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
        self.said = self.process.stdout.read()
        self.thread.join()
        code = self.process.wait()
        assert kind or code == 0, f"exit {code}"
        if not kind:
            self.said = json.loads(self.said)

    def all_answered(self, what):
        assert not self.said["failed"], self.said["failed"]
        assert self.said["changed"] > 0, self.said
        self.tell(what)

    def tell(self, what):
        say(what, f"{self.said['calls']} calls, {self.said['changed']} changed, p50 {self.said['p50_ms']:.1f} "
            f"p99 {self.said['p99_ms']:.1f} most {self.said['most_ms']:.0f} ms", self.said["failed"] or "")


def api_server(folder):
    client = build(folder)
    with Serving(folder) as serving:
        for callers in (1, 16):
            for form in ((), ("-service",)):
                with Calls(client, serving, "-callers", callers, "-calls", 161 * 4, *form) as calls:
                    pass
                calls.all_answered(f"c = {callers}, by {'Service' if form else 'URL'}")
        for size in (200 << 10, 1 << 20):
            with Calls(client, serving, "-callers", 8, "-calls", 161, "-pad", size) as calls:
                pass
            calls.all_answered(f"Pods of {size >> 10} KiB, c = 8")
        with Calls(client, serving, "-callers", 16, "-for", f"{SWAPS * BETWEEN_SWAPS + 2}s") as calls:
            for number in range(1, SWAPS + 1):
                time.sleep(BETWEEN_SWAPS)
                serving.put(number)
        calls.all_answered(f"{SWAPS} times another certificate, c = 16")
        replaced = serving.program.log().count('"certificate replaced"')
        say("", f"{replaced} certificates replaced")
        assert replaced > 0
        stopped(client, serving)
    ended(client, folder)


def stopped(client, serving):
    """An API server waits ten seconds: a server that is stopped for less than that is late, and no more."""
    for seconds, limit in ((4, 0), (14, 64)):
        with Calls(client, serving, "-callers", 16, "-for", f"{seconds + 6}s") as calls:
            time.sleep(2)
            serving.program.signal(signal.SIGSTOP)
            time.sleep(seconds)
            serving.program.signal(signal.SIGCONT)
        calls.tell(f"stopped for {seconds} s, c = 16")
        assert sum(calls.said["failed"].values()) <= limit, calls.said
        assert all("deadline exceeded" in why or "Timeout" in why for why in calls.said["failed"]), calls.said
        assert calls.said["last_answered_s"] > seconds + 3, calls.said


def ended(client, folder):
    with Serving(folder, drain_delay="2s") as serving:
        with Calls(client, serving, "-callers", 16, "-for", "7s") as calls:
            time.sleep(2)
            serving.program.signal(signal.SIGTERM)
            code = serving.program.wait()
        calls.tell("SIGTERM under load, c = 16")
        assert code == 0, code
        assert all("connection refused" in why for why in calls.said["failed"]), calls.said
        assert calls.said["first_failed_s"] >= calls.said["last_answered_s"] - 0.1, calls.said


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program.PROGRAM = sys.argv[1]
    if not shutil.which("go"):
        print("go is not installed; it is needed to build the API server's client")
        # .ci/run sets TPUWH_READERS_REQUIRED, because no test may be skipped there.
        sys.exit(1 if os.environ.get("TPUWH_READERS_REQUIRED") else 77)
    with tempfile.TemporaryDirectory(prefix="tpu-webhook-clients-") as folder:
        api_server(pathlib.Path(folder))


if __name__ == "__main__":
    main()
