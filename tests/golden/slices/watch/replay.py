#!/usr/bin/env python3
"""replay.py PROGRAM RECORDING… [--keep FOLDER] [--jobs N] [--most N]: no error of `audit` is said of a healthy cluster.

Every state of the recordings, which is what was there after an event, is told to `audit` as a file; those that are equal
in all that audit reads, once. An error is right where on_purpose.txt says that its story breaks that; any other is
false. --most asks so many of each story, evenly, where it has more. --keep writes the first state of each false one
there, as small as it is understood, for `audit --cluster FILE`.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import threading

import recording

HERE = pathlib.Path(__file__).parent
POOL = "cloud.google.com/gke-nodepool"


@dataclasses.dataclass
class Found:
    """An error of one check in one story."""

    story: str
    check: str
    states: int = 0
    slices: set = dataclasses.field(default_factory=set)
    number: int = sys.maxsize  # of the first state of them
    first: dict = None  # the finding in it
    state: str = ""


class Replay:
    def __init__(self, program: str, jobs: int, most: int):
        self._program, self._most = program, most
        self._pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self._room = threading.BoundedSemaphore(8 * jobs)  # states that wait, of some megabytes each
        self._lock = threading.Lock()
        self.events = self.states = self.asked = 0
        self.found: dict = {}  # (story, check) -> Found
        self.warnings: collections.Counter = collections.Counter()
        self.stories: dict = {}
        self.faults: list = []

    def play(self, file: str) -> None:
        cluster, seen = recording.Cluster(), set()
        counts = collections.Counter(event["story"] for event in recording.events(file)) if self._most else {}
        told: collections.Counter = collections.Counter()
        for event in recording.events(file):
            self.events += 1
            story = event["story"]
            self.stories[story] = None
            told[story] += 1
            if not cluster.apply(event) or "more" in event:
                continue
            self.states += 1
            if self._most and told[story] % -(-counts[story] // self._most):
                continue
            if (story, cluster.number) not in seen:
                seen.add((story, cluster.number))
                self._room.acquire()
                self._pool.submit(self._ask, self.states, story, cluster.text())

    def wait(self) -> None:
        self._pool.shutdown()

    def _ask(self, number: int, story: str, state: str) -> None:
        try:
            answer = audit(self._program, state)
            with self._lock:
                self.asked += 1
                for finding in answer["findings"]:
                    self._note(number, story, finding, state)
        except (ValueError, RuntimeError) as error:
            with self._lock:
                self.faults.append(f"{story}: {error}")
        finally:
            self._room.release()

    def _note(self, number: int, story: str, finding: dict, state: str) -> None:
        if finding["severity"] != "error":
            self.warnings[finding["check"]] += 1
            return
        found = self.found.setdefault((story, finding["check"]), Found(story, finding["check"]))
        found.states += 1
        found.slices.add(slice_of(finding))
        if number < found.number:
            found.number, found.first, found.state = number, finding, state


def audit(program: str, state: str) -> dict:
    done = subprocess.run([program, "audit", "--cluster", "-", "-o", "json"], input=state, capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"audit ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def slice_of(finding: dict) -> str:
    parts = (finding["workload"], finding["name"], finding["part"], finding["slice"])
    return "/".join(str(part) for part in parts if part is not None)


def on_purpose() -> list:
    """(pattern of stories, check, whether each recording shows it) of each line, also of those that are not yet as they
    should be."""
    lines = (HERE / "on_purpose.txt").read_text(encoding="utf-8").splitlines()
    return [(*words[-2:], words[0] != "at-times") for words in (line.partition("#")[0].split() for line in lines) if words]


def matches(story: str, pattern: str) -> bool:
    """A story's parameters stand in brackets, which a pattern leaves out."""
    return fnmatch.fnmatchcase(story.partition("[")[0], pattern)


def around(state: str, finding: dict) -> list:
    """What is left of a state where only this slice is looked at: its namespace, its pools and who is on them."""
    everything = json.loads(state)["items"]
    items = [each for each in everything if "metadata" in each]
    empty = [each for each in everything if "metadata" not in each]  # lists of kinds of which there is none
    # There are always Services; without one audit would not know whether anybody had asked.
    any_service = [each for each in items if recording.name_of(each) == ("Service", "default", "kubernetes")]
    own = [each for each in items if each["metadata"].get("namespace") == finding["namespace"]]
    pool_of = {each["metadata"]["name"]: each["metadata"].get("labels", {}).get(POOL) for each in items if each["kind"] == "Node"}
    pools = {pool_of.get(each["spec"].get("nodeName")) for each in own if each["kind"] == "Pod"} - {None}
    nodes = [each for each in items if each["kind"] == "Node" and pool_of[each["metadata"]["name"]] in pools]
    names = {each["metadata"]["name"] for each in nodes}
    beside = [each for each in items if each["kind"] == "Pod" and each not in own and each["spec"].get("nodeName") in names]
    return [*nodes, *any_service, *own, *beside, *empty]


def keep(folder: pathlib.Path, found: Found, program: str) -> pathlib.Path:
    name = "".join(c if c.isalnum() else "-" for c in f"{found.check}-{found.story.partition('::')[2]}").strip("-")
    items = ",\n".join(json.dumps(each) for each in around(found.state, found.first))
    state = f'{{"apiVersion": "v1", "kind": "List", "items": [\n{items}\n]}}\n'
    small = [f for f in audit(program, state)["findings"] if (f["check"], slice_of(f)) == (found.check, slice_of(found.first))]
    file = folder / f"{name}.json"
    file.write_text(state if small else found.state, encoding="utf-8")
    return file


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("recordings", nargs="*", default=[str(HERE / "passing.jsonl")])
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for states that show a false error")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--most", type=int, default=0, help="states of a story; 0: all")
    arguments = parser.parse_args()
    replay = Replay(arguments.program, arguments.jobs, arguments.most)
    for file in arguments.recordings:
        replay.play(file)
    replay.wait()
    return report(replay, arguments)


def is_idle(replay: Replay, pattern: str, check: str) -> bool:
    told = any(matches(story, pattern) for story in replay.stories)
    return told and not any(matches(found.story, pattern) and found.check == check for found in replay.found.values())


def report(replay: Replay, arguments) -> int:
    right = on_purpose()
    false, by_check = [], collections.Counter()
    for found in replay.found.values():
        by_check[found.check] += found.states
        if not any(matches(found.story, story) and found.check == check for story, check, _ in right):
            false.append(found)
    # A line that nothing needs any more would hide the next false one; of a part of the states that is not known.
    idle = [f"{story} {check}" for story, check, always in right if always and is_idle(replay, story, check)]
    if arguments.most:
        idle.clear()
    print(f"{len(replay.stories)} stories, {replay.events} events, {replay.states} states, {replay.asked} asked")
    for what, counts in ("errors", by_check), ("warnings", replay.warnings):
        print(f"{what} by check, in so many states: " + (", ".join(f"{check} {n}" for check, n in sorted(counts.items())) or "none"))
    for found in sorted(false, key=lambda found: found.number):
        print(f"FALSE {found.check} in {found.story}: {found.states} states, {len(found.slices)} slices\n"
              f"  {slice_of(found.first)}: {found.first['what']}")
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            print(f"  state: {keep(arguments.keep, found, arguments.program)}")
    for line in idle:
        print(f"on_purpose.txt: {line}: no state of the story shows it; take the line off")
    for fault in sorted(set(replay.faults)):
        print(f"not answered: {fault}")
    print(f"{len(false)} false")
    return 1 if false or idle or replay.faults or not replay.asked else 0


if __name__ == "__main__":
    sys.exit(main())
