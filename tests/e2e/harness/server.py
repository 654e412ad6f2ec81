"""A small HTTPS server, for webhooks that are not ours."""

import contextlib
import http.server
import pathlib
import ssl
import threading


@contextlib.contextmanager
def listening(where: tuple, certificate: pathlib.Path, answer):
    """While this holds, `answer(path, body)` gives (status, body) for each POST at `where`, (host, port).

    The key is beside the certificate, as tls.py writes it. Port 0 is a free one; yields the port.
    An answer of None closes the connection without a word.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(certificate), str(certificate.with_suffix(".key")))
    handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
    server = http.server.ThreadingHTTPServer(where, handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # In one piece: a body behind its header waits 40 ms for the other side to acknowledge that.
    wbufsize, disable_nagle_algorithm = -1, True
    answer = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = type(self).answer(self.path, body)
        if answer is None:
            self.close_connection = True
            return
        self.send_response(answer[0])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer[1])))
        self.end_headers()
        self.wfile.write(answer[1])

    def log_message(self, format, *args):
        """Say nothing per request."""
