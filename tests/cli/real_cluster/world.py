"""A made-up cluster for scripts/try-on-a-real-cluster, full of names that must not be repeated."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KIT = HERE.parents[2] / "scripts" / "try-on-a-real-cluster"
IMAGE = "registry.acme-corp.example/research/jax:secret-tag"
# Whatever of these is in a report is a breach. One for each kind of thing that a cluster has a name for.
THEIRS = (
    "acme",
    "prod-euw4",
    "gke-acme-prod",
    "tpu-blue",
    "tpu-green",
    "cpu-red",
    "europe-west4",
    "jsmith",
    "falcon",
    "hunter2",
    "COMPANY_TOKEN",
    "research",
    "secret-tag",
    "10.77.",
    "10.128.",
    "34.90.",
    "team-x",
    "my-own-namespace",
    "istio",
    "quotas",
    "blue-reservation",
    "nvidia",
    "payroll",
)


def node(
    pool, number, machine="ct6e-standard-4t", accelerator="tpu-v6e-slice", topology="2x4", chips=4, taints=(), **labels
):
    name = f"gke-acme-prod-{pool}-{number}f3c"
    tpu = {
        "cloud.google.com/gke-tpu-accelerator": accelerator,
        "cloud.google.com/gke-tpu-topology": topology,
        "cloud.google.com/gke-accelerator-count": str(chips),
    }
    return {
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "cloud.google.com/gke-nodepool": pool,
                "node.kubernetes.io/instance-type": machine,
                "topology.kubernetes.io/zone": "europe-west4-b",
                "topology.kubernetes.io/region": "europe-west4",
                "acme.example/owner": "jsmith",
                **tpu,
                **labels,
            },
        },
        "spec": {
            "providerID": f"gce://acme-falcon-1/europe-west4-b/{name}",
            "taints": [{"key": "google.com/tpu", "value": "present", "effect": "NoSchedule"}, *taints],
        },
        "status": {
            "allocatable": {"google.com/tpu": str(chips)},
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [
                {"type": "InternalIP", "address": f"10.128.0.{number + 7}"},
                {"type": "ExternalIP", "address": "34.90.1.2"},
            ],
            "nodeInfo": {"kubeletVersion": "v1.33.5-gke.1080000", "containerRuntimeVersion": "containerd://2.0.6"},
        },
    }


def configuration(name, *entries, resources=("pods",)):
    return {
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": entry,
                "rules": [{"resources": list(resources)}],
                "failurePolicy": "Fail",
                "reinvocationPolicy": "IfNeeded",
                "clientConfig": {"url": "https://payroll.acme-corp.example"},
            }
            for entry in entries
        ],
    }


OURS = configuration("tpu-webhook", "job.pods.tpu-webhook.dev", "pods.tpu-webhook.dev")


class World:
    """In this folder. `behaviour` replaces what a sound cluster does."""

    def __init__(self, folder, **behaviour):
        self.folder = pathlib.Path(folder)
        reserved = {"cloud.google.com/reservation-name": "blue-reservation"}
        dedicated = {"key": "acme.example/dedicated", "value": "team-x", "effect": "NoSchedule"}
        self.told = {
            "version": "v1.33.5-gke.1080000",
            "enforce": True,
            "injector": {},
            "replaces": False,
            "plugin": {},
            "podWins": True,
            "pods": "end",
            "podsOn": {},
            "forbidden": [],
            "wrong": {},
            "stuck": False,
            "slowly": 0,
            "withoutValues": "ValueError: coordinator_address should be defined.",
            "lastLine": "",
            "objects": {
                "nodes": [
                    node("tpu-blue", 0, **reserved),
                    node("tpu-blue", 1, **reserved),
                    node(
                        "tpu-green",
                        0,
                        "ct6e-standard-8t",
                        chips=8,
                        taints=[dedicated],
                        **{"cloud.google.com/gke-spot": "true"},
                    ),
                ],
                "mutatingwebhookconfigurations": [
                    OURS,
                    configuration("istio-sidecar-injector", "istio.acme.example"),
                    configuration("pod-defaults.config.common-webhooks.gke.io", "x.gke.io"),
                ],
                "validatingwebhookconfigurations": [configuration("quotas-of-acme", "quotas.acme.example")],
                "deviceclasses.resource.k8s.io": [
                    {"metadata": {"name": name}} for name in ("gpu.nvidia.com", "tpu.google.com")
                ],
            },
            **behaviour,
        }
        self.folder.joinpath("world.json").write_text(json.dumps(self.told), encoding="utf-8")
        self.report = self.folder / "report.json"

    def environment(self, program):
        return {
            **os.environ,
            "MADE_UP": str(self.folder),
            "MADE_UP_PROGRAM": str(program),
            "PATH": f"{HERE}:/usr/bin:/bin",
        }

    def command(self, *arguments):
        return [sys.executable, "-B", str(KIT), "--namespace=my-own-namespace", f"--output={self.report}", *arguments]

    def run(self, program, *arguments):
        """The kit's exit code, and all that it printed, without a terminal."""
        done = subprocess.run(
            self.command(*arguments),
            env=self.environment(program),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def calls(self):
        file = self.folder / "calls.jsonl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def state(self):
        return json.loads(self.folder.joinpath("state.json").read_text(encoding="utf-8"))
