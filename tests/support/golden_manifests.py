"""Reads the manifests below tests/golden. A file is a whole manifest, or a change in another one, with further objects:

    # review --torch-tpu                            the command and its flags, in some files
    base: golden/findings/right/job-four-hosts.yaml the manifest that is changed, below tests/
    change:                                         the JSON patch of that manifest, [] for no change
      - {op: replace, path: /spec/completions, value: 1}
    ---                                             further documents are further objects of the manifest

golden_manifests.py FILE prints the whole manifest.
"""

import pathlib
import sys

import yaml

from golden_reviews import TESTS, changed


def objects_of(file):
    """Returns the objects of the manifest in `file`. A file with a base has the base's object, changed."""
    first, *beside = yaml.safe_load_all(file.read_text(encoding="utf-8"))
    if "base" in first:
        (base,) = objects_of(TESTS / first["base"])
        first = changed(base, first["change"])
    return [first, *beside]


def text_of(file):
    """Returns the text of a manifest: of the file itself if it is a whole manifest, otherwise YAML of the objects."""
    text = file.read_text(encoding="utf-8")
    return yaml.safe_dump_all(objects_of(file), sort_keys=False) if "\nbase: " in "\n" + text else text


if __name__ == "__main__":
    print(text_of(pathlib.Path(sys.argv[1])), end="")
