"""The Service in front of the replicas: controlplane/relay.py, its table written and its word taken.

The relay says what it found in rounds of some 0.2 s. What stands in its file is of the last one, and a replica that was
killed and started again since is still ready there: only a round that began after the asking counts.
"""

import json
import os
import pathlib
import sys
import time

from controlplane import process

from .api import wait_for

RELAY = "tpu-webhook-relay"
SECONDS = 30  # for a round, and for a replica to become ready: both take one unless the machine is busy
E2E = pathlib.Path(__file__).resolve().parents[1]


class Service:
    """`address`, HOST:PORT, is where it listens. Table and log are kept for the control plane of `directory`."""

    def __init__(self, directory: pathlib.Path, address: str, folder: pathlib.Path):
        self._table, self._said = folder / "relay.json", folder / "relay.json.state"
        self.address, self._directory, self._cut = address, directory, 0
        self._table.write_text('{"replicas": {}}', encoding="utf-8")
        command = [sys.executable, "-B", "-m", "controlplane.relay", address, self._table]
        self._process = process.start(directory, RELAY, command, address, {"PYTHONPATH": str(E2E)})

    def end(self) -> None:
        process.stop(self._directory, [self._process], at_once=True)

    def route(self, entries: dict, cut: bool = False) -> None:
        """New connections go to these from now on. `cut` ends those that there are."""
        self._cut += cut
        aside = self._table.with_name("relay.new")
        aside.write_text(json.dumps({"replicas": entries, "cut": self._cut}, indent=1), encoding="utf-8")
        os.replace(aside, self._table)
        self.says()  # a round that begins now reads the table first

    def says(self) -> dict:
        """{"ready": [names], "total": {name: connections so far}}, found in a round that begins now."""
        asked = time.clock_gettime(time.CLOCK_MONOTONIC)
        return wait_for("a round of the relay", lambda: self._since(asked), SECONDS, every=0.02)

    def wait_ready(self, names: list) -> None:
        """Until connections go to these, and to no others."""
        wait_for(f"{', '.join(names)} to be ready", lambda: sorted(self.says()["ready"]) == sorted(names), SECONDS, every=0.02)

    def _since(self, asked: float) -> dict | None:
        if not self._process.alive():
            raise RuntimeError(f"the relay has ended:\n{process.log_tail(self._directory, RELAY)}")
        said = json.loads(self._said.read_text(encoding="utf-8"))  # not there yet: an OSError
        return said if said["began"] >= asked else None
