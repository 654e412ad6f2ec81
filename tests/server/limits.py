"""Peers that are slow, silent, many or large."""

import contextlib
import multiprocessing
import select
import socket
import ssl
import sys
import time

from checks import check
from program import Program
from wire import Connection, ask, get, metrics_of, post, review, tls

SWEEP = 0.25  # server/limits/limits.hpp: how late a limit may be noticed
SLACK = 1.5   # a busy machine


@check(waits=True)
def slow_header_is_cut_however_steady():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        start = time.monotonic()
        try:
            for byte in get("/livez", "X: " + "y" * 1000 + "\r\n"):
                connection.send(bytes([byte]))
                time.sleep(0.2)
                assert time.monotonic() - start < 10 + SWEEP + SLACK, "still open"
        except OSError:
            pass
        assert time.monotonic() - start > 9.9


@check(waits=True)
def body_that_stops_is_cut_after_a_second():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        start = time.monotonic()
        connection.send(post(review())[:-10])
        closed = connection.is_closed(1 + SWEEP + SLACK)
        took = time.monotonic() - start
        assert closed and took >= 0.9, f"the server must close after a second; closed: {closed}, waited {took:.2f} s"


@check
def size_lines_of_chunks_leave_the_health_port_to_others():
    """They come as fast as they are read, and hardly any of them is a body that a limit counts. Before
    a turn had an end there, the probes beside twelve such peers waited for a second."""
    with Program() as program, contextlib.ExitStack() as stack:
        flood = multiprocessing.Process(target=send_size_lines, args=(program.health_port, 12, 2.5))
        flood.start()
        stack.callback(flood.kill)
        took = []
        while flood.is_alive():
            start = time.monotonic()
            with Connection(program.health_port, None) as probe:
                assert probe.send(get("/readyz")).answer().status == 200
            took.append(time.monotonic() - start)
            time.sleep(0.01)
        assert flood.exitcode == 0, "the attack was none"
        assert max(took) < 0.3, f"the slowest of {len(took)} answers took {max(took):.2f} s"


def send_size_lines(port, connections, seconds):
    """For so long; to be run in a process of its own."""
    until, sent = time.monotonic() + seconds, 0
    begin = b"3e8\r\n" + b"y" * 1000 + b"\r\n"
    lines = (b"1;a=" + b"x" * 17000 + b"\r\nx\r\n") * 60
    while time.monotonic() < until:
        peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
        # In steps, as memory for a body is given: else the first line is refused for want of it.
        for part in [get("/livez", "Transfer-Encoding: chunked\r\n")] + 9 * [begin]:
            for peer in peers:
                peer.sendall(part)
            time.sleep(0.01)
        rest = {}
        for peer in peers:
            peer.setblocking(False)
            rest[peer] = memoryview(lines)
        again = time.monotonic() + 1
        while rest and time.monotonic() < min(again, until):
            for peer in select.select([], list(rest), [], 0.1)[1]:
                try:
                    size = peer.send(rest[peer])
                except OSError:  # refused, after all of it that a request may hold
                    del rest[peer]
                    continue
                sent += size
                rest[peer] = rest[peer][size:] or memoryview(lines)
        for peer in peers:
            peer.close()
    sys.exit(0 if sent > 50_000_000 else 1)


@check
def plain_http_on_the_tls_port_is_closed():
    with Program() as program:
        with Connection(program.port, None) as plain:
            plain.send(get("/livez"))
            data = plain.socket.recv(1000)
            assert not data.startswith(b"HTTP"), data
            assert plain.is_closed(5)
        with Connection(program.port, tls(program.ca)) as connection:
            ask(connection)


@check
def large_bodies_have_a_share_of_memory():
    """Ten 7 MiB reviews that lack a byte: the oldest go for the next, and for an honest one."""
    share, largest = 24 << 20, 7 << 20  # limits::held_bytes, body_bytes
    with Program() as program:
        context = tls(program.ca)
        before = program.resident_bytes()
        connections = []
        for _ in range(10):
            connections.append(Connection(program.port, context))
            connections[-1].send(post(b" " * largest)[:-1])
        held = program.resident_bytes() - before
        assert held < share + 2 * largest, f"{held >> 20} MiB"
        with Connection(program.port, context) as connection:
            answer = connection.send(post(b" " * largest)).answer()
            assert answer.status == 400, answer
        for connection in connections:
            connection.close()


