"""What `doctor` says of a certificate, held against Go's own verifier, which the API server calls with.

    python3 tests/server/trust/trust.py --program build/ci/server/tpu-webhook

A table of certificates, made by the openssl command: both take it or both refuse it, and of what is refused
`doctor` says the cause and a fix that is that cause's.
"""

import argparse
import base64
import dataclasses
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "e2e")]
import program  # noqa: E402  pylint: disable=wrong-import-position
from certificates import KEY, openssl, sign_dated  # noqa: E402  pylint: disable=wrong-import-position
from controlplane import cache  # noqa: E402  pylint: disable=wrong-import-position

NAMESPACE = "tpu-webhook-system"
HOST = f"tpu-webhook.{NAMESPACE}.svc"
SAN = f"subjectAltName=DNS:{HOST}"
CA = ("basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign")
NOW = datetime.datetime.now(datetime.timezone.utc)

# What a fix says of each cause.
RENEW, ANOTHER, TRUST = "renew it", "ask its issuer for", "set the caBundle"


@dataclasses.dataclass
class Row:
    name: str
    said: str = ""  # a part of what doctor says; "" where it is trusted
    fix: str = ""
    leaf: tuple = (SAN,)
    ca: tuple = CA
    between: tuple = ()  # extensions of an intermediate, between the two
    signed: tuple = ()  # options that sign the leaf
    ca_signed: tuple = ()
    between_signed: tuple = ()
    days: tuple = ()  # (begin, end) of the leaf, in days from now
    ca_days: int = 365
    sends: str = "leaf between"
    bundle: str = "ca"


def days(begin, end):
    return tuple((NOW + datetime.timedelta(days=one)).strftime("%Y%m%d%H%M%SZ") for one in (begin, end))


