"""Certificates, made with openssl: EC P-256 keys, valid for 90 days, as long as those of the keeper."""

import pathlib
import subprocess

DAYS = "90"


def authority(folder: pathlib.Path, name: str) -> None:
    """<name>.key and <name>.crt: a certificate authority of its own."""
    _key(folder / f"{name}.key")
    _openssl(
        "req", "-x509", "-new", "-key", folder / f"{name}.key", "-out", folder / f"{name}.crt",
        "-days", DAYS, "-subj", f"/CN=tpu-webhook-e2e-{name}",
        "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
    )


def client(folder: pathlib.Path, ca: str, name: str, user: str, group: str = "") -> None:
    """<name>.key and <name>.crt for a client: the API server reads CN as user, O as group."""
    subject = (f"/O={group}" if group else "") + f"/CN={user}"
    _issue(folder, ca, folder / name, subject, "clientAuth", "")


def server(folder: pathlib.Path, ca: str, target: pathlib.Path, names: list) -> None:
    """<target>.key and <target>.crt for a server; `names` are as subjectAltName writes them."""
    _issue(folder, ca, target, f"/CN={names[0].split(':', 1)[1][:60]}", "serverAuth", ",".join(names))


def key_pair(folder: pathlib.Path, name: str) -> None:
    """<name>.key and <name>.pub: what ServiceAccount tokens are signed with."""
    _key(folder / f"{name}.key")
    _openssl("ec", "-in", folder / f"{name}.key", "-pubout", "-out", folder / f"{name}.pub")


def _issue(folder, ca, target, subject, usage, names) -> None:
    _key(target.with_suffix(".key"))
    extensions = [f"extendedKeyUsage={usage}", "keyUsage=critical,digitalSignature"]
    if names:
        extensions.append(f"subjectAltName={names}")
    command = ["req", "-x509", "-new", "-key", target.with_suffix(".key"), "-subj", subject]
    command += ["-CA", folder / f"{ca}.crt", "-CAkey", folder / f"{ca}.key", "-days", DAYS]
    command += ["-out", target.with_suffix(".crt"), "-addext", "basicConstraints=critical,CA:FALSE"]
    for extension in extensions:
        command += ["-addext", extension]
    _openssl(*command)


def _key(path: pathlib.Path) -> None:
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)
    path.chmod(0o600)


def _openssl(*arguments) -> None:
    command = ["openssl", *map(str, arguments)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {answer.stderr.strip()}")
