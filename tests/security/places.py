"""Callers that do nothing wrong, and are more than the server has places for: every honest caller finds
one in time, from whatever address the others call and whether or not they send valid reviews."""

import os
import selectors
import socket
import subprocess
import sys
import time

import cores
import honest
from checks import check
from siege import Siege
from wire import metrics_of, review

SECONDS = 10
# Seconds until a caller on a new connection, or on one that was closed, is answered. A crowd of 5,000 keeps both cores
# at handshakes: on a machine with other work (TPUWH_LONG is not set) each takes its share longer.
NEW_PLACE = 2.0
BUSY_PLACE = NEW_PLACE if os.environ.get("TPUWH_LONG") == "1" else 5.0
PROBE = 1.0        # and a probe
IN_TEN = 10        # reviews of one handshake, for a caller that reviews often
EVERY = 0.85       # seconds between two requests of a connection


def limits(kinds, new_place=NEW_PLACE):
    return {kind: PROBE if kind in ("livez", "metrics") else new_place for kind in kinds}


def check_honest(seen, new_place=NEW_PLACE):
    found = honest.faults(seen, limits((kind for kind, _ in seen), new_place))
    for kind, figures in seen:
        if kind == "often" and figures["opened"] * IN_TEN > figures["asked"] + IN_TEN:
            found.append(f"often: {figures['opened']} handshakes for {figures['asked']} reviews")
    assert not found, "\n".join(found)


def crowd(connections, addresses, reviews):
    """So many polite connections to the reviews' port."""
    kinds = ("fresh", "often", "idle", "livez")
    with Siege(kinds=kinds) as siege:
        flags = ["--connections", connections, "--addresses", addresses, "--every", EVERY]
        if reviews:
            body = siege.program.folder / "review.json"
            body.write_bytes(review())
            flags += ["--file", body]
        siege.attack("polite", *flags)
        seen, _ = siege.end(SECONDS)
        metrics = metrics_of(siege.program)[0]
    check_honest(seen, NEW_PLACE if connections < 5000 else BUSY_PLACE)
    assert metrics['tpu_webhook_connections_closed_for_others_total{port="reviews"}'] > 0


@check
def twelve_hundred_ask_for_livez():
    """From one address, which is the honest callers' as well."""
    crowd(1200, 1, reviews=False)


@check
def five_thousand_ask_for_livez_from_100_addresses():
    crowd(5000, 100, reviews=False)


@check
def twelve_hundred_send_valid_reviews_from_100_addresses():
    crowd(1200, 100, reviews=True)


@check
def five_thousand_send_valid_reviews():
    """From one address, which is the honest callers' as well."""
    crowd(5000, 1, reviews=True)


# --- the ports without TLS

def ask_politely(port, path, connections, addresses, seconds):
    """The same without TLS, by one thread: main() of a process of its own."""
    ready, due, until = selectors.DefaultSelector(), {}, time.monotonic() + seconds
    request = f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    open_ = {number: None for number in range(connections)}

    def close(number):
        if open_[number]:
            ready.unregister(open_[number])
            open_[number].close()
            open_[number] = None

    while (now := time.monotonic()) < until:
        for number in open_:
            if due.get(number, 0) > now:
                continue
            due[number] = now + EVERY
            if not open_[number]:
                one = socket.socket()
                one.setblocking(False)
                one.bind((f"127.0.0.{2 + number % addresses}" if addresses > 1 else "127.0.0.1", 0))
                one.connect_ex(("127.0.0.1", port))
                open_[number] = one
                ready.register(one, selectors.EVENT_READ, number)
            try:
                open_[number].send(request)
            except BlockingIOError:
                pass
            except OSError:
                close(number)
        for key, _ in ready.select(0.05):
            try:
                if not key.fileobj.recv(65536):
                    close(key.data)
            except OSError:
                close(key.data)


def plain_crowd(port, path, connections, addresses):
    with Siege("--metrics-listen", "127.0.0.1:0", kinds=("fresh", "livez", "metrics")) as siege:
        number = getattr(siege.program, port)
        command = [sys.executable, "-B", __file__, number, path, connections, addresses, SECONDS + 1]
        attacker = subprocess.Popen([str(word) for word in command])
        try:
            cores.pin(attacker, cores.OTHERS)
            seen, _ = siege.end(SECONDS)
        finally:
            attacker.kill()
            attacker.wait(5)
    check_honest(seen)


@check
def forty_ask_the_health_port():
    plain_crowd("health_port", "/livez", 40, 1)


@check
def five_hundred_ask_the_health_port_from_100_addresses():
    plain_crowd("health_port", "/readyz", 500, 100)


@check
def five_hundred_ask_the_metrics_port():
    """The probes have places of their own, and Prometheus is answered, too."""
    plain_crowd("metrics_port", "/metrics", 500, 1)


if __name__ == "__main__":
    number, path, *rest = sys.argv[1:]
    ask_politely(int(number), path, *map(int, rest))
