"""Reviews as somebody who means harm sends them: recorded ones, and what chance makes of them.

A review is read into lists of members, so that one may stand twice. Each of CHANGES is a kind of change.
"""

import json
import pathlib
import random
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "support"))
import golden_reviews  # noqa: E402

SEVERAL = 8  # Pods of one story differ by an index: so many of each are enough


class Members(list):
    """Of an object: (key, value), in their order."""


class Raw(str):
    """Text as it stands, of a value."""


HOSTILE = ['","k":"', '\\', '"', "\n", "\0", "\x7f", "\u009b31m", "\u202e", "\ufeff", "é", "😀", "",
           'x"},"patchType":"JSONPatch","patch":"W10=","z":{"a":"', "$(touch x)`touch y`;#", "${NAME}", "a" * 300,
           'x","op":"replace","path":"/spec/containers/0/image","value":"evil","z":"', "x\nlevel=error msg=forged",
           "-1", "0", "4294967296", "4x4", "2x2x1", "9" * 30, "~1~0/", "../..", "true", "null"]
RAW = ["null", "true", "0", "-1", "1e400", "01", "1.", "-", "nul", "\"\\ud800\"", '"\\u0000"', '"\\x"', "{}", "[]", "[[]]", '{"":{}}',
       "[" * 70 + "]" * 70, '{"a":' * 70 + "1" + "}" * 70, '""', '"a"', "4", "65536", "18446744073709551616", "\"\t\"", "\ufeff1", "//", ""]
KEYS = ["metadata", "spec", "labels", "annotations", "name", "uid", "kind", "containers", "initContainers", "env", "resources", "limits",
        "google.com/tpu", "nodeSelector", "affinity", "ownerReferences", "request", "object", "oldObject", "operation", "dryRun",
        "tpu-webhook.dev/worker-id", "tpu-webhook.dev/hostnames", "tpu-webhook.dev/injected", "tpu-webhook.dev/inject", "template",
        "workerGroupSpecs", "replicatedJobs", "groupName", "numOfHosts", "completions", "replicas", "value", "valueFrom", "apiVersion"]


def read(text):
    return json.loads(text, object_pairs_hook=Members)


