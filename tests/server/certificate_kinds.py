"""Certificates of every kind: those that a client can use are served, the others do not replace them
and do not start. And that nothing but the program's own code says how TLS is spoken."""

import dataclasses
import datetime
import os
import ssl
import time

from certificates import make_dated, make_pair, openssl, replace
from checks import check
from program import Program
from wire import Connection, ask, get, tls

_P256 = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
_NAME = "subjectAltName=DNS:localhost"


@dataclasses.dataclass
class Kind:
    name: str
    key: tuple = _P256
    extensions: tuple = (_NAME,)
    signed: tuple = ()
    why: str = ""  # a part of the sentence that refuses it; "" for one that is served
    only_go: bool = False  # the client here, OpenSSL, is stricter than the API server; comes last

    def make(self, folder):
        cert, key = folder / f"{self.name}.crt", folder / f"{self.name}.key"
        words = [word for extension in self.extensions for word in ("-addext", extension)]
        openssl("req", "-x509", "-newkey", *self.key, "-nodes", "-days", 2, "-subj", "/CN=localhost",
                *words, *self.signed, "-keyout", key, "-out", cert)
        return cert, key


def _curve(name, *more):
    return ("ec", "-pkeyopt", f"ec_paramgen_curve:{name}", *more)


# The same sentence twice in a row is said once: kinds that share theirs stand apart.
KINDS = [
    Kind("p256"),
    Kind("p384", _curve("P-384")),
    Kind("p521", _curve("P-521")),
    Kind("ed25519", ("ed25519",)),
    Kind("rsa_2048", ("rsa:2048",)),
    Kind("rsa_pss_signature", ("rsa:2048",), signed=("-sigopt", "rsa_padding_mode:pss")),
    Kind("sha512", signed=("-sha512",)),
    Kind("server_and_client", extensions=(_NAME, "extendedKeyUsage=clientAuth,serverAuth")),
    Kind("an_address", extensions=("subjectAltName=IP:127.0.0.1,DNS:localhost",)),
    Kind("unknown_extension", extensions=(_NAME, "1.2.3.4=ASN1:UTF8String:x")),
    Kind("any_purpose", extensions=(_NAME, "extendedKeyUsage=anyExtendedKeyUsage"), only_go=True),
    Kind("key_usage_of_old", ("rsa:2048",), (_NAME, "keyUsage=keyEncipherment,dataEncipherment"),
         only_go=True),

    Kind("secp256k1", _curve("secp256k1"), why="ECDSA key on secp256k1"),
    Kind("brainpool", _curve("brainpoolP256r1"), why="ECDSA key on brainpoolP256r1"),
    Kind("p224", _curve("P-224"), why="ECDSA key on secp224r1"),
    Kind("explicit_curve", _curve("P-256", "-pkeyopt", "ec_param_enc:explicit"),
         why="ECDSA key on parameters without a name"),
    Kind("rsa_1024", ("rsa:1024",), why="RSA key of 1024 bits"),
    Kind("rsa_pss_key", ("rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"), why="key of type RSA-PSS"),
    Kind("ed448", ("ed448",), why="key of type ED448"),
    Kind("sha1", signed=("-sha1",), why="signed with ecdsa-with-SHA1"),
    Kind("sha1_rsa", ("rsa:2048",), signed=("-sha1",), why="signed with sha1WithRSAEncryption"),
    Kind("md5", ("rsa:2048",), signed=("-md5",), why="signed with md5WithRSAEncryption"),
    Kind("mail_alone", extensions=("subjectAltName=email:a@example.com",),
         why="no DNS name or IP address in subjectAltName"),
    Kind("for_clients", extensions=(_NAME, "extendedKeyUsage=clientAuth"),
         why="extendedKeyUsage does not hold serverAuth"),
    Kind("no_names", extensions=(), why="no DNS name or IP address in subjectAltName"),
    Kind("critical", extensions=(_NAME, "1.2.3.4=critical,ASN1:UTF8String:x"),
         why="critical extension"),
    Kind("negative_serial", signed=("-set_serial", "-5"), why="serial number below zero"),
]


def _make_dsa(folder):
    """`openssl req` makes no DSA key by itself."""
    cert, key, parameters = folder / "dsa.crt", folder / "dsa.key", folder / "dsa.pem"
    openssl("dsaparam", "-out", parameters, 1024)
    openssl("gendsa", "-out", key, parameters)
    openssl("req", "-x509", "-new", "-key", key, "-days", 2, "-subj", "/CN=localhost", "-addext", _NAME,
            "-out", cert)
    return cert, key


def _make_signed_by_sha1(folder):
    """Another's signature, which a client checks."""
    ca, (cert, key) = make_pair(folder, "sha1-ca"), make_pair(folder, "sha1-leaf")
    openssl("req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", folder / "leaf.csr")
    (folder / "leaf.ext").write_text(_NAME + "\n")
    openssl("x509", "-req", "-sha1", "-in", folder / "leaf.csr", "-CA", ca[0], "-CAkey", ca[1], "-days", 1,
            "-extfile", folder / "leaf.ext", "-out", cert)
    return cert, key


def _install(pair, live):
    """The key first: a look in between finds halves."""
    for source, target in reversed(list(zip(pair, live))):
        replace(target, source.read_bytes())


def _serial(program, bundle, **options):
    with Connection(program.port, tls(bundle, **options)) as connection:
        ask(connection)
        return connection.socket.getpeercert()["serialNumber"]


