"""The rules that the programs print for their ServiceAccounts."""

import json
import pathlib
import subprocess

import yaml


def said(program: pathlib.Path) -> set:
    """The rights of `rules -o json` as (API group, resource, verb)."""
    text = subprocess.run([str(program), "rules", "-o", "json"], capture_output=True, text=True, check=True).stdout
    return {(right["apiGroup"], right["resource"], verb) for right in json.loads(text)["rights"] for verb in right["verbs"]}


def of_the_keeper(program: pathlib.Path) -> set:
    """The rules of `kubectl tpu certificate rights`, likewise."""
    text = subprocess.run([str(program.with_name("kubectl-tpu")), "certificate", "rights"], capture_output=True, text=True, check=True).stdout
    return {(rule["apiGroups"][0], rule["resources"][0], verb)
            for role in yaml.safe_load_all(text) for rule in role["rules"] for verb in rule["verbs"]}
