"""Who takes the places of connections and never comes to the point."""

import collections
import tempfile
import threading
import time

import honest
import ledger
from attack import started
from checks import check
from made_up_api import Account, Server
from siege import Siege, holds
from wire import Connection, Kept, post, review, tls

MANY = 1100  # more than the server's connections (server/limits/limits.hpp)
ELSEWHERE = ("--bind", "127.0.0.2")
REOPENED = 40  # a second: 34 hold 1,024 places of 30 s each forever


def slow(*flags):
    counts = holds("slow-bodies", "--connections", MANY, *ELSEWHERE, *flags)
    assert counts["opened"] >= 1000, counts
    return counts


@check
def bodies_that_never_come_again_and_again():
    """1,100 connections with a header and one byte of the body, then silence; what is closed is opened again,
    40 a second."""
    slow("--reopen", REOPENED)


@check
def bodies_that_trickle():
    """A byte every 100 ms, and opened again, so that each makes some progress."""
    counts = slow("--reopen", REOPENED, "--trickle")
    assert counts["trickled_bytes"] > 1000, counts


def crowd(*flags):
    """900 honest connections that are idle most of the time, before slow bodies and during them."""
    with Siege(crowd=900) as siege:
        siege.attack("slow-bodies", "--connections", MANY, "--reopen", REOPENED, *flags)
        seen, _ = siege.end(25)  # each of the 900 asks at least once
    # Nothing beside is fast with a thousand connections in one Python: answered is what counts.
    assert not honest.faults(seen, slowest={}), "\n".join(honest.faults(seen, slowest={}))
    assert sum(figures["asked"] for _, figures in seen) >= 900, seen


@check
def nine_hundred_honest_connections_beside_an_attacker_elsewhere():
    """Honest idle connections are not closed to make room for slow bodies."""
    crowd(*ELSEWHERE)


@check
def nine_hundred_honest_connections_at_the_attackers_address():
    """Nor where all come from one address, as behind an agent of the control plane."""
    crowd()


# --- who is slow and means well

def dribble(program, pieces, pause, delay_first=0.0):
    """A review of 3 MiB in so many pieces with a pause after each; it must be answered."""
    body = review("slow").ljust(3 << 20)
    request = post(body, target="/mutate?timeout=30s")
    size = -(-len(request) // pieces)
    with Connection(program.port, tls(program.ca)) as connection:
        start = time.monotonic()
        time.sleep(delay_first)
        for begin in range(0, len(request), size):
            connection.send(request[begin:begin + size])
            time.sleep(pause)
        answer = connection.answer()
        took = time.monotonic() - start
    assert answer, f"closed without an answer after {took:.1f} s"
    assert answer.status == 200 and answer.json()["response"]["uid"] == "slow", answer
    print(f"     3 MiB in {pieces} pieces: answered after {took:.1f} s", flush=True)


@check(waits=True)
def a_line_with_pauses_is_served():
    """3 MiB with pauses of half a second are not an attack."""
    with started() as program:
        dribble(program, pieces=24, pause=0.5)


@check
def a_slow_line_is_served_when_all_places_are_taken():
    """3 MiB at 200 KiB/s are not an attack either, and are answered beside 1,100 slow bodies from another address."""
    with Siege() as siege:
        siege.attack("slow-bodies", "--connections", MANY, "--reopen", REOPENED, *ELSEWHERE)
        dribble(siege.program, pieces=150, pause=0.1)
        siege.end(0)


@check
def who_waits_for_our_answer_is_not_cut():
    """Nor is who waits for us and not we for them: places of Ray workers that take the API server
    seconds, while 1,100 slow bodies from elsewhere press."""
    api, answers = ledger.Cluster(), collections.Counter()

    def slow(_, request):
        if request.folder == ledger.RECORDS:
            time.sleep(2)  # of the 3 that a call may take: server/limits/limits.hpp

    def wait_for_a_place(program, number, until):
        kept = Kept(program.port, tls(program.ca))
        while time.monotonic() < until:
            try:
                pod = ledger.worker(f"w-{number}", f"w{number % ledger.GROUPS}")
                answers[ledger.ask_place(kept, pod)[0]] += 1  # a place, or "try again"
            except Exception as error:  # no answer, whatever the reason
                answers[repr(error)] += 1
        kept.close()

    api.faults.append(slow)
    with Server(api) as server:
        with Siege("--ledger", "cluster", account=Account(server.port, ledger.HOOKS)) as siege:
            until = time.monotonic() + 25
            waiting = [threading.Thread(target=wait_for_a_place, args=(siege.program, number, until))
                       for number in range(40)]
            for thread in waiting:
                thread.start()
            time.sleep(0.5)  # all are connected before the places are gone
            siege.attack("slow-bodies", "--connections", MANY, "--reopen", REOPENED, "--trickle",
                         *ELSEWHERE)
            for thread in waiting:
                thread.join(60)
            siege.end(0)
    print(f"       40 that wait for places: {dict(answers)}", flush=True)
    assert set(answers) <= {200, 503} and sum(answers.values()) > 40, answers
