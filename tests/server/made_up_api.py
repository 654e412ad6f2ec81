"""A made-up API server on the loopback.

What is done with a connection is a function of a `Peer`: the n-th connection is given to the n-th
function. One that does well, for as long as it is asked, is `Objects`; its `faults` are functions
that spoil some of its answers; `Living` can be watched, too. One that does badly is written where it
is tested.
"""

import contextlib
import json
import pathlib
import shutil
import socket
import ssl
import tempfile
import threading
import time
import urllib.parse

import certificates

PAGE = 2  # objects in a page of a list


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
        return (head + b"\r\n\r\n" + rest[:length]).decode(errors="surrogateescape")

    def send(self, text):
        self.stream.sendall(text.encode())

    def answer(self, body="{}", status=200, fields=""):
        self.send(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{fields}"
                  f"Content-Length: {len(body.encode())}\r\n\r\n{body}")

    def head(self):
        self.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")

    def chunk(self, text):
        self.send(f"{len(text):x}\r\n{text}\r\n")

    def wait_until_gone(self):
        with contextlib.suppress(OSError):
            while self.stream.recv(65536):
                pass


class Server:
    """Gives the n-th connection to `play[n]` (the last one to all that follow). `certificate` is a
    name in certificates.FOLDER; `name` and `protocol` are what a client's handshake asked for."""

    def __init__(self, *play, certificate="address", tls=True):
        self.play, self.connections, self.errors = play, 0, []
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificates.FOLDER / f"{certificate}.crt",
                                         certificates.FOLDER / f"{certificate}.key")
            self.context.set_alpn_protocols(["h2", "http/1.1"])
            self.context.sni_callback = self._note_name
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
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # or a thread would accept forever
        self.listener.close()


class Account:
    """The service account of a Pod that asks the server on this port: a folder as the kubelet mounts it, and the
    variables of the Pod. Each has a folder of its own: checks that wait run beside others."""

    def __init__(self, port, namespace="webhook"):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=certificates.FOLDER))
        self.folder.chmod(0o755)  # tests/image: the program is another user
        shutil.copy(certificates.FOLDER / "ca.crt", self.folder)
        (self.folder / "token").write_text("a-token")
        (self.folder / "namespace").write_text(namespace)
        self.environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(port)}


def kubeconfig(folder, port, namespace="default", user=None):
    """A file of its own that leads to a server on this port, without TLS, as the fake kubectl of tests/support reads it."""
    path = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "kubeconfig"
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "test",
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "test",
                      "context": {"cluster": "c", "user": "u", "namespace": namespace}}]}))
    return str(path)


def serve_ok(peer):
    while peer.request():
        peer.answer('{"kind":"PodList"}')


def silence(peer):
    """Takes a request and answers nothing."""
    peer.request()
    peer.wait_until_gone()


# --- one that does well: objects by collection, in pages of two

def status(code, reason, message, **details):
    return code, {"kind": "Status", "code": code, "reason": reason, "message": message,
                  "details": details}


def retry_after(out):
    """The header field that goes with such a Status."""
    details = out.get("details", {}) if isinstance(out, dict) else {}
    seconds = details.get("retryAfterSeconds") if isinstance(details, dict) else None
    return f"Retry-After: {seconds}\r\n" if seconds else ""


class Request:
    def __init__(self, text):
        head, _, body = text.partition("\r\n\r\n")
        self.method, self.target, _ = head.split("\r\n")[0].split(" ")
        url = urllib.parse.urlsplit(urllib.parse.unquote(self.target))
        self.path, self.query = url.path, urllib.parse.parse_qs(url.query)
        self.folder, _, self.name = url.path.rpartition("/")
        self.body = json.loads(body) if body else None
        self.at = time.monotonic()


