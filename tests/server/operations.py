"""What an operator does to a running server: new certificates, logs, the end."""

import os
import pathlib
import re
import signal
import ssl
import threading
import time

import program as programs
from certificates import make_pair, own_flags
from checks import check
from program import Program
from wire import Connection, ask, get, memory_bound, metrics_of, post, review, tls


class Load:
    """Clients that ask without pause, on connections they keep until told to close.

    A request counts as lost when it was sent and no whole answer came. A refused or
    reset connection attempt is no lost request: it ends the client once `stopping`.
    """

    def __init__(self, port, context, clients=6, keep=True):
        self.answered, self.lost, self.stopping = 0, [], threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._client, args=(port, context, keep),
                                          daemon=True) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def _client(self, port, context, keep):
        while not self.stopping.is_set():
            try:
                connection = Connection(port, context)
            except OSError as error:
                if not self.stopping.is_set() and not self._gone(port):
                    with self._lock:
                        self.lost.append(f"connect: {error!r}")
                return
            with connection:
                while not self.stopping.is_set():
                    try:
                        last = ask(connection).says_close
                    except Exception as error:  # anything but an answer is a lost request
                        with self._lock:
                            self.lost.append(f"ask: {error!r}")
                        return
                    with self._lock:
                        self.answered += 1
                    if last or not keep:
                        break

    def _gone(self, port):
        """Whether the port is closed for good: then a failed handshake is no loss."""
        try:
            Connection(port, None).close()
            return False
        except OSError:
            return True

    def stop(self):
        self.stopping.set()
        self.join()

    def join(self):
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive(), "a client hangs"


def serial(connection):
    return connection.socket.getpeercert()["serialNumber"]


@check
def certificate_replaced_under_load():
    with Program() as other:  # only for its folder
        folder = other.folder
        first, second = make_pair(folder, "first"), make_pair(folder, "second")
        bundle = folder / "both.crt"
        bundle.write_bytes(first[0].read_bytes() + second[0].read_bytes())
        live = folder / "tls.crt", folder / "tls.key"

        def install(pair):
            for source, target in zip(pair, live):
                (folder / "new").write_bytes(source.read_bytes())
                os.replace(folder / "new", target)

        install(first)
        with Program("--tls-cert", live[0], "--tls-key", live[1]) as program:
            context = tls(bundle)
            with Connection(program.port, context) as old:
                before = serial(old)
                keep, fresh = Load(program.port, context, 2), Load(program.port, context, 2, False)
                install(second)
                program.wait_for_log("certificate replaced")
                with Connection(program.port, context) as new:
                    assert serial(new) != before
                    ask(new)
                ask(old)

                install((first[0], second[1]))  # halves that do not match
                program.wait_for_log("certificate not replaced")
                with Connection(program.port, context) as new:
                    assert serial(new) != before, "the torn pair is in use"
                time.sleep(2.2)
                assert program.log().count("certificate not replaced") == 1
                for load in (keep, fresh):
                    load.stop()
                    assert not load.lost and load.answered > 20, (load.lost[:3], load.answered)
                ask(old)


@check
def files_that_do_not_exist_yet_are_waited_for():
    """As those of a Secret that is still empty: no caller is answered, the log says why, and the first pair is served."""
    with Program() as other:
        live = other.folder / "tls.crt", other.folder / "tls.key"
        with Program("--tls-cert", live[0], "--tls-key", live[1], "--log-format", "json") as program:
            (line,) = program.log_lines("no certificate yet; the server is not ready and waits for usable files of --tls-cert and --tls-key")
            assert str(live[0]) in line["error"], line
            with Connection(program.health_port, None) as health:
                answer = health.send(get("/readyz")).answer()
                assert answer.status == 503 and b"do not exist yet" in answer.body, answer
            with Connection(program.health_port, None) as health:
                assert health.send(get("/livez")).answer().status == 200
            try:
                Connection(program.port, tls(other.ca)).close()
                raise AssertionError("a handshake without a certificate")
            except (ssl.SSLError, OSError):
                pass
            for source, target in zip(make_pair(other.folder, "first"), live):
                os.replace(source, target)
            program.wait_for_log("certificate loaded")
            with Connection(program.health_port, None) as health:
                assert health.send(get("/readyz")).answer().status == 200
            with Connection(program.port, tls(live[0])) as connection:
                ask(connection)


