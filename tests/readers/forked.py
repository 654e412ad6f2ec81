"""Runs a probe once per process, each in a fork that has exactly the process's environment.

Used inside the readers' virtual environments: the reader is imported once, which is what
takes the time, and a fork then finds it as a fresh process would 
(docs/facts.md#fork-is-a-fresh-process).
"""

import json
import os
import sys


def minimal(*keep):
    """Clears the environment but for PATH and `keep`; returns what is left."""
    left = {k: os.environ[k] for k in ("PATH", *keep) if k in os.environ}
    left["HOME"] = "/nonexistent"
    os.environ.clear()
    os.environ.update(left)
    return left


def answer(probe, base):
    """Reads processes (JSON, a list) from stdin, writes what `probe(process)` gives for each.
    `base` is put over each environment: what the harness must have its way with.
    With --in-one no process is forked: for thousands, of readers that keep nothing between two."""
    run = _in_one if "--in-one" in sys.argv else _in_fork
    out = [{**run(lambda p=process: probe(p), {**process["env"], **base}),
            "label": process["label"], "name": process["name"]}
           for process in json.load(sys.stdin)]
    json.dump(out, sys.stdout)


def attempt(function):
    """What the function returns, or the exception as text: both are answers."""
    try:
        return function()
    except Exception as error:  # whatever a reader raises is what is being looked at
        return f"{type(error).__name__}: {error}"


def _in_one(probe, env):
    os.environ.clear()
    os.environ.update(env)
    return probe()


def _in_fork(probe, env):
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        os.environ.clear()
        os.environ.update(env)
        with os.fdopen(write_end, "w") as file:
            json.dump(probe(), file)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as file:
        text = file.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if text else {"crash": f"the fork ended with status {status}"}