def write(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Members):
        return "{" + ",".join(f"{write(key)}:{write(each)}" for key, each in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def seeds():
    """Recorded and golden reviews, as text."""
    found = []
    recordings = sorted((TESTS / "golden/recorded").glob("*/reviews.jsonl"))
    several = [file.read_text(encoding="utf-8").splitlines() for file in recordings]
    for lines in [*([golden_reviews.text_of(folder)] for folder in golden_reviews.cases()), *several]:
        step = max(1, len(lines) // SEVERAL)
        for line in lines[::step]:
            try:
                value = read(line)
            except ValueError:
                continue
            if isinstance(value, Members) and any(key == "request" for key, _ in value):
                found.append(write(value))
    return found


def _places(value, found=None):
    """(list, index) of every value; of a member the value of its pair is meant."""
    found = [] if found is None else found
    for index, each in enumerate(value):
        found.append((value, index))
        child = each[1] if isinstance(value, Members) else each
        if isinstance(child, list):
            _places(child, found)
    return found


class Change:
    """One after the other, by chance, in a review that was read."""

    def __init__(self, chance, others):
        self.chance, self.others = chance, others

    def _pick(self, root, wanted=lambda holder, index: True):
        places = [place for place in _places(root) if wanted(*place)]
        return self.chance.choice(places) if places else None

    @staticmethod
    def _get(holder, index):
        return holder[index][1] if isinstance(holder, Members) else holder[index]

    @staticmethod
    def _set(holder, index, value):
        holder[index] = (holder[index][0], value) if isinstance(holder, Members) else value

    def _replaced(self, root, value, wanted=lambda holder, index: True):
        if place := self._pick(root, wanted):
            self._set(*place, value)

    def _of_strings(self, holder, index):
        return isinstance(self._get(holder, index), str)

    def another_type(self, root):
        self._replaced(root, self.chance.choice([None, True, 0, -1, 1.5, "", "a", [], Members(), [None], Members([("a", None)])]))

    def raw_value(self, root):
        self._replaced(root, Raw(self.chance.choice(RAW)))

    def hostile_text(self, root):
        self._replaced(root, self.chance.choice(HOSTILE), self._of_strings)

    def hostile_end(self, root):
        if place := self._pick(root, self._of_strings):
            self._set(*place, self._get(*place) + self.chance.choice(HOSTILE))

    def escaped_text(self, root):
        """The same string, each letter by its number."""
        if place := self._pick(root, self._of_strings):
            text = self._get(*place).encode("utf-16-be")
            self._set(*place, Raw('"' + "".join(f"\\u{text[i]:02x}{text[i + 1]:02X}" for i in range(0, len(text), 2)) + '"'))

    def removed(self, root):
        if place := self._pick(root):
            del place[0][place[1]]

    def twice(self, root):
        if place := self._pick(root):
            place[0].insert(self.chance.randrange(len(place[0]) + 1), place[0][place[1]])

    def renamed(self, root):
        if place := self._pick(root, lambda holder, _: isinstance(holder, Members)):
            holder, index = place
            holder[index] = (self.chance.choice(KEYS + HOSTILE), holder[index][1])

    def escaped_key(self, root):
        if place := self._pick(root, lambda holder, _: isinstance(holder, Members)):
            holder, index = place
            key = str(holder[index][0])
            if key and ord(key[0]) < 0x10000 and not isinstance(holder[index][0], Raw):
                holder[index] = (Raw(f'"\\u{ord(key[0]):04x}' + json.dumps(key[1:], ensure_ascii=False)[1:]), holder[index][1])

    def many(self, root):
        """An element or a member many times, each with a key of its own."""
        if place := self._pick(root):
            holder, index = place
            for number in range(self.chance.choice((2, 20, 100))):
                holder.append((f"{holder[index][0]}{number}", holder[index][1]) if isinstance(holder, Members) else holder[index])

    def shuffled(self, root):
        if place := self._pick(root, lambda holder, index: isinstance(self._get(holder, index), list)):
            self.chance.shuffle(self._get(*place))

    def from_another(self, root):
        """A member of another review, where that has one of this key."""
        other = read(self.chance.choice(self.others))
        by_key = {}
        for holder, index in _places(other):
            if isinstance(holder, Members):
                by_key.setdefault(str(holder[index][0]), []).append(holder[index][1])
        place = self._pick(root, lambda holder, index: isinstance(holder, Members) and str(holder[index][0]) in by_key)
        if place:
            self._set(*place, self.chance.choice(by_key[str(place[0][place[1]][0])]))

    def wrapped(self, root):
        if place := self._pick(root):
            value = self._get(*place)
            for _ in range(self.chance.choice((1, 2, 30, 60))):
                value = [value] if self.chance.random() < 0.5 else Members([("a", value)])
            self._set(*place, value)

    def another_operation(self, root):
        """UPDATE with the object as the old one, or what creates nothing."""
        for key, request in root:
            if key != "request" or not isinstance(request, Members):
                continue
            objects = [value for name, value in request if name == "object"]
            operation = self.chance.choice(["UPDATE", "UPDATE", "DELETE", "CONNECT", "create", ""])
            request[:] = [pair for pair in request if pair[0] not in ("operation", "oldObject")]
            request += [("operation", operation)] + ([("oldObject", objects[0])] if objects else [])

    def our_annotation(self, root):
        place = self._pick(root, lambda holder, index: isinstance(holder, Members) and holder[index][0] == "annotations")
        name = self.chance.choice(["worker-id", "worker-count", "hostnames", "slice-id", "slice-count", "coordinator", "injected", "inject",
                                   "exclusive-topology", "slice", "start-ordinal"])
        text = self.chance.choice(HOSTILE + ["1", "2", "a.b,c.b", "false", "true", "cloud.google.com/gke-nodepool", "v1;12345678;c:TPU_NAME=12345678"])
        if place and isinstance(self._get(*place), Members):
            self._get(*place).append((f"tpu-webhook.dev/{name}", text))


def _bytes_changed(chance, text):
    at = chance.randrange(len(text))
    return text[:at] + bytes([chance.randrange(256)]) + text[at + 1:]


def _cut(chance, text):
    return text[:chance.randrange(len(text))]


def _piece_added(chance, text):
    at = chance.randrange(len(text) + 1)
    piece = chance.choice([b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\0", b" ", b"\r\n", b"\t", b"\xff", b"\xef\xbb\xbf", b"/**/", b"'"])
    return text[:at] + piece + text[at:]


def _blanks(chance, text):
    """Between what is structure and what is not: where the piece is found, mostly outside of strings."""
    piece = chance.choice([b":", b",", b"{", b"}"])
    return text.replace(piece, piece + chance.choice([b" ", b"\n\t", b"\r\n"]))


CHANGES = [name for name, each in vars(Change).items() if callable(each) and not name.startswith("_")]
OF_TEXT = [_bytes_changed, _cut, _piece_added, _blanks]
KINDS = len(CHANGES) + len(OF_TEXT)


def reviews(seed, count):
    """`count` bodies, the same for the same `seed`."""
    chance = random.Random(seed)
    all_seeds = seeds()
    change = Change(chance, all_seeds)
    for number in range(count):
        if number < len(all_seeds):
            yield all_seeds[number].encode()
            continue
        root = read(chance.choice(all_seeds))
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 5))):
            getattr(change, chance.choice(CHANGES))(root)
        text = write(root).encode("utf-8", "surrogatepass")
        if text and chance.random() < 0.15:
            text = chance.choice(OF_TEXT)(chance, text)
        yield text
