"""A kubeconfig's plugin that takes its time, and a server that lives meanwhile."""

import time
import urllib.request

import certificates
from checks import check
from made_up_api import Objects, Server, kubeconfig
from program import Program

SLEEPS = 5

PLUGIN = f"""#!/bin/sh
sleep {SLEEPS}
echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
       "status": {{"token": "t"}}}}'
"""

def fetch(program, path):
    """(seconds, text) of a GET on the health port."""
    begin = time.monotonic()
    url = f"http://127.0.0.1:{program.health_port}{path}"
    with urllib.request.urlopen(url, timeout=20) as answer:
        text = answer.read().decode()
    return time.monotonic() - begin, text


def flags(server):
    plugin = certificates.FOLDER / "slow-plugin"
    plugin.write_text(PLUGIN)
    plugin.chmod(0o700)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin),
                     "interactiveMode": "Never"}}
    path = kubeconfig(certificates.FOLDER, server.port, "webhook", user)
    return "--kubeconfig", path, "--ledger", "cluster"


@check
def a_slow_plugin_holds_up_nobody():
    objects = Objects()
    with Server(objects, tls=False) as server:
        begin = time.monotonic()
        with Program(*flags(server)) as program:
            slowest, rounds = 0, 0
            while time.monotonic() - begin < SLEEPS - 0.5:
                for path in ("/livez", "/metrics"):
                    took, text = fetch(program, path)
                    slowest = max(slowest, took)
                    assert path == "/livez" or "tpu_webhook_ledger_stalled_seconds 0" in text, text
                rounds += 1
                time.sleep(0.05)
            assert not objects.requests, "the plugin had not ended"
            assert slowest < 1, f"{slowest:.1f} s"
            assert rounds > 10, rounds
            until = time.monotonic() + SLEEPS
            while not objects.requests and time.monotonic() < until:
                time.sleep(0.05)
            assert objects.requests, "the token came to nothing"


@check
def a_plugin_ends_with_the_program():
    with Server(Objects(), tls=False) as server, Program(*flags(server)) as program:
        fetch(program, "/livez")
        begin = time.monotonic()
        program.signal()
        assert program.wait() == 0
        assert time.monotonic() - begin < SLEEPS / 2
