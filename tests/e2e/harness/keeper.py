"""The keeper: `kubectl tpu certificate keep` as the container of the rendered Deployment would run it."""

import pathlib
import threading

from controlplane.state import State

from .api import Api
from .replica import Replica

NAME = "tpu-webhook-keeper"
LOOKED_AT = (("v1", "Secret", "tpu-webhook-certificate", True),
             ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "tpu-webhook", False),
             ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "tpu-webhook", False))


class Keeper(Replica):
    """Its Deployment is `pod`, the rendered Pod's spec. It serves nothing."""

    def __init__(self, state: State, program: pathlib.Path, pod: dict, name: str = NAME):
        super().__init__(state, name, program.with_name("kubectl-tpu"), pod, {})

    def entry(self) -> dict:
        return {"address": ""}


class KilledAfterEachWrite:
    """While this holds, the keeper ends by SIGKILL as soon as an object that it writes has another version, and is started again.

    `killed`: how often.
    """

    def __init__(self, keeper: Keeper, api: Api, namespace: str):
        self._keeper, self._api, self._namespace = keeper, api, namespace
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.killed = 0

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _versions(self) -> list:
        objects = (self._api.get(version, kind, name, self._namespace if own else None) for version, kind, name, own in LOOKED_AT)
        return [each and each["metadata"]["resourceVersion"] for each in objects]

    def _run(self) -> None:
        seen = self._versions()
        while not self._stop.wait(0.02):
            now = self._versions()
            if now == seen:
                continue
            self._keeper.kill()
            self.killed += 1
            self._keeper.start()
            seen = self._versions()
