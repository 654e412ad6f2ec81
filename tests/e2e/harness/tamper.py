"""Between the API server and the program: an HTTPS server that spoils what the program answers, or answers by itself.

It is a replica to the relay. To spoil, it asks the program every review, and hands the answer on as `edit` leaves it. The
program is as shipped. This is how the stories are shown to fail when they should.
"""

import base64
import contextlib
import json
import pathlib

from . import forged
from .release import Release
from .server import listening


@contextlib.contextmanager
def in_our_place(release: Release, answer, certificate: pathlib.Path | None = None):
    """While this holds the API server reaches a stranger: `answer` as server.listening takes it."""
    ready = release.replicas[0].entry()["ready"]
    certificate = certificate or release.mounts["/certificate"] / "tls.crt"
    with listening(("127.0.0.1", 0), certificate, answer) as port:
        release.route({"stranger": {"address": f"127.0.0.1:{port}", "ready": ready}}, cut=True)
        try:
            release.wait_ready(["stranger"])
            yield
        finally:
            release.route(cut=True)
            release.wait_ready()


def tampering(release: Release, edit):
    """While this holds, `edit(request, patch)` may change the JSON patch (a list) of each answer."""
    def answer(path: str, body: bytes) -> tuple:
        status, said = forged.ask(release, path, body)
        return status, _spoiled(edit, json.loads(body)["request"], json.loads(said)) if status == 200 else said

    return in_our_place(release, answer)


def _spoiled(edit, request: dict, review: dict) -> bytes:
    response = review["response"]
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    patch = edit(request, patch)
    if patch:
        response["patchType"] = "JSONPatch"
        response["patch"] = base64.b64encode(json.dumps(patch).encode()).decode()
    return json.dumps(review).encode()
