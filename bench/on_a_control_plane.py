"""What measurements with a real control plane share: the Python that they need, the program, and where it runs."""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/e2e")]


def say(text):
    print(text, flush=True)


def begin():
    """Go on in the Python of tests/e2e, which has the client of Kubernetes; SIGTERM ends all that is started from now on."""
    try:
        import kubernetes  # noqa: F401  pylint: disable=unused-import
    except ImportError:
        venv = subprocess.run([str(ROOT / "tests/e2e/install")], check=True, capture_output=True, text=True).stdout.strip()
        os.execv(f"{venv}/bin/python", [f"{venv}/bin/python", *sys.argv])
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def program_of(options):
    """--program, $TPUWH_PROGRAM, build/ci or build/dev."""
    from harness import built
    if options.program:
        os.environ["TPUWH_PROGRAM"] = str(options.program)
    try:
        return built.program().resolve()
    except RuntimeError as error:
        sys.exit(str(error))


@contextlib.contextmanager
def up(name, **more):
    """A control plane without operators and nodes, below $TPUWH_E2E_DIR or /tmp/tpu-webhook-bench-NAME: its state."""
    from controlplane import cluster
    directory = pathlib.Path(os.environ.get("TPUWH_E2E_DIR") or f"/tmp/tpu-webhook-bench-{name}").resolve()
    directory.mkdir(parents=True, exist_ok=True)
    cluster.down(directory)  # of a run that was killed
    state = cluster.up(directory, (), (), **more)
    try:
        yield state
    finally:
        cluster.down(directory)


def cpu_window(connection, server, path, body, count):
    """Microseconds of CPU of the API server for each of `count` objects that are created one after the other."""
    import servers
    before = servers.cpu_ns(server.pid)
    for _ in range(count):
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 201:
            raise RuntimeError(f"{path}: {answer.status} {text.decode()}")
    return (servers.cpu_ns(server.pid) - before) / 1e3 / count


def interval(of, to=None, minus=None, times=4000):
    """(mean, low, high) of windows, 95 % by resampled rounds; divided by the windows of another cell, or less them."""
    chance, rounds = random.Random(38), range(len(of))

    def value(some):
        total = sum(of[i] for i in some)
        if to:
            return total / sum(to[i] for i in some)
        return (total - sum(minus[i] for i in some) if minus else total) / len(some)

    sampled = sorted(value(chance.choices(rounds, k=len(rounds))) for _ in range(times))
    return value(rounds), sampled[int(0.025 * times)], sampled[int(0.975 * times)]


def process_of(state, name):
    from controlplane import process
    (found,) = [one for one in process.known(state.directory) if one.name == name]
    return found
