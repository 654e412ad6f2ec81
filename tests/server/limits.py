"""Peers that are slow, silent, many or large."""

import contextlib
import multiprocessing
import pathlib
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


def is_cut_after(connection, seconds, start):
    """Whether the server closes between `seconds` and a little more after `start`."""
    closed = connection.is_closed(seconds + SWEEP + SLACK)
    took = time.monotonic() - start
    assert closed and seconds - 0.1 <= took, f"closed: {closed} after {took:.2f} s"


@check(waits=True)
def silence_after_the_handshake_is_cut():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        is_cut_after(connection, 10, time.monotonic())


@check(waits=True)
def half_a_handshake_is_cut():
    with Program() as program, socket.create_connection(("127.0.0.1", program.port)) as raw:
        start = time.monotonic()
        raw.sendall(bytes.fromhex("1603010200010001fc0303"))
        raw.settimeout(10 + SWEEP + SLACK)
        assert raw.recv(100) == b""
        assert time.monotonic() - start > 9.9


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
        is_cut_after(connection, 1, start)


@check(waits=True)
def trickled_body_is_cut_after_a_second():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        start = time.monotonic()
        request = post(review())
        connection.send(request[:-2000])
        try:
            for byte in request[-2000:]:
                connection.send(bytes([byte]))
                time.sleep(0.05)
                assert time.monotonic() - start < 1 + 2 * (SWEEP + SLACK), "still open"
        except OSError:
            pass
        assert time.monotonic() - start > 0.9


@check(waits=True)
def slow_body_is_cut_when_the_caller_has_gone():
    """Fast enough, but not done when the caller's own time is over: told so, if it still sends then,
    and closed when it has had 2 s to read that."""
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        start = time.monotonic()
        connection.send(post(b" " * (7 << 20), target="/mutate?timeout=2s")[:1000])
        try:
            while time.monotonic() - start < 2 + SWEEP + 2 + SWEEP + SLACK:
                connection.send(b" " * 20_000)
                time.sleep(0.1)
            raise AssertionError("still open")
        except OSError:
            pass
        assert time.monotonic() - start > 1.9


@check(waits=True)
def slow_but_steady_body_is_answered():
    """Four times the least rate, with pauses of half a second."""
    body = review("slow")
    body += b" " * ((1 << 20) - len(body))
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        request = post(body)
        for at in range(0, len(request), 128 << 10):
            connection.send(request[at:at + (128 << 10)])
            time.sleep(0.5)
        assert connection.answer().json()["response"]["uid"] == "slow"


@check(waits=True)
def slow_reader_is_cut():
    """A peer that asks and asks and never reads an answer."""
    with Program() as program:
        with Connection(program.port, tls(program.ca)) as connection:
            connection.socket.settimeout(1)
            request = post(review())
            try:
                for _ in range(100000):
                    connection.send(request)
            except (TimeoutError, OSError):
                pass  # both ways are full
            before = program.open_files()
            time.sleep(10 + SWEEP + SLACK)
            assert program.open_files() < before, "still open"
        with Connection(program.port, tls(program.ca)) as connection:
            ask(connection)


@check(waits=True)
def nobody_keeps_a_place_by_expecting_100_continue():
    """Peers that read nothing, and whose header and body come apart: of some the "100 Continue" meets
    the full socket. Those stayed for ever, by what they had sent meanwhile. At the health port."""
    with Program() as program:
        open_ones = [silent_reader(program.health_port) for _ in range(24)]
        room = filled(program.health_port, open_ones[0])
        nearly_fill(program.health_port, open_ones[1:], room)
        header = get("/livez", "Expect: 100-continue\r\nContent-Length: 1\r\n")
        until = time.monotonic() + 10 + SWEEP + 6 * SLACK
        while open_ones and time.monotonic() < until:
            for part in (header, b"x"):
                open_ones = [raw for raw in open_ones if is_open_after(raw, part)]
                time.sleep(0.01)
        for raw in open_ones:
            raw.close()
        assert not open_ones, f"{len(open_ones)} of 24 are still open"
        with Connection(program.health_port, None) as plain:
            assert plain.send(get("/livez")).answer().status == 200


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


