"""A real Prometheus that scrapes replicas and the API server, with the chart's rules, and what it then says.

What the Prometheus operator would make of PodMonitor and PrometheusRule is written here: a target for each replica at its
port `metrics`, with the labels `pod` and `namespace` that the operator adds, and the groups of rules as the chart renders
them. It scrapes and evaluates each second, so that a story need not wait.
"""

import json
import pathlib
import time
import urllib.parse
import urllib.request

from controlplane import net, process, programs
from controlplane.state import State

from .api import wait_for
from .release import NAMESPACE

NAME = "tpu-webhook-prometheus"  # begins as a replica's, so that the next run ends it where this one cannot
EVERY = "1s"


class Prometheus:
    """A context manager. `groups`: of rules, as PrometheusRule has them."""

    def __init__(self, state: State, folder: pathlib.Path, groups: list):
        self._state, self._folder = state, folder
        self.address = f"127.0.0.1:{net.free_ports(1)[0]}"
        self._targets, self._rules = folder / "replicas.json", folder / "rules.json"
        self._rules.write_text(json.dumps({"groups": groups}), encoding="utf-8")
        self.scrape([])
        (folder / "prometheus.json").write_text(json.dumps(self._settings()), encoding="utf-8")
        self._process: process.Process | None = None

    def scrape(self, targets: list) -> None:
        """From now on, each (HOST:PORT, name of the Pod)."""
        aside = self._folder / "replicas.new"
        aside.write_text(json.dumps([{"targets": [address], "labels": {"pod": pod, "namespace": NAMESPACE}} for address, pod in targets]), encoding="utf-8")
        aside.replace(self._targets)

    def __enter__(self) -> "Prometheus":
        command = [programs.path("prometheus"), f"--config.file={self._folder / 'prometheus.json'}", f"--storage.tsdb.path={self._folder / 'data'}",
                   f"--web.listen-address={self.address}", "--log.level=warn"]
        self._process = process.start(self._state.directory, NAME, command, self.address)
        wait_for("Prometheus to be ready", lambda: self._get("/-/ready"), 60)
        return self

    def __exit__(self, *_) -> None:
        process.stop(self._state.directory, [self._process], at_once=True)

    def query(self, expression: str) -> list:
        """[(labels, value)]"""
        return [(one["metric"], float(one["value"][1])) for one in self._data("/api/v1/query", query=expression)["result"]]

    def series(self, expression: str, seconds: float, step: float) -> list:
        """[(labels, [(time, value)])] of the last so many seconds."""
        now = time.time()
        found = self._data("/api/v1/query_range", query=expression, start=now - seconds, end=now, step=step)
        return [(one["metric"], [(float(when), float(value)) for when, value in one["values"]]) for one in found["result"]]

    def alerts(self) -> dict:
        """Name -> alerts whose expression is true, pending or firing: {labels, annotations, state}."""
        found: dict = {}
        for one in self._data("/api/v1/alerts")["alerts"]:
            found.setdefault(one["labels"]["alertname"].removeprefix("TpuWebhook"), []).append(one)
        return found

    def rules(self) -> list:
        """Each rule as Prometheus has it, with `health` and `lastError`."""
        return [rule for group in self._data("/api/v1/rules")["groups"] for rule in group["rules"]]

    def _data(self, path: str, **parameters) -> dict:
        return json.loads(self._get(f"{path}?{urllib.parse.urlencode(parameters)}"))["data"]

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=30) as answer:
            return answer.read()

    def _settings(self) -> dict:
        pki = self._state.pki
        return {
            "global": {"scrape_interval": EVERY, "scrape_timeout": EVERY, "evaluation_interval": EVERY},
            "rule_files": [str(self._rules)],
            "scrape_configs": [
                {"job_name": f"{NAMESPACE}/tpu-webhook", "file_sd_configs": [{"files": [str(self._targets)], "refresh_interval": EVERY}]},
                {"job_name": "apiserver", "scheme": "https", "scrape_interval": "5s", "scrape_timeout": "5s", "static_configs": [{"targets": [f"127.0.0.1:{self._state.ports['apiserver']}"]}],
                 "tls_config": {"ca_file": str(pki / "ca.crt"), "cert_file": str(pki / "admin.crt"), "key_file": str(pki / "admin.key")},
                 "metric_relabel_configs": [{"source_labels": ["__name__"], "regex": "apiserver_admission_webhook_.*", "action": "keep"}]},
            ],
        }
