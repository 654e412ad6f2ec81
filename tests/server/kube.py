#!/usr/bin/env python3
"""Plays an API server, well and badly, to server/kube's client: tests/server/kube.py PROBE [PART].

Each check writes down what the server does with each connection, and what the client must make
of it. Standard library and the openssl command.
"""

import contextlib
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import checks
from checks import check

PROBE = None
PKI = None  # folder of certificates
SLACK = 1.5  # a busy machine


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def make_pki(folder):
    """A CA, another CA, and server certificates: by name, by address, and for somebody else."""
    for ca in ("ca", "other-ca"):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", 2, "-subj", f"/CN={ca}", "-keyout", folder / f"{ca}.key",
                "-out", folder / f"{ca}.crt")
    for name, san in (("name", "DNS:kubernetes.default.svc"), ("address", "IP:127.0.0.1"),
                      ("client", "DNS:client")):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", f"/CN={name}", "-keyout", folder / f"{name}.key",
                "-out", folder / f"{name}.csr")
        extensions = folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={san}\n")
        openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / "ca.crt", "-CAkey",
                folder / "ca.key", "-CAcreateserial", "-days", 2, "-extfile", extensions,
                "-out", folder / f"{name}.crt")


class Peer:
    """One connection, seen by the server."""

    def __init__(self, stream):
        self.stream = stream
        self.got = b""

    def request(self):
        """The next request's text; "" if the client has gone."""
        while b"\r\n\r\n" not in self.got:
            piece = self.stream.recv(65536)
            if not piece:
                return ""
            self.got += piece
        head, _, rest = self.got.partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        while len(rest) < length:
            rest += self.stream.recv(65536)
        self.got = rest[length:]
        return (head + b"\r\n\r\n" + rest[:length]).decode()

    def send(self, text):
        self.stream.sendall(text.encode())

    def answer(self, body="{}", status=200, fields=""):
        self.send(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{fields}"
                  f"Content-Length: {len(body)}\r\n\r\n{body}")

    def head(self):
        self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")

    def chunk(self, text):
        self.send(f"{len(text):x}\r\n{text}\r\n")

    def wait_until_gone(self):
        with contextlib.suppress(OSError):
            while self.stream.recv(65536):
                pass


