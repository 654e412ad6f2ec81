"""Ray workers that are created one after another while something else goes on."""

import threading
import time

from .api import Refused

GIVEN_UP = 30.0  # so that a story ends


class Asking:
    """A worker of the RayCluster every `every` seconds; what is refused is tried again a second later, as a controller does.
    A context manager."""

    def __init__(self, cluster, every: float = 0.5):
        self.took: list = []     # (when it was first tried, seconds until it was created or given up)
        self.refused: list = []  # why
        self._cluster, self._every = cluster, every
        self._stop, self._thread = threading.Event(), threading.Thread(target=self._work, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(60)

    def slowest(self) -> float:
        return max((took for _, took in self.took), default=0.0)

    def created(self) -> int:
        return sum(took < GIVEN_UP for _, took in self.took)

    def said(self) -> str:
        """In a line."""
        took = sorted(took for _, took in self.took) or [0.0]
        why = f"; the last: {self.refused[-1][-150:]}" if self.refused else ""
        return (f"{self.created()} of {len(self.took)} workers created, in {took[len(took) // 2]:.2f} s in the middle, "
                f"{took[-1]:.1f} s at most, {len(self.refused)} refusals{why}")

    def _work(self) -> None:
        number = 0
        while not self._stop.is_set():
            start = time.monotonic()
            self.took.append((start, self._create(f"asked-{number}", start)))
            number += 1
            self._stop.wait(max(0.0, start + self._every - time.monotonic()))

    def _create(self, name: str, start: float) -> float:
        while True:
            try:
                self._cluster.add(name)
                return time.monotonic() - start
            except (Refused, OSError) as why:
                self.refused.append(str(why))
            if time.monotonic() - start > GIVEN_UP or self._stop.wait(1):
                return time.monotonic() - start
