"""canonical_test.py PROGRAM: a second recording gives the same bytes, and the program answers what responses.json has.

What differs between recordings is put in place of what stands in each story of recorded/, the Pods
are shuffled, and tests/e2e's canonical form must bring the story back.
"""

import pathlib
import random
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "e2e"), str(TESTS / "support")]

import golden_reviews  # noqa: E402
from controlplane import canonical  # noqa: E402

LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def ask(program):
    def answers(reviews):
        text = subprocess.run([program, "review"], input=b"".join(reviews), check=True, capture_output=True).stdout
        return text.splitlines(keepends=True)
    return answers


def scrambled(text, chance):
    """The story with other uids, times, suffixes and pools, which are unlike all that it has."""
    def other(alphabet, length):
        return "".join(chance.choice(alphabet) for _ in range(length))

    for uid in sorted(set(re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}", text))):
        text = text.replace(uid, "-".join(other("0123456789abcdef", n) for n in (8, 4, 4, 4, 12)))
    for suffix in sorted(set(re.findall(r"(?<=-)(?:b{4}|b{9})[b-z2-9](?![a-z0-9])", text))):
        text = re.sub(rf"(?<=-){suffix}(?![a-z0-9])", other(LETTERS, 5 if len(suffix) == 5 else 9), text)
    for pool, letter in (("a", "x"), ("b", "y")):
        text = text.replace(f'"tpu-slice-{pool}"', f'"tpu-slice-{letter}"')
    return text.replace("2026-01-01T00:00:00Z", "2031-12-03T04:05:06Z")


def shuffled(reviews, chance):
    """Pods in another order, the reviews of each in the order they have."""
    by_pod = {}
    for review in reviews:
        by_pod.setdefault(canonical._pod(review.decode(), canonical._Names("")), []).append(review)
    order = [pod for pod, its in by_pod.items() for _ in its]
    chance.shuffle(order)
    return [by_pod[pod].pop(0) for pod in order]


def complaints(story, program):
    reviews = (story / "reviews.jsonl").read_bytes().splitlines(keepends=True)
    once = "jobset" in story.name
    if canonical.canonical(story.name, reviews, program, once) != reviews:
        yield "is not in canonical form"
    ours_within = b"tpu-webhook.dev/injected" in b"".join(reviews)  # with hashes of the uids that stand there
    if not ours_within:
        chance = random.Random(story.name)
        text = scrambled(b"".join(reviews).decode(), chance)
        again = shuffled(text.encode().splitlines(keepends=True), chance)
        if again == reviews:
            yield "could not be scrambled"
        if canonical.canonical(story.name, again + again[:1] if once else again, program, once) != reviews:
            yield "recorded again is another"
    answers = [{"patch": [], **canonical.decoded(answer)} for answer in program(reviews)]
    if answers != golden_reviews.responses(story):
        yield "responses.json is not what is answered"


def main(program):
    stories = sorted(folder.parent for folder in (TESTS / "golden/recorded").glob("*/reviews.jsonl"))
    wrong = [f"{story.name}: {complaint}" for story in stories for complaint in complaints(story, ask(program))]
    print("\n".join(wrong) or f"{len(stories)} recordings would be the same again")
    return 1 if wrong or not stories else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
