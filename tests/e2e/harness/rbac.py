"""The rules that the program prints for its ServiceAccount."""

import pathlib
import subprocess

import yaml


def said(program: pathlib.Path) -> tuple:
    """`rules --rbac` as two sets of (API group, resource, verb): for all objects, and for those that it names, which
    are the certificate's."""
    text = subprocess.run([str(program), "rules", "--rbac"], capture_output=True, text=True, check=True).stdout
    found: tuple = set(), set()
    for role in yaml.safe_load_all(text):
        for rule in role["rules"]:
            found["resourceNames" in rule].update((rule["apiGroups"][0], rule["resources"][0], verb) for verb in rule["verbs"])
    return found
