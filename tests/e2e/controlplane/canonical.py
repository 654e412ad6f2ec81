"""Reviews as they came, but for what differs with every recording.

uids, times, generated names and the pools that the scheduler happened to choose become values of
the same form, given out in order of appearance, so that a second recording of the same
versions gives the same bytes. All else is the API server's own text.

* Reviews stand by Pod, each Pod's in the order they arrived: controllers create Pods concurrently.
* A refused Pod that was sent again unchanged is kept once: how often depends on timing.
* A Pod that comes back to us (reinvocation) carries our own patch, with hashes of the uids that
  were. `ask` tells what we answer to the new uids, and that takes the place of the old.
"""

import base64
import hashlib
import json
import re

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # of which Kubernetes makes suffixes
_TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")

# What is generated, as a group, in the only place where its form gives it away; the name of a
# group is what makes the new value. A name stands in further places without such a mark.
_GENERATED = [
    re.compile(r"X509SHA256=(?P<hex>[0-9a-f]{64})"),
    re.compile(r'"kube-api-access-(?P<suffix>[a-z0-9]{5})"'),
    re.compile(r'"kueue\.x-k8s\.io/workload":"[^"]*-(?P<hex>[0-9a-f]{5})"'),
    re.compile(r'"ray\.io/worker-group-replica-name":"[^"]*-(?P<suffix>[a-z0-9]{5})"'),
    re.compile(r'"ray\.io/cluster":"tpu-job-(?P<suffix>[a-z0-9]{5})"'),
    re.compile(r'"RAY_JOB_SUBMISSION_ID","value":"[^"]*-(?P<suffix>[a-z0-9]{5})"'),
    # Of a StatefulSet whose template names a pool that the scheduler chose, or the uid of an owner.
    re.compile(r'"controller-revision-hash":"[^"]*-(?P<hash>[a-z0-9]{8,10})"'),
]
_POOL = re.compile(r'"tpu-slice-([a-z])"')
_ATTEMPT = re.compile(r'"jobset\.sigs\.k8s\.io/restart-attempt":"(\d+)"')
_OURS = '"tpu-webhook.dev/injected"'
# Where each kind of value may stand: with one of these before it, so that no common word is hit.
_BEFORE = {"hex": r"[-=]", "suffix": "-", "hash": "-"}


def canonical(story: str, reviews: list, ask, once: bool = False) -> list:
    """The reviews of a story, each a line, as they are kept.

    `ask`  the answers of a fresh server to a list of reviews, all bytes
    `once` whether a review that says again what one before it said is left out
    """
    texts = [review.decode() for review in reviews]
    names = _generated(story, texts)
    texts.sort(key=lambda text: _pod(text, names))
    if once:
        first: dict = {}
        for text in texts:
            first.setdefault(_masked(text, names), text)
        texts = list(first.values())
    names = _generated(story, texts)
    renamed = [_renamed(text, names) for text in _on_pools_in_order(texts)]
    return _with_new_answers(texts, renamed, ask)


def decoded(answer: bytes) -> dict:
    """The response of an AdmissionReview, with its patch as JSON."""
    response = json.loads(answer)["response"]
    if response.pop("patchType", None):
        response["patch"] = json.loads(base64.b64decode(response["patch"]))
    return response


def _compact(value) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class _Names:
    """Old values and new ones, numbered per kind in the order they are added.

    uids are others in each story: slices of two stories are not the same one.
    """

    def __init__(self, story: str):
        self._story = story
        self._new: dict = {}
        self._counts: dict = {}

    def add(self, kind: str, old: str) -> None:
        if (kind, old) not in self._new:
            sort = kind, len(old) if kind == "hex" else 0
            count = self._counts.get(sort, 0)
            self._counts[sort] = count + 1
            self._new[kind, old] = _uid(f"{self._story} {count}") if kind == "uid" else _value(kind, count, len(old))

    def pattern(self) -> re.Pattern:
        parts = [rf"(?<={_BEFORE[kind]}){re.escape(old)}(?![a-z0-9])" for kind, old in self._new if kind != "uid"]
        return re.compile("|".join(parts) or r"(?!)")

    def find(self, old: str) -> str:
        return next(new for (_, known), new in self._new.items() if known == old)

    def uid(self, old: str) -> str:
        self.add("uid", old)
        return self._new["uid", old]


def _uid(text: str) -> str:
    """A random-looking UUID, always the same for a text."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[12:15]}-a{digest[15:18]}-{digest[18:30]}"


def _value(kind: str, number: int, length: int) -> str:
    """The value that is `number` in its kind, of the form that the kind has."""
    if kind == "hex":
        return f"{number + 1:0{length}x}"
    letters = ""
    length = 10 if kind == "hash" else length  # a 32-bit number, of 8 to 10 letters
    for _ in range(length):
        number, letter = divmod(number, len(_LETTERS))
        letters = _LETTERS[letter] + letters
    return letters


def _generated(story: str, texts: list) -> _Names:
    names = _Names(story)
    for text in texts:
        for pattern in _GENERATED:
            for match in pattern.finditer(text):
                names.add(*next(iter(match.groupdict().items())))
    return names


def _renamed(text: str, names: _Names) -> str:
    text = names.pattern().sub(lambda match: names.find(match[0]), text)
    text = _UUID.sub(lambda match: names.uid(match[0]), text)
    return _TIME.sub("2026-01-01T00:00:00Z", text)


def _on_pools_in_order(texts: list) -> list:
    """Pools are alike and the scheduler takes any, at each restart of a JobSet again."""
    letters: dict = {}

    def letter(attempt: str, old: str) -> str:
        known = letters.setdefault(attempt, {})
        return known.setdefault(old, "abcdefghijklmnopqrstuvwxyz"[len(known)])

    out = []
    for text in texts:
        attempt = _ATTEMPT.search(text)
        out.append(_POOL.sub(lambda pool: f'"tpu-slice-{letter(attempt and attempt[1], pool[1])}"', text))
    return out


def _masked(text: str, names: _Names) -> str:
    text = _POOL.sub('"?"', text)
    return _TIME.sub("?", _UUID.sub("?", names.pattern().sub("?", text)))


def _pod(text: str, names: _Names) -> tuple:
    """What says which Pod it is: name, or what it is made of, and place."""
    metadata = json.loads(text)["request"]["object"]["metadata"]
    labels = metadata.get("labels", {})
    places = [labels.get(f"ray.io/{label}", "") for label in ("worker-group-replica-index", "replica-host-index")]
    return _masked(metadata.get("name") or metadata["generateName"], names), *places


def _with_new_answers(old: list, new: list, ask) -> list:
    """The new texts, with what we answer to them wherever they hold what we answered to the old."""
    ours: dict = {}
    answers = [[decoded(answer) for answer in ask([text.encode() for text in texts])] for texts in (old, new)]
    for text, *responses_to in zip(old, *answers):
        if _OURS not in text:  # a first call
            _differences(*(response.get("patch") for response in responses_to), ours)
    pattern = re.compile("|".join(map(re.escape, ours)) or r"(?!)")
    return [pattern.sub(lambda match: ours[match[0]], text).encode() for text in new]


def _differences(old, new, into: dict) -> None:
    """Strings of one patch and what stands in their place in the other, which is of the same shape."""
    if isinstance(old, str) and isinstance(new, str):
        if old != new:
            into[_compact(old)] = _compact(new)
    elif isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            _differences(old[key], new[key], into)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for one, other in zip(old, new):
            _differences(one, other, into)
    elif old != new:
        raise RuntimeError(f"another answer to the same Pod with other names: {_compact(old)} became {_compact(new)}")
