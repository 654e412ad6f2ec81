"""cases_test.py GOLDEN_TEST [PART]: the files of the golden cases are small, and both readers read the same of them."""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "server")]

import checks  # noqa: E402
import golden_reviews  # noqa: E402
import repeats  # noqa: E402
from checks import check  # noqa: E402
from readable_json import joined, readable  # noqa: E402

WRITTEN = ("change.json", "patch.json", "response.json", "review.json")


@check
def both_readers_read_the_same():
    told = subprocess.run([sys.argv[1], "--reviews"], check=True, capture_output=True, text=True).stdout.splitlines()
    folders = golden_reviews.cases()
    assert len(told) == len(folders) > 40, (len(told), len(folders))
    for folder, line in zip(folders, told, strict=True):
        assert json.loads(line) == golden_reviews.review_of(folder), folder


@check
def a_case_has_one_review():
    for folder in golden_reviews.cases():
        assert not ((folder / "review.json").exists() and (folder / "change.json").exists()), folder


@check
def each_change_changes_something():
    """A recording that was made again may say by itself what a case changes in it."""
    for file in sorted(HERE.glob("*/*/change.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        now = golden_reviews.base_of({**case, "renamed": {}})
        for old in case.get("renamed", {}):
            assert old in json.dumps(now), f"{file}: {old}"
        now = golden_reviews.base_of(case)
        for operation in case.get("change", []):
            before = json.dumps(now)
            assert json.dumps(golden_reviews.changed(now, [operation])) != before, f"{file}: {operation}"


@check
def json_is_written_so_that_it_can_be_read():
    for file in (each for name in WRITTEN for each in sorted(HERE.glob(f"*/*/{name}"))):
        text = file.read_text(encoding="utf-8")
        assert text == readable(joined(json.loads(text))) + "\n", file
        assert max(map(len, text.splitlines())) <= 200, file


@check
def little_recorded_json_stands_twice():
    counted = repeats.repeated()
    assert sum(counted.values()) <= repeats.MOST, f"{sum(counted.values())} lines, tests/golden/repeats.py says of which files"


if __name__ == "__main__":
    checks.main(__doc__)