@check
def a_large_review_leaves_nothing_behind():
    """100 connections that have sent 7 MB each, were answered, and wait; once they held it all."""
    body = review("large")
    whole = post(body + b" " * ((7 << 20) - len(body)))
    refused = post(b" " * (7 << 20))
    with Program() as program:
        context = tls(program.ca)
        with Connection(program.port, context) as connection:  # what a loop keeps for its largest
            for request in (whole, refused):
                connection.send(request).answer()
        connections = [Connection(program.port, context) for _ in range(100)]
        for connection in connections:
            ask(connection)
        before = program.resident_bytes()
        for number, connection in enumerate(connections):
            answer = connection.send(refused if number % 10 == 0 else whole).answer()
            assert answer.status == (400 if number % 10 == 0 else 200), answer
        ask(connection)  # it has given back what the answer before was about
        grown = program.resident_bytes() - before
        for connection in connections:
            connection.close()
        assert grown < 4 << 20, f"{grown >> 20} MiB more than before"


@check
def a_connection_holds_no_more_than_is_counted():
    """Where a request has begun to come; between two it holds no read buffer."""
    counted = 44 << 10  # limits::memory::connection
    idle = counted - (17 << 10)  # without limits::read_buffer_bytes
    body = review()
    body += b" " * (20_000 - len(body))
    with Program() as program:
        context = tls(program.ca)
        with Connection(program.port, context) as connection:
            ask(connection)
        before = program.resident_bytes()
        connections = [Connection(program.port, context) for _ in range(400)]
        for connection in connections:
            assert connection.send(post(body)).answer().status == 200
        each = (program.resident_bytes() - before) // len(connections)
        assert each <= idle, f"{each} bytes, idle"
        for connection in connections:
            connection.send(b"POST /mutate HTTP/1.1\r\nX-Long: " + b"x" * 15_000)
        time.sleep(1)
        each = (program.resident_bytes() - before) // len(connections)
        for connection in connections:
            connection.close()
        assert idle < each <= counted, f"{each} bytes"


@check
def honest_calls_pass_a_thousand_silent_connections():
    """More than the cap of half-open handshakes, then new and old honest connections."""
    with Program() as program:
        context = tls(program.ca)
        with Connection(program.port, context) as old:
            ask(old)
            silent = [socket.create_connection(("127.0.0.1", program.port)) for _ in range(1100)]
            try:
                ask(old)
                start = time.monotonic()
                with Connection(program.port, context) as new:
                    ask(new)
                assert time.monotonic() - start < 8, "later than the API server waits"
                ask(old)
            finally:
                for raw in silent:
                    raw.close()


@check
def honest_calls_pass_where_files_are_few():
    """64 open files, and 400 peers that say nothing."""
    few = ("sh", "-c", 'ulimit -n 64 && exec "$@"', "sh")
    with Program(beginning=few) as program:
        context = tls(program.ca)
        most = metrics_of(program)[0]["tpu_webhook_connections_limit"]
        assert 8 <= most < 64, most
        silent = [socket.create_connection(("127.0.0.1", program.port)) for _ in range(400)]
        try:
            for _ in range(3):
                start = time.monotonic()
                with Connection(program.port, context) as new:
                    ask(new)
                assert time.monotonic() - start < 8, "later than the API server waits"
            with Connection(program.health_port, None) as plain:
                assert plain.send(get("/livez")).answer().status == 200
        finally:
            for raw in silent:
                raw.close()


@check
def tls_1_2_and_1_3_alone_with_our_settings():
    with Program() as program:
        def session(**options):
            with Connection(program.port, tls(program.ca, **options)) as connection:
                ask(connection)
                return (connection.socket.version(), connection.socket.cipher()[0],
                        connection.socket.session)
        version, _, ticket = session()
        assert version == "TLSv1.3" and not (ticket and ticket.has_ticket)
        version, cipher, ticket = session(maximum_version=ssl.TLSVersion.TLSv1_2)
        assert version == "TLSv1.2" and cipher.startswith("ECDHE-ECDSA-") and not ticket.has_ticket
        assert "GCM" in cipher or "POLY1305" in cipher
        def speak_tls_1_1(context):
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
            context.set_ciphers("ALL:@SECLEVEL=0")
        for refused in [lambda c: c.set_ciphers("ECDHE-ECDSA-AES128-SHA256"),
                        lambda c: c.set_alpn_protocols(["h2"]), speak_tls_1_1]:
            context = tls(program.ca, maximum_version=ssl.TLSVersion.TLSv1_2)
            refused(context)
            try:
                Connection(program.port, context).close()
                raise AssertionError("accepted")
            except ssl.SSLError:
                pass
        context = tls(program.ca)
        context.set_alpn_protocols(["h2", "http/1.1"])
        with Connection(program.port, context) as connection:
            assert connection.socket.selected_alpn_protocol() == "http/1.1"
