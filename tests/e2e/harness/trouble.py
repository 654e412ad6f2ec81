"""What may happen to the webhook: it is down, slow, not itself, or configured in another way."""

import contextlib
import itertools
import pathlib
import tempfile
import time

from controlplane import tls

from . import chart
from .api import wait_for
from .release import CONFIGURATION, NAME, NAMESPACE, Release
from .tamper import in_our_place, tampering

_numbers = itertools.count(1)


@contextlib.contextmanager
def configured(release: Release, values: dict):
    """While this holds the configuration is what the chart renders with these values over the release's.

    It gets another name meanwhile: so it is known when the API server has noticed.
    """
    before = release.rendered
    objects = chart.render(NAME, NAMESPACE, {**release.values, **values})
    release.rendered = chart.one(objects, CONFIGURATION[1])
    try:
        with release.renamed(f"{NAME}-{next(_numbers)}"):
            try:
                yield
            finally:
                release.rendered = before
    finally:
        release.rendered = before


@contextlib.contextmanager
def down(release: Release):
    """While this holds every replica is dead, and the Service has nobody behind it."""
    for one in release.replicas:
        one.kill()
    wait_for("the relay to notice", lambda: not release.relay()["ready"], 10, every=0.02)
    try:
        yield
    finally:
        for one in release.replicas:
            one.start()
        release.wait_ready()


def slow(release: Release, seconds: float):
    """While this holds every answer comes this much later."""
    def later(_request, patch):
        time.sleep(seconds)
        return patch

    return tampering(release, later)


@contextlib.contextmanager
def untrusted(release: Release):
    """While this holds the server in our place has the right name from a CA that nobody trusts."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tls.authority(folder, "stranger-ca")
        tls.server(folder, "stranger-ca", folder / "tls.crt", [f"DNS:{NAME}.{NAMESPACE}.svc"])
        with in_our_place(release, lambda path, body: None, folder / "tls.crt"):
            yield
