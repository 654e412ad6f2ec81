"""Where a request ends (docs/facts.md#beast-framing), and what keep-alive means."""

import email.utils
import time

from checks import check, row
from program import Program
from wire import Connection, ask, get, post, review, tls

_shared = {}


def server():
    """One server for every check here, and a client's settings for it."""
    if not _shared:
        _shared["program"] = Program().__enter__()
        _shared["tls"] = tls(_shared["program"].ca)
    return _shared["program"], _shared["tls"]


def connect():
    program, context = server()
    return Connection(program.port, context)


def answer_to(request):
    """On a connection of its own."""
    with connect() as connection:
        return connection.send(request).answer()


def stop_shared():
    if _shared:
        _shared["program"].__exit__()


# What could be taken for a second request, if the first one's end were misread.
SMUGGLED = b"GET /readyz HTTP/1.1\r\nHost: smuggled\r\n\r\n"


def head(fields, target="/mutate", version="1.1", host="Host: localhost\r\n"):
    return (f"POST {target} HTTP/{version}\r\n{host}Content-Type: application/json\r\n{fields}\r\n"
            ).encode()


# name, bytes, status of the one answer; then the connection is closed, and what follows
# in the same write is never read as a request.
DOUBTS = [
    ("transfer_encoding_gzip", head("Transfer-Encoding: gzip\r\n"), 501),
    ("transfer_encoding_gzip_with_length",
     head("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n") + b"hello", 501),
    ("transfer_encoding_xchunked", head("Transfer-Encoding: xchunked\r\n"), 501),
    ("transfer_encoding_chunked_gzip", head("Transfer-Encoding: chunked, gzip\r\n"), 501),
    ("transfer_encoding_gzip_chunked",
     head("Transfer-Encoding: gzip, chunked\r\n") + b"0\r\n\r\n", 501),
    ("transfer_encoding_identity", head("Transfer-Encoding: identity\r\n"), 501),
    ("transfer_encoding_twice",
     head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400),
    ("transfer_encoding_in_http_1_0",
     head("Transfer-Encoding: chunked\r\n", version="1.0") + b"0\r\n\r\n", 400),
    ("chunked_and_length",
     head("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") + b"0\r\n\r\n", 400),
    ("length_and_chunked",
     head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + b"0\r\n\r\n", 400),
    ("equal_lengths", head("Content-Length: 5\r\nContent-Length: 5\r\n") + b"hello", 400),
    ("different_lengths", head("Content-Length: 5\r\nContent-Length: 50\r\n") + b"hello", 400),
    ("length_list", head("Content-Length: 5, 5\r\n") + b"hello", 400),
    ("length_plus", head("Content-Length: +5\r\n") + b"hello", 400),
    ("length_minus", head("Content-Length: -1\r\n"), 400),
    ("length_hexadecimal", head("Content-Length: 0x5\r\n") + b"hello", 400),
    ("length_overflow", head("Content-Length: 18446744073709551621\r\n") + b"hello", 400),
    ("space_before_colon", head("Content-Length : 5\r\n") + b"hello", 400),
    ("bare_line_feed", b"GET /livez HTTP/1.1\nHost: localhost\n\n", 400),
    ("bare_carriage_return", head("X: a\rContent-Length: 5\r\n") + b"hello", 400),
    ("nul", head("X: a\0b\r\n"), 400),
    ("chunk_size_bad", head("Transfer-Encoding: chunked\r\n") + b"zz\r\n", 400),
    ("chunk_size_negative", head("Transfer-Encoding: chunked\r\n") + b"-1\r\nx\r\n", 400),
    ("chunk_longer_than_said", head("Transfer-Encoding: chunked\r\n") + b"2\r\nabcd\r\n", 400),
    ("chunk_extension_endless", head("Transfer-Encoding: chunked\r\n") + b"1;" + b"a" * 40000, 400),
    ("folded_field", head("X: a\r\n b\r\nContent-Length: 0\r\n"), 400),
    ("folded_length", head("Content-Length:\r\n 5\r\n") + b"hello", 400),
    ("host_missing", head("Content-Length: 0\r\n", host=""), 400),
    ("host_twice", head("Content-Length: 0\r\n", host="Host: a\r\nHost: b\r\n"), 400),
    ("host_with_two_ports", head("Content-Length: 0\r\n", host="Host: a:b:c\r\n"), 400),
    ("content_type_twice", head("Content-Type: text/plain\r\nContent-Length: 0\r\n"), 400),
    ("target_beyond_ascii", get("/x").replace(b"/x", b"/\x80"), 400),
    ("target_of_no_uri", get("/livez?<a>"), 400),
    ("trailer_folded", head("Transfer-Encoding: chunked\r\n") + b"0\r\nX: a\r\n b\r\n\r\n", 400),
    ("unknown_method_with_body", post(b"hello").replace(b"POST", b"BREW"), 501),
    ("host_list", head("Content-Length: 0\r\n", host="Host: a, b\r\n"), 400),
    ("http_2_preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("http_1_2", get("/livez", version="1.2"), 505),
    ("http_0_9", b"GET /livez\r\n", 400),
    ("not_http", b"\x00\x01\x02\x03\r\n\r\n", 400),
    ("header_too_long", head("X: " + "y" * 17000 + "\r\n"), 431),
    ("header_too_long_in_all", head("".join(f"X: {'y' * 900}\r\n" for _ in range(20))), 431),
    ("too_many_fields", head("X: y\r\n" * 70), 431),
    ("target_too_long", get("/" + "y" * 17000), 431),
    ("body_too_large_by_length", head("Content-Length: 7340033\r\n"), 413),
    ("body_too_large_by_chunk", head("Transfer-Encoding: chunked\r\n") + b"700001\r\n", 413),
    ("length_unknown_with_body", head("Connection: close\r\n") + b"hello", 411),
    ("wrong_media_type_with_body",
     b"POST /mutate HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
     415),
    ("unknown_path_with_body", post(b"hello", target="/nowhere"), 404),
    ("wrong_method_with_body", post(b"hello").replace(b"POST", b"PUT"), 405),
]


def answers_once_and_closes(sent, status):
    with connect() as connection:
        answers = connection.send(sent + SMUGGLED).answers()
    assert [a.status for a in answers] == [status], answers
    answer = answers[0]
    assert answer.says_close
    told = answer.json()
    assert told["kind"] == "Status" and told["apiVersion"] == "v1" and told["code"] == status, told
    assert told["status"] == "Failure" and told["message"], told
    assert answer.body.endswith(b"}\n")
    assert "server" not in answer.fields


for _name, _sent, _status in DOUBTS:
    row(f"framing_{_name}",
        lambda sent=_sent, status=_status: answers_once_and_closes(sent, status))


@check
def pipelined_requests_are_answered_in_order():
    uids = [f"uid-{i}" for i in range(20)]
    with connect() as connection:
        connection.send(b"".join(post(review(uid)) for uid in uids))
        assert [connection.answer().json()["response"]["uid"] for _ in uids] == uids


@check
def chunked_review():
    body = review("chunked-uid")
    chunks = b"".join(b"%x;ext=1\r\n%s\r\n" % (len(body[i:i + 700]), body[i:i + 700])
                      for i in range(0, len(body), 700))
    with connect() as connection:
        connection.send(head("Transfer-Encoding: chunked\r\n") + chunks + b"0\r\nTrailer: x\r\n\r\n")
        assert connection.answer().json()["response"]["uid"] == "chunked-uid"
        ask(connection)


@check
def answers_have_a_date():
    """Of the present, as email.utils reads it."""
    for request in (get("/livez"), get("/nowhere"), post(review())):
        date = answer_to(request).fields["date"]
        told = email.utils.parsedate_to_datetime(date).timestamp()
        assert date.endswith(" GMT") and abs(told - time.time()) < 3, date


@check
def a_caller_without_time_is_told():
    """The body is not there yet and the caller's time is over."""
    with connect() as connection:
        request = post(review(), target="/mutate?timeout=0s")
        answers = connection.send(request[:-10]).answers()
        assert [a.status for a in answers] == [408] and answers[0].says_close, answers
    with connect() as connection:  # one that came whole is answered
        assert connection.send(request).answer().status == 200


@check
def expect_continue_is_refused_before_the_body():
    request = post(b"x" * 1000, "Expect: 100-continue\r\n", target="/nowhere")
    with connect() as connection:
        answers = connection.send(request[:-1000]).answers()
        assert [a.status for a in answers] == [404], answers


@check
def health_paths_on_both_ports():
    program, _ = server()
    for path in ["/livez", "/readyz", "/healthz", "/readyz?verbose"]:
        with connect() as secure, Connection(program.health_port, None) as plain:
            for connection in (secure, plain):
                answer = connection.send(get(path)).answer()
                assert answer.status == 200 and answer.body == b"ok"
                assert answer.fields["content-type"].startswith("text/plain")
    with Connection(program.health_port, None) as plain:
        assert plain.send(post(review())).answer().status == 404
