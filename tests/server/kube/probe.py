"""The program that holds a client of the API server, and what is expected of it."""

import json
import subprocess

import certificates

PROBE = None  # path of kube_probe; run.py sets it
SLACK = 1.5  # a busy machine


class Probe:
    """`ask` sends a command and returns its result."""

    def __init__(self, server, *flags, host="127.0.0.1", ca="ca"):
        words = [PROBE, "--host", host, "--port", str(server.port), *map(str, flags)]
        if ca and server.context:
            words += ["--ca-file", str(certificates.FOLDER / f"{ca}.crt")]
        if not server.context:
            words += ["--plain", "yes"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        line = self.process.stdout.readline()
        assert line, f"the probe ended: {self.process.wait(5)}"
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            assert self.process.wait(10) == 0
        finally:
            self.process.kill()
            self.process.stdout.close()


def expect(result, **want):
    got = {key: result[key] for key in want}
    assert got == want, f"{got} instead of {want}; all: {result}"


def asked(server, *flags, command="get /api 3000", **options):
    with server, Probe(server, *flags, **options) as probe:
        return probe.ask(command)


def expect_time(result, milliseconds):
    assert milliseconds - 20 <= result["ms"] <= milliseconds + SLACK * 1000, result
