"""A TCP relay to one place, as a process of its own: what stops it (SIGSTOP) freezes what goes through it.

    python3 -m harness.pipe LISTEN TARGET     both HOST:PORT
"""

import asyncio
import sys

from controlplane.relay import pump


async def _serve(listen: str, target: str) -> None:
    async def relay(reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(*_split(target))
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
        writer.close()
        far_writer.close()

    server = await asyncio.start_server(relay, *_split(listen))
    async with server:
        await server.serve_forever()


def _split(address: str) -> tuple:
    host, _, port = address.rpartition(":")
    return host, int(port)


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], sys.argv[2]))
