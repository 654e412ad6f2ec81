"""Answers that are slow, cut or no answers; tasks that are cancelled."""

import socket
import time

import checks
from checks import check
from made_up_api import Server, serve_ok, silence
from probe import asked, expect, expect_time


@check
def silent_peer():
    result = asked(Server(silence), command="get /api 500")
    expect(result, delivery="failed", silent=True, idle=0)
    assert result["error"].endswith("no answer in time"), result["error"]
    expect_time(result, 500)
    expect(asked(Server(silence), command="post /api 500 {}"), delivery="unknown", silent=True)


@check
def silent_before_the_handshake():
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(serve_ok)
    server.port = listener.getsockname()[1]
    result = asked(server, command="post /api 500 {}")
    expect(result, delivery="failed", silent=True)  # nothing was sent
    assert "TLS handshake" in result["error"], result["error"]
    expect_time(result, 500)
    listener.close()


@check
def slow_header():
    def play(peer):
        peer.request()
        for byte in "HTTP/1.1 200 OK\r\nX: " + "x" * 1000:
            peer.send(byte)
            time.sleep(0.05)

    result = asked(Server(play), command="get /api 600")
    expect(result, delivery="failed", silent=True)
    expect_time(result, 600)


@check
def half_a_body():
    def play(peer):
        peer.request()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")

    expect(asked(Server(play)), delivery="failed", silent=False)
    expect(asked(Server(play), command="post /api 3000 {}"), delivery="unknown")


@check
def no_http():
    def play(peer):
        peer.request()
        peer.send("SSH-2.0-OpenSSH_9.2\r\n\r\n")

    result = asked(Server(play))
    expect(result, delivery="failed")
    assert "not HTTP" in result["error"], result["error"]


@check
def endless_body():
    def play(peer):
        peer.request()
        peer.send("HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(200):
            peer.send("x" * 65536)

    result = asked(Server(play), command="get /api 20000")
    expect(result, delivery="failed")
    assert "longer than 2097152 bytes" in result["error"], result["error"][:100]


def silent_stream(peer):
    peer.request()
    peer.head()
    peer.wait_until_gone()


for where, play in (("before_the_answer", silence), ("in_a_stream", silent_stream)):
    def cancelled(play=play):
        result = asked(Server(play), command="cancel 200 stream /watch 8000 9000")
        expect(result, delivery="failed", silent=False)
        expect_time(result, 200)
    checks.row(f"cancelled_{where}", cancelled)


@check
def cancelled_in_the_handshake():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(serve_ok)
        server.port = listener.getsockname()[1]
        result = asked(server, command="cancel 200 get /api 8000")
        expect(result, delivery="failed", silent=False)
        expect_time(result, 200)
