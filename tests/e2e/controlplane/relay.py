"""A Service with several Pods behind it, as the API server would find one: a TCP relay.

    python3 -m controlplane.relay ADDRESS:PORT TABLE

TABLE is a JSON file, read again when it changes, so writing it (whole, by rename) is how replicas
are added and removed:

    {"replicas": {"r0": {"address": "127.0.0.1:4711", "ready": "http://127.0.0.1:4712/readyz"}},
     "cut": 0}

Like kube-proxy and EndpointSlices: a replica gets new connections, round robin, while its /readyz
answers 200; connections that exist stay until one side closes them, whatever becomes of the
replica's readiness or its entry; while nobody is ready connections are refused. Unlike them: when
`cut` is raised, every connection is closed, since the API server keeps one for 90 s.

TABLE.state says what the last round found: {"began": seconds, "ready": [names], "total": {name:
connections so far}}. A round reads the table, asks the replicas and writes; it began at `began` of
CLOCK_MONOTONIC, which all processes share, so that a reader knows what happened before it.
"""

import asyncio
import json
import os
import pathlib
import ssl
import sys
import time
import urllib.parse

POLL_SECONDS = 0.2
PROBE_SECONDS = 1.0  # a kubelet's default timeoutSeconds
LATE_PROBES = 3  # in a row take a ready replica out, as a kubelet's default failureThreshold; any other failure does at once
CHUNK = 65536


class Relay:
    def __init__(self, address: str, table: pathlib.Path):
        self._host, _, port = address.rpartition(":")
        self._port = int(port)
        self._table_file, self._table = table, {"replicas": {}}
        self._state_file = table.with_name(table.name + ".state")
        self._server = None
        self._ready: list = []
        self._late: dict = {}  # name: probes in a row without an answer in time
        self._total: dict = {}
        self._next = self._cut = 0
        self._open: set = set()

    async def run(self) -> None:
        """Follow the table and the replicas until ended."""
        while True:
            began = time.clock_gettime(time.CLOCK_MONOTONIC)
            self._read_table()
            replicas = self._table["replicas"]
            answers = await asyncio.gather(*(_is_ready(replica["ready"]) for replica in replicas.values()))
            self._late = {name: self._late.get(name, 0) + 1 for name, answer in zip(replicas, answers) if answer is None}
            self._ready = [name for name, answer in zip(replicas, answers)
                           if answer or answer is None and name in self._ready and self._late[name] < LATE_PROBES]
            await self._listen()
            self._write_state(began)
            await asyncio.sleep(POLL_SECONDS)

    def _read_table(self) -> None:
        self._table = json.loads(self._table_file.read_text(encoding="utf-8"))
        if self._table.get("cut", 0) != self._cut:
            self._cut = self._table["cut"]
            for writer in list(self._open):
                writer.transport.abort()

    async def _listen(self) -> None:
        if self._ready and self._server is None:
            self._server = await asyncio.start_server(self._accept, self._host, self._port, backlog=1024)
        elif not self._ready and self._server is not None:
            self._server.close()  # the listening socket only
            self._server = None

    async def _accept(self, reader, writer) -> None:
        replicas = self._table["replicas"]
        ready = [name for name in self._ready if name in replicas]
        if not ready:
            writer.transport.abort()
            return
        self._next += 1
        name = ready[self._next % len(ready)]
        self._total[name] = self._total.get(name, 0) + 1
        host, _, port = replicas[name]["address"].rpartition(":")
        try:
            there_reader, there_writer = await asyncio.open_connection(host, int(port))
        except OSError:  # it died since it was last asked; a dead endpoint refuses, too
            writer.transport.abort()
            return
        both = {writer, there_writer}
        self._open |= both
        await asyncio.gather(_pump(reader, there_writer), _pump(there_reader, writer))
        self._open -= both
        for one in both:
            one.close()

    def _write_state(self, began: float) -> None:
        state = {"began": began, "ready": self._ready, "total": self._total}
        aside = self._state_file.with_name(self._state_file.name + ".new")
        aside.write_text(json.dumps(state) + "\n", encoding="utf-8")
        os.replace(aside, self._state_file)


async def _pump(reader, writer) -> None:
    """Pass bytes on in one direction, then the end of them."""
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()


async def _is_ready(url: str) -> bool | None:
    """What a kubelet's httpGet probe would say; None without an answer in time."""
    try:
        return await asyncio.wait_for(_get(urllib.parse.urlsplit(url)), PROBE_SECONDS)
    except asyncio.TimeoutError:
        return None
    except (OSError, asyncio.IncompleteReadError):
        return False


async def _get(url) -> bool:
    tls = None
    if url.scheme == "https":  # a kubelet does not look at the certificate either
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    reader, writer = await asyncio.open_connection(url.hostname, url.port, ssl=tls)
    try:
        writer.write(f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
        status = (await reader.readline()).split()
        return len(status) > 1 and 200 <= int(status[1]) < 400
    finally:
        writer.close()


if __name__ == "__main__":
    asyncio.run(Relay(sys.argv[1], pathlib.Path(sys.argv[2])).run())
