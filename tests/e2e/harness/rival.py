"""Another team's mutating webhook: a small HTTPS server, with a Service and a configuration of its own.

It is asked about every Pod of one namespace, before or after ours as its name sorts, and about other objects where a
story wants it.
"""

import base64
import contextlib
import json
import pathlib
import tempfile

from controlplane import net, operators, tls
from controlplane.state import State

from .api import Refused, wait_for
from .namespace import Namespace
from .server import listening

KIND = ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration")


class Rival:
    """`decide(request)` returns what goes into the response beside uid: `patch(…)`, `denial(…)` or `{}`."""

    def __init__(self, name: str, decide):
        self.name, self._decide = name, decide
        self.asked = 0

    def answer(self, path: str, body: bytes) -> tuple:
        review = json.loads(body)
        self.asked += 1
        response = {"uid": review["request"]["uid"], "allowed": True, **self._decide(review["request"])}
        del review["request"]
        return 200, json.dumps({**review, "response": response}).encode()


def patch(*operations: dict) -> dict:
    """A response with this JSON patch; without operations, one that changes nothing."""
    if not operations:
        return {}
    return {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}


def denial(message: str) -> dict:
    return {"allowed": False, "status": {"code": 403, "reason": "Forbidden", "message": message}}


@contextlib.contextmanager
def rival(state: State, namespace: Namespace, name: str, decide, timeout: int = 5, also: tuple = ()):
    """While this holds the API server asks `decide` about Pods of the namespace, too, and about what these rules are of."""
    address, one = net.loopback_addresses([name])[name], Rival(name, decide)
    with tempfile.TemporaryDirectory() as folder:
        certificate = pathlib.Path(folder) / "tls.crt"
        tls.server(state.pki, "webhook-ca", certificate, [f"DNS:{name}.{namespace.name}.svc"])
        with listening((address, 443), certificate, one.answer):
            namespace.api.create(operators.loopback_service(name, namespace.name, address))
            namespace.api.create(_configuration(name, namespace.name, state.ca_bundle(), timeout, also))
            try:
                wait_for(f"{name} to be called", lambda: _is_asked(namespace, one), 20, every=0.05)
                yield one
            finally:
                namespace.api.delete(*KIND, name)
                wait_for(f"{name} not to be called", lambda: not _is_asked(namespace, one), 20, every=0.05)
                namespace.api.delete("v1", "Service", name, namespace.name)


def _configuration(name: str, namespace: str, ca_bundle: str, timeout: int, also: tuple) -> dict:
    return {
        "apiVersion": KIND[0], "kind": KIND[1], "metadata": {"name": name},
        "webhooks": [{
            "name": f"{name}.example.com",
            "clientConfig": {"service": {"name": name, "namespace": namespace, "path": "/"}, "caBundle": ca_bundle},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}, *also],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": timeout,
        }],
    }


def _is_asked(namespace: Namespace, one: Rival) -> bool:
    """Does a dry run of a Pod without TPU reach it?"""
    before = one.asked
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe", "namespace": namespace.name},
           "spec": {"containers": [{"name": "c", "image": "i"}]}}
    with contextlib.suppress(Refused):
        namespace.api.create(pod, dry_run=True)
    return one.asked > before
