"""What Pods ask beside the API server: names, metadata, and the API server at the address that they are told.

Each is a process in the world: CoreDNS at the address of the cluster's DNS; a stand-in for a cloud's metadata server
(the readers' own); and relays to the API server: from the Service `kubernetes`, since there is no kube-proxy here, and
from the world's door, for whoever is outside.
"""

import asyncio
import os
import pathlib
import socket
import sys
import urllib.request

from .. import core, kube, process, programs, tls
from ..state import State, write_kubeconfig
from . import world

READERS = pathlib.Path(__file__).resolve().parents[3] / "readers"
READY = "127.0.0.1:8181"
COREFILE = """cluster.local:53 in-addr.arpa:53 {{
  bind {dns}
  errors
  ready {ready}
  kubernetes cluster.local in-addr.arpa {{
    kubeconfig {kubeconfig}
    ttl 1
  }}
}}
google.internal:53 {{
  bind {dns}
  hosts {{
    {metadata} metadata.google.internal
  }}
}}
"""


def start(state: State) -> None:
    """Start all three; returns when names are answered."""
    tls.client(state.pki, "ca", "coredns", "coredns", "system:masters")
    kubeconfig = state.config / "coredns.kubeconfig"
    write_kubeconfig(kubeconfig, state, "coredns")
    corefile = state.config / "Corefile"
    corefile.write_text(COREFILE.format(dns=world.DNS, ready=READY, kubeconfig=kubeconfig, metadata=world.METADATA), encoding="utf-8")
    process.start(state.directory, "coredns", [programs.path("coredns"), "-conf", corefile], f"{world.DNS}:53")
    serve = f"import metadata, threading; metadata.serve(80, {world.METADATA!r}); threading.Event().wait()"
    process.start(state.directory, "metadata", [sys.executable, "-B", "-c", serve], f"{world.METADATA}:80", {"PYTHONPATH": str(READERS)})
    server, door = f"127.0.0.1:{state.ports['apiserver']}", int(os.environ[world.DOOR])
    relay = world.python("services")
    process.start(state.directory, "kubernetes-service", [*relay, f"{world.API_SERVER}:443", server], f"{world.API_SERVER}:443")
    process.start(state.directory, "door", [*relay, f"fd:{door}", server], f"{server}, outside", pass_fds=[door])
    kube.wait_for("CoreDNS", _ready, 60, failing=lambda: core.dead(state))


def _ready() -> bool:
    host, _, port = READY.partition(":")
    with urllib.request.urlopen(f"http://{host}:{port}/ready", timeout=1) as answer:
        return answer.status == 200


async def _relay(here: str, there: str) -> None:
    """Every connection to `here`, an address or fd:NUMBER of a socket that listens, goes on to `there`."""
    async def one(reader, writer):
        try:
            beyond = await asyncio.open_connection(*_parts(there))
        except OSError:
            writer.close()
            return
        await asyncio.gather(_copy(reader, beyond[1]), _copy(beyond[0], writer))

    where, port = _parts(here)
    at = {"sock": socket.socket(fileno=port)} if where == "fd" else {"host": where, "port": port}
    server = await asyncio.start_server(one, **at)
    await server.serve_forever()


async def _copy(reader, writer) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


def _parts(address: str) -> tuple:
    host, _, port = address.rpartition(":")
    return host, int(port)


if __name__ == "__main__":
    asyncio.run(_relay(*sys.argv[1:]))
