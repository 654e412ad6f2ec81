#!/usr/bin/env python3
"""Changed reviews and what is answered to them: reviews.py PROGRAM [--count N] [--seed N]

Sends recorded reviews, and what chance makes of them (change.py), to /mutate, /validate and /shadow of the real
program, and reads each answer strictly. What must hold:

  * an answer is JSON in which no member stands twice, with members from the set of the API alone; so is its patch,
    whose operations and paths are declared ones (`tpu-webhook rules`);
  * uid and apiVersion are those that came, /shadow and /validate patch nothing, and what is answered is 200, 400
    or 413; 503 where a place of the ledger is asked for;
  * each line of the log is one whole JSON object of printable ASCII, and there is one for each review, but for what is
    too long to be read (413);
  * memory and descriptors are after all of them what they were after the first tenth.

Standard library only.
"""

import argparse
import base64
import collections
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import change  # noqa: E402
import program  # noqa: E402
from wire import Kept, post, tls  # noqa: E402

PATHS = ("mutate", "validate", "shadow")
STATUSES = (200, 400, 413)
MORE_BYTES = 4 << 20  # resident, from the first tenth to the end

ANSWER = {"kind", "apiVersion", "response"}
RESPONSE = {"uid", "allowed", "patchType", "patch", "warnings", "status", "auditAnnotations"}
STATUS = {"kind", "apiVersion", "metadata", "status", "message", "reason", "code"}
AUDIT = {"reason", "mode", "slice"}


def strictly(text):
    """A value of JSON in which no member stands twice."""
    def members(pairs):
        found = dict(pairs)
        assert len(found) == len(pairs), f"a member twice: {pairs}"
        return found

    def no_number(word):
        raise ValueError(word)
    return json.loads(text, object_pairs_hook=members, parse_constant=no_number)


class Rules:
    """The operations that may be written, as the program declares them."""

    def __init__(self, of):
        code, out, err = program.run(of, "rules", "-o", "json")
        assert code == 0, err
        self.rows = [(op, row["path"].split("/")) for row in json.loads(out)["writes"] for op in row["operations"]]

    def allow(self, operation):
        words = operation["path"].split("/")
        return any(op == operation["op"] and self._fits(path, words) for op, path in self.rows)

    @staticmethod
    def _fits(pattern, words):
        return len(pattern) == len(words) and all(
            one == word or (one == "*" and word.isdigit()) or (one == "<key>" and word) for one, word in zip(pattern, words))


def check_patch(rules, encoded):
    patch = strictly(base64.b64decode(encoded, validate=True))
    assert isinstance(patch, list) and patch, "no list of operations"
    for operation in patch:
        assert set(operation) == ({"op", "path"} if operation["op"] == "remove" else {"op", "path", "value"}), operation
        assert rules.allow(operation), f"not declared: {operation}"


def check_review(rules, path, sent, answer):
    """`sent`: what came, None where Python cannot read it."""
    assert set(answer) == ANSWER, answer
    response = answer["response"]
    assert set(response) <= RESPONSE and set(response.get("auditAnnotations", {})) <= AUDIT, response
    assert isinstance(response["allowed"], bool) and ("patch" in response) == ("patchType" in response), response
    for warning in response.get("warnings", []):
        assert warning.isascii() and warning.isprintable(), warning
    if "status" in response:
        assert not response["allowed"] and set(response["status"]) <= STATUS, response
    if path == "shadow":
        assert response["allowed"], response
    if sent is not None:
        assert response["uid"] == sent["request"]["uid"] and answer["apiVersion"] == sent["apiVersion"], "another uid"
    if "patch" in response:
        assert path == "mutate" and response["allowed"] and response["patchType"] == "JSONPatch", response
        check_patch(rules, response["patch"])


def as_sent(body):
    try:
        return json.loads(body)
    except ValueError:
        return None


def check(rules, path, body, answer):
    assert answer.status in STATUSES or (answer.status == 503 and path == "mutate"), f"status {answer.status}"
    said = strictly(answer.body)
    if answer.status != 200:
        assert set(said) <= STATUS and said["kind"] == "Status" and said["code"] == answer.status, said
        return "refused"
    check_review(rules, path, as_sent(body), said)
    return "patched" if b'"patch":' in answer.body else "denied" if b'"allowed":false' in answer.body else "allowed"


def ask(kept, request, seen):
    """Once more where the connection's time was over between two requests, as clients do."""
    try:
        return kept.answer(request)
    except (AssertionError, OSError):
        seen["asked again, the connection had ended"] += 1
        return kept.answer(request)


def check_log(serve, reviews):
    """All of it is there soon after the last answer."""
    end = time.monotonic() + 30
    while serve.log().count('"msg":"review"') < reviews and time.monotonic() < end:
        time.sleep(0.2)
    # isprintable() alone would let U+009B through.
    lines = serve.log().split("\n")
    assert lines.pop() == "", "the last line has no end"
    told = 0
    for line in lines:
        assert line.isascii() and line.isprintable(), f"not printable: {line!r}"
        told += strictly(line)["msg"] == "review"
    assert told == reviews, f"{told} lines of {reviews} reviews"
    return len(lines)


def run(of, count, seed):
    rules, seen, failed = Rules(of), collections.Counter(), 0
    begin = time.monotonic()
    with program.Program("--ledger", "none", "--log-format", "json") as serve:
        kept = Kept(serve.port, tls(serve.ca))
        early = None
        for number, body in enumerate(change.reviews(seed, count)):
            # Each seed at each path, then in turn.
            for path in PATHS if number < SEEDS else (PATHS[number % len(PATHS)],):
                seen["sent"] += 1
                try:
                    answer = ask(kept, post(body, target=f"/{path}?timeout=10s"), seen)
                    seen[f"{answer.status} {path}"] += 1
                    seen[f"{check(rules, path, body, answer)} at /{path}"] += 1
                except (AssertionError, OSError, ValueError, KeyError, TypeError) as wrong:
                    failed += 1
                    print(f"FAIL {type(wrong).__name__}: {wrong}\n     /{path} {body!r}\n", flush=True)
            if number == max(SEEDS, count // 10):
                early = serve.resident_bytes(), serve.open_files()
        kept.close()
        time.sleep(0.5)
        late = serve.resident_bytes(), serve.open_files()
        lines = check_log(serve, seen["sent"] - sum(seen[f"413 {path}"] for path in PATHS))
    for what, times in sorted(seen.items()):
        print(f"{times:7} {what}")
    if early:
        print(f"resident {early[0] / 2**20:.1f}, then {late[0] / 2**20:.1f} MiB; descriptors {early[1]}, then {late[1]}")
        assert late[0] <= early[0] + MORE_BYTES and late[1] <= early[1], "more than before"
    print(f"{seen['sent']} reviews of {change.KINDS} kinds of change and {SEEDS} seeds, {lines} log lines, {failed} failed, "
          f"{time.monotonic() - begin:.1f} s")
    return failed


SEEDS = len(change.seeds())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--count", type=int, default=3000)
    options.add_argument("--seed", type=int, default=30)
    chosen = options.parse_args()
    program.PROGRAM = chosen.program
    sys.exit(1 if run(chosen.program, chosen.count, chosen.seed) else 0)


if __name__ == "__main__":
    main()