ROWS = [
    Row("good"),
    Row("by_an_intermediate", between=CA),
    Row("with_its_root", sends="leaf ca"),
    Row("the_intermediate_is_trusted", between=CA, bundle="between"),
    Row("itself_is_trusted", bundle="leaf"),
    Row("of_two_authorities", bundle="other ca"),
    Row("a_wildcard", leaf=(f"subjectAltName=DNS:*.{NAMESPACE}.svc",)),
    Row("in_capitals", leaf=(f"subjectAltName=DNS:{HOST.upper()}",)),
    Row("one_name_of_several", leaf=(f"subjectAltName=DNS:a.example,DNS:{HOST},IP:10.0.0.1",)),
    Row("for_any_purpose", leaf=(SAN, "extendedKeyUsage=anyExtendedKeyUsage")),
    Row("for_servers_and_clients", leaf=(SAN, "extendedKeyUsage=clientAuth,serverAuth")),
    Row("a_key_usage_of_old", leaf=(SAN, "keyUsage=critical,keyAgreement")),
    Row("a_name_that_is_permitted", ca=(*CA, "nameConstraints=critical,permitted;DNS:svc")),
    Row("a_root_by_sha1", ca_signed=("-sha1",)),
    Row("a_path_that_is_long_enough", between=CA, ca=("basicConstraints=critical,CA:TRUE,pathlen:1", CA[1])),

    Row("another_authority", "unable to get local issuer", TRUST, bundle="other"),
    Row("an_authority_of_the_same_name", "", TRUST, bundle="same"),
    Row("no_intermediate", "unable to get local issuer", TRUST, between=CA, sends="leaf"),
    Row("expired", "has expired", RENEW, days=(-20, -1)),
    Row("not_yet", "is not valid yet", RENEW, days=(1, 20)),
    Row("another_name", f"not valid for the name {HOST}", ANOTHER, leaf=("subjectAltName=DNS:a.example",)),
    Row("an_address_alone", f"not valid for the name {HOST}", ANOTHER, leaf=("subjectAltName=IP:10.0.0.1",)),
    Row("a_wildcard_of_a_part", f"not valid for the name {HOST}", ANOTHER, leaf=(f"subjectAltName=DNS:tpu-*.{NAMESPACE}.svc",)),
    Row("a_wildcard_of_two", f"not valid for the name {HOST}", ANOTHER, leaf=("subjectAltName=DNS:*.svc",)),
    Row("a_dot_behind", f"not valid for the name {HOST}", ANOTHER, leaf=(f"subjectAltName=DNS:{HOST}.",)),
    Row("no_names", "no DNS name or IP address", ANOTHER, leaf=("basicConstraints=CA:FALSE",)),
    Row("for_clients", "extendedKeyUsage does not hold serverAuth", ANOTHER, leaf=(SAN, "extendedKeyUsage=clientAuth")),
    Row("an_authority_for_clients", "signs only for other purposes", ANOTHER, ca=(*CA, "extendedKeyUsage=clientAuth")),
    Row("an_intermediate_for_clients", "signs only for other purposes", ANOTHER, between=(*CA, "extendedKeyUsage=clientAuth")),
    Row("a_name_that_is_excluded", "may not sign for its names", ANOTHER, ca=(*CA, "nameConstraints=critical,excluded;DNS:svc")),
    Row("a_name_that_is_not_permitted", "may not sign for its names", ANOTHER, ca=(*CA, "nameConstraints=critical,permitted;DNS:example.com")),
    Row("by_sha1", "ecdsa-with-SHA1", ANOTHER, signed=("-sha1",)),
    Row("an_intermediate_by_sha1", "is signed with sha1", ANOTHER, between=CA, between_signed=("-sha1",)),
    Row("a_negative_serial", "serial number below zero", ANOTHER, signed=("-set_serial", "-5")),
    Row("an_authority_with_a_negative_serial", "serial number below zero", ANOTHER, ca_signed=("-set_serial", "-5")),
    Row("too_long_a_path", "path length", ANOTHER, between=CA, ca=("basicConstraints=critical,CA:TRUE,pathlen:0", CA[1])),
    Row("by_one_that_is_no_authority", "invalid CA", ANOTHER, between=("basicConstraints=CA:FALSE",)),
    Row("by_one_that_does_not_say_so", "", ANOTHER, between=(CA[1],)),
    Row("by_one_that_may_not_sign", "", ANOTHER, between=(CA[0], "keyUsage=critical,digitalSignature")),
    Row("a_critical_extension", "critical extension", ANOTHER, leaf=(SAN, "1.2.3.4=critical,ASN1:UTF8String:x")),
    Row("a_critical_extension_between", "critical extension", ANOTHER, between=(*CA, "1.2.3.4=critical,ASN1:UTF8String:x")),
]


