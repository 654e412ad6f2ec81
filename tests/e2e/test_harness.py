"""The harness alone, without a control plane: what it says of the world is so now, and it forgets nothing."""

import threading

from harness.api import Refused, wait_for
from test_chaos import Controllers


class Hesitant:
    """A cluster of one Pod, whose first creation is refused, and that not before it is told to be."""

    name, size = "hesitant", 1

    def __init__(self):
        self.asked, self.refuse, self.made = threading.Event(), threading.Event(), []

    def add(self, name, dry_run=False):
        if dry_run:
            return
        self.asked.set()
        if not self.refuse.is_set():
            self.refuse.wait(10)
            raise Refused(403, "not this one")
        self.made.append(name)

    def pods(self):
        return []


def test_a_pod_under_way_is_missing():
    """A creation that has no answer yet may still be refused: nobody may go home before."""
    cluster = Hesitant()
    with Controllers([cluster]) as controllers:
        assert cluster.asked.wait(10)
        under_way = controllers.missing()
        cluster.refuse.set()
        wait_for("the Pod", lambda: controllers.missing() == 0, 10)
    assert under_way == 1 and len(cluster.made) == 1
