"""Raw bytes to the server and answers from it, over TLS or not."""

import dataclasses
import json
import pathlib
import select
import socket
import ssl
import uuid

LIMIT = 15.0  # seconds for any one socket operation

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "golden/recorded/job-2x4/reviews.jsonl"
TEMPLATE = json.loads(RECORDED.read_text().splitlines()[0])


def review(uid=None):
    """An AdmissionReview of a TPU Pod, as bytes."""
    request = TEMPLATE["request"] | {"uid": uid or str(uuid.uuid4())}
    return json.dumps(TEMPLATE | {"request": request}, separators=(",", ":")).encode()


def post(body, fields="", target="/mutate?timeout=10s", version="1.1"):
    """A well-formed request for a review."""
    return (f"POST {target} HTTP/{version}\r\nHost: localhost\r\n{fields}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


def get(path, fields="", version="1.1"):
    return f"GET {path} HTTP/{version}\r\nHost: localhost\r\n{fields}\r\n".encode()


@dataclasses.dataclass
class Answer:
    status: int
    fields: dict
    body: bytes

    @property
    def says_close(self):
        return self.fields.get("connection") == "close"

    def json(self):
        return json.loads(self.body)


def tls(ca, **options):
    """A client's settings: trusts `ca` alone."""
    context = ssl.create_default_context(cafile=str(ca))
    for name, value in options.items():
        setattr(context, name, value)
    return context


class Connection:
    """One connection. `context`: TLS settings, or None for plain text."""

    def __init__(self, port, context):
        self.raw = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket = (context.wrap_socket(self.raw, server_hostname="localhost")
                           if context else self.raw)
        except BaseException:
            self.raw.close()
            raise
        self._unread = b""

    def send(self, data):
        self.socket.sendall(data)
        return self

    def _more(self):
        data = self.socket.recv(65536)
        self._unread += data
        return bool(data)

    def answer(self):
        """The next answer, or None if the server has closed."""
        while b"\r\n\r\n" not in self._unread:
            if not self._more():
                assert not self._unread, f"closed within a header: {self._unread!r}"
                return None
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        fields = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
        length = int(fields.get("content-length", 0))
        while len(self._unread) < length:
            assert self._more(), "closed within a body"
        body, self._unread = self._unread[:length], self._unread[length:]
        return Answer(int(first.split(" ")[1]), fields, body)

    def answers(self):
        """Every answer until the server closes."""
        found = []
        while (answer := self.answer()) is not None:
            found.append(answer)
        return found

    def is_closed(self, limit):
        """Whether the server closes, without another byte, within `limit` seconds."""
        self.socket.settimeout(limit)
        try:
            return not self._more()
        except TimeoutError:
            return False
        except OSError:
            return True
        finally:
            self.socket.settimeout(LIMIT)

    def has_ended(self):
        """Whether anything can be read between two requests: the end, since nothing else comes then."""
        return bool(select.select([self.socket], [], [], 0)[0])

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Kept:
    """A connection for as long as the server lets it be: another one after an answer that said so, after
    a failure, and where the server has closed it between two requests, which Go's client sees as well."""

    def __init__(self, port, context):
        self._port, self._context, self._connection = port, context, None
        self.opened = 0

    def answer(self, request):
        if self._connection and self._connection.has_ended():
            self.close()
        if not self._connection:
            self._connection = Connection(self._port, self._context)
            self.opened += 1
        try:
            found = self._connection.send(request).answer()
            assert found is not None, "closed without an answer"
        except BaseException:
            self.close()
            raise
        if found.says_close:
            self.close()
        return found

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None


def ask(connection):
    """One review on an open connection; checks that its uid comes back."""
    uid = str(uuid.uuid4())
    answer = connection.send(post(review(uid))).answer()
    assert answer is not None, "closed without an answer"
    return checked(answer, uid)


def ask_kept(kept):
    """The same on a `Kept`."""
    uid = str(uuid.uuid4())
    return checked(kept.answer(post(review(uid))), uid)


def checked(answer, uid):
    assert answer.status == 200, answer
    response = answer.json()["response"]
    assert response["uid"] == uid and response["allowed"], response
    return answer


def metrics_of(program):
    """{'name{label="x"}': value} of a scrape, and each name's type."""
    with Connection(program.health_port, None) as health:
        answer = health.send(get("/metrics")).answer()
    assert answer.status == 200 and answer.fields["content-type"].startswith("text/plain; version=0.0.4")
    values, types = {}, {}
    for line in answer.body.decode().splitlines():
        words = line.split(" ")
        if line.startswith("# TYPE "):
            assert words[2] not in types, f"two families {words[2]}"
            types[words[2]] = words[3]
        elif not line.startswith("#"):
            assert line.rpartition(" ")[0] not in values, f"twice: {line}"
            values[line.rpartition(" ")[0]] = float(words[-1])
    return values, types


def memory_bound(program):
    """Bytes that may be resident, by what they are for (server/limits/memory.hpp)."""
    name = 'tpu_webhook_memory_bound_bytes{of="'
    return {key[len(name):-2]: value for key, value in metrics_of(program)[0].items() if key.startswith(name)}
