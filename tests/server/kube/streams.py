"""Bodies that come in pieces."""

import time

from checks import check
from made_up_api import Server
from probe import Probe, asked, expect, expect_time


@check
def a_stream_ends_cleanly():
    def play(peer):
        while peer.request():
            peer.head()
            peer.chunk("one\n")
            peer.chunk("two\n")
            peer.send("0\r\n\r\n")

    with Server(play) as server, Probe(server) as probe:
        for _ in range(2):  # and its connection is good for another
            result = probe.ask("stream /watch 3000 5000")
            expect(result, delivery="answered", head=200, streamed="one\ntwo\n", idle=1)
        assert server.connections == 1


@check
def a_stream_is_cut():
    def play(peer):
        peer.request()
        peer.head()
        peer.chunk("one\n")
        peer.send("20\r\n{\"type\":")

    result = asked(Server(play), command="stream /watch 3000 5000")
    expect(result, delivery="failed", silent=False, head=200, streamed='one\n{"type":', idle=0)


@check
def a_stream_falls_silent():
    def play(peer):
        peer.request()
        peer.head()
        for _ in range(3):
            peer.chunk("x")
            time.sleep(0.3)
        peer.wait_until_gone()

    result = asked(Server(play), command="stream /watch 500 9000")
    expect(result, delivery="failed", silent=True, streamed="xxx")
    expect_time(result, 1100)


@check
def a_stream_that_never_ends_is_ended():
    def play(peer):
        peer.request()
        peer.head()
        while True:
            peer.chunk("x")
            time.sleep(0.1)

    result = asked(Server(play), command="stream /watch 500 900")
    expect(result, delivery="failed", silent=True)
    expect_time(result, 900)


@check
def a_refused_stream_keeps_its_answer():
    def play(peer):
        peer.request()
        peer.answer('{"kind":"Status"}', status=410)

    result = asked(Server(play), command="stream /watch 500 900")
    expect(result, delivery="answered", status=410, head=0, streamed="", body='{"kind":"Status"}')
