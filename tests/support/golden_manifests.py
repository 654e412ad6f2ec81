"""The manifests below tests/golden: a file is one, or says of which it is made, what is changed in that, and what is beside it.

    # review --torch-tpu                            flags, which some have
    base: golden/findings/right/job-four-hosts.yaml the manifest, below tests/
    change:                                         a JSON patch of it, [] for none
      - {op: replace, path: /spec/completions, value: 1}
    ---                                             further documents are objects beside it

golden_manifests.py FILE prints the whole one.
"""

import pathlib
import sys

import yaml

from golden_reviews import TESTS, changed


def objects_of(file):
    """The objects of a manifest."""
    first, *beside = yaml.safe_load_all(file.read_text(encoding="utf-8"))
    if "base" in first:
        (base,) = objects_of(TESTS / first["base"])
        first = changed(base, first["change"])
    return [first, *beside]


def text_of(file):
    """The text of a manifest: that of the file, where it is one."""
    text = file.read_text(encoding="utf-8")
    return yaml.safe_dump_all(objects_of(file), sort_keys=False) if "\nbase: " in "\n" + text else text


if __name__ == "__main__":
    print(text_of(pathlib.Path(sys.argv[1])), end="")
