#!/usr/bin/env python3
"""Callers that do nothing wrong, each a process of its own: what one waits for must be the server,
not another one's Python.

    honest.py kept PORT CA                  a review every 50 ms on one of eight kept connections
    honest.py fresh PORT CA                 a handshake and a review every 200 ms
    honest.py livez PORT                    /livez of the health port every 250 ms
    honest.py metrics PORT                  /metrics of the metrics port every second
    honest.py often PORT CA                 a review every 50 ms on one kept connection
    honest.py idle PORT CA                  a review every 3 s on one kept connection
    honest.py crowd PORT CA NUMBER SECONDS  so many kept connections, a review on each so often
    honest.py author PORT CA NUMBER         so many at a time create Pods of ray_workers.MANY, each in the next group

It prints "ready", goes on until its standard input is closed, and prints what it saw as JSON.
"""

import contextlib
import functools
import itertools
import json
import pathlib
import select
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "server"))

import cores  # noqa: E402
import ray_workers  # noqa: E402
import wire  # noqa: E402

KEPT = 8  # connections, so that some are on the event loop that is attacked
EVERY = {"kept": 0.05, "fresh": 0.2, "livez": 0.25, "metrics": 1.0, "often": 0.05, "idle": 3.0}
# docs/threat-model.md#what-holds-meanwhile; /livez has the probe's own limit below
SLOWEST = {"kept": 1.0, "fresh": 2.0}
PROBE = 5.0  # timeoutSeconds of the chart's livenessProbe
END = 40.0   # a child may be in the middle of two waits


# --- in the test

class Honest:
    """Callers of these kinds, or a crowd; a context manager. They have been answered once."""

    def __init__(self, program, crowd=0, every=20.0, parts=4, kinds=("kept", "fresh", "livez")):
        if crowd:
            words = [["crowd", program.port, program.ca, crowd // parts, every]] * parts
        else:
            words = [[kind, program.health_port] if kind == "livez" else
                     [kind, program.metrics_port] if kind == "metrics" else
                     [kind, program.port, program.ca] for kind in kinds]
        self._children = []
        try:
            for each in words:
                command = [sys.executable, "-B", __file__, *map(str, each)]
                child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True)
                self._children.append((each[0], child))
                cores.pin(child, cores.OTHERS)
            for kind, child in self._children:
                assert child.stdout.readline() == "ready\n", f"{kind}: not answered before the attack"
        except BaseException:
            self.__exit__()
            raise

    def end(self):
        """What they saw: [(kind, figures)]."""
        for _, child in self._children:
            child.stdin.close()
        return [(kind, json.loads(child.stdout.readline())) for kind, child in self._children]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _, child in self._children:
            child.kill()
            child.wait(5)
            child.stdout.close()


def said(seen):
    """In a line."""
    return "; ".join(f"{kind}: {f['asked']} asked, slowest {f['slowest']:.2f} s, "
                     f"median {f['median']:.3f} s, {f['errors']} errors"
                     + (f", {f['opened']} reopened" if f["opened"] else "") for kind, f in seen)


def faults(seen, slowest=None):
    """What is beyond those limits, in words."""
    found = []
    for kind, figures in seen:
        limit = (SLOWEST if slowest is None else slowest).get(kind)
        if figures["errors"]:
            found.append(f"{kind}: {figures['errors']} of {figures['asked']} failed: "
                         f"{figures['first_errors']}")
        if limit and figures["slowest"] > limit:
            found.append(f"{kind}: the slowest answer took {figures['slowest']:.2f} s, "
                         f"allowed {limit} s")
    return found


# --- in the process

class Seen:
    def __init__(self):
        self.took, self.errors, self.opened = [], [], 0

    @contextlib.contextmanager
    def asking(self):
        start = time.monotonic()
        try:
            yield
        except Exception as error:  # anything but the right answer
            self.errors.append(f"after {time.monotonic() - start:.2f} s: {error!r}"[:200])
            raise
        finally:
            self.took.append(time.monotonic() - start)

    def figures(self):
        took = sorted(self.took) or [0.0]
        return {"asked": len(self.took), "slowest": took[-1], "median": took[len(took) // 2],
                "errors": len(self.errors), "first_errors": self.errors[:3], "opened": self.opened}


def ask_fresh(port, context):
    with wire.Connection(port, context) as connection:
        wire.ask(connection)


def ask_plain(port, path):
    with wire.Connection(port, None) as connection:
        connection.socket.settimeout(PROBE)
        answer = connection.send(wire.get(path, "Connection: close\r\n")).answer()
        assert answer and answer.status == 200, answer


def calls_of(kind, port, *words):
    """([what to call in turn], seconds between two calls, [kept connections])"""
    if kind in ("livez", "metrics"):
        return [lambda: ask_plain(port, f"/{kind}")], EVERY[kind], []
    context = wire.tls(words[0])
    if kind == "fresh":
        return [lambda: ask_fresh(port, context)], EVERY[kind], []
    if kind == "crowd":
        number, every = int(words[1]), float(words[2]) / int(words[1])
    else:
        number, every = KEPT if kind == "kept" else 1, EVERY[kind]
    kept = [wire.Kept(port, context) for _ in range(number)]
    return [functools.partial(wire.ask_kept, each) for each in kept], every, kept


class Author(Honest):
    """Whoever makes the RayCluster ray_workers.MANY, with so many creations at a time: a process."""

    def __init__(self, program, number):
        command = [sys.executable, "-B", __file__, "author", str(program.port), str(program.ca), str(number)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._children = [("author", child)]
        cores.pin(child, cores.OTHERS)
        assert child.stdout.readline() == "ready\n"


def create_without_end(port, ca, number):
    """{status: how many} of the answers, until standard input is closed."""
    name, uid, groups = ray_workers.MANY
    statuses, turn, stop = {}, itertools.count(), threading.Event()

    def create():
        kept = wire.Kept(port, wire.tls(ca))
        while not stop.is_set():
            made = next(turn)
            pod = ray_workers.worker(f"many-{made}", name, uid, groups[made % len(groups)])
            with contextlib.suppress(Exception):
                status = kept.answer(ray_workers.creation(pod)[1]).status
                statuses[status] = statuses.get(status, 0) + 1
            stop.wait(0.02)

    for _ in range(number):
        threading.Thread(target=create, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    stop.set()
    print(json.dumps(statuses), flush=True)


def main():
    kind, port, *words = sys.argv[1:]
    if kind == "author":
        return create_without_end(int(port), words[0], int(words[1]))
    calls, every, kept = calls_of(kind, int(port), *words)
    for call in calls:
        call()
    before = sum(each.opened for each in kept)
    print("ready", flush=True)
    seen, number, due = Seen(), 0, time.monotonic()
    while not select.select([sys.stdin], [], [], max(0, due - time.monotonic()))[0]:
        with contextlib.suppress(Exception), seen.asking():
            calls[number % len(calls)]()
        number += 1
        due = max(due + every, time.monotonic())
    seen.opened = sum(each.opened for each in kept) - before
    print(json.dumps(seen.figures()), flush=True)


if __name__ == "__main__":
    main()
