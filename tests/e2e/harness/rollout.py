"""Replicas that come and go, as a Deployment makes them."""

import contextlib
import itertools
import signal

from .api import wait_for
from .release import NAME, Release

_numbers = itertools.count(1)


@contextlib.contextmanager
def replicas(release: Release, count: int):
    """While this holds there are so many, and connections go to all of them."""
    release.scale(count)
    release.route(cut=True)
    try:
        yield
    finally:
        release.scale(1)


def rolling_restart(release: Release) -> list:
    """maxSurge 1, maxUnavailable 0: one more, and when it is ready one of the old is told to end.

    The next does not wait until the old one is gone. Returns the exit codes of the old ones.
    """
    old = list(release.replicas)
    for leaving in old:
        one = release.add(f"{NAME}-new-{next(_numbers)}")
        release.route()
        wait_for(f"{one.name} to be ready", lambda: one.name in release.relay()["ready"], 30, every=0.02)
        leaving.signal(signal.SIGTERM)
    codes = [one.wait_exit() for one in old]
    release.replicas = [one for one in release.replicas if one not in old]
    release.route()
    release.wait_ready()
    return codes
