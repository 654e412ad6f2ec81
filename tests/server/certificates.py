"""Certificates that a test makes for itself, with the openssl command."""

import atexit
import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

FOLDER = pathlib.Path()  # what make_pki made, within made()

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def make_pair(folder, name, days=1, names=("localhost",)):
    """A self-signed certificate for localhost, or for `names`: paths of it and of its key."""
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    openssl("req", "-x509", *KEY, "-days", days, "-subj", f"/CN={name}",
            "-addext", "subjectAltName=" + ",".join(f"DNS:{each}" for each in names), "-keyout", key, "-out", cert)
    return cert, key


def own_pair():
    """What a server of these tests has where its certificate does not matter: trusted by itself, for all names that a test uses."""
    with _making:
        return _own_pair()


_making = threading.Lock()  # else checks that run at once make two


@functools.cache
def _own_pair():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tpu-webhook-own-pair-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    cert, key = folder / "own.crt", folder / "own.key"
    openssl("req", "-x509", *KEY, "-days", 2, "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:tpu-webhook.tpu-webhook-system.svc,DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert)
    return cert, key


def own_flags():
    """Flags of `serve` with own_pair()."""
    cert, key = own_pair()
    return "--tls-cert", str(cert), "--tls-key", str(key)


def make_dated(folder, name, begin, end):
    """As make_pair, valid between these: "20260105100000Z". A two-digit year is the form's other."""
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    request = folder / f"{name}.csr"
    openssl("req", "-new", *KEY, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
    sign_dated(request, cert, begin, end, "subjectAltName = DNS:localhost", "-selfsign", "-keyfile", key)
    return cert, key


def sign_dated(request, cert, begin, end, extensions, *signer):
    """`openssl x509` takes no dates. `signer`: options of `openssl ca`."""
    folder, name = cert.parent, cert.stem
    config = folder / f"{name}.cnf"
    (folder / f"{name}.index").touch()
    config.write_text(f"""[ca]
default_ca = one
[one]
database = {folder}/{name}.index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
{extensions}
""")
    openssl("ca", "-batch", "-config", config, *signer, "-in", request, "-startdate", begin, "-enddate", end,
            "-out", cert)


def replace(path, text):
    """Who reads it sees the old bytes or the new ones."""
    beside = path.with_suffix(".new")
    beside.write_bytes(text)
    os.replace(beside, path)


@contextlib.contextmanager
def made():
    """FOLDER holds a PKI meanwhile."""
    global FOLDER
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        make_pki(FOLDER)
        yield


def make_pki(folder):
    """A CA, another CA, and server certificates: by name, by address, and for somebody else."""
    for ca in ("ca", "other-ca"):
        openssl("req", "-x509", *KEY, "-days", 2, "-subj", f"/CN={ca}",
                "-keyout", folder / f"{ca}.key", "-out", folder / f"{ca}.crt")
    for name, san in ("name", "DNS:localhost"), ("address", "IP:127.0.0.1"):
        openssl("req", *KEY, "-subj", f"/CN={name}", "-keyout", folder / f"{name}.key",
                "-out", folder / f"{name}.csr")
        extensions = folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={san}\n")
        openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / "ca.crt", "-CAkey",
                folder / "ca.key", "-CAcreateserial", "-days", 2, "-extfile", extensions,
                "-out", folder / f"{name}.crt")
