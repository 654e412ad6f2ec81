"""Replicas of the chart that are killed while something else happens."""

import threading

from .api import wait_for
from .installed import Installed

SECONDS = 120  # until all are Ready again, on a machine that has other work


class Killing:
    """While this holds: whenever all replicas are Ready, the oldest of them ends by SIGKILL, its Pod with it, and when the
    new one is Ready, `pause` seconds later, the next. At the end at least one was killed and all are Ready.

    The Pod goes, too, since a kubelet waits longer and longer with a container that ends again and again: soon there would
    be no replica left to kill.
    """

    def __init__(self, release: Installed, pause: float = 3):
        self.killed = 0
        self._release, self._pause = release, pause
        self._stop, self._error = threading.Event(), None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self._stop.set()
        self._thread.join()
        if kind is None and self._error:
            raise self._error
        if kind is None:
            assert self.killed, "no replica was killed"

    def _run(self) -> None:
        try:
            while not self.killed or not self._stop.is_set():
                self._release.kill(self._all_ready()[0])
                self.killed += 1
                self._all_ready()
                self._stop.wait(self._pause)
        except Exception as error:  # of a thread: raised by whoever waits for it
            self._error = error

    def _all_ready(self) -> list:
        """Oldest first."""
        pods = wait_for("all replicas", lambda: len(found := self._release.pods()) == self._release.replicas and found, SECONDS)
        return sorted(pods, key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]))