class Server:
    """Gives the n-th connection to `play[n]` (the last one to all that follow)."""

    def __init__(self, *play, certificate="address", client_ca=None, tls=True):
        self.play, self.connections, self.errors = play, 0, []
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(PKI / f"{certificate}.crt", PKI / f"{certificate}.key")
            self.context.set_alpn_protocols(["h2", "http/1.1"])
            self.context.sni_callback = self._note_name
            if client_ca:
                self.context.verify_mode = ssl.CERT_REQUIRED
                self.context.load_verify_locations(PKI / client_ca)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.name = self.protocol = None
        threading.Thread(target=self._accept, daemon=True).start()

    def _note_name(self, _, name, __):
        self.name = name

    def _accept(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            script = self.play[min(self.connections, len(self.play) - 1)]
            self.connections += 1
            threading.Thread(target=self._serve, args=(raw, script), daemon=True).start()

    def _serve(self, raw, script):
        with raw:
            stream = raw
            try:
                if self.context:
                    stream = self.context.wrap_socket(raw, server_side=True)
                    self.protocol = stream.selected_alpn_protocol()
                with stream:
                    script(Peer(stream))
            except OSError as error:
                self.errors.append(str(error))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


class Probe:
    """The program that holds a client; `ask` sends a command and returns its result."""

    def __init__(self, server, *flags, host="127.0.0.1", ca="ca"):
        words = [PROBE, "--host", host, "--port", str(server.port), *map(str, flags)]
        if ca and server.context:
            words += ["--ca", str(PKI / f"{ca}.crt")]
        if not server.context:
            words += ["--plain", "yes"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        line = self.process.stdout.readline()
        assert line, f"the probe ended: {self.process.wait(5)}"
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            assert self.process.wait(10) == 0
        finally:
            self.process.kill()
            self.process.stdout.close()


def serve_ok(peer):
    while peer.request():
        peer.answer('{"kind":"PodList"}')


def expect(result, **want):
    got = {key: result[key] for key in want}
    assert got == want, f"{got} instead of {want}; all: {result}"


def asked(server, *flags, command="get /api 3000", **options):
    with server, Probe(server, *flags, **options) as probe:
        return probe.ask(command)


# --- trust -------------------------------------------------------------------


@check
def address_in_the_certificate():
    server = Server(serve_ok)
    result = asked(server)
    expect(result, delivery="answered", status=200, body='{"kind":"PodList"}', error="")
    assert server.name is None, "SNI must hold no address"
    assert server.protocol == "http/1.1", server.protocol


@check
def name_in_the_certificate():
    server = Server(serve_ok, certificate="name")
    expect(asked(server, "--tls-name", "kubernetes.default.svc"), delivery="answered", status=200)
    assert server.name == "kubernetes.default.svc"


@check
def wrong_name():
    result = asked(Server(serve_ok, certificate="name"), "--tls-name", "kubernetes.example.com")
    expect(result, delivery="failed", status=0)
    assert 'it is not for "kubernetes.example.com"' in result["error"], result["error"]


@check
def address_missing_in_the_certificate():
    result = asked(Server(serve_ok, certificate="name"))
    expect(result, delivery="failed")
    assert 'mismatch; it is not for "127.0.0.1"' in result["error"], result["error"]


@check
def wrong_ca():
    result = asked(Server(serve_ok), ca="other-ca")
    expect(result, delivery="failed")
    assert "is not trusted: unable to get local issuer certificate" in result["error"], result


@check
def no_ca_means_the_systems():
    result = asked(Server(serve_ok), ca=None)
    expect(result, delivery="failed")
    assert "CAs of the system" in result["error"], result["error"]


@check
def insecure_if_asked():
    expect(asked(Server(serve_ok), "--insecure", "yes", ca="other-ca"), delivery="answered")


@check
def ca_file_that_changes():
    file = PKI / "changing.crt"
    file.write_bytes((PKI / "other-ca.crt").read_bytes())

    def once(peer):
        peer.request()
        peer.answer(fields="Connection: close\r\n")

    with Server(once) as server, Probe(server, "--ca-file", file, ca=None) as probe:
        result = probe.ask("get /api 3000")
        assert str(file) in result["error"], result["error"]
        file.write_bytes((PKI / "ca.crt").read_bytes())
        expect(probe.ask("get /api 3000"), delivery="answered")
        file.write_bytes(b"")  # being written: the last one counts
        expect(probe.ask("get /api 3000"), delivery="answered")


@check
def missing_ca_file():
    result = asked(Server(serve_ok), "--ca-file", PKI / "nowhere.crt", ca=None)
    assert "nowhere.crt: no CA certificate in it" in result["error"], result["error"]


@check
def client_certificate():
    server = Server(serve_ok, client_ca="ca.crt")
    result = asked(server, "--cert", PKI / "client.crt", "--key", PKI / "client.key")
    expect(result, delivery="answered")
    expect(asked(Server(serve_ok, client_ca="ca.crt")), delivery="failed")


@check
def without_tls():
    expect(asked(Server(serve_ok, tls=False)), delivery="answered", status=200)


@check
def nobody_listens():
    server = Server(serve_ok)
    with socket.create_server(("127.0.0.1", 0)) as free:
        server.port = free.getsockname()[1]
    result = asked(server)
    expect(result, delivery="failed", silent=False)
    assert result["error"].endswith("Connection refused"), result["error"]


# --- requests ----------------------------------------------------------------


@check
def what_a_request_looks_like():
    seen = []

    def play(peer):
        seen.append(peer.request())
        peer.answer()

    with Server(play) as server:
        (PKI / "token").write_text("secret")
        with Probe(server, "--token-file", PKI / "token", "--base-path", "/prefix") as probe:
            probe.ask("get /api/v1/pods?limit=5 3000")
        assert seen[0].startswith("GET /prefix/api/v1/pods?limit=5 HTTP/1.1\r\n"), seen
        fields = dict(line.split(": ") for line in seen[0].split("\r\n")[1:] if line)
        assert fields.pop("User-Agent").startswith("tpu-webhook/")
        assert fields == {"Host": f"127.0.0.1:{server.port}", "Accept": "application/json",
                          "Authorization": "Bearer secret"}, fields


@check
def a_connection_is_kept():
    with Server(serve_ok) as server, Probe(server) as probe:
        for _ in range(3):
            expect(probe.ask("get /api 3000"), delivery="answered", idle=1)
        expect(probe.ask("post /api 3000 {}"), delivery="answered", idle=1)
        assert server.connections == 1, server.connections


@check
def connection_close_is_obeyed():
    def play(peer):
        peer.request()
        peer.answer(status=429, fields="Connection: close\r\nRetry-After: 5\r\n")

    result = asked(Server(play))
    expect(result, delivery="answered", status=429, retry_after=5, idle=0)


@check
def closed_between_requests():
    def once(peer):
        peer.request()
        peer.answer()  # and close

    with Server(once) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered")
        time.sleep(0.2)
        expect(probe.ask("get /api 3000"), delivery="answered")
        time.sleep(0.2)
        expect(probe.ask("post /api 3000 {}"), delivery="answered")
        assert server.connections == 3, server.connections


def closes_when_asked_again(peer):
    peer.request()
    peer.answer()
    peer.request()


@check
def a_read_on_a_stale_connection_is_tried_again():
    with Server(closes_when_asked_again, serve_ok) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered")
        expect(probe.ask("get /api 3000"), delivery="answered")
        assert server.connections == 2, server.connections


@check
def a_write_on_a_stale_connection_is_unknown():
    with Server(closes_when_asked_again, serve_ok) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered")
        expect(probe.ask("post /api 3000 {}"), delivery="unknown", status=0)
        assert server.connections == 1, server.connections


@check
def a_new_connection_that_fails_is_not_tried_again():
    with Server(lambda peer: peer.request()) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="failed", silent=False)
        assert server.connections == 1, server.connections


@check
def an_expired_token():
    seen = []

    def play(peer):
        while text := peer.request():
            seen.append(text)
            good = "Bearer new\r\n" in text
            peer.answer(status=200 if good else 401)

    token = PKI / "rotating"
    token.write_text("old")
    with Server(play) as server, Probe(server, "--token-file", token) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered", status=401)
        token.write_text("new")
        expect(probe.ask("get /api 3000"), delivery="answered", status=200)
    assert len(seen) == 2, "a refused request is not repeated"


@check
def no_token_is_said():
    result = asked(Server(serve_ok), "--token-file", PKI / "no-token")
    expect(result, delivery="failed")
    assert "no token in" in result["error"]


# --- slow and broken answers -------------------------------------------------


def expect_time(result, milliseconds):
    assert milliseconds - 20 <= result["ms"] <= milliseconds + SLACK * 1000, result


@check
def silent_peer():
    def play(peer):
        peer.request()
        peer.wait_until_gone()

    result = asked(Server(play), command="get /api 500")
    expect(result, delivery="failed", silent=True, idle=0)
    assert result["error"].endswith("no answer in time"), result["error"]
    expect_time(result, 500)
    expect(asked(Server(play), command="post /api 500 {}"), delivery="unknown", silent=True)


@check
def silent_before_the_handshake():
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(serve_ok)
    server.port = listener.getsockname()[1]
    result = asked(server, command="post /api 500 {}")
    expect(result, delivery="failed", silent=True)  # nothing was sent
    assert "TLS handshake" in result["error"], result["error"]
    expect_time(result, 500)
    listener.close()


@check
def slow_header():
    def play(peer):
        peer.request()
        for byte in "HTTP/1.1 200 OK\r\nX: " + "x" * 1000:
            peer.send(byte)
            time.sleep(0.05)

    result = asked(Server(play), command="get /api 600")
    expect(result, delivery="failed", silent=True)
    expect_time(result, 600)


@check
def half_a_body():
    def play(peer):
        peer.request()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")

    expect(asked(Server(play)), delivery="failed", silent=False)
    expect(asked(Server(play), command="post /api 3000 {}"), delivery="unknown")


@check
def no_http():
    def play(peer):
        peer.request()
        peer.send("SSH-2.0-OpenSSH_9.2\r\n\r\n")

    result = asked(Server(play))
    expect(result, delivery="failed")
    assert "no HTTP" in result["error"], result["error"]


@check
def endless_body():
    def play(peer):
        peer.request()
        peer.send("HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(200):
            peer.send("x" * 65536)

    result = asked(Server(play), command="get /api 20000")
    expect(result, delivery="failed")
    assert "longer than 8388608 bytes" in result["error"], result["error"][:100]


# --- streams -----------------------------------------------------------------


@check
def a_stream_ends_cleanly():
    def play(peer):
        while peer.request():
            peer.head()
            peer.chunk("one\n")
            peer.chunk("two\n")
            peer.send("0\r\n\r\n")

    with Server(play) as server, Probe(server) as probe:
        for _ in range(2):  # and its connection is good for another
            result = probe.ask("stream /watch 3000 5000")
            expect(result, delivery="answered", head=200, streamed="one\ntwo\n", idle=1)
        assert server.connections == 1


@check
def a_stream_is_cut():
    def play(peer):
        peer.request()
        peer.head()
        peer.chunk("one\n")
        peer.send("20\r\n{\"type\":")

    result = asked(Server(play), command="stream /watch 3000 5000")
    expect(result, delivery="failed", silent=False, head=200, streamed='one\n{"type":', idle=0)


@check
def a_stream_falls_silent():
    def play(peer):
        peer.request()
        peer.head()
        for _ in range(3):
            peer.chunk("x")
            time.sleep(0.3)
        peer.wait_until_gone()

    result = asked(Server(play), command="stream /watch 500 9000")
    expect(result, delivery="failed", silent=True, streamed="xxx")
    expect_time(result, 1100)


@check
def a_stream_that_never_ends_is_ended():
    def play(peer):
        peer.request()
        peer.head()
        while True:
            peer.chunk("x")
            time.sleep(0.1)

    result = asked(Server(play), command="stream /watch 500 900")
    expect(result, delivery="failed", silent=True)
    expect_time(result, 900)


@check
def a_refused_stream_keeps_its_answer():
    def play(peer):
        peer.request()
        peer.answer('{"kind":"Status"}', status=410)

    result = asked(Server(play), command="stream /watch 500 900")
    expect(result, delivery="answered", status=410, head=0, streamed="", body='{"kind":"Status"}')


# --- watching ----------------------------------------------------------------


def pod(name, version):
    return json.dumps({"metadata": {"name": name, "resourceVersion": str(version)}})


def event(kind, name, version):
    return f'{{"type":"{kind}","object":{pod(name, version)}}}\n'


INITIAL_END = ('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10","annotations":'
               '{"k8s.io/initial-events-end":"true"}}}}\n')


def refusal(peer, status, reason, fields="", message=""):
    peer.answer(json.dumps({"kind": "Status", "reason": reason, "message": message,
                            "code": status}), status, fields)


class Story:
    """Answers the n-th request with `steps[n]`; the last one again and again."""

    def __init__(self, *steps):
        self.steps, self.targets, self.times = steps, [], []

    def __call__(self, peer):
        while text := peer.request():
            step = self.steps[min(len(self.targets), len(self.steps) - 1)]
            self.targets.append(text.split()[1])
            self.times.append(time.monotonic())
            if step(peer) == "close":
                return

    def watched(self, milliseconds):
        return asked(Server(self), command=f"cancel {milliseconds} watch -/v1/pods/-")


def initial(peer):
    """A watch-list of one Pod that then stays open."""
    peer.head()
    peer.chunk(event("ADDED", "a", 7) + INITIAL_END)
    peer.wait_until_gone()


@check
def a_watch_list_is_followed():
    def step(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7) + INITIAL_END[:40])
        peer.chunk(INITIAL_END[40:] + event("ADDED", "b", 11) + event("DELETED", "a", 12))
        peer.chunk('{"type":"NEW","object":{}}\n')
        peer.wait_until_gone()

    story = Story(step)
    expect(story.watched(500), synced=True, version="12", relists=0, failures=0,
           calls=["begin", "upsert a", "end", "moved", "upsert b", "moved", "remove a", "moved"])
    assert "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" in story.targets[0]
    assert "resourceVersion=" not in story.targets[0]


@check
def a_cut_watch_is_resumed_from_its_last_version():
    def step(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7) + INITIAL_END + event("MODIFIED", "a", 11))
        peer.send('40\r\n{"type":"MODIFIED","object":{"met')
        return "close"

    def rest(peer):
        peer.head()
        peer.chunk(event("MODIFIED", "a", 12))
        peer.wait_until_gone()

    story = Story(step, rest)
    expect(story.watched(2500), synced=True, version="12", relists=0, failures=1,
           calls=["begin", "upsert a", "end", "moved", "upsert a", "moved", "upsert a", "moved"])
    assert "watch=1&resourceVersion=11&" in story.targets[1], story.targets