@check
def a_server_without_a_certificate_does_not_start():
    code, out, err = programs.run(programs.PROGRAM, "serve", "--listen", "127.0.0.1:0")
    assert code == 2 and out == ""
    assert err.count("\n") == 1 and "serve needs a certificate" in err and "openssl req -x509" in err, err


def be_distrusted(program, other):
    """One handshake of a caller that trusts another CA."""
    try:
        Connection(program.port, tls(other)).close()
    except ssl.SSLError:
        return
    raise AssertionError("trusted")


@check
def caller_without_the_ca_shows_in_the_log():
    with Program() as program, Program() as other:
        for _ in range(3):
            be_distrusted(program, make_pair(other.folder, "other")[0])
        program.wait_for_log("a client rejected our certificate")
        assert program.log().count("does not trust") <= 2  # once a minute and thread
        assert metrics_of(program)[0]["tpu_webhook_handshakes_failed_total"] == 3


@check
def one_log_line_per_review():
    with Program("--log-format", "json") as program:
        with Connection(program.port, tls(program.ca)) as connection:
            ask(connection)
            forged = review('x","outcome":"denied"}\n{"msg":"forged')
            connection.send(post(forged)).answer()
            connection.send(get("/livez")).answer()
        lines = program.log_lines("review")
    assert len(lines) == 2, lines
    assert list(lines[0]) == ["time", "level", "msg", "uid", "namespace", "owner", "workload",
                              "outcome", "reason", "slice", "worker", "workers", "patch_bytes",
                              "unfit_pools", "dry_run", "shadow", "micros"], lines[0]
    assert lines[0]["outcome"] == "patched" and lines[0]["patch_bytes"] > 0
    assert lines[1]["uid"] != "x"


@check
def metrics_count_what_happened():
    with Program() as program:
        with Connection(program.port, tls(program.ca)) as connection:
            for _ in range(3):
                ask(connection)
            assert connection.send(get("/metrics")).answer().status == 404  # not for API servers' port
            values, types = metrics_of(program)
        (reviews,) = [(name, value) for name, value in values.items() if name.startswith("tpu_webhook_reviews_total")]
        assert reviews[1] == 3 and 'outcome="patched"' in reviews[0], reviews
        assert values['tpu_webhook_review_duration_seconds_count{webhook="mutate"}'] == 3
        assert 0 < values['tpu_webhook_review_duration_seconds_sum{webhook="mutate"}'] < 0.5
        assert values['tpu_webhook_requests_refused_total{status="404"}'] == 1
        assert values["tpu_webhook_connections"] == 1 and values["tpu_webhook_ready"] == 1
        assert abs(values["process_start_time_seconds"] - time.time()) < 30
        assert values["tpu_webhook_certificate_not_after_timestamp_seconds"] > time.time()
        assert types["tpu_webhook_reviews_total"] == "counter"
        assert not [name for name in types if "watch" in name], "no cluster is watched here"
        # Every name is in the manual.
        manual = (pathlib.Path(__file__).parents[2] / "docs" / "operations.md").read_text()
        unknown = [name for name in types if name.startswith("tpu_webhook") and f"`{name}" not in manual]
        assert not unknown, unknown


@check
def metrics_at_a_port_of_their_own():
    """Beside the probes as well, unless it is said otherwise; no probes there; and not where something else is served."""
    for flags, beside in (((), 200), (("--no-health-metrics",), 404)):
        with Program("--metrics-listen", "127.0.0.1:0", *flags) as program:
            own = int(re.search(r'metrics="?127\.0\.0\.1:(\d+)', program.log())[1])
            for port, path, status in ((own, "/metrics", 200), (own, "/readyz", 404), (own, "/mutate", 404),
                                       (program.health_port, "/metrics", beside), (program.health_port, "/readyz", 200)):
                with Connection(port, None) as connection:
                    assert connection.send(get(path)).answer().status == status, (flags, port, path)
            with Connection(program.port, tls(program.ca)) as connection:
                assert connection.send(get("/metrics")).answer().status == 404
    code, _, said = programs.run(programs.PROGRAM, "serve", "--listen", "127.0.0.1:0", *own_flags(), "--health-listen", "127.0.0.1:8081", "--metrics-listen", ":8081")
    assert code == 2 and '--metrics-listen ":8081": --health-listen has that port' in said, (code, said)


