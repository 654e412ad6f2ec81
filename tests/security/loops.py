"""Who keeps a connection so busy that its event loop turns for nobody else."""

from checks import check
from siege import SECONDS, holds

AGAIN = ("--reopen", 40)  # what the server closes comes back, so many a second


def pipelining(connections):
    counts = holds("pipeline", "--connections", connections, *AGAIN)
    # Otherwise the attack was none, whatever the honest callers saw.
    assert counts["answered_bytes"] > 1_000_000 * SECONDS, counts


@check
def pipelining_on_one_connection():
    """GET /livez as fast as it goes, answers taken and not looked at. One of two loops."""
    pipelining(1)


@check
def pipelining_on_four_connections():
    """Each of the two event loops has two connections that pipeline."""
    pipelining(4)


def key_updates(*flags):
    # Two seconds' worth is made beforehand by each: it takes the server longer than a turn.
    counts = holds("key-updates", "--connections", 8, "--charge", 2, *AGAIN, *flags, times=2)
    assert counts["updates"] > 50_000, counts


@check
def key_updates_on_sixteen_connections():
    """TLS 1.3 KeyUpdate messages without a byte of a request between them, from two processes."""
    key_updates()


@check
def key_updates_that_want_an_answer():
    """Each asks for a KeyUpdate of the server's own, too."""
    key_updates("--request")
