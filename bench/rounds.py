"""Measurements in turns: servers are compared within a round, because a shared machine's speed is not
the same in the next one."""

import collections
import json
import random
import statistics
import subprocess

from servers import LOAD_CORE


class Figures:
    """Of one server and one payload: a list for each figure, one entry a round."""

    def __init__(self):
        self.of = collections.defaultdict(list)

    def add(self, measured):
        for name, value in measured.items():
            self.of[name].append(value)

    def median(self, name):
        return statistics.median(self.of[name])


def quartiles(values):
    """(first, median, third)"""
    if len(values) == 1:
        return (values[0],) * 3
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def ratios(figures, base, name="cpu_us"):
    """Round by round."""
    return [value / under for value, under in zip(figures.of[name], base.of[name])]


class Rounds:
    """Runs the load against servers; `load` is the program, `files` payload -> file."""

    def __init__(self, load, files, say):
        self.load, self.files, self.say = load, files, say
        self.sent = collections.Counter()  # server -> requests answered, warm-up included
        self.logged = collections.Counter()  # server -> lines about them
        self.random = random.Random(1)  # another order in each round, the same in each run

    def once(self, server, payload, seconds, *options):
        """One turn: what the load says, and the server's CPU time."""
        before = server.cpu_ns()
        command = ["taskset", "-c", LOAD_CORE, self.load, server.address, server.paths[payload],
                   self.files[payload], "--seconds", seconds, *options]
        if server.log is not None:
            command += ["--log", server.log]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              pass_fds=[] if server.log is None else [server.log])
        if done.returncode != 0:
            raise SystemExit(f"bench/compare: {server.name}, {payload}: {done.stderr.strip()}")
        measured = json.loads(done.stdout)
        used = server.cpu_ns() - before
        self.sent[server.name] += measured["requests"]
        self.logged[server.name] += measured["log_lines"]
        measured["cpu_us"] = used / 1000 / max(1, measured["requests"])
        measured["handshakes_per_cpu_second"] = measured["handshakes"] / used * 1e9
        return measured

    def compare(self, title, servers, payload, rounds, seconds, *options):
        """{server's name: Figures}"""
        found = {server.name: Figures() for server in servers}
        for server in servers:
            self.once(server, payload, min(seconds, 0.3), *options)  # warm
        for number in range(rounds):
            self.say(f"{title}: round {number + 1} of {rounds}")
            for server in self.random.sample(servers, len(servers)):
                found[server.name].add(self.once(server, payload, seconds, *options))
        return found
