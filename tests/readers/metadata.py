"""A stand-in for GCE's metadata server. It knows two keys, those that JAX asks for.

tpu-env              empty. JAX looks here for every MEGASCALE variable that is absent; a 404
                     would derive the same, after 18 requests and 9 seconds per process.
agent-worker-number  0. Whoever lacks TPU_SKIP_MDS_QUERY takes it for a GCE machine and lets
                     the injected variables be, which the verdict then sees.
"""

import http.server
import threading

_KNOWN = {"tpu-env": "", "agent-worker-number": "0"}


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        key = self.path.rsplit("/", 1)[-1]
        body = _KNOWN.get(key, "not found").encode()
        self.send_response(200 if key in _KNOWN else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(port, address="127.0.0.1"):
    """Answers in a thread, until the process ends."""
    server = http.server.ThreadingHTTPServer((address, port), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