class Objects:
    """`collections` maps a path ("/api/v1/pods") to objects; what is not there is a 404. The first
    of `faults` that returns (status, object or text) for a request has answered it."""

    def __init__(self, collections=None, *faults):
        self.collections, self.faults = collections or {}, list(faults)
        self.requests = []       # every Request
        self.version = 100

    def __call__(self, peer):
        while text := peer.request():
            request = Request(text)
            self.requests.append(request)
            if self.streams(peer, request):
                return
            answers = (fault(self, request) for fault in self.faults)
            code, out = next(filter(None, answers), None) or self.answer(request)
            peer.answer(out if isinstance(out, str) else json.dumps(out), code, retry_after(out))

    def streams(self, peer, request):
        """Whether it was a watch, which has had its answer then and ends the connection."""
        return False

    def targets(self, beginning="/"):
        """Path and query of each request whose path begins so."""
        return [r.target for r in self.requests if r.target.startswith(beginning)]

    def methods(self):
        return [r.method for r in self.requests]

    def find(self, request):
        return next((o for o in self.collections.get(request.folder, ())
                     if o["metadata"]["name"] == request.name), None)

    def answer(self, request):
        return {"GET": self.get, "PUT": self.put, "DELETE": self.delete}[request.method](request)

    def get(self, request):
        if request.path in self.collections:
            return 200, self.page(self.collections[request.path], request.query)
        found = self.find(request)
        return (200, found) if found else status(404, "NotFound", f"no {request.path}")

    def page(self, objects, query):
        start = int(query.get("continue", ["0"])[0])
        metadata = {"resourceVersion": str(self.version)}
        if start + PAGE < len(objects):
            metadata["continue"] = str(start + PAGE)
        return {"kind": "List", "apiVersion": "v1", "metadata": metadata,
                "items": objects[start:start + PAGE]}

    def put(self, request):
        found, body = self.find(request), request.body
        if not found or found["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        objects = self.collections[request.folder]
        objects[objects.index(found)] = self.changed(body)
        return 200, body

    def delete(self, request):
        found = self.find(request)
        wanted = request.body.get("preconditions", {}).get("resourceVersion")
        if not found or wanted != found["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the precondition failed")
        self.collections[request.folder].remove(found)
        return 200, {"kind": "Status", "status": "Success"}

    def changed(self, body):
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        return body


# --- one that can be watched, and written by several at once

class Living(Objects):
    """Watches are watch-lists (1.34), kept open until `cut`; a list is one page, and what its label
    selector says."""

    def __init__(self, collections=None, *faults):
        super().__init__(collections, *faults)
        self._changed = threading.Condition()
        self._events = []  # (version, path, type, object), all there ever were
        self._cuts = 0

    def streams(self, peer, request):
        watches = "watch" in request.query
        if watches:
            self._watch(peer, request)
        return watches

    def happen(self, kind, path, *objects):
        """ADDED or DELETED, in a collection and to its watches."""
        with self._changed:
            for each in objects:
                self.changed(each)
                if kind == "ADDED":
                    self.collections[path].append(each)
                elif each in self.collections[path]:
                    self.collections[path].remove(each)
                self._events.append((self.version, path, kind, each))
            self._changed.notify_all()

    def cut(self):
        """Ends all watches, as a server does from time to time."""
        with self._changed:
            self._cuts += 1
            self._changed.notify_all()

    def answer(self, request):
        with self._changed:
            return self.post(request) if request.method == "POST" else super().answer(request)

    def post(self, request):
        name = request.body["metadata"]["name"]
        objects = self.collections.setdefault(request.path, [])
        if any(each["metadata"]["name"] == name for each in objects):
            return status(409, "AlreadyExists", f"{name} exists")
        objects.append(self.changed(request.body))
        return 201, request.body

    def page(self, objects, query):
        wanted = dict(pair.split("=") for pair in query.get("labelSelector", [""])[0].split(",") if pair)
        found = [each for each in objects
                 if wanted.items() <= each["metadata"].get("labels", {}).items()]
        return {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": str(self.version)},
                "items": found}

    def _watch(self, peer, request):
        peer.head()
        with self._changed:
            cuts, seen = self._cuts, len(self._events)
            if "sendInitialEvents" in request.query:
                first = [event_line("ADDED", each) for each in self.collections.get(request.path, ())]
                first.append(self._bookmark({"k8s.io/initial-events-end": "true"}))
            else:
                since = int(request.query["resourceVersion"][0])
                first = [event_line(kind, each) for version, path, kind, each in self._events
                         if path == request.path and version > since]
        peer.chunk("".join(first) or self._bookmark())
        while True:
            with self._changed:
                self._changed.wait_for(lambda: len(self._events) > seen or self._cuts > cuts, 30)
                new, seen = self._events[seen:], len(self._events)
                if self._cuts > cuts:
                    return peer.send("0\r\n\r\n")
            lines = [event_line(kind, each) for _, path, kind, each in new if path == request.path]
            if lines or not new:
                peer.chunk("".join(lines) or self._bookmark())

    def _bookmark(self, annotations=None):
        return event_line("BOOKMARK", {"metadata": {"resourceVersion": str(self.version),
                                                    "annotations": annotations or {}}})


def event_line(kind, body):
    return json.dumps({"type": kind, "object": body}) + "\n"


# --- its faults

def forbids(*paths):
    """Refuses to read these collections, and what is in them."""
    def fault(_, request):
        if request.method == "GET" and (request.path in paths or request.folder in paths):
            return status(403, "Forbidden", "you may not")
        return None
    return fault


def says(texts):
    """Path -> (status, text): what is no object."""
    return lambda _, request: texts.get(request.path)


def expires(times):
    """Forgets the place in a list."""
    left = iter(range(times))

    def fault(_, request):
        if "continue" in request.query and next(left, None) is not None:
            return status(410, "Expired", "the continue parameter is too old")
        return None
    return fault


def rivals(times):
    """Somebody else writes just before a write."""
    left = iter(range(times))

    def fault(objects, request):
        found = objects.find(request) if request.method != "GET" else None
        if found and next(left, None) is not None:
            objects.changed(found)
    return fault
