"""The certificate files that a replica sees, replaced as a kubelet replaces a Secret's."""

import pathlib
import socket
import ssl

from controlplane import tls

from .kubelet import write
from .release import NAME, NAMESPACE, Release

FILES = ("tls.crt", "tls.key")
MOUNT = "/certificate"  # of the rendered container


def issue(pki: pathlib.Path, authority: str, folder: pathlib.Path) -> pathlib.Path:
    """A certificate for our Service, and its key beside it; returns the certificate's file."""
    folder.mkdir(parents=True, exist_ok=True)
    tls.server(pki, authority, folder / "tls.crt", [f"DNS:{NAME}.{NAMESPACE}.svc"])
    return folder / "tls.crt"


def replace(release: Release, certificate: pathlib.Path) -> None:
    """Write both files as a kubelet does."""
    write(release.mounts[MOUNT], {name: (certificate.parent / name).read_bytes() for name in FILES})


def served(address: str, trusting: str | None = None) -> str:
    """The certificate, PEM, that a server at HOST:PORT shows; where it is not of the authorities `trusting`, PEM, or for
    another name than our Service's, ssl.SSLError."""
    host, _, port = address.rpartition(":")
    context = ssl.create_default_context(cadata=trusting)
    if trusting is None:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((host, int(port)), timeout=5) as plain:
        with context.wrap_socket(plain, server_hostname=f"{NAME}.{NAMESPACE}.svc") as secure:
            return ssl.DER_cert_to_PEM_cert(secure.getpeercert(binary_form=True))


def same(pem: str, certificate: pathlib.Path) -> bool:
    return "".join(pem.split()) == "".join(certificate.read_text(encoding="utf-8").split())
