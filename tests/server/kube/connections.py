"""Requests on connections that are kept, closed and refused."""

import time

import certificates
from checks import check
from made_up_api import Server, serve_ok
from probe import Probe, asked, expect


@check
def what_a_request_looks_like():
    seen = []

    def server_side(peer):
        seen.append(peer.request())
        peer.answer()

    with Server(server_side) as server:
        token = certificates.FOLDER / "token"
        token.write_text("secret")
        with Probe(server, "--token-file", token) as probe:
            probe.ask("get /api/v1/pods?limit=5 3000")
        assert seen[0].startswith("GET /api/v1/pods?limit=5 HTTP/1.1\r\n"), seen
        fields = dict(line.split(": ") for line in seen[0].split("\r\n")[1:] if line)
        assert fields.pop("User-Agent").startswith("tpu-webhook/")
        assert fields == {"Host": f"127.0.0.1:{server.port}", "Accept": "application/json",
                          "Authorization": "Bearer secret"}, fields


@check
def a_connection_is_kept():
    with Server(serve_ok) as server, Probe(server) as probe:
        for _ in range(3):
            expect(probe.ask("get /api 3000"), delivery="answered", idle=1)
        expect(probe.ask("post /api 3000 {}"), delivery="answered", idle=1)
        assert server.connections == 1, server.connections


@check
def connection_close_is_obeyed():
    def server_side(peer):
        peer.request()
        peer.answer(status=429, fields="Connection: close\r\nRetry-After: 5\r\n")

    result = asked(Server(server_side))
    expect(result, delivery="answered", status=429, retry_after=5, idle=0)


@check
def a_pause_that_the_server_asks_for():
    """Until it is over nothing is sent, and whoever asks is told at once."""
    requests = []

    def server_side(peer):
        while text := peer.request():
            requests.append(text)
            if len(requests) == 1:
                peer.answer(status=429, fields="Retry-After: 2\r\n")
            else:
                peer.answer()

    with Server(server_side) as server, Probe(server) as probe:
        expect(probe.ask("get /api/v1/x?y=z 3000"), delivery="answered", status=429)
        for _ in range(3):
            result = probe.ask("post /api 3000 {}")
            expect(result, delivery="failed", silent=False)
            assert result["ms"] < 500, result
            assert ("answered 429 to GET /api/v1/x and asked for a pause of 2 s"
                    in result["error"]), result
        assert len(requests) == 1, requests
        time.sleep(2)
        expect(probe.ask("post /api 3000 {}"), delivery="answered", status=200)


@check
def closed_between_requests():
    def once(peer):
        peer.request()
        peer.answer()  # and close

    with Server(once) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered")
        time.sleep(0.2)
        expect(probe.ask("get /api 3000"), delivery="answered")
        time.sleep(0.2)
        expect(probe.ask("post /api 3000 {}"), delivery="answered")
        assert server.connections == 3, server.connections


def closes_when_asked_again(peer):
    peer.request()
    peer.answer()
    peer.request()


@check
def a_read_on_a_stale_connection_is_tried_again():
    with Server(closes_when_asked_again, serve_ok) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered")
        expect(probe.ask("get /api 3000"), delivery="answered")
        assert server.connections == 2, server.connections


@check
def a_write_on_a_stale_connection_is_unknown():
    with Server(closes_when_asked_again, serve_ok) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered")
        expect(probe.ask("post /api 3000 {}"), delivery="unknown", status=0)
        assert server.connections == 1, server.connections


@check
def a_new_connection_that_fails_is_not_tried_again():
    with Server(lambda peer: peer.request()) as server, Probe(server) as probe:
        expect(probe.ask("get /api 3000"), delivery="failed", silent=False)
        assert server.connections == 1, server.connections


@check
def an_expired_token():
    """What is refused for its token is sent again with another one, and never with the same."""
    seen, good = [], ["new"]

    def server_side(peer):
        while text := peer.request():
            seen.append(text)
            peer.answer(status=200 if f"Bearer {good[-1]}\r\n" in text else 401)

    token = certificates.FOLDER / "rotating"
    token.write_text("old")
    with Server(server_side) as server, Probe(server, "--token-file", token) as probe:
        expect(probe.ask("get /api 3000"), delivery="answered", status=401)
        token.write_text("new")
        expect(probe.ask("get /api 3000"), delivery="answered", status=200)
        assert len(seen) == 2, "repeated with the token that was refused"
        good.append("newer")
        token.write_text("newer")
        expect(probe.ask("get /api 3000"), delivery="answered", status=200)
        good.append("newest")
        token.write_text("newest")
        expect(probe.ask("post /api 3000 {}"), delivery="answered", status=200)
    assert len(seen) == 6, len(seen)


@check
def no_token_is_said():
    result = asked(Server(serve_ok), "--token-file", certificates.FOLDER / "no-token")
    expect(result, delivery="failed")
    assert "no-token: No such file or directory" in result["error"], result["error"]
