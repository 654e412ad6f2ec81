"""A small client for the API server: JSON over HTTPS with a client certificate."""

import http.client
import json
import pathlib
import ssl
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor


class ApiError(Exception):
    """The API server said no."""

    def __init__(self, method: str, path: str, status: int, body: str):
        super().__init__(f"{method} {path}: {status} {_message(body)}")
        self.status = status


class Exists(ApiError):
    """409: there is one of that name already."""


class Kube:
    """Requests to one API server. Threads may share it; each gets a connection of its own."""

    def __init__(self, port: int, pki: pathlib.Path, user: str = "admin"):
        self.port = port
        self._tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        self._tls.load_cert_chain(str(pki / f"{user}.crt"), str(pki / f"{user}.key"))
        self._local = threading.local()

    def get(self, path: str):
        return self.request("GET", path)

    def post(self, path: str, body: dict):
        return self.request("POST", path, body)

    def create(self, obj: dict, query: str = ""):
        """POST an object to its collection."""
        return self.post(collection(obj) + query, obj)

    def create_all(self, objects: list, threads: int = 8) -> None:
        """POST many objects at once, in no particular order."""
        with ThreadPoolExecutor(max_workers=threads) as pool:
            for _ in pool.map(self.create, objects):
                pass

    def token(self, namespace: str, account: str, seconds: int = 7200) -> str:
        """A token of a ServiceAccount, as the kubelet asks for it."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}}
        return self.post(path, request)["status"]["token"]

    def request(self, method: str, path: str, body: dict | None = None, content_type: str = "application/json"):
        """One request; the decoded answer, or its text where it is not JSON."""
        data = None if body is None else json.dumps(body).encode()
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, data, {"Content-Type": content_type} if data else {})
                answer = connection.getresponse()
                text = answer.read().decode()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                self._local.connection = None
                if attempt == 2 or method != "GET":
                    raise
        if answer.status >= 300:
            kind = Exists if answer.status == 409 and method == "POST" else ApiError
            raise kind(method, path, answer.status, text)
        return json.loads(text) if text.startswith(("{", "[")) else text

    def connect(self, timeout: float | None = 60) -> http.client.HTTPSConnection:
        """A connection of the caller's own, such as for a watch."""
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self._tls)

    def _connection(self):
        if getattr(self._local, "connection", None) is None:
            self._local.connection = self.connect()
        return self._local.connection


# Kinds whose collection is not the lower-case kind with an "s", and kinds without a namespace.
_PLURALS = {"NetworkPolicy": "networkpolicies", "PriorityClass": "priorityclasses"}
_CLUSTER_SCOPED = {
    "Namespace", "Node", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition",
    "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "PriorityClass",
    "ClusterQueue", "ResourceFlavor", "WorkloadPriorityClass", "ResourceSlice", "DeviceClass",
}


def collection(obj: dict) -> str:
    """The path an object is POSTed to."""
    version, kind = obj["apiVersion"], obj["kind"]
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    plural = _PLURALS.get(kind, kind.lower() + "s")
    if kind in _CLUSTER_SCOPED:
        return f"{base}/{plural}"
    return f"{base}/namespaces/{obj['metadata'].get('namespace', 'default')}/{plural}"


def selector(labels: str) -> str:
    return "?labelSelector=" + urllib.parse.quote(labels)


def wait_for(what: str, condition, seconds: float, every: float = 0.05, failing=()):
    """Ask until `condition` gives something true; say what was waited for if it never does.

    `failing`: a function that names a process that died meanwhile, so that we do not wait for it.
    """
    deadline, last = time.monotonic() + seconds, None
    while True:
        try:
            answer = condition()
            if answer:
                return answer
        except (OSError, http.client.HTTPException, ApiError) as error:
            last = error
        dead = failing() if failing else None
        if dead:
            raise RuntimeError(f"waiting for {what}: {dead} has ended")
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:.0f} s for {what}" + (f"; last: {last}" if last else ""))
        time.sleep(every)


def _message(body: str) -> str:
    try:
        return json.loads(body).get("message", body)
    except (ValueError, AttributeError):
        return body[:500]
