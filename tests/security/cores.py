"""Which core the server runs on, and which one everybody else: where they share one, an attacker that
uses it up proves nothing."""

import contextlib
import os


def _of_this_machine():
    """All that we may run on; whoever started us may have pinned us to one of them."""
    os.sched_setaffinity(0, range(os.cpu_count()))
    return sorted(os.sched_getaffinity(0))


_ALL = _of_this_machine()
SERVER, OTHERS = _ALL[0], _ALL[-1]


def pin(process, core):
    """All its threads, and those that it begins later."""
    assert SERVER != OTHERS, (f"attacks need two cores, one for the server and one for everybody else; here are "
                              f"{_ALL} of {os.cpu_count()}")
    for thread in os.listdir(f"/proc/{process.pid}/task"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread), {core})
