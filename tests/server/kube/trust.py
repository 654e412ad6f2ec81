"""Which certificates the client trusts."""

import socket

import certificates
from checks import check
from made_up_api import Server, serve_ok
from probe import Probe, asked, expect


@check
def address_in_the_certificate():
    server = Server(serve_ok)
    result = asked(server)
    expect(result, delivery="answered", status=200, body='{"kind":"PodList"}', error="")
    assert server.name is None, "SNI must hold no address"
    assert server.protocol == "http/1.1", server.protocol


@check
def name_in_the_certificate():
    server = Server(serve_ok, certificate="name")
    expect(asked(server, host="localhost"), delivery="answered", status=200)
    assert server.name == "localhost"


@check
def wrong_name():
    result = asked(Server(serve_ok), host="localhost")
    expect(result, delivery="failed", status=0)
    assert 'the certificate is not for "localhost"' in result["error"], result["error"]


@check
def address_missing_in_the_certificate():
    result = asked(Server(serve_ok, certificate="name"))
    expect(result, delivery="failed")
    assert 'mismatch; the certificate is not for "127.0.0.1"' in result["error"], result["error"]


@check
def wrong_ca():
    result = asked(Server(serve_ok), ca="other-ca")
    expect(result, delivery="failed")
    assert "is not trusted: unable to get local issuer certificate" in result["error"], result


@check
def ca_file_that_changes():
    file = certificates.FOLDER / "changing.crt"
    file.write_bytes((certificates.FOLDER / "other-ca.crt").read_bytes())

    def once(peer):
        peer.request()
        peer.answer(fields="Connection: close\r\n")

    with Server(once) as server, Probe(server, "--ca-file", file, ca=None) as probe:
        result = probe.ask("get /api 3000")
        assert str(file) in result["error"], result["error"]
        file.write_bytes((certificates.FOLDER / "ca.crt").read_bytes())
        expect(probe.ask("get /api 3000"), delivery="answered")
        file.write_bytes(b"")  # being written: the last one counts
        expect(probe.ask("get /api 3000"), delivery="answered")


@check
def missing_ca_file():
    result = asked(Server(serve_ok), "--ca-file", certificates.FOLDER / "nowhere.crt", ca=None)
    assert "nowhere.crt: no CA certificate in it" in result["error"], result["error"]


@check
def a_proxy_is_spoken_to_without_tls():
    expect(asked(Server(serve_ok, tls=False)), delivery="answered", status=200)


@check
def nobody_listens():
    server = Server(serve_ok)
    with socket.create_server(("127.0.0.1", 0)) as free:
        server.port = free.getsockname()[1]
    result = asked(server)
    expect(result, delivery="failed", silent=False)
    assert result["error"].endswith("Connection refused"), result["error"]
