"""What callers can make the server hold. Each attack twice: by itself, and inside a memory
cgroup of the chart's limit, where the kernel kills what passes it."""

import contextlib
import functools
import pathlib
import tempfile
import threading
import time

import attack
import bodies
import cgroup
from attack import Attack, said
from checks import row
from program import resident_bytes
from wire import Connection, ask, memory_bound, tls

MIB = 1 << 20

LIMIT = 512 * MIB  # the chart's memory limit
IDLE = 5.0         # seconds after the attack until the size counts as that of an idle server


# --- what is measured

class Resident:
    """Resident memory of a process, looked at 50 times a second; a context manager."""

    def __init__(self, pid):
        self._pid, self._stop = pid, threading.Event()
        self.sampled = self.peak = 0
        self._thread = threading.Thread(target=self._look, daemon=True)

    def now(self):
        """(now, the kernel's peak), bytes; (0, 0) once the process is gone."""
        return resident_bytes(self._pid)

    def _look(self):
        while not self._stop.wait(0.02):
            size, peak = self.now()
            self.sampled, self.peak = max(self.sampled, size), max(self.peak, peak)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def in_mib(size):
    return f"{size / MIB:.0f} MiB"


# --- the two checks of an attack

def allowed(program):
    """The most that may be resident where no cluster is watched."""
    bound = memory_bound(program)
    return int(bound["program"] + bound["callers"])


def judge(growth, group=None):
    """Lets `growth(port, folder)` have its way with a server, and holds its size against the limits."""
    beginning = group.beginning() if group else []
    with attack.started(beginning=beginning) as program, tempfile.TemporaryDirectory() as folder:
        context = tls(program.ca)
        most = allowed(program)
        with Resident(program.process.pid) as resident:
            with Connection(program.port, context) as connection:
                ask(connection)
            before, _ = resident.now()
            growth(program.port, pathlib.Path(folder))
            ended = program.process.poll()
            time.sleep(IDLE)
            idle, _ = resident.now()
        sizes = (f"before {in_mib(before)}, peak {in_mib(resident.peak)} (sampled "
                 f"{in_mib(resident.sampled)}), idle again {in_mib(idle)}")
        if group:
            killed, met = group.refused()
            sizes += f"; cgroup peak {in_mib(group.peak())}, limit met {met} times, {killed} killed"
        print(f"       {sizes}", flush=True)
        assert ended is None, f"the server ended by {ended}: {sizes}"
        if group:
            assert killed == met == 0, sizes
        else:
            assert max(resident.peak, idle) <= most, f"allowed {in_mib(most)}: {sizes}"
        with Connection(program.port, context) as connection:
            ask(connection)


def limited(growth):
    with cgroup.Made(LIMIT) as made:
        judge(growth, made)


def grows(growth):
    """Registers both checks; a server in a container has its cgroup anyway."""
    row(f"memory.{growth.__name__}", functools.partial(judge, growth))
    if not attack.is_contained():
        row(f"memory.{growth.__name__}_in_512_mib", functools.partial(limited, growth))
    return growth


# --- the attacks: each a list of words for the attacker

# A server that refuses one and closes shall have the next all the same.
AGAIN = ("--reopen", 40, "--seconds", 60)


def carry_out(port, *attacks):
    """All at the same time, each to its end."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(Attack(port, *words)) for words in attacks]
        for each in running:
            print(f"     {each.words}\n       {said(each.wait())}", flush=True)


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text)
    return path


def in_turn(folder, bytes_of=bodies.many_terms):
    return ["reviews", "--file", written(folder, "7-mib", bytes_of(7 * MIB)), "--count", 8,
            "--connections", 4, *AGAIN]


def kept(folder, at_once=1, bytes_of=bodies.every_list):
    return ["reviews", "--file", written(folder, "3-mib", bytes_of(3 * MIB)), "--count", 24,
            "--connections", 8, "--at-once", at_once, *AGAIN]


def small(folder):
    return ["reviews", "--file", written(folder, "2-kb", bodies.many_names(16)), "--count", 200,
            "--connections", 200, "--at-once", 16, *AGAIN]


def almost_whole(folder, connections=1000):
    return ["kept-bodies", "--file", written(folder, "250-kib", bodies.many_values(250 << 10)),
            "--connections", connections, "--complete", "--seconds", 5]


def unread(folder, connections=1000):
    return ["reviews", "--file", written(folder, "1-kb", bodies.many_names(5)), "--unread",
            "--count", connections, "--connections", connections, "--seconds", 5]


@grows
def reviews_of_7_mib_in_turn(port, folder):
    """The largest body there is, full of node selector terms, one after another on four
    connections, so that both threads have to do with them."""
    carry_out(port, in_turn(folder))


@grows
def reviews_of_7_mib_of_every_list(port, folder):
    """The same, of lists that are read to their ends."""
    carry_out(port, in_turn(folder, bodies.every_list))


@grows
def pods_of_3_mib_on_kept_connections(port, folder):
    """What an API server lets pass, one after another on eight connections that stay."""
    carry_out(port, kept(folder))


@grows
def pods_of_3_mib_eight_at_once(port, folder):
    """The same, eight at a time."""
    carry_out(port, kept(folder, at_once=8))


@grows
def small_pods_on_200_connections(port, folder):
    """200 Pods of 2.5 KB whose answers were 4 MB each, which every connection kept."""
    carry_out(port, small(folder))


@grows
def a_thousand_bodies_of_250_kib(port, folder):
    """Below what counted as large; held but for a byte, and then read, all of them."""
    carry_out(port, almost_whole(folder))


@grows
def answers_that_nobody_reads(port, folder):
    """A thousand answers just below any bound, to peers that take none of them."""
    carry_out(port, unread(folder))


@grows
def all_of_it_at_once(port, folder):
    """Both together, within the server's 1,024 connections."""
    carry_out(port, in_turn(folder), kept(folder, at_once=8), small(folder),
              almost_whole(folder, 400), unread(folder, 400))
