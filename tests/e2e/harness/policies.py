"""Admission policies of the API server, while a story needs them."""

import contextlib
import subprocess

import yaml

from controlplane import programs

from .api import wait_for


@contextlib.contextmanager
def applied(plane, api, text: str):
    """The names of the policies of `text`, which `kubectl apply` took and the API server found nothing wrong with."""
    kubectl = [programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig)]

    def told(verb: str) -> None:
        done = subprocess.run([*kubectl, verb, "-f", "-"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    told("apply")
    names = {one["metadata"]["name"] for one in yaml.safe_load_all(text)}

    def checked():
        found = {one["metadata"]["name"]: one.get("status", {}) for one in api.list("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")}
        return all("typeChecking" in found[name] for name in names) and {name: found[name]["typeChecking"] for name in names}

    try:
        # The API server read their types; it warns of what cannot be.
        warned = wait_for("the policies to be checked", checked, 60)
        assert not any(warned.values()), warned
        yield names
    finally:
        told("delete")