def silent_reader(port):
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", port))
    raw.setblocking(False)
    return raw


def unsent(port):
    """{the peer's port: bytes that wait in the server's socket}"""
    lines = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {int(words[2].split(":")[1], 16): int(words[4].split(":")[0], 16) for words in lines
            if int(words[1].split(":")[1], 16) == port}


def filled(port, raw):
    """How many bytes the server's socket takes for a peer that reads none."""
    name, before = raw.getsockname()[1], -1
    while (now := unsent(port).get(name, 0)) > before:
        is_open_after(raw, get("/metrics") * 64)
        time.sleep(0.1)
        before = now
    return max(now, before)  # one that is full may be closed for that


def nearly_fill(port, raws, room):
    answer = 6 << 10  # of /metrics, about
    until = time.monotonic() + 8
    while time.monotonic() < until:
        raws = [raw for raw in raws if raw.fileno() >= 0]  # a slow machine meets the limit here
        waiting = unsent(port)
        left = {raw: room - waiting.get(raw.getsockname()[1], room) for raw in raws}
        wanting = [raw for raw in raws if left[raw] > 2 * answer]
        if not wanting:
            return
        for raw in wanting:
            is_open_after(raw, get("/metrics") * min(64, left[raw] // (2 * answer)))
        time.sleep(0.05)


def is_open_after(raw, part):
    """Sends some more, if there is room; whether the server has not closed."""
    try:
        raw.send(part)
    except BlockingIOError:
        pass
    except OSError:
        raw.close()
        return False
    return True


@check(waits=True)
def last_answer_does_not_wait_for_the_peer_to_close():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        before = program.open_files()
        connection.send(get("/livez", "Connection: close\r\n"))
        time.sleep(2 + SWEEP + SLACK)  # the peer never closes
        assert program.open_files() < before


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
def largest_body_is_read_and_larger_is_not():
    largest = 7 << 20
    body = review("largest")
    with Program() as program:
        context = tls(program.ca)
        with Connection(program.port, context) as connection:
            answer = connection.send(post(body + b" " * (largest - len(body)))).answer()
            assert answer.json()["response"]["uid"] == "largest", answer
            ask(connection)
        with Connection(program.port, context) as connection:
            try:
                connection.send(post(b" " * (8 << 20)))
            except OSError:
                pass  # it answers before it has everything, which the client may notice first
            answers = connection.answers()
            assert [a.status for a in answers] == [413] and answers[0].says_close
        with Connection(program.port, context) as connection:  # no length to refuse by
            connection.send(b"POST /mutate HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                            b"Transfer-Encoding: chunked\r\n\r\n")
            try:
                for _ in range(8):
                    connection.send(b"100000\r\n" + b" " * (1 << 20) + b"\r\n")
            except OSError:
                pass
            assert [a.status for a in connection.answers()] == [413]


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
def honest_calls_pass_a_thousand_idle_connections():
    """The cap of connections taken by peers that finish the handshake and say nothing."""
    with Program() as program:
        context = tls(program.ca)
        idle = []
        with Connection(program.port, context) as old:
            ask(old)
            try:
                for _ in range(1024):
                    idle.append(Connection(program.port, context))
                    if len(idle) % 256 == 0:
                        ask(old)
                start = time.monotonic()
                with Connection(program.port, context) as new:
                    ask(new)
                assert time.monotonic() - start < 8
                ask(old)
            finally:
                for connection in idle:
                    connection.close()


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
def tls_settings():
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
        for refused in [lambda c: c.set_ciphers("ECDHE-ECDSA-AES128-SHA256"),
                        lambda c: c.set_alpn_protocols(["h2"])]:
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


@check
def tls_1_1_is_refused():
    with Program() as program:
        context = tls(program.ca)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
        try:
            Connection(program.port, context).close()
            raise AssertionError("accepted")
        except ssl.SSLError:
            pass
