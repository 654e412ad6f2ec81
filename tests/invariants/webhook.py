"""The webhook, offline: Pods in, patched Pods or answers out. One process for many Pods."""

import base64
import dataclasses
import json

import program
from apiserver import review

_SECONDS = 300
_ACCOUNT = "kube-system:controller"


@dataclasses.dataclass
class Answer:
    """One response, with the patch applied by `applied`, not by the program."""
    allowed: bool
    message: str
    warnings: list
    patch: list
    raw: dict


class Webhook:
    def __init__(self, path, *flags):
        self.path, self.flags = path, flags

    def objects(self, pods):
        """Each Pod after its patch, or {"error": …} where it is denied."""
        return self._ask(pods, "object")

    def patches(self, pods):
        """The patch of each Pod, a list of operations."""
        return self._ask(pods, "patch")

    def answers(self, pods, **request):
        """The answer to each Pod; `request` overrides fields of the request."""
        return [_answer(line["response"]) for line in self._ask(pods, "review", **request)]

    def answer(self, pod, **request):
        return self.answers([pod], **request)[0]

    def _ask(self, pods, form, **request):
        lines = [json.dumps(_reviewed(pod, i, request)) for i, pod in enumerate(pods)]
        code, text, wrong = program.run(program.tools(self.path), "review", "-", "--output", form, *self.flags,
                                        stdin="\n".join(lines) + "\n", limit=_SECONDS)
        if code not in (0, 1):
            raise RuntimeError(f"review ended with {code}: {wrong[-2000:]}")
        out = [json.loads(line) for line in text.splitlines()]
        if len(out) != len(pods):
            raise RuntimeError(f"{len(pods)} Pods asked, {len(out)} answers")
        return out


class Idle(Webhook):
    """A webhook that allows everything and changes nothing, to see that a test can fail."""

    def __init__(self):
        super().__init__("/nonexistent")

    def _ask(self, pods, form, **request):
        assert form == "review", form
        return [{"response": {"uid": "", "allowed": True}} for _ in pods]


def _reviewed(pod, number, request):
    body = review(pod, identity=(pod["metadata"]["namespace"], number), service_account=_ACCOUNT)
    body["request"].update(request)
    return body


def _answer(response):
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    return Answer(response["allowed"], response.get("status", {}).get("message", ""),
                  response.get("warnings", []), patch, response)


def applied(pod, patch):
    """A copy of the Pod with a JSON patch of add, replace and remove on it (RFC 6902)."""
    out = json.loads(json.dumps(pod))
    for operation in patch:
        *path, last = [part.replace("~1", "/").replace("~0", "~")
                       for part in operation["path"].split("/")[1:]]
        target = out
        for part in path:
            target = target[int(part)] if isinstance(target, list) else target[part]
        if isinstance(target, list):
            at = len(target) if last == "-" else int(last)
            match operation["op"]:
                case "add":
                    if at > len(target):
                        raise RuntimeError(f"add at {operation['path']}, past the end")
                    target.insert(at, operation["value"])
                case "replace":
                    target[at] = operation["value"]
                case "remove":
                    del target[at]
                case other:
                    raise RuntimeError(f"operation {other}")
        elif operation["op"] == "remove":
            del target[last]
        else:
            if operation["op"] == "replace" and last not in target:
                raise RuntimeError(f"replace of {operation['path']}, which is absent")
            target[last] = operation["value"]
    return out
