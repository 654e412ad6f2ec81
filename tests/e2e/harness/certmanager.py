"""cert-manager's CustomResourceDefinitions, from its Go module; nothing of it runs."""

import json
import pathlib
import subprocess

import yaml

from controlplane import cache

MODULE = "github.com/cert-manager/cert-manager@v1.18.2"
CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def definitions() -> list:
    """The CRDs that the chart's objects need. `go` downloads the module into the cache, once."""
    answer = subprocess.run(["go", "mod", "download", "-json", MODULE], env=cache.go_environment(), cwd="/",
                            capture_output=True, text=True, check=True)
    folder = pathlib.Path(json.loads(answer.stdout)["Dir"]) / "deploy" / "crds"
    return [_plain(folder / f"crd-{name}.yaml") for name in ("issuers", "certificates")]


def _plain(file: pathlib.Path) -> dict:
    """A file of theirs is a Helm template, which only labels and annotations notice."""
    crd = yaml.safe_load(file.read_text(encoding="utf-8"))
    crd["metadata"] = {"name": crd["metadata"]["name"]}
    return crd
