"""The rules that the program prints for its ServiceAccount."""

import json
import pathlib
import subprocess


def said(program: pathlib.Path) -> tuple:
    """The rights of `rules -o json` as two sets of (API group, resource, verb): for all objects, and for those that it names, which
    are the certificate's."""
    text = subprocess.run([str(program), "rules", "-o", "json"], capture_output=True, text=True, check=True).stdout
    found: tuple = set(), set()
    for right in json.loads(text)["rights"]:
        found["names" in right].update((right["apiGroup"], right["resource"], verb) for verb in right["verbs"])
    return found