@check
def an_old_server_is_listed_in_pages():
    def page(name, token):
        return lambda peer: peer.answer(
            f'{{"metadata":{{"resourceVersion":"20","continue":"{token}"}},'
            f'"items":[{pod(name, 5)}]}}')

    def end(peer):
        peer.head()
        peer.wait_until_gone()

    story = Story(lambda peer: refusal(peer, 422, "Invalid"), page("a", "t/1"), page("b", ""), end)
    expect(story.watched(500), synced=True, version="20", relists=0, failures=0,
           calls=["begin", "begin", "upsert a", "upsert b", "end", "moved"])
    assert story.targets[1:3] == ["/api/v1/pods?limit=500",
                                  "/api/v1/pods?limit=500&continue=t%2F1"], story.targets
    assert "resourceVersion=20" in story.targets[3]


@check
def an_expired_watch_is_listed_anew():
    def expired(peer):
        peer.head()
        peer.chunk(event("ADDED", "a", 7) + INITIAL_END)
        peer.chunk('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n')
        return "close"

    result = Story(expired, initial).watched(500)
    expect(result, synced=True, relists=1,
           calls=["begin", "upsert a", "end", "moved", "begin", "upsert a", "end", "moved"])


@check
def a_busy_server_is_waited_for():
    story = Story(lambda peer: refusal(peer, 429, "TooManyRequests", "Retry-After: 1\r\n"), initial)
    expect(story.watched(2500), synced=True, failures=1)
    waited = story.times[1] - story.times[0]
    assert 1 <= waited <= 1.25 + SLACK, waited


