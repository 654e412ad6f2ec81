"""Story 7: another program writes the certificate files, sometimes with a wrong key, and callers show certificates."""

import socket
import ssl
import time

import pytest

from controlplane import core, tls
from harness import mounted
from harness.api import Refused, wait_for
from harness.load import Load
from harness.pods import injected, member


def test_half_a_renewal_changes_nothing(release, namespace, plane, tmp_path):
    """A certificate without its key, then rubbish: the log says so, the good pair is still served, Pods are created."""
    strange = mounted.issue(plane.pki, "webhook-ca", tmp_path / "strange")
    good = mounted.issue(plane.pki, "webhook-ca", tmp_path / "good")
    before = served(release)
    with Load(namespace) as load:
        for content in (strange.read_bytes(), b"not a certificate"):
            complained = len(complaints(release))
            mounted.replace(release, half(tmp_path / "half", content, good))
            wait_for("a complaint", lambda: len(complaints(release)) > complained, 10)
            assert served(release) == before
        replace_and_wait(release, good)
    assert load.failed == [] and load.left_out() == []


def test_callers_show_a_certificate(release, namespace, plane, tmp_path, picture):
    """The API server shows one, as its own configuration says; who shows none, or one of another CA, is not answered."""
    trusted, good = tmp_path / "callers.crt", (plane.pki / "ca.crt").read_bytes()
    trusted.write_bytes(good)
    tls.authority(tmp_path, "other-ca")
    with release.reinstalled({"extraArgs": [f"--tls-client-ca={trusted}", f"--tls-client-name={core.CALLER}"]}):
        assert injected(namespace.create(member("shown", 0)))
        with pytest.raises(OSError):
            reviewed(release)
        told(release, trusted, (tmp_path / "other-ca.crt").read_bytes())
        with pytest.raises(Refused):
            namespace.create(member("refused", 0))
        refused = said(release, "refused a caller that showed no certificate")
        assert refused
        told(release, trusted, good)
        assert injected(namespace.create(member("again", 0)))
    picture("callers show a certificate", f"  in the log of the webhook: {refused[0]['msg']}")


def reviewed(release):
    """What a replica says to who shows none; in TLS 1.3 it is refused when the client is done already."""
    host, _, port = release.replicas[0].entry()["address"].rpartition(":")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((host, int(port)), timeout=5) as plain, context.wrap_socket(plain) as secure:
        secure.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return secure.recv(1000)


def told(release, file, authorities):
    """Another file of CAs, which counts for new connections; there are only new ones then."""
    before = len(said(release, "CAs of callers replaced"))
    beside = file.with_suffix(".new")
    beside.write_bytes(authorities)
    beside.replace(file)
    wait_for("the CAs", lambda: len(said(release, "CAs of callers replaced")) > before, 10)
    release.route(cut=True)


def replace_and_wait(release, certificate):
    """As a kubelet writes it; the seconds until every replica showed it to new connections."""
    start = time.monotonic()
    mounted.replace(release, certificate)
    wait_for("the new certificate", lambda: all(mounted.same(pem, certificate) for pem in served(release)), 20)
    return time.monotonic() - start


def served(release):
    """What each replica shows."""
    return [mounted.served(one.entry()["address"]) for one in release.replicas]


def complaints(release):
    """Log lines about files that were not taken."""
    return said(release, "certificate not replaced")


def said(release, begin):
    """Lines of all replicas' logs that begin so."""
    return [line for one in release.replicas for line in one.log() if line["msg"].startswith(begin)]


def half(folder, content, other):
    """A folder with this as its certificate and the key of another one."""
    folder.mkdir(exist_ok=True)
    (folder / "tls.crt").write_bytes(content)
    (folder / "tls.key").write_bytes(other.with_suffix(".key").read_bytes())
    return folder / "tls.crt"
