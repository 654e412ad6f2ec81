"""What does not turn: an event loop, the process, whoever reads standard output, a disk."""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import one_thread
import program as programs
from certificates import own_pair
from checks import check
from program import Program
from wire import Connection, ask, get, tls


def be_ready(program):
    """A start is not watched: that all loops turn is what it ends with."""
    until = time.monotonic() + 10
    while True:
        with Connection(program.health_port, None) as health:
            if health.send(get("/readyz")).answer().status == 200:
                return
        assert time.monotonic() < until, program.log()


def ended(program, stopped, limit):
    """Its exit code and how many seconds it took, while a thread of it is stopped."""
    start = time.monotonic()
    while (code := program.process.poll()) is None:
        stopped.reap()
        assert time.monotonic() - start < limit, f"still there after {limit} s:\n{program.log()}"
        time.sleep(0.05)
    return code, time.monotonic() - start


@check(waits=True)
def a_review_loop_that_hangs_ends_the_process():
    with Program("--log-format", "json") as program:
        be_ready(program)
        with one_thread.Stopped(one_thread.find(program.process.pid, "reviews 2")) as stopped:
            code, took = ended(program, stopped, 60)
        assert code == 1 and took > 19, (code, took)
        said = [json.loads(line) for line in program.log().splitlines()][-1]
    assert "event loop does not turn" in said["msg"], said
    assert (said["level"], said["loop"], said["seconds"]) == ("error", "reviews 2", 20), said


@check(waits=True)
def a_control_loop_that_hangs_ends_the_process():
    with Program() as program:
        be_ready(program)
        with one_thread.Stopped(program.process.pid) as stopped:
            code, took = ended(program, stopped, 60)
        assert code == 1 and took > 19, (code, took)
        last = program.log().splitlines()[-1]
    assert re.fullmatch(r'time=\S+ level=error msg="an event loop does not turn[^"]*" '
                        r'loop="control" seconds=20', last), last


@check
def sigterm_ends_a_process_whose_control_loop_hangs():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Program("--drain-timeout", "500ms") as program:
            be_ready(program)
            with one_thread.Stopped(program.process.pid) as stopped:
                program.signal(number)
                code, took = ended(program, stopped, 30)
            assert code == 1 and took > 3, (code, took)
            last = program.log().splitlines()[-1]
            assert "not drained in time" in last and 'loop="control"' in last, last


@check
def a_second_signal_ends_a_process_whose_review_loop_hangs():
    with Program(drain_delay="30s") as program:
        be_ready(program)
        with one_thread.Stopped(one_thread.find(program.process.pid, "reviews 1")) as stopped:
            program.signal()
            program.wait_for_log("draining")
            program.signal()
            code, _ = ended(program, stopped, 20)
        assert code == 1
        assert "second signal, and no end" in program.log().splitlines()[-1], program.log()


@check(waits=True)
def a_process_that_was_stopped_for_longer_than_a_loop_may_lives():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        ask(connection)
        program.signal(signal.SIGSTOP)
        time.sleep(22)
        program.signal(signal.SIGCONT)
        ask(connection)
        time.sleep(1)
        assert program.process.poll() is None, program.log()
        connection.close()
        program.signal()
        assert program.wait(10) == 0


@check
def sigterm_ends_a_start_that_hangs():
    with tempfile.TemporaryDirectory(prefix="tpu-webhook-test-") as folder:
        pipe = pathlib.Path(folder) / "tls.crt"  # nobody writes to it
        os.mkfifo(pipe)
        process = subprocess.Popen([programs.PROGRAM, "serve", "--listen", "127.0.0.1:0", "--tls-cert",
                                    pipe, "--tls-key", pipe], stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(0.5)
            assert process.poll() is None
            process.terminate()
            _, err = process.communicate(timeout=10)
        finally:
            process.kill()
    assert process.returncode == 0, process.returncode
    assert err.count("\n") == 1 and "received a signal to end before it served" in err, err


def _as_nobody(threads):
    """As another user, if we are root, who may have so many threads. A user's other processes
    count, too; nobody has none."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
    return prepare


@check
def a_thread_that_cannot_be_started_ends_the_start_in_one_line():
    with tempfile.TemporaryDirectory(prefix="tpu-webhook-test-") as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(programs.PROGRAM, folder)
        os.chmod(copy, 0o755)
        pair = [shutil.copy(file, folder) for file in own_pair()]
        for file in pair:
            os.chmod(file, 0o644)
        for threads in range(1, 20):
            process = subprocess.Popen([copy, "serve", "--listen", "127.0.0.1:0", "--drain-delay", "0s",
                                        "--tls-cert", pair[0], "--tls-key", pair[1]],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                       preexec_fn=_as_nobody(threads), cwd="/")
            try:
                _, err = process.communicate(timeout=1 if threads > 6 else 10)
            except subprocess.TimeoutExpired:  # it serves
                process.terminate()
                process.communicate(timeout=10)
                assert process.returncode == 0
                break
            finally:
                process.kill()
            assert process.returncode == 1, (threads, process.returncode)
            assert "cannot start the thread" in err.splitlines()[-1], (threads, err)
        assert threads > 4, f"it started with {threads} threads"


@check
def lines_that_a_full_disk_does_not_take_are_counted():
    with Program("--log-format", "json") as program, Connection(program.port, tls(program.ca)) as connection:
        _, hard = resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE)
        full = len(program.log()) + 5000
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (full, hard))
        for _ in range(60):
            ask(connection)
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        for _ in range(5):
            ask(connection)
        connection.close()
        program.signal()
        assert program.wait(10) == 0
        lines = program.log().splitlines()
    torn, said, reviews = [], 0, 0
    for line in lines:
        try:
            fields = json.loads(line)
        except ValueError:
            torn.append(line)
            continue
        said += fields["count"] if fields["msg"] == "log lines dropped" else 0
        reviews += fields["msg"] == "review"
    assert said > 10 and said + reviews == 65, (said, reviews)
    assert len(torn) <= 1, torn
