"""All that is asked of the cluster goes through here, and nothing passes that was not promised.

`permitted` is the promise: the cluster is read, and what is written is in the namespace that this run made, or is that
namespace itself.
"""

from __future__ import annotations

import json
import subprocess

READ_SECONDS, WRITE_SECONDS = 60, 60
KINDS = ("Pod", "Service", "Job")  # that it creates
DELETED = ("pod", "jobs.batch,pods,services")


class Failed(Exception):
    """A call that did not work. `kind` is one of a closed set and may be in the report; `text`, kubectl's, may not."""

    def __init__(self, kind: str, text: str):
        super().__init__(f"{kind}: {text}")
        self.kind, self.text = kind, text


def read(text: str) -> dict:
    """The object that kubectl printed, without members that are null: to a reader these are absent."""
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: {key: value for key, value in pairs if value is not None})
    except ValueError:
        raise Failed("unreadable answer", f"kubectl printed something else than JSON: {text[:200]}") from None


class Kubectl:
    def __init__(self, namespace: str, kubeconfig: str = "", context: str = ""):
        self.namespace = namespace
        self._flags = [f"--kubeconfig={kubeconfig}"] * bool(kubeconfig) + [f"--context={context}"] * bool(context)

    # -- the cluster, which is only read ------------------------------------------------------

    def version(self) -> dict:
        return read(self._run(["version", "--output=json"]))

    def get(self, *arguments: str) -> dict:
        """Of the whole cluster."""
        return read(self._run(["get", *arguments, "--output=json"]))

    def columns(self, template: str, *arguments: str) -> str:
        """Only what the template selects of each object comes here."""
        return self._run(["get", *arguments, f"--output=jsonpath={template}"])

    def may(self, verb: str, kind: str) -> bool:
        """In its namespace, or of namespaces."""
        return self._run(["auth", "can-i", verb, kind, f"--namespace={self.namespace}"], codes=(0, 1)).strip() == "yes"

    # -- its own namespace --------------------------------------------------------------------

    def create_namespace(self, labels: dict) -> dict:
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace, "labels": labels}}
        return read(self._run(["create", "--filename=-", "--output=json"], made))

    def own_namespace(self) -> dict | None:
        found = self._run(["get", "namespace", self.namespace, "--ignore-not-found", "--output=json"])
        return read(found) if found.strip() else None

    def delete_namespace(self, seconds: int) -> None:
        """Returns when it does not exist any more."""
        self._run(["delete", "namespace", self.namespace, "--wait=true", f"--timeout={seconds}s"], seconds=seconds + 10)

    def create(self, *objects: dict) -> None:
        self._run(
            [*self._inside("create"), "--filename=-"], {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        )

    def would_create(self, pod: dict) -> dict:
        """The Pod after all webhooks; nothing is stored."""
        return read(self._run([*self._inside("create"), "--dry-run=server", "--filename=-", "--output=json"], pod))

    def here(self, kind: str, *arguments: str) -> list:
        return read(self._run([*self._inside("get"), kind, *arguments, "--output=json"]))["items"]

    def delete(self, kind: str, *arguments: str) -> None:
        self._run(
            [*self._inside("delete"), kind, *arguments, "--ignore-not-found", "--wait=true", "--timeout=60s"],
            seconds=WRITE_SECONDS + 10,
        )

    def logs(self, pod: str, container: str) -> str:
        return self._run([*self._inside("logs"), pod, f"--container={container}", "--tail=200"])

    # -----------------------------------------------------------------------------------------

    def _inside(self, verb: str) -> list:
        return [f"--namespace={self.namespace}", verb]

    def _run(self, arguments: list, stdin: dict | None = None, seconds: int = READ_SECONDS, codes=(0,)) -> str:
        if not permitted(arguments, stdin, self.namespace):
            raise AssertionError(f"not promised: kubectl {' '.join(arguments)}")
        try:
            # A session of its own: Ctrl-C is for us, and what then cleans up is not interrupted by it.
            done = subprocess.run(
                ["kubectl", *self._flags, *arguments],
                input=json.dumps(stdin) if stdin else "",
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
                start_new_session=True,
            )
        except FileNotFoundError:
            raise Failed("kubectl missing", "kubectl is not in PATH") from None
        except subprocess.TimeoutExpired:
            raise Failed("no answer in time", f"kubectl {arguments[0]}: no answer in {seconds} s") from None
        if done.returncode not in codes:
            raise Failed(kind_of(done.stderr), done.stderr.strip())
        return done.stdout


def permitted(arguments: list, stdin: dict | None, namespace: str) -> bool:
    """Whether these arguments read only, or write what is ours."""
    if arguments[0] == f"--namespace={namespace}":
        if arguments[1] == "create":
            objects = stdin["items"] if stdin["kind"] == "List" else [stdin]
            return all(one["kind"] in KINDS and one["metadata"]["namespace"] == namespace for one in objects)
        return arguments[1] in ("get", "logs") or arguments[1] == "delete" and arguments[2] in DELETED
    if arguments[0] == "create":
        return stdin["kind"] == "Namespace" and stdin["metadata"]["name"] == namespace
    if arguments[0] == "delete":
        return arguments[1:3] == ["namespace", namespace]
    return arguments[0] in ("get", "version") or arguments[:2] == ["auth", "can-i"]


def kind_of(stderr: str) -> str:
    """Which of the failures it is that may be told."""
    for words, kind in (
        ("AlreadyExists", "exists already"),
        ("Forbidden", "not permitted"),
        ("Unauthorized", "not logged in"),
        ("You must be logged in", "not logged in"),
        ("NotFound", "not found"),
        ("the server doesn't have a resource type", "kind not served"),
        ("failed calling webhook", "a webhook did not answer"),
        ("denied the request", "refused by a webhook"),
        ("exceeded quota", "refused by a quota"),
        ("violates PodSecurity", "refused by Pod Security"),
        ("timed out", "no answer in time"),
        ("connect", "not reachable"),
        ("no such host", "not reachable"),
    ):
        if words in stderr:
            return kind
    return "failed"
