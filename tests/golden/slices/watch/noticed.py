#!/usr/bin/env python3
"""noticed.py PROGRAM: replay.py and reduce.py notice what they are there for."""

import contextlib
import copy
import io
import json
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import recording  # noqa: E402
import reduce  # noqa: E402
import replay  # noqa: E402
import snapshot  # noqa: E402

PROGRAM = sys.argv.pop(1)
STORY = "test_somewhere.py::test_something"


def pods(objects):
    return [each for each in objects if each["kind"] == "Pod"]


def cluster():
    """Two slices that run; nodes first, as they come to be."""
    objects = snapshot.cluster("jobset-multislice")["items"]
    for number, each in enumerate(objects):
        each["metadata"]["uid"] = f"{number:08}-0000"
    return sorted(objects, key=lambda each: each["kind"] == "Pod")


def added(objects):
    return [{"story": STORY, "type": "ADDED", "object": each} for each in objects]


def changed(thing, change):
    thing = copy.deepcopy(thing)
    change(thing)
    return {"story": STORY, "type": "MODIFIED", "object": thing}


def of_another(pod):
    """It says that it is worker 3, as its neighbour does."""
    next(e for e in pod["spec"]["containers"][0]["env"] if e["name"] == "TPU_WORKER_ID")["value"] = "3"


class Recorded(unittest.TestCase):
    def setUp(self):
        self.program = PROGRAM
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def played(self, events, lines=""):
        """(what replay.py ends with, what it prints) of this recording, where these lines are on_purpose.txt."""
        file = self.folder / "recording.jsonl"
        file.write_text("".join(json.dumps(each) + "\n" for each in events), encoding="utf-8")
        (self.folder / "on_purpose.txt").write_text(lines, encoding="utf-8")
        return self.replayed(file)

    def replayed(self, file):
        out, before = io.StringIO(), (replay.HERE, sys.argv)
        replay.HERE, sys.argv = self.folder, ["replay.py", self.program, str(file), "--keep", str(self.folder / "kept")]
        try:
            with contextlib.redirect_stdout(out):
                return replay.main(), out.getvalue()
        finally:
            replay.HERE, sys.argv = before

    def test_slices_that_run_are_right(self):
        code, text = self.played(added(cluster()))
        self.assertEqual(code, 0, text)
        self.assertIn("errors by check, in so many states: none", text)

    def test_an_error_that_lasts_one_event_is_false(self):
        objects = cluster()
        first = pods(objects)[1]
        code, text = self.played([*added(objects), changed(first, of_another), changed(first, lambda pod: None)])
        self.assertEqual(code, 1, text)
        self.assertIn(f"FALSE duplicate-worker-id in {STORY}: 1 states, 1 slices", text)

    def test_its_state_is_kept_and_shows_it(self):
        objects = cluster()
        self.played([*added(objects), changed(pods(objects)[1], of_another)])
        (file,) = (self.folder / "kept").iterdir()
        found = replay.audit(PROGRAM, file.read_text())["findings"]
        self.assertIn("duplicate-worker-id", [each["check"] for each in found])

    def test_what_its_story_breaks_on_purpose_is_right(self):
        objects = cluster()
        spoiled = [*added(objects), changed(pods(objects)[1], of_another)]
        code, text = self.played(spoiled, f"{STORY} duplicate-worker-id  # why\n{STORY} list-entry\n")
        self.assertEqual((code, "no state of the story shows it" in text), (1, True), text)  # list-entry is not said
        self.assertEqual(self.played(spoiled, f"{STORY} duplicate-worker-id\n")[0], 0)

    def test_a_state_that_comes_again_is_asked_once(self):
        objects = cluster()
        first = pods(objects)[1]
        later = changed(first, lambda pod: pod["metadata"].update(resourceVersion="7", creationTimestamp="2026-01-01T00:00:00Z"))
        before = self.played(added(objects))[1].splitlines()[0].split(" asked")[0].rpartition(" ")[2]
        after = self.played([*added(objects), later, later])[1].splitlines()[0]
        self.assertTrue(after.endswith(f", {before} asked"), after)

    def test_a_program_that_does_not_answer_is_told(self):
        self.program = "/bin/false"
        code, text = self.played(added(cluster()))
        self.assertEqual((code, "not answered: " in text), (1, True), text)

    def test_a_reduced_recording_has_the_same_errors(self):
        objects = cluster()
        first = pods(objects)[1]
        gone = {"story": STORY, "type": "DELETED", "object": pods(objects)[2]}
        events = [*added(objects), changed(first, of_another), gone, *added([pods(objects)[2]]), changed(first, lambda pod: None)]
        said = [line for line in self.played(events)[1].splitlines() if not line.startswith(("1 stories", "  state"))]
        whole, small = self.folder / "recording.jsonl", self.folder / "small.jsonl"
        with open(small, "w", encoding="utf-8") as out, contextlib.redirect_stdout(out):
            sys.argv[1:] = ["test_somewhere*", "--", str(whole)]
            reduce.main()
        del sys.argv[1:]
        self.assertLess(small.stat().st_size, whole.stat().st_size / 4)
        again = [line for line in self.replayed(small)[1].splitlines() if not line.startswith(("1 stories", "  state"))]
        self.assertEqual(said, again)

    def test_a_merge_patch_is_its_own_inverse(self):
        old, new = {"a": {"b": 1, "c": [1]}, "d": 2}, {"a": {"b": 3, "c": [1, 2]}, "e": {"f": {}}}
        self.assertEqual(recording.merged(old, recording.difference(old, new)), new)


if __name__ == "__main__":
    unittest.main()
