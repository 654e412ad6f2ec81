"""Between the API server and the program: an HTTPS server that spoils what the program answers.

It is a replica to the relay: it has the certificate that the program has, asks the program every
review, and hands the answer on as `edit` leaves it. The program is as shipped. This is how the
stories are shown to fail when they should.
"""

import base64
import contextlib
import http.client
import http.server
import json
import ssl
import threading
import urllib.parse

from .release import Release


@contextlib.contextmanager
def tampering(release: Release, edit):
    """While this holds, `edit(request, patch)` may change the JSON patch (a list) of each answer."""
    with _listening(release, edit) as port:
        ready = release.replicas[0].entry()["ready"]
        try:
            release.route({"tamper": {"address": f"127.0.0.1:{port}", "ready": ready}}, cut=True)
            release.wait_ready(["tamper"])
            yield
        finally:
            release.route(cut=True)
            release.wait_ready()


@contextlib.contextmanager
def _listening(release: Release, edit):
    """While this holds there is such a server; yields its port."""
    folder = release.mounts["/certificate"]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(folder / "tls.crt"), str(folder / "tls.key"))
    behind = release.replicas[0].entry()["address"]
    handler = type("Handler", (_Handler,), {"behind": behind, "edit": staticmethod(edit)})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    behind = ""
    edit = None

    def do_POST(self):
        """Ask the program, spoil the patch, answer."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, answer = self._ask(body)
        if status == 200:
            answer = self._spoil(json.loads(body)["request"], json.loads(answer))
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _ask(self, body: bytes) -> tuple:
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        target = urllib.parse.urlsplit(f"//{self.behind}")
        connection = http.client.HTTPSConnection(target.hostname, target.port, timeout=10, context=trusting)
        try:
            connection.request("POST", self.path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _spoil(self, request: dict, review: dict) -> bytes:
        response = review["response"]
        patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
        patch = type(self).edit(request, patch)
        if patch:
            response["patchType"] = "JSONPatch"
            response["patch"] = base64.b64encode(json.dumps(patch).encode()).decode()
        return json.dumps(review).encode()

    def log_message(self, format, *args):
        """Say nothing per request."""
