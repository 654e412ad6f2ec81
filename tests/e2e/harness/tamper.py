"""An HTTPS server between the API server and the program, which changes the program's answers or gives its own.

The relay treats the server as a replica. To change an answer, the server sends the review to the program, and returns
the answer with the change of `edit`. The program is unchanged. The server shows that the stories fail when they should.
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
    """Lets `answer` (as for server.listening) answer the API server in our place until the end of the `with` block."""
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
    """Until the end of the `with` block each answer has the JSON patch (a list) that `edit(request, patch)` returns."""
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