def request(folder, name, common):
    openssl("req", "-new", *KEY, "-subj", f"/CN={common}", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")


def sign(folder, name, by, extensions, options=(), dates=()):
    (folder / f"{name}.ext").write_text("".join(f"{one}\n" for one in extensions), encoding="utf-8")
    csr, crt = folder / f"{name}.csr", folder / f"{name}.crt"
    if dates:
        extension = "\n".join(one.replace("=", " = ", 1) for one in extensions)
        sign_dated(csr, crt, *days(*dates), extension, "-cert", folder / f"{by}.crt", "-keyfile", folder / f"{by}.key")
        return
    serial = () if "-set_serial" in options else ("-CAcreateserial",)
    openssl("x509", "-req", "-in", csr, "-CA", folder / f"{by}.crt", "-CAkey", folder / f"{by}.key", *serial, "-days", 300,
            "-extfile", folder / f"{name}.ext", *options, "-out", crt)


def authority(folder, name, common, extensions=CA, options=()):
    words = [word for one in extensions for word in ("-addext", one)]
    openssl("req", "-x509", *KEY, "-days", 365, "-subj", f"/CN={common}", *words, *options,
            "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.crt")


def make(row, folder):
    """Writes tls.crt, the chain that is sent, and ca.crt, what is trusted."""
    folder.mkdir()
    authority(folder, "ca", "the authority", row.ca, row.ca_signed)
    for name, common in (("other", "another authority"), ("same", "the authority")):
        if name in row.bundle.split():
            authority(folder, name, common)
    signer = "ca"
    if row.between:
        request(folder, "between", "between")
        sign(folder, "between", "ca", row.between, row.between_signed)
        signer = "between"
    request(folder, "leaf", "leaf")
    sign(folder, "leaf", signer, row.leaf, row.signed, row.days)
    for out, names in (("tls.crt", row.sends), ("ca.crt", row.bundle)):
        parts = [folder / f"{one}.crt" for one in names.split()]
        (folder / out).write_bytes(b"".join(pem_of(one) for one in parts if one.exists()))


def pem_of(path):
    text = path.read_bytes()
    return text[text.index(b"-----BEGIN"):]  # `openssl ca` writes words before it


def snapshot(folder):
    encoded = {name: base64.b64encode((folder / name).read_bytes()).decode() for name in ("tls.crt", "ca.crt")}
    service = {"name": "tpu-webhook", "namespace": NAMESPACE, "path": "/mutate"}
    pod = {"spec": {"containers": [{"name": "tpu-webhook", "args": ["serve"]}],
                    "volumes": [{"name": "certificate", "secret": {"secretName": "mine"}}]}}
    return {"kind": "List", "items": [
        {"kind": "MutatingWebhookConfiguration", "metadata": {"name": "tpu-webhook"},
         "webhooks": [{"name": "pods.tpu-webhook.dev", "failurePolicy": "Fail",
                       "clientConfig": {"service": service, "caBundle": encoded["ca.crt"]}}]},
        {"kind": "Deployment", "metadata": {"name": "tpu-webhook", "namespace": NAMESPACE}, "spec": {"template": pod}},
        {"kind": "Secret", "metadata": {"name": "mine", "namespace": NAMESPACE}, "data": {"tls.crt": encoded["tls.crt"]}}]}


def ask(tools, folder):
    """(whether doctor says that it is trusted, what it says, the fix)."""
    answer = subprocess.run([tools, "doctor", "--output", "json", "--cluster", "-"], input=json.dumps(snapshot(folder)),
                            capture_output=True, text=True, check=False)
    found = [one for one in json.loads(answer.stdout)["checks"] if one["check"] == "trust"]
    assert len(found) == 1, (folder, answer.stdout, answer.stderr)
    return found[0]["verdict"] == "ok", found[0]["what"], found[0]["fix"] or ""


def go_verdicts(folders, verifier):
    when = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    command = [verifier] if verifier else ["go", "run", "-trimpath", "-gcflags=all=-dwarf=false", "."]
    text = subprocess.run([*command, HOST, when, *map(str, folders)], cwd=HERE, env=cache.go_environment(),
                          capture_output=True, text=True, check=True).stdout
    return dict(line.split(" ", 1) for line in text.splitlines())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--verifier", help="main.go, built")
    options = parser.parse_args()
    if not options.verifier and not shutil.which("go"):
        print("skipped: no go")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folders = {row.name: pathlib.Path(name) / row.name for row in ROWS}
        for row in ROWS:
            make(row, folders[row.name])
        by_go = go_verdicts(folders.values(), options.verifier)
        for row in ROWS:
            trusted, what, fix = ask(program.tools(options.program), folders[row.name])
            if trusted != (by_go[row.name] == "ok"):
                wrong.append(f"{row.name}: Go says {by_go[row.name]!r}, doctor: {what}")
            if trusted != (row.fix == ""):
                wrong.append(f"{row.name}: expected {row.said or 'trusted'!r}, doctor: {what}")
            if row.said not in what or row.fix not in fix:
                wrong.append(f"{row.name}: expected {row.said!r} and {row.fix!r}, doctor: {what}; fix: {fix}")
    print("\n".join(wrong) or f"{len(ROWS)} certificates: doctor and Go agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
