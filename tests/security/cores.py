"""Which core the server runs on, and which one everybody else: where they share one, an attacker that
uses it up proves nothing."""

import contextlib
import os

_ALL = sorted(os.sched_getaffinity(0))
SERVER, OTHERS = _ALL[0], _ALL[-1]


def pin(process, core):
    """All its threads, and those that it begins later."""
    assert SERVER != OTHERS, "attacks need two cores: one for the server, one for everybody else"
    for thread in os.listdir(f"/proc/{process.pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread), {core})
