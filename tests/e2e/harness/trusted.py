"""The certificate as the API server sees it: what our configurations trust, what the replicas show."""

import base64
import collections
import ssl
import threading
import time

from . import mounted
from .api import Refused
from .release import CONFIGURATION, NAME, NAMESPACE, Release

SECRET = "tpu-webhook-certificate"  # of the chart, in mode internal
LATE = 20  # seconds: an API server that hears of a new configuration so late must still trust us


def bundles(api, kind: str = CONFIGURATION[1]) -> list:
    """The caBundle, PEM, of each entry of our configuration; "" where it has none."""
    entries = api.get(CONFIGURATION[0], kind, NAME)["webhooks"]
    return [base64.b64decode(entry["clientConfig"].get("caBundle", "")).decode() for entry in entries]


def authorities(bundle: str) -> int:
    return bundle.count("BEGIN CERTIFICATE")


def secret(api) -> dict:
    """What the Secret holds, decoded."""
    data = api.get("v1", "Secret", SECRET, NAMESPACE).get("data", {})
    return {key: base64.b64decode(value).decode() for key, value in data.items()}


def ask_for(api, what: str) -> None:
    """`kubectl annotate secret … tpu-webhook.dev/renew=WHAT`."""
    api.patch("v1", "Secret", SECRET, {"metadata": {"annotations": {"tpu-webhook.dev/renew": what}}}, NAMESPACE)


def served(release: Release) -> set:
    """What the replicas show, without white space."""
    return {"".join(mounted.served(one.entry()["address"]).split()) for one in release.replicas}


class Verifier:
    """While this holds, new connections to each replica, as two API servers would make them: one
    that trusts what the configuration says now, one that trusts what it said LATE seconds ago.

    made: connections that were trusted. failed: what went wrong with the others.
    """

    def __init__(self, release: Release, api):
        self._release, self._api, self._stop = release, api, threading.Event()
        self._seen: collections.deque = collections.deque()  # (when, bundle), oldest first
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.made, self.failed = 0, []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            try:
                now = time.monotonic()
                self._seen.append((now, bundles(self._api)[0]))
                while len(self._seen) > 1 and self._seen[1][0] <= now - LATE:
                    self._seen.popleft()
                for one in self._release.replicas:
                    for when, bundle in (self._seen[0], self._seen[-1]):
                        self._connect(one, bundle, now - when)
            except Refused as error:
                self.failed.append(str(error))

    def _connect(self, one, bundle: str, late: float) -> None:
        try:
            mounted.served(one.entry()["address"], trusting=bundle)
            self.made += 1
        except (OSError, ssl.SSLError) as error:
            self.failed.append(f"{one.name}, trusting what was said {late:.0f} s ago: {error}")
