"""Who may call where callers must show a certificate: its CA, name, dates and purpose, in both versions
of TLS; and what the log says of who may not."""

import datetime
import ssl
import time
from dataclasses import dataclass

import program as programs
from certificates import KEY, make_pair, openssl, own_flags, replace, sign_dated
from checks import check
from program import Program
from wire import Connection, ask, get, tls

NAME = "kube-apiserver"
VERSIONS = [{"maximum_version": ssl.TLSVersion.TLSv1_2}, {"minimum_version": ssl.TLSVersion.TLSv1_3}]
FOR_CLIENTS = "extendedKeyUsage=clientAuth"


@dataclass
class Caller:
    name: str
    subject: str = f"/CN={NAME}"
    extensions: str = FOR_CLIENTS
    ca: str = "ca"
    begins: str = ""  # other dates than from now on
    ends: str = ""
    key: tuple = KEY
    may: bool = False

    def make(self, folder):
        """Paths of its certificate and key."""
        cert, key = folder / f"{self.name}.crt", folder / f"{self.name}.key"
        openssl("req", *self.key, "-subj", self.subject, "-keyout", key, "-out", folder / "csr")
        (folder / "ext").write_text(self.extensions + "\n")
        ca, ca_key = folder / f"{self.ca}.crt", folder / f"{self.ca}.key"
        if self.begins:
            sign_dated(folder / "csr", cert, self.begins, self.ends, self.extensions, "-cert", ca, "-keyfile", ca_key)
        else:
            openssl("x509", "-req", "-in", folder / "csr", "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-days",
                    2, "-extfile", folder / "ext", "-out", cert)
        return cert, key


def _moment(days):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    return moment.strftime("%Y%m%d%H%M%SZ")


CALLERS = [
    Caller("by_common_name", may=True),
    Caller("by_dns_name", "/CN=somebody", FOR_CLIENTS + f"\nsubjectAltName=DNS:a,DNS:{NAME}", may=True),
    Caller("without_purpose", extensions="subjectAltName=DNS:x", may=True),
    Caller("of_a_second_ca_in_the_file", ca="second", may=True),

    Caller("of_another_ca", ca="other"),
    Caller("of_a_ca_of_the_same_name", ca="twin"),
    Caller("of_another_name", "/CN=kubelet"),
    Caller("of_a_longer_name", f"/CN={NAME}x"),
    Caller("of_another_case", f"/CN={NAME.upper()}"),
    Caller("of_two_names", f"/CN={NAME}/CN=kubelet"),
    Caller("by_wildcard", "/CN=x", FOR_CLIENTS + "\nsubjectAltName=DNS:*"),
    Caller("by_address", "/CN=x", FOR_CLIENTS + f"\nsubjectAltName=email:{NAME}@x.example,URI:{NAME}"),
    Caller("by_organisation", f"/O={NAME}/CN=x"),
    Caller("for_servers", extensions="extendedKeyUsage=serverAuth"),
    Caller("expired", begins=_moment(-2), ends=_moment(-1)),
    Caller("of_the_future", begins=_moment(1), ends=_moment(2)),
    Caller("by_a_weak_key", key=("-newkey", "rsa:1024", "-nodes")),
]


def _make_ca(folder, name, subject=""):
    openssl("req", "-x509", *KEY, "-days", 5, "-subj", f"/CN={subject or name}", "-keyout",
            folder / f"{name}.key", "-out", folder / f"{name}.crt")


def _make_all(other):
    """(folder, pairs by name) of a server's, which has its own CA beside."""
    folder = other.folder / "callers"
    folder.mkdir()
    for ca in ("ca", "second", "other"):
        _make_ca(folder, ca)
    _make_ca(folder, "twin", "ca")
    (folder / "trusted.crt").write_bytes((folder / "ca.crt").read_bytes() + (folder / "second.crt").read_bytes())
    pairs = {caller.name: caller.make(folder) for caller in CALLERS}
    pairs["by_itself"] = make_pair(folder, NAME)
    return folder, pairs