@check
def the_chart_asks_for_the_memory_that_the_server_counts():
    with Program() as program:
        bound = sum(memory_bound(program).values())
    values = (pathlib.Path(__file__).parents[2] / "charts/tpu-webhook/values.yaml").read_text()
    (asked,) = re.findall(r"^  requests:\n    cpu: .*\n    memory: (\d+)Mi$", values, re.M)
    assert int(asked) == -(-int(bound) // (1 << 20)), f"{asked} MiB asked, {bound / (1 << 20):.1f} counted"


@check
def sigterm_under_load_loses_no_request_and_no_line_of_the_log():
    for delay, form in (("1s", "text"), ("0s", "json")):
        with Program("--log-format", form, drain_delay=delay) as program:
            load = Load(program.port, tls(program.ca), clients=6)
            time.sleep(0.5)
            program.signal()
            load.join()  # each client ends when the port is closed
            assert program.wait(10) == 0
            assert not load.lost and load.answered > 50, (delay, load.lost[:3], load.answered)
            lines = len(re.findall(r'msg"?[=:]"?review\b', program.log()))
            assert lines == load.answered, (form, lines, load.answered)


@check
def a_killed_server_has_logged_all_turns_but_the_last():
    for _ in range(5):
        with Program() as program:
            with Connection(program.port, tls(program.ca)) as connection:
                for _ in range(20):
                    ask(connection)  # one at a time: a turn of the loop each
                program.signal(signal.SIGKILL)
                program.wait()
            lines = len(re.findall(r"msg=review\b", program.log()))
            assert lines >= 19, lines


@check
def draining_is_not_ready_but_serves_and_says_close():
    with Program(drain_delay="1s") as program:
        context = tls(program.ca)
        with Connection(program.port, context) as old:
            assert not ask(old).says_close
            start = time.monotonic()
            program.signal()
            program.wait_for_log("draining")
            with Connection(program.health_port, None) as health:
                answer = health.send(get("/readyz")).answer()
                assert answer.status == 503 and answer.body == b"draining", answer
            with Connection(program.health_port, None) as health:
                assert health.send(get("/livez")).answer().status == 200
            with Connection(program.port, context) as new:
                assert ask(new).says_close
            assert ask(old).says_close
        assert program.wait(5) == 0
        assert time.monotonic() - start > 0.9


@check
def drain_waits_for_a_request_in_progress():
    body = review("late")
    body += b" " * (400_000 - len(body))
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        request = post(body)
        connection.send(request[:100_000])
        program.signal()
        program.wait_for_log("no new connections")
        for at in range(100_000, len(request), 100_000):  # longer than an idle one is left
            time.sleep(0.5)
            connection.send(request[at:at + 100_000])
        answer = connection.answer()
        assert answer.json()["response"]["uid"] == "late" and answer.says_close
        connection.close()
        assert program.wait(5) == 0


@check
def drain_closes_idle_connections_soon():
    with Program() as program, Connection(program.port, tls(program.ca)) as connection:
        ask(connection)
        start = time.monotonic()
        program.signal()
        assert program.wait(5) == 0
        assert time.monotonic() - start < 3


@check
def drain_timeout_cuts_what_is_left():
    with Program("--drain-timeout", "1s") as program:
        with Connection(program.port, tls(program.ca)) as connection:
            connection.send(post(review())[:-10])
            time.sleep(0.2)
            start = time.monotonic()
            program.signal()
            assert program.wait(5) == 0
            assert 0.9 < time.monotonic() - start < 3


@check
def second_signal_exits_at_once():
    for first, second in [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM)]:
        with Program(drain_delay="30s") as program:
            with Connection(program.port, tls(program.ca)) as connection:
                ask(connection)
                program.signal(first)
                program.wait_for_log("draining")
                start = time.monotonic()
                program.signal(second)
                assert program.wait(5) == 1
                assert time.monotonic() - start < 1.5


@check
def second_signal_exits_with_requests_in_progress():
    with Program("--drain-timeout", "30s") as program:
        with Connection(program.port, tls(program.ca)) as connection:
            connection.send(post(review())[:-10])
            time.sleep(0.2)
            program.signal()
            program.wait_for_log("no new connections")
            program.signal()
            assert program.wait(5) == 1


@check
def files_and_connections_are_given_back():
    with Program() as program:
        context = tls(program.ca)
        with Connection(program.port, context) as connection:
            ask(connection)
        time.sleep(0.5)
        before = program.open_files()
        for _ in range(200):
            with Connection(program.port, context) as connection:
                ask(connection)
        time.sleep(1)
        assert program.open_files() <= before + 1, (before, program.open_files())
