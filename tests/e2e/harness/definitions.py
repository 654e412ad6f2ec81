"""CustomResourceDefinitions of others, from their Go modules; nothing of them runs."""

import json
import pathlib
import subprocess

import yaml

from controlplane import cache

CERT_MANAGER = "github.com/cert-manager/cert-manager@v1.18.2"
PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")


def cert_manager() -> list:
    """What the chart's objects need. A file of theirs is a Helm template, which only labels and annotations notice."""
    return [_plain(_folder(CERT_MANAGER) / "deploy" / "crds" / f"crd-{name}.yaml") for name in ("issuers", "certificates")]


def prometheus_operator() -> list:
    folder = _folder(PROMETHEUS_OPERATOR) / "example" / "prometheus-operator-crd"
    return [_plain(folder / f"monitoring.coreos.com_{name}.yaml") for name in ("podmonitors", "prometheusrules")]


def _folder(module: str) -> pathlib.Path:
    """Where it is unpacked. `go` downloads it into the cache, once."""
    answer = subprocess.run(["go", "mod", "download", "-json", module], env=cache.go_environment(), cwd="/",
                            capture_output=True, text=True, check=True)
    return pathlib.Path(json.loads(answer.stdout)["Dir"])


def _plain(file: pathlib.Path) -> dict:
    crd = yaml.safe_load(file.read_text(encoding="utf-8"))
    crd["metadata"] = {"name": crd["metadata"]["name"]}
    return crd
