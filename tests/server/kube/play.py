"""A made-up API server and the program that calls it: what each connection is given is a function."""

import contextlib
import json
import pathlib
import socket
import ssl
import subprocess
import threading

PROBE = None
PKI = pathlib.Path()  # folder of certificates; run.py sets both
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


def expect_time(result, milliseconds):
    assert milliseconds - 20 <= result["ms"] <= milliseconds + SLACK * 1000, result
