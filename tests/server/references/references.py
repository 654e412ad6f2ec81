#!/usr/bin/env python3
"""Where a request ends, by us and by two other readers: references.py PROGRAM [--count N] [--seed N] [--plain]

Sends texts of one or more requests, well formed and changed by chance (mutate.py), to the real program,
each on a connection of its own whose sending side is then closed, and reads every answer. What must hold:

  * a request that is accepted is one that both readers find there too, with the same method, target
    and body, so that it ends where they say; where one of them refuses it, a row of rules.py says why;
  * what is refused is refused by a rule of rules.py, and nothing behind it is answered;
  * each text is answered, or its connection closed, within a limit.

--plain: the health port in place of TLS. Prints how often each rule was met; exit 0, 1 or, where the
readers are not to be had, 77.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))


def with_readers():
    """Goes on in the virtual environment that has them (tests/readers/install)."""
    made = subprocess.run([HERE.parent.parent / "readers/install", "http"], text=True, stdout=subprocess.PIPE)
    if made.returncode:
        # .ci/run sets it: there nothing may be left out.
        sys.exit(1 if os.environ.get("TPUWH_READERS_REQUIRED") else made.returncode)
    python = pathlib.Path(made.stdout.strip()) / "bin/python"
    os.execv(python, [python, *sys.argv])


try:
    from readers import READERS
except ImportError:
    if "tpu-webhook" in sys.prefix:
        raise
    with_readers()

import mutate  # noqa: E402
import program  # noqa: E402
import rules  # noqa: E402
from wire import Connection, get, tls  # noqa: E402

# Their body is not read, so the connection ends with the answer and nobody can see where the request does.
NOT_ROUTED = (404, 405, 411, 415, 501)
# RFC 9112 2.2: a recipient MAY take it for the end of a line. Behind a header field it is to us the begin of
# another line, whose end has to come.
BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.body = status, body
        self.says_close = fields.get(b"connection") == b"close"
        self.rule = rules.refusal(status, self._message(), self.says_close) if status != 200 else ""

    def _message(self):
        with contextlib.suppress(ValueError):
            return json.loads(self.body).get("message", "")
        return ""


def take_apart(raw):
    """The answers in `raw`; those to HEAD have a length and no body."""
    found = []
    while raw:
        head, end, rest = raw.partition(b"\r\n\r\n")
        assert end, f"closed within a header: {raw!r}"
        fields = {k.lower(): v for k, v in (line.split(b": ", 1) for line in head.split(b"\r\n")[1:])}
        status, length = int(head.split(b" ")[1]), int(fields.get(b"content-length", 0))
        if not rest or rest.startswith(b"HTTP/1.1 "):
            length = 0
        if status != 100:
            found.append(Answer(status, fields, rest[:length]))
        raw = rest[length:]
    return found


def ask(port, context, text):
    """Every answer to `text`, behind which there comes no more."""
    raw = b""
    with Connection(port, context) as connection, contextlib.suppress(ConnectionResetError, BrokenPipeError):
        connection.send(text)
        # Not SSLSocket's own, which forgets that there is TLS.
        socket.socket.shutdown(connection.socket, socket.SHUT_WR)
        try:
            while data := connection.socket.recv(65536):
                raw += data
        except ssl.SSLError as end:  # we left without a goodbye of TLS, and are told so behind the answers
            if end.reason != "TLSV1_ALERT_DECODE_ERROR":
                raise
    return take_apart(raw)


def accepted(found):
    """The answers to what was taken for a request."""
    for answer in found[:-1]:
        assert not answer.says_close and not answer.rule, f"something is answered behind {answer.status} {answer.body!r}"
    return found[:-1] if found and found[-1].rule else found


def compare(text, found, seen):
    """Raises where we and a reader disagree."""
    taken = accepted(found)
    refused, stricter = found[len(taken):], []
    for name, reader in READERS.items():
        requests, says = reader(text)
        compare_with(name, requests, says, taken, seen)
        if len(requests) > len(taken) and (not taken or not taken[-1].says_close):
            assert refused or BARE_LINE_FEED.search(text), (
                f"{name} has {len(requests)} requests, {len(taken)} were answered and none refused")
            stricter.append(name)
    why = refused[0].rule if refused else ""
    if stricter:
        seen[f"stricter than {' and '.join(stricter)}: {why or 'waits for more behind a bare line feed'}"] += 1
    seen["refused: " + why if refused else "not refused"] += 1
    seen["requests accepted"] += len(taken)


def compare_with(name, requests, says, taken, seen):
    for i, answer in enumerate(taken):
        if i == len(requests):
            # A request whose body is passed over need not be whole.
            if answer.status in NOT_ROUTED and answer.says_close:
                return
            assert rules.laxer(name, says), f"request {i} is answered with {answer.status}; {name}: {says or 'not whole'}"
            seen[f"laxer than {name}: {says.split(':')[0]}"] += 1
            return
        method, target, body = requests[i]
        if answer.status == 200 and answer.body.startswith(b'{"kind":"AdmissionReview"'):
            assert asks_for(body, json.loads(answer.body)["response"]["uid"]), "another body"
        if answer.status == 200 and method == b"GET":
            assert target.rsplit(b"/", 1)[-1].split(b"?")[0].split(b"#")[0] in (b"livez", b"readyz", b"healthz"), target


def asks_for(body, uid):
    """Whether that is a review's uid. Where we read none of it, it need not be JSON: "defaultMode":42h."""
    with contextlib.suppress(ValueError):
        return json.loads(body)["request"]["uid"] == uid
    return b'"uid":' + json.dumps(uid).encode() in body


def run(count, seed, plain):
    seen, failed = collections.Counter(), 0
    begin = time.monotonic()
    with program.Program("--ledger", "none") as serve:
        port, context = (serve.health_port, None) if plain else (serve.port, tls(serve.ca))
        for text in mutate.requests(seed, count):
            try:
                compare(text, ask(port, context, text), seen)
            except TimeoutError:
                print(f"FAIL neither answered nor closed, and nobody else may be any more:\n     {text!r}\n")
                return 1
            except (AssertionError, OSError, ValueError, KeyError) as wrong:
                failed += 1
                print(f"FAIL {type(wrong).__name__}: {wrong}\n     {text!r}\n", flush=True)
        with Connection(serve.port, tls(serve.ca)) as connection:
            assert connection.send(get("/livez")).answer().body == b"ok"
    for what, times in sorted(seen.items()):
        print(f"{times:7} {what}")
    print(f"{count} texts, {failed} failed, {time.monotonic() - begin:.1f} s")
    return failed


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--count", type=int, default=400)
    options.add_argument("--seed", type=int, default=30)
    options.add_argument("--plain", action="store_true")
    chosen = options.parse_args()
    program.PROGRAM = chosen.program
    sys.exit(1 if run(chosen.count, chosen.seed, chosen.plain) else 0)


if __name__ == "__main__":
    main()