def _is_answered(program, pair, **options):
    """Whether a review from who shows this is answered; in TLS 1.3 the client is refused after its handshake."""
    context = tls(program.ca, **options)
    if pair is not None:
        context.set_ciphers("DEFAULT:@SECLEVEL=0")  # the weak key shall be ours to refuse
        context.load_cert_chain(*pair)
    try:
        with Connection(program.port, context) as connection:
            ask(connection)
            return True
    except OSError:
        return False


def _guarded(folder, *names):
    words = [word for name in names or (NAME,) for word in ("--tls-client-name", name)]
    return Program("--tls-client-ca", folder / "trusted.crt", *words)


@check
def only_who_shows_a_certificate_of_the_ca_with_the_name_is_answered():
    with Program() as other:
        folder, pairs = _make_all(other)
        may = {caller.name for caller in CALLERS if caller.may}
        with _guarded(folder) as program:
            for options in VERSIONS:
                assert not _is_answered(program, None, **options), options
                for name, pair in pairs.items():
                    assert _is_answered(program, pair, **options) == (name in may), (name, options)
            said = program.log()
            assert 1 <= said.count("refused a caller that showed no certificate") <= 5, said  # throttled
        with _guarded(folder, "kubelet", NAME) as program:
            assert _is_answered(program, pairs["of_another_name"])
            assert _is_answered(program, pairs["by_common_name"])
        # Where it is not asked for nothing changes.
        assert _is_answered(other, None) and _is_answered(other, pairs["of_another_ca"])


@check
def probes_and_metrics_need_no_certificate():
    with Program() as other:
        folder, _ = _make_all(other)
        with _guarded(folder) as program:
            with Connection(program.health_port, None) as connection:
                assert connection.send(get("/readyz")).answer().status == 200


@check
def new_cas_count_from_the_next_handshake_on():
    with Program() as other:
        folder, pairs = _make_all(other)
        trusted, old = folder / "trusted.crt", (folder / "trusted.crt").read_bytes()
        with _guarded(folder) as program:
            with Connection(program.port, _shown(program, pairs["by_common_name"])) as kept:
                ask(kept)
                for bad, why in ((b"", "it is empty"), (b"no certificate", "holds no PEM certificates"),
                                 (old[:-200], "holds no PEM certificates")):
                    replace(trusted, bad)
                    program.wait_for_log(why)
                    assert _is_answered(program, pairs["by_common_name"]), why
                replace(trusted, (folder / "other.crt").read_bytes())
                program.wait_for_log("CAs of callers replaced")
                assert not _is_answered(program, pairs["by_common_name"])
                assert _is_answered(program, pairs["of_another_ca"])
                ask(kept)  # whoever was let in stays


def _shown(program, pair):
    context = tls(program.ca)
    context.load_cert_chain(*pair)
    return context


@check
def a_new_certificate_of_ours_asks_for_theirs_as_well():
    with Program() as other:
        folder, pairs = _make_all(other)
        cert, key = make_pair(folder, "live")
        with Program("--tls-cert", cert, "--tls-key", key, "--tls-client-ca", folder / "trusted.crt",
                     "--tls-client-name", NAME) as program:
            program.ca = cert
            assert not _is_answered(program, None)
            new = make_pair(folder, "new")
            bundle = folder / "both.crt"
            bundle.write_bytes(cert.read_bytes() + new[0].read_bytes())
            program.ca = bundle
            replace(key, new[1].read_bytes())
            replace(cert, new[0].read_bytes())
            program.wait_for_log("certificate replaced")
            time.sleep(0.1)
            assert not _is_answered(program, None)
            assert _is_answered(program, pairs["by_common_name"])


@check
def what_cannot_be_is_said_at_start():
    with Program() as other:
        folder, _ = _make_all(other)
        (folder / "none.crt").write_text("none")
        name = ("--tls-client-name", NAME)
        for flags, why in (((*name,), "also needs the CA of callers"),
                           (("--tls-client-ca", folder / "ca.crt"), "also needs the caller's name"),
                           (("--tls-client-ca", folder / "nowhere.crt", *name), "No such file"),
                           (("--tls-client-ca", folder / "none.crt", *name), "holds no PEM certificates")):
            code, out, err = programs.run(programs.PROGRAM, "serve", "--listen", "127.0.0.1:0", *own_flags(), *flags)
            assert code == 2 and out == "" and why in err and err.count("\n") == 1, (flags, code, err)