@check
def a_missing_role_is_said():
    story = Story(lambda peer: refusal(peer, 403, "Forbidden", message="no"))
    result = story.watched(1500)
    expect(result, synced=False, trouble=1, failures=1, calls=["begin"])
    assert "403 Forbidden: no; RBAC missing: watch pods (cluster-wide)" in result["error"], result
    assert len(story.targets) == 1, "tried slowly"


@check
def a_server_that_is_not_there_yet():
    """Refused connections are tried again, not at once."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Server(initial)
    server.port = port
    result = asked(server, command="cancel 2500 watch -/v1/pods/-")
    expect(result, synced=False)
    assert 1 <= result["failures"] <= 3, result
    expect_time(result, 2500)


# --- cancelling --------------------------------------------------------------


def silence(peer):
    peer.request()
    peer.wait_until_gone()


def silent_stream(peer):
    peer.request()
    peer.head()
    peer.wait_until_gone()


for where, play in (("before_the_answer", silence), ("in_a_stream", silent_stream)):
    def cancelled(play=play):
        result = asked(Server(play), command="cancel 200 stream /watch 8000 9000")
        expect(result, delivery="failed", silent=False)
        expect_time(result, 200)
    checks.row(f"cancelled_{where}", cancelled)


@check
def cancelled_in_the_handshake():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(serve_ok)
        server.port = listener.getsockname()[1]
        result = asked(server, command="cancel 200 get /api 8000")
        expect(result, delivery="failed", silent=False)
        expect_time(result, 200)


def main():
    global PROBE, PKI
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    PROBE = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tpu-webhook-kube-") as folder:
        PKI = pathlib.Path(folder)
        make_pki(PKI)
        sys.exit(1 if checks.run(*sys.argv[2:]) else 0)


if __name__ == "__main__":
    main()
