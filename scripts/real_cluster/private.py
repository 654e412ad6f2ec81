"""Names of the user's things stay here: the report has h0, p0 and so on in their place.

Two lines of defence. What is put into a report is chosen, and each value is held against the form that it has when
nobody chose it (`plain`, `version`, …): another is not repeated. And free text, of which there is one kind, the last
line of a program, is searched for every name that was read and for whatever looks like an address, a domain or a path.
"""

from __future__ import annotations

import re

HIDDEN = "(not shown)"
_LONG = 200
ACCELERATOR = r"tpu-v\d{1,2}[a-z]?(-lite)?-(podslice|slice|device)|tpu\d{1,2}[a-z]?"  # GKE's label
# A list, a topology, a port. An address or a project's number has more in one piece.
_NUMBERS = r"\d{1,6}([x,]\d{1,6})*|:\d{1,5}"
_WORDS = r"(true|false)(,(true|false)){0,3}|localhost"
_TYPE = r"(v\d{1,2}[a-z]{0,7}|tpu\d{1,2}[a-z]?)-\d{1,6}"  # TPU_ACCELERATOR_TYPE
_PLAIN = re.compile(f"{ACCELERATOR}|{_NUMBERS}|{_WORDS}|{_TYPE}", re.ASCII)
_MACHINE = re.compile(r"(ct|tpu)[0-9][0-9a-z]{0,3}-[a-z]{1,12}-[0-9]{1,2}t(pu)?", re.ASCII)
_ADDRESSES = (
    (re.compile(r"\b[\w.+-]+@[\w-]+(\.[\w-]+)+"), "(address)"),
    (re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"]+", re.IGNORECASE), "(address)"),
    (re.compile(r"\b\d{1,3}(\.\d{1,3}){3}\b"), "(IP)"),
    (re.compile(r"(?<![\w:])(?=[0-9a-f:]*:[0-9a-f:]*:)[0-9a-f:]{3,}(?![\w:])", re.IGNORECASE), "(IP)"),
    (re.compile(r"(?<!\w)/[\w.+-]+(/[\w.+-]*)+"), "(path)"),
)
_DOTTED = re.compile(r"(?<![\w.])([\w-]+(?:\.[\w-]+)+)(?!\w)([/:][\w./:@-]*)?")
# What a traceback of JAX names with dots: modules, files, numbers.
_KEPT = re.compile(
    r"(jax|jaxlib|numpy|libtpu|grpc|absl|google\.protobuf|builtins)\..+|[\w-]+\.(py|cc|h|so|cpp)|\d+\.\d+\w{0,2}"
)


class Names:
    def __init__(self):
        self._given: dict = {}  # theirs -> ours

    def host(self, name: str) -> str:
        return self._number(name, "h")

    def pool(self, name: str) -> str:
        return self._number(name, "p")

    def hide(self, text: str, ours: str = HIDDEN) -> None:
        """`text` is theirs as well. Short ones are words that anything may contain."""
        if len(text) >= 4:
            self._given.setdefault(text, ours)

    def clean(self, text: str) -> str:
        """A line of a program without anything of theirs, at most 200 characters."""
        for theirs in sorted(self._given, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(theirs)}(?!\w)", self._given[theirs], text)
            text = text.replace(theirs, self._given[theirs]) if len(theirs) > 7 else text
        for pattern, instead in _ADDRESSES:
            text = pattern.sub(instead, text)
        text = _DOTTED.sub(lambda found: found[0] if _KEPT.fullmatch(found[1]) else "(name)", text)
        text = "".join(letter if letter.isprintable() else " " for letter in text)
        return text if len(text) <= _LONG else text[:_LONG] + "…"

    def _number(self, name: str, letter: str) -> str:
        if name not in self._given or self._given[name] == HIDDEN:
            self._given[name] = f"{letter}{sum(ours[0] == letter for ours in self._given.values())}"
        return self._given[name]


def plain(value: str) -> str:
    """A number, a list of numbers, a topology, an accelerator: else nothing is said of it but its length."""
    return value if _PLAIN.fullmatch(value) and len(value) <= 200 else f"(text of {len(value)})" if value else ""


def machine(value: str) -> str:
    return value if _MACHINE.fullmatch(value) else HIDDEN if value else ""


def version(value: str) -> str:
    """v1.36.3, v1.33.5-gke.1080000, containerd://2.3.7: of anything else the numbers in front."""
    found = re.match(r"(containerd://|cri-o://)?v?\d+(\.\d+){1,3}(-gke\.\d+)?", value)
    return found[0] if found else HIDDEN


def word(value: str) -> str:
    """ "TPU v6 lite", "cpu": what JAX calls a device."""
    return value if re.fullmatch(r"(TPU|tpu)( ?v?\d\w{0,3}( lite)?)?|cpu|gpu", value) else HIDDEN