def _refused_at_start(pair, why):
    """The server waits for other files, and is not ready."""
    with Program("--tls-cert", pair[0], "--tls-key", pair[1]) as program:
        program.wait_for_log("no certificate yet")
        assert why in program.log() and "expected" in program.log(), (why, program.log())
        with Connection(program.health_port, None) as health:
            assert health.send(get("/readyz")).answer().status == 503


@check(waits=True)
def a_certificate_of_each_kind_is_served_or_refused_with_its_reason():
    with Program() as other:  # only for its folder
        folder = other.folder
        live = folder / "tls.crt", folder / "tls.key"
        good = [(kind, kind.make(folder)) for kind in KINDS if not kind.why]
        bad = [(kind.why, kind.make(folder)) for kind in KINDS if kind.why]
        bad += [("key of type DSA", _make_dsa(folder)),
                ("signed with ecdsa-with-SHA1", _make_signed_by_sha1(folder))]
        bundle = folder / "all.crt"
        bundle.write_bytes(b"".join(pair[0].read_bytes() for _, pair in good))
        for why, pair in bad:
            _refused_at_start(pair, why)
        _install(good[0][1], live)
        with Program("--tls-cert", live[0], "--tls-key", live[1]) as program:
            served = _serial(program, bundle)
            for why, pair in bad:
                before = program.log().count("certificate not replaced")
                _install(pair, live)
                until = time.monotonic() + 20
                while not (why in (said := program.log()) and
                           said.count("certificate not replaced") > before):
                    assert time.monotonic() < until, f"no {why!r}:\n{said}"
                    time.sleep(0.02)
                assert _serial(program, bundle) == served, why
            for kind, pair in good[1:]:
                before = program.log().count("certificate replaced")
                _install(pair, live)
                if kind.only_go:
                    while program.log().count("certificate replaced") == before:
                        time.sleep(0.1)
                    continue
                until = time.monotonic() + 20
                while (now := _serial(program, bundle)) == served:
                    assert time.monotonic() < until, f"{kind}:\n{program.log()}"
                    time.sleep(0.1)
                served = now
                assert _serial(program, bundle, maximum_version=ssl.TLSVersion.TLSv1_2) == now, kind


def _text(moment):
    return moment.strftime("%Y%m%d%H%M%SZ")


@check
def a_certificate_without_an_end_is_served():
    with Program() as other:
        for end in ("99991231235959Z", "22630101000000Z", "22620101000000Z"):
            pair = make_dated(other.folder, f"until-{end[:4]}", "20200101000000Z", end)
            with Program("--tls-cert", pair[0], "--tls-key", pair[1]) as program:
                with Connection(program.port, tls(pair[0])) as connection:
                    ask(connection)
                assert "expire" not in program.log()
        pair = make_dated(other.folder, "of-old", "00010101000000Z", "00020101000000Z")
        with Program("--tls-cert", pair[0], "--tls-key", pair[1]) as program:
            program.wait_for_log("certificate expired")


@check(waits=True)
def the_log_tells_of_a_certificate_that_ends_and_has_ended():
    now = datetime.datetime.now(datetime.timezone.utc)
    with Program() as other:
        folder = other.folder
        live = folder / "tls.crt", folder / "tls.key"
        end = now + datetime.timedelta(seconds=10)
        _install(make_dated(folder, "ends", _text(now - datetime.timedelta(days=1)), _text(end)), live)
        with Program("--tls-cert", live[0], "--tls-key", live[1]) as program:
            program.wait_for_log("certificate expires soon")
            assert "certificate expired" not in program.log()
            program.wait_for_log("certificate expired", limit=30)
            time.sleep(2.5)
            _install(make_pair(folder, "next", days=90), live)
            program.wait_for_log("certificate is good again")
            log = program.log()
        for said in ("certificate expires soon", "certificate expired", "certificate replaced"):
            assert log.count(said) == 1, (said, log)


CLIENTS = [
    {},
    {"maximum_version": ssl.TLSVersion.TLSv1_2},
    {"minimum_version": ssl.TLSVersion.TLSv1_3},
]


def _spoken(*beginning):
    """What each client and the server agree upon; the server begins with this command."""
    with Program(beginning=beginning) as program:
        found = []
        for options in CLIENTS:
            with Connection(program.port, tls(program.ca, **options)) as connection:
                ask(connection)
                found.append((connection.socket.version(), connection.socket.cipher()))
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.load_verify_locations(program.ca)
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        try:
            Connection(program.port, old).close()
            found.append("TLS 1.1")
        except OSError:
            found.append("no TLS 1.1")
        return found


@check
def no_file_of_openssl_says_how_tls_is_spoken():
    with Program() as other:
        mine = other.folder / "openssl.cnf"
        mine.write_text("""openssl_conf = all
[all]
ssl_conf = tls
[tls]
system_default = settings
[settings]
Ciphersuites = TLS_AES_128_CCM_8_SHA256
CipherString = ALL:@SECLEVEL=0
MinProtocol = TLSv1
MaxProtocol = TLSv1.2
Groups = P-521
Options = SessionTicket
""")
        pipe = other.folder / "pipe.cnf"  # whoever opens it to read waits for ever
        os.mkfifo(pipe)
        plain = _spoken()
        assert plain[0][0] == "TLSv1.3" and plain[-1] == "no TLS 1.1", plain
        for file in (mine, pipe, other.folder / "nowhere.cnf"):
            assert _spoken("/usr/bin/env", f"OPENSSL_CONF={file}") == plain, file
