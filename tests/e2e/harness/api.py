"""The official Kubernetes client, on plain dictionaries: what goes in and out is what YAML says."""

import contextlib
import json
import pathlib
import time

from kubernetes import client, config, dynamic
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import NotFoundError

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
STRICT = [("fieldValidation", "Strict")]


class Refused(Exception):
    """The API server, or a webhook it asked, said no."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status, self.message = status, message


class Api:
    """One API server, as the administrator. `api_version` and `kind` are as in a manifest."""

    def __init__(self, kubeconfig: pathlib.Path, pool: int = 16):
        settings = client.Configuration()
        config.load_kube_config(str(kubeconfig), client_configuration=settings)
        settings.connection_pool_maxsize = pool
        cache = kubeconfig.with_name("discovery.json")
        cache.unlink(missing_ok=True)  # of another control plane on the same port
        self._client = dynamic.DynamicClient(client.ApiClient(settings), cache_file=str(cache))
        self._resources: dict = {}

    def list(self, api_version: str, kind: str, namespace: str | None = None, labels: str | None = None) -> list:
        """The objects, each with apiVersion and kind, which a list leaves out."""
        items = self._call("get", api_version, kind, namespace=namespace, label_selector=labels)["items"]
        return [{"apiVersion": api_version, "kind": kind, **item} for item in items]

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> dict | None:
        """The object, or None if there is none of that name."""
        try:
            return self._call("get", api_version, kind, name=name, namespace=namespace)
        except Refused as error:
            if error.status == 404:
                return None
            raise

    def create(self, obj: dict, dry_run: bool = False) -> dict:
        """POST with strict field validation: an unknown or repeated field is refused."""
        namespace = obj["metadata"].get("namespace")
        return self._call("create", obj["apiVersion"], obj["kind"], body=obj, namespace=namespace,
                          query_params=list(STRICT), dry_run="All" if dry_run else None)

    def told(self, obj: dict, update: bool = False) -> tuple[bool, str]:
        """Whether a dry run is refused, and what its author reads: why, and the warnings. An update is of what is there now."""
        for _ in range(20):
            told = self._told(obj, update)
            if "the object has been modified" not in told[1]:
                break
        return told

    def _told(self, obj: dict, update: bool) -> tuple[bool, str]:
        resource, metadata = self._resource(obj["apiVersion"], obj["kind"]), obj["metadata"]
        verb, name = resource.create, {}
        if update:
            kept = self.get(obj["apiVersion"], obj["kind"], metadata["name"], metadata["namespace"])["metadata"]["resourceVersion"]
            verb, name = resource.replace, {"name": metadata["name"]}
            obj = {**obj, "metadata": {**metadata, "resourceVersion": kept}}
        try:
            answer = verb(serialize=False, body=obj, namespace=metadata["namespace"], dry_run="All", **name)
        except (ApiException, dynamic.exceptions.DynamicApiError) as error:
            return True, "\n".join([_message(error), *error.headers.getlist("Warning")])
        answer.drain_conn()  # or the next request would begin with a handshake
        return False, "\n".join(answer.headers.getlist("Warning"))

    def patch(self, api_version: str, kind: str, name: str, body: dict, namespace: str | None = None) -> dict:
        """A JSON merge patch."""
        return self._call("patch", api_version, kind, name=name, namespace=namespace, body=body,
                          content_type=MERGE, query_params=list(STRICT))

    def patch_status(self, api_version: str, kind: str, name: str, status: dict) -> None:
        """A strategic merge patch of the status, as a kubelet sends it: a condition by its type."""
        self._call("patch", api_version, kind, "status", name=name, body={"status": status}, content_type=STRATEGIC)

    def evict(self, pod: str, namespace: str) -> None:
        """As a drain does."""
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
        self._call("create", "v1", "Pod", "eviction", name=pod, namespace=namespace, body=body)

    def delete(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> None:
        """Delete in the background; nothing happens if it is gone."""
        try:
            self._call("delete", api_version, kind, name=name, namespace=namespace,
                       propagation_policy="Background")
        except Refused as error:
            if error.status != 404:
                raise

    def delete_all(self, api_version: str, kind: str, namespace: str) -> None:
        """Delete every object of a kind there, with one request and another for each minute that
        it takes: the API server then ends it with 504, and a thousand Pods take longer on a loaded
        machine."""
        for _ in range(5):
            try:
                self._call("delete", api_version, kind, namespace=namespace,
                           field_selector=f"metadata.namespace={namespace}")
                return
            except Refused as error:
                if error.status != 504:
                    raise
        raise TimeoutError(f"every {kind} in {namespace} was to be deleted, and 5 requests were not enough")

    def versions(self, group: str) -> list:
        """In which an API group is served, the preferred first."""
        groups = json.loads(self._client.request("get", "/apis", serialize=False).data)["groups"]
        return [each["version"] for one in groups if one["name"] == group for each in one["versions"]]

    def pods(self, namespace: str | None = None, labels: str | None = None) -> list:
        return self.list("v1", "Pod", namespace, labels)

    def count(self, api_version: str, kind: str, namespace: str) -> int:
        """How many there are, without reading them."""
        answer = self._call("get", api_version, kind, namespace=namespace, limit=1)
        return len(answer["items"]) + answer["metadata"].get("remainingItemCount", 0)

    def nodes(self) -> list:
        return self.list("v1", "Node")

    def services(self, namespace: str) -> list:
        return self.list("v1", "Service", namespace)

    def metrics(self) -> str:
        """The API server's own metrics, as text."""
        return self._client.request("get", "/metrics", serialize=False,
                                    header_params={"Accept": "text/plain"}).data.decode()

    def _call(self, verb: str, api_version: str, kind: str, subresource: str = "", **arguments) -> dict:
        resource = self._resource(api_version, kind)
        resource = resource.subresources[subresource] if subresource else resource
        arguments = {name: value for name, value in arguments.items() if value is not None}
        try:
            answer = getattr(resource, verb)(serialize=False, **arguments)
        except (ApiException, dynamic.exceptions.DynamicApiError) as error:
            raise Refused(error.status, _message(error)) from None
        return json.loads(answer.data)

    def _resource(self, api_version: str, kind: str):
        key = api_version, kind
        if key not in self._resources:
            try:
                self._resources[key] = self._client.resources.get(api_version=api_version, kind=kind)
            except NotFoundError:
                raise Refused(404, f"{api_version} {kind} is not served") from None
        return self._resources[key]


def wait_for(what: str, condition, seconds: float, every: float = 0.1):
    """Ask until `condition` gives something true; say what was waited for if it never does."""
    deadline, last = time.monotonic() + seconds, None
    while True:
        try:
            if answer := condition():
                return answer
        except (Refused, OSError) as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s for {what}" + (f"; last: {last}" if last else ""))
        time.sleep(every)


@contextlib.contextmanager
def made(api: Api, obj: dict):
    """Creates the object, and deletes it at the end of the `with` block."""
    metadata = obj["metadata"]
    api.create(obj)
    try:
        yield
    finally:
        api.delete(obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"))
        if obj["kind"] == "Namespace":
            wait_for("the namespace to go", lambda: not api.get("v1", "Namespace", metadata["name"]), 60)


def _message(error) -> str:
    body = error.body.decode() if isinstance(error.body, bytes) else str(error.body)
    try:
        return json.loads(body)["message"]
    except (ValueError, KeyError, TypeError):
        return body or str(error)
