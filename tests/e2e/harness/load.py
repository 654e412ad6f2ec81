"""Users who create TPU Pods all the time, each Pod a member of a slice of 64 hosts."""

import statistics
import threading
import time

from controlplane.kube import ApiError

from . import pods
from .api import Refused, wait_for
from .namespace import Namespace

HOSTS = 64  # of a 16x16 slice with 4 chips each


class Load:
    """While this holds `users` threads create Pods, together `rate` a second; at the end, at least `least`.

    created: seconds that each creation took. failed: (name, message) of those that failed.
    dry_run: no Pod is stored, so that there can be many. pod: makes the one of a number, in place of that member.
    """

    def __init__(self, namespace: Namespace, least: int = 0, rate: float = 50, users: int = 8,
                 dry_run: bool = False, pod=None):
        self._namespace, self._least, self._pause = namespace, least, users / rate
        self._dry_run, self._pod = dry_run, pod or _member
        self._plain = namespace.state.client() if dry_run else None
        self._begun, self._lock, self._stop = 0, threading.Lock(), threading.Event()
        self._threads = [threading.Thread(target=self._create, daemon=True) for _ in range(users)]
        self.created: list = []
        self.failed: list = []
        self._since = self._until = 0.0

    def __enter__(self):
        self._since = time.monotonic()
        for one in self._threads:
            one.start()
        try:
            self.more(8)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None and len(self.created) < self._least:
                self.more(self._least - len(self.created))
        finally:
            self._end()
        self._namespace.most_pods = 0 if self._dry_run else len(self.created)

    def more(self, count: int) -> None:
        """Wait until this many more were tried; those that are under way now are none of them."""
        with self._lock:
            wanted = self._begun + count
        wait_for(f"{count} more Pods", lambda: self.tried() >= wanted, 60, every=0.02)

    def tried(self) -> int:
        return len(self.created) + len(self.failed)

    def left_out(self) -> list:
        """Pods that exist and are not what they should be; all that were created must exist."""
        found = self._namespace.api.pods(self._namespace.name)
        assert len(found) == len(self.created), f"{len(self.created)} Pods were created, {len(found)} exist"
        return [pod["metadata"]["name"] for pod in found if not pods.injected(pod)]

    def line(self) -> str:
        """For a picture."""
        took = sorted(self.created)
        rate = self.tried() / (self._until - self._since)
        return (f"{len(took)} Pods created{' as dry run' if self._dry_run else ''}, {len(self.failed)} failed, {rate:.0f} a second; median {1e3 * statistics.median(took):.0f} ms, "
                f"99 % within {1e3 * took[len(took) * 99 // 100]:.0f} ms, slowest {1e3 * took[-1]:.0f} ms")

    def _end(self) -> None:
        self._stop.set()
        for one in self._threads:
            one.join()
        self._until = time.monotonic()

    def _post(self, pod: dict) -> None:
        if self._dry_run:
            self._plain.create(pod, "?dryRun=All")  # the official client costs more than the API server
        else:
            self._namespace.api.create(pod)

    def _begin(self) -> int:
        with self._lock:
            self._begun += 1
            return self._begun - 1

    def _create(self) -> None:
        while not self._stop.is_set():
            number, start = self._begin(), time.monotonic()
            pod = self._pod(number)
            pod["metadata"]["namespace"] = self._namespace.name
            try:
                self._post(pod)
                self.created.append(time.monotonic() - start)
            except (Refused, ApiError, OSError) as error:
                self.failed.append((pod["metadata"]["name"], str(error)))
            self._stop.wait(max(0.0, self._pause - (time.monotonic() - start)))


def _member(number: int) -> dict:
    return pods.member(f"load-{number}", number % HOSTS, f"load-{number // HOSTS}", "16x16")


def alone(number: int) -> dict:
    """Costs the API server less than a member: it calls us all the same, but has no patch to apply, and asks nobody again."""
    return pods.alone(f"load-{number}")
