"""A mutating webhook that answers as tpu-webhook does and keeps every review as it came.

It stands where tpu-webhook stands: the configuration has our name (so it sorts after jobset,
kueue and lws), `clientConfig.service`, and an ExternalName Service on our loopback address. Unlike
ours it has no matchConditions, so Ray heads and other Pods without chips are seen too.
"""

import contextlib
import http.server
import json
import pathlib
import ssl
import threading

from . import kube, operators, tls
from .state import State

NAMESPACE = SERVICE = CONFIGURATION = "tpu-webhook"
PATH = "/mutate/pods"
PROBE = "recorder-probe"
_CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class Recorder:
    """The server. Reviews go to <into>/0001.json, 0002.json, … in the order they arrive.

    One server for the life of a control plane: the API server keeps its connections to it.
    """

    def __init__(self, state: State):
        self._state = state
        self._ask = _allow
        self._lock = threading.Lock()
        self._folder: pathlib.Path | None = None
        self._count = 0
        self._probed = threading.Event()
        self._server = _listen(state, self)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @contextlib.contextmanager
    def registered(self, configuration: str = CONFIGURATION):
        """While this holds, the API server calls us; the name decides our place in the chain."""
        client = self._state.client()
        for obj in self._objects(configuration):
            with contextlib.suppress(kube.Exists):
                client.create(obj)
        self._wait_called(client, True)
        try:
            yield self
        finally:
            client = self._state.client()  # the API server closes a connection that was idle for long
            client.request("DELETE", f"{_CONFIGURATIONS}/{configuration}")
            self._wait_called(client, False)

    def into(self, folder: pathlib.Path, ask) -> None:
        """From now on reviews go here, numbered from 1, and `ask` answers them: bytes in, bytes out."""
        folder.mkdir(parents=True, exist_ok=True)
        with self._lock:
            self._folder, self._count, self._ask = folder, 0, ask

    def count(self) -> int:
        return self._count

    def answer(self, body: bytes) -> bytes:
        """Write a review down unchanged; what to say to it."""
        request = json.loads(body)["request"]
        if request["object"]["metadata"].get("name") == PROBE:
            self._probed.set()
            return _allow(body)
        with self._lock:
            if self._folder is not None:
                self._count += 1
                (self._folder / f"{self._count:04d}.json").write_bytes(body)
        return self._ask(body)

    def _wait_called(self, client: kube.Kube, wanted: bool) -> None:
        """A configuration takes effect about a second after it is written."""
        probe = {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": PROBE, "namespace": "default"},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        }

        def as_wanted() -> bool:
            self._probed.clear()
            client.create(probe, "?dryRun=All")
            return self._probed.is_set() == wanted

        kube.wait_for(f"the recorder {'' if wanted else 'not '}to be called", as_wanted, 30)

    def _objects(self, configuration: str) -> list:
        return [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
            operators.loopback_service(SERVICE, NAMESPACE, self._state.addresses["tpu-webhook"]),
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "MutatingWebhookConfiguration",
                "metadata": {"name": configuration},
                "webhooks": [
                    {
                        "name": "pods.tpu-webhook.dev",
                        "clientConfig": {
                            "service": {"name": SERVICE, "namespace": NAMESPACE, "path": PATH},
                            "caBundle": self._state.ca_bundle(),
                        },
                        "rules": [
                            {
                                "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
                                "operations": ["CREATE"], "scope": "Namespaced",
                            }
                        ],
                        "namespaceSelector": {
                            "matchExpressions": [
                                {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", NAMESPACE]}
                            ]
                        },
                        "admissionReviewVersions": ["v1"],
                        "sideEffects": "NoneOnDryRun",
                        "failurePolicy": "Fail",
                        "reinvocationPolicy": "IfNeeded",
                        "timeoutSeconds": 10,
                    }
                ],
            },
        ]


def _allow(body: bytes) -> bytes:
    response = {"uid": json.loads(body)["request"]["uid"], "allowed": True}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).encode()


def _listen(state: State, recorder: Recorder) -> http.server.ThreadingHTTPServer:
    certificate = state.pki / "recorder.crt"
    tls.server(state.pki, "webhook-ca", certificate, [f"DNS:{SERVICE}.{NAMESPACE}.svc"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(certificate), str(certificate.with_suffix(".key")))
    handler = type("Handler", (_Handler,), {"recorder": recorder})
    server = http.server.ThreadingHTTPServer((state.addresses["tpu-webhook"], 443), handler)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return server


class _Handler(http.server.BaseHTTPRequestHandler):
    """HTTP/1.1 with keep-alive; the TLS handshake happens in the connection's own thread."""

    protocol_version = "HTTP/1.1"
    recorder: Recorder

    def do_POST(self):
        """Keep the review, answer it."""
        body = self.recorder.answer(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Say nothing per request."""
