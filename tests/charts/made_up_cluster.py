"""A made-up API server that helm, kubectl and `doctor` can work with.

It keeps whatever it is given, each object at its path, and patches as the API does as far as a chart needs
it: strategic merge of lists by name, null deletes, server-side apply takes away what its manager said before
and says no more. Nobody acts on the objects. What was written is in `writes`.
"""

import base64
import contextlib
import copy
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "server"))
from made_up_api import Objects, Request, Server, status  # noqa: E402  pylint: disable=wrong-import-position

# (group and version, plural, kind, in a namespace) of everything that the chart renders, and of what helm keeps.
KINDS = [
    ("v1", "namespaces", "Namespace", False),
    ("v1", "secrets", "Secret", True),
    ("v1", "configmaps", "ConfigMap", True),
    ("v1", "services", "Service", True),
    ("v1", "serviceaccounts", "ServiceAccount", True),
    ("v1", "pods", "Pod", True),
    ("v1", "nodes", "Node", False),
    ("v1", "resourcequotas", "ResourceQuota", True),
    ("v1", "events", "Event", True),
    ("apps/v1", "deployments", "Deployment", True),
    ("apps/v1", "replicasets", "ReplicaSet", True),
    ("discovery.k8s.io/v1", "endpointslices", "EndpointSlice", True),
    ("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", True),
    ("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", True),
    ("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", False),
    ("flowcontrol.apiserver.k8s.io/v1", "flowschemas", "FlowSchema", False),
    ("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", "PriorityLevelConfiguration", False),
    ("monitoring.coreos.com/v1", "podmonitors", "PodMonitor", True),
    ("cert-manager.io/v1", "certificates", "Certificate", True),
    ("cert-manager.io/v1", "issuers", "Issuer", True),
    ("rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", False),
    ("rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", False),
    ("rbac.authorization.k8s.io/v1", "roles", "Role", True),
    ("rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", True),
    ("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", False),
    ("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False),
]
VERSION = {"major": "1", "minor": "36", "gitVersion": "v1.36.3", "platform": "linux/amd64"}
MERGED_BY_NAME = {"webhooks", "containers", "volumes", "env", "matchConditions"}
NO_OBJECT = {"kind": "Status", "apiVersion": "v1", "status": "Success"}


def prefix(group_version):
    return f"/api/{group_version}" if "/" not in group_version else f"/apis/{group_version}"


def path_of(kind, name="", namespace=""):
    """Where objects of a kind are, or one of them."""
    group_version, plural, _, namespaced = next(one for one in KINDS if one[2] == kind)
    folder = f"{prefix(group_version)}/namespaces/{namespace}/{plural}" if namespaced else f"{prefix(group_version)}/{plural}"
    return f"{folder}/{name}" if name else folder


class Cluster(Objects):
    """`store`: path -> object."""

    def __init__(self):
        super().__init__()
        self.store, self.writes, self.applied, self.about = {}, [], {}, VERSION
        self.lock = threading.RLock()
        for name in ("default", "kube-system"):
            self.write(f"/api/v1/namespaces/{name}", {"metadata": {"name": name}}, "Namespace")
        self.write(path_of("PriorityLevelConfiguration", "workload-high"), {"metadata": {"name": "workload-high"}, "spec": {"type": "Limited"}})

    # -- for tests

    def copy(self):
        other = Cluster()
        other.store, other.applied, other.version = copy.deepcopy(self.store), copy.deepcopy(self.applied), self.version
        return other

    def one(self, kind, name="tpu-webhook", namespace=""):
        return self.store[path_of(kind, name, namespace)]

    def remove(self, kind, name="tpu-webhook", namespace=""):
        del self.store[path_of(kind, name, namespace)]

    def remove_namespace(self, name):
        for path in [path for path in self.store if f"/namespaces/{name}/" in path + "/"]:
            del self.store[path]

    # -- as made_up_api has it

    def __call__(self, peer):
        while text := peer.request():
            head = text.partition("\r\n\r\n")[0].split("\r\n")[1:]
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head)}
            kind = fields.get("content-type", "")
            head, _, body = text.partition("\r\n\r\n")
            request = Request(head + "\r\n\r\n" + ("" if "protobuf" in kind else body))
            if "protobuf" in kind and request.method in ("POST", "PUT"):
                request.body = secret(body.encode(errors="surrogateescape"))
            request.type = kind
            with self.lock:
                self.requests.append(request)
                code, out = self.answer(request)
                text = out if isinstance(out, str) else json.dumps(out)
            peer.answer(text, code)

    def answer(self, request):
        return self.document(request) or {"GET": self.read, "POST": self.create, "PUT": self.replace, "PATCH": self.patch,
                                          "DELETE": self.delete}[request.method](request)

    # -- what there is

    def document(self, request):
        """What the server says of itself; nothing if the request is about objects."""
        groups = sorted({kind[0] for kind in KINDS if "/" in kind[0]})
        path = request.path.rstrip("/")
        if path == "/version":
            return 200, self.about
        if path == "/api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            made = [{"groupVersion": one, "version": one.split("/")[1]} for one in groups]
            return 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": [
                {"name": one["groupVersion"].split("/")[0], "versions": [one], "preferredVersion": one} for one in made]}
        for group_version in ["v1", *groups]:
            if path == prefix(group_version):
                return 200, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": [
                    {"name": plural, "singularName": kind.lower(), "namespaced": namespaced, "kind": kind,
                     "verbs": ["create", "delete", "get", "list", "patch", "update", "watch"]}
                    for of, plural, kind, namespaced in KINDS if of == group_version]}
        if path == "/openapi/v3":
            return 200, {"paths": {prefix(one)[1:]: {"serverRelativeURL": f"/openapi/v3{prefix(one)}"} for one in ["v1", *groups]}}
        if path.startswith("/openapi/v3/"):
            return 200, self.openapi(path.removeprefix("/openapi/v3"))
        return None

    @staticmethod
    def openapi(which):
        """That each kind can be patched with field validation, so that no client validates by itself."""
        paths = {}
        for group_version, plural, kind, _ in KINDS:
            if prefix(group_version) == which:
                group, _, version = group_version.rpartition("/")
                paths[f"{which}/{plural}/{{name}}"] = {"patch": {
                    "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
                    "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}], "responses": {}}}
        return {"openapi": "3.0.0", "info": {"title": "made up", "version": "1"}, "paths": paths}

    # -- objects

    def kind_of(self, path):
        """(group and version, kind, whether the path is a list's)"""
        for group_version, plural, kind, namespaced in KINDS:
            parts = path.removeprefix(prefix(group_version) + "/").split("/")
            if not path.startswith(prefix(group_version) + "/"):
                continue
            if namespaced and len(parts) > 2 and parts[0] == "namespaces":
                parts = parts[2:]
            if parts[0] == plural and len(parts) <= 2:
                return group_version, kind, len(parts) == 1
        return None

    def read(self, request):
        if request.path.endswith("/log") and request.path.removesuffix("/log") in self.store:
            return 200, "msg=ledger made up\n"
        found = self.kind_of(request.path)
        if request.path in self.store:
            return 200, self.store[request.path]
        if not found or not found[2]:
            return status(404, "NotFound", f"{request.path} not found")
        group_version, kind, _ = found
        selector = request.query.get("labelSelector", [""])[0]
        field = request.query.get("fieldSelector", [""])[0]
        of_all = path_of(kind).split("/namespaces//")  # a list of all namespaces
        items = [one for path, one in sorted(self.store.items())
                 if self.kind_of(path) == (group_version, kind, False)
                 and (path.startswith(request.path + "/") or len(of_all) == 2 and "/namespaces/" not in request.path)
                 and selected(one, selector) and (not field or field == f"metadata.name={one['metadata']['name']}")]
        return 200, {"kind": f"{kind}List", "apiVersion": group_version, "metadata": {"resourceVersion": str(self.version)}, "items": items}

    def write(self, path, body, kind=None):
        group_version, name, _ = self.kind_of(path)
        body.setdefault("apiVersion", group_version)
        body.setdefault("kind", kind or name)
        if "/namespaces/" in path and name != "Namespace":
            body["metadata"].setdefault("namespace", path.split("/namespaces/")[1].split("/")[0])
        body["metadata"].setdefault("uid", f"uid-{path}")
        self.store[path] = self.changed(body)
        return body

    def create(self, request):
        body = request.body
        path = f"{request.path}/{body['metadata']['name']}"
        missing = self.missing_namespace(path)
        if missing:
            return status(404, "NotFound", f'namespaces "{missing}" not found')
        if path in self.store:
            return status(409, "AlreadyExists", f"{path} already exists")
        if "dryRun" in request.query:
            return 201, body
        self.writes.append(("POST", path, body))
        return 201, self.write(path, body)

    def missing_namespace(self, path):
        name = path.split("/namespaces/")[1].split("/")[0] if "/namespaces/" in path else ""
        own = path == f"/api/v1/namespaces/{name}"
        return name if name and not own and f"/api/v1/namespaces/{name}" not in self.store else ""

    def replace(self, request):
        if request.path not in self.store:
            return status(404, "NotFound", f"{request.path} not found")
        self.writes.append(("PUT", request.path, request.body))
        return 200, self.write(request.path, request.body)

    def patch(self, request):
        before = self.store.get(request.path)
        if "apply-patch" in request.type:
            missing = self.missing_namespace(request.path)
            if missing:
                return status(404, "NotFound", f'namespaces "{missing}" not found')
            after = merged(without(before or {}, self.applied.get(request.path, {}), request.body), request.body)
        elif before is None:
            return status(404, "NotFound", f"{request.path} not found")
        elif "json-patch" in request.type:
            after = json_patched(before, request.body)
            if after is None:
                return status(422, "Invalid", "a test of the patch fails, or what it names is not there")
        else:
            after = merged(before, request.body)
        if "dryRun" in request.query:
            return 200, after
        self.writes.append(("PATCH", request.path, copy.deepcopy(request.body)))
        if "apply-patch" in request.type:
            self.applied[request.path] = copy.deepcopy(request.body)
        return (200 if before else 201), self.write(request.path, after)

    def delete(self, request):
        if request.path not in self.store:
            return status(404, "NotFound", f"{request.path} not found")
        self.writes.append(("DELETE", request.path, None))
        del self.store[request.path]
        return 200, NO_OBJECT


def fields(data):
    """(number, value) of each field of a protobuf message: bytes, or a number."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 0x80:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def text_map(pairs):
    return {dict(fields(one))[1].decode(): dict(fields(one)).get(2, b"") for one in pairs}


def secret(data):
    """A Secret as helm 4 sends it: k8s.io/api/core/v1/generated.proto, in the envelope of runtime.Unknown."""
    raw = dict(fields(data[4:]))[2]
    parts = list(fields(raw))
    metadata = list(fields(dict(parts)[1]))
    labels = {key: value.decode() for key, value in text_map(value for number, value in metadata if number == 11).items()}
    values = {key: base64.b64encode(value).decode() for key, value in text_map(value for number, value in parts if number == 2).items()}
    return {"metadata": {"name": dict(metadata)[1].decode(), "labels": labels}, "type": dict(parts)[3].decode(), "data": values}


def selected(one, selector):
    labels = one["metadata"].get("labels", {})
    for part in filter(None, selector.split(",")):
        name, _, value = part.partition("!=") if "!=" in part else part.partition("=")
        if (labels.get(name) == value) == ("!=" in part):
            return False
    return True


def is_named(values):
    return isinstance(values, list) and all(isinstance(one, dict) and "name" in one for one in values)


def merged(before, patch):
    """A strategic merge patch, as far as a chart needs it."""
    after = dict(before)
    for key, value in patch.items():
        if key.startswith("$"):
            continue
        if value is None:
            after.pop(key, None)
        elif isinstance(value, dict) and isinstance(after.get(key), dict):
            after[key] = merged(after[key], value)
        elif key in MERGED_BY_NAME and is_named(value) and is_named(after.get(key)):
            after[key] = merged_list(after[key], value, patch.get(f"$setElementOrder/{key}"))
        elif isinstance(value, dict):
            after[key] = merged({}, value)
        else:
            after[key] = value
    return after


def json_patched(before, operations):
    """By RFC 6902, of its operations those that are printed; nothing where one cannot be done."""
    after = copy.deepcopy(before)
    for one in operations:
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in one["path"].split("/")[1:]]
        at = after
        try:
            for part in way:
                at = at[int(part)] if isinstance(at, list) else at[part]
            last = int(last) if isinstance(at, list) else last
            if one["op"] == "test" and at[last] != one["value"]:
                return None
            if one["op"] == "remove":
                del at[last]
            elif one["op"] == "replace":
                at[last]  # it has to be there
                at[last] = one["value"]
        except (KeyError, IndexError, TypeError):
            return None
    return after


def merged_list(before, patch, order):
    by_name = {one["name"]: one for one in before}
    for one in patch:
        if one.get("$patch") == "delete":
            by_name.pop(one["name"], None)
        else:
            by_name[one["name"]] = merged(by_name.get(one["name"], {}), one)
    names = [one["name"] for one in order or []]
    return sorted(by_name.values(), key=lambda one: names.index(one["name"]) if one["name"] in names else -1)


def without(live, said, says):
    """`live` without what a manager said before, and says no more."""
    out = dict(live)
    for key, value in said.items():
        if key not in says:
            out.pop(key, None)
        elif isinstance(value, dict) and isinstance(says[key], dict) and isinstance(out.get(key), dict):
            out[key] = without(out[key], value, says[key])
        elif key in MERGED_BY_NAME and is_named(value) and is_named(says[key]) and is_named(out.get(key)):
            before, now = ({one["name"]: one for one in each} for each in (value, says[key]))
            out[key] = [without(one, before.get(one["name"], {}), now[one["name"]]) if one["name"] in now else one
                        for one in out[key] if one["name"] in now or one["name"] not in before]
    return out


@contextlib.contextmanager
def served(cluster):
    """The port of a server that has this cluster."""
    with Server(cluster, tls=False) as server:
        yield server.port
