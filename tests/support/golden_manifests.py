"""The manifests below tests/golden: a file is one, or says of which it is made and what is changed in that.

    # review --torch-tpu                            flags, which some have
    base: golden/findings/right/job-four-hosts.yaml the manifest, below tests/
    change:                                         a JSON patch of it, [] for none
      - {op: replace, path: /spec/completions, value: 1}
    ---                                             other objects of the manifest, where it has some

golden_manifests.py FILE prints the whole one.
"""

import pathlib
import sys

import yaml

from golden_reviews import TESTS, changed


def objects_of(file):
    """The objects of a manifest."""
    objects = list(yaml.safe_load_all(file.read_text(encoding="utf-8")))
    if "base" not in objects[0]:
        return objects
    (base,) = objects_of(TESTS / objects[0]["base"])
    return [changed(base, objects[0]["change"]), *objects[1:]]


def text_of(file):
    """The text of a manifest: that of the file, where it is one."""
    text = file.read_text(encoding="utf-8")
    return yaml.safe_dump_all(objects_of(file), sort_keys=False) if "\nbase: " in "\n" + text else text


if __name__ == "__main__":
    print(text_of(pathlib.Path(sys.argv[1])), end="")
