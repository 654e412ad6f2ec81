"""The keeper: `kubectl tpu certificate keep` as the container of the rendered Deployment would run it."""

import pathlib
import threading

from controlplane.state import State

from .api import Api, wait_for
from .replica import Replica

NAME = "tpu-webhook-keeper"
RBAC, ADMISSION = "rbac.authorization.k8s.io/v1", "admissionregistration.k8s.io/v1"
CONFIGURATIONS = (("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"), ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"))


class Keeper(Replica):
    """Its Deployment is `pod`, the rendered Pod's spec. It serves nothing."""

    def __init__(self, state: State, program: pathlib.Path, pod: dict, name: str = NAME):
        super().__init__(state, name, program.with_name("kubectl-tpu"), pod, {})

    def entry(self) -> dict:
        return {"address": ""}


class KilledAfterEachWrite:
    """While this holds, the keeper ends by SIGKILL after each of its writes, and is started again.

    It has the right to update one object at a time, so that no second write follows before it ends. `killed`: how often.
    """

    def __init__(self, keeper: Keeper, api: Api, namespace: str):
        self._keeper, self._api, self._namespace = keeper, api, namespace
        self._roles = [api.get(RBAC, "Role", NAME, namespace), api.get(RBAC, "ClusterRole", NAME)]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.killed = 0

    def __enter__(self):
        self._allow("secrets")
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._allow(None)

    def _allow(self, resource: str | None) -> None:
        """The right to update this resource and no other; None: all that the chart gives."""
        for role in self._roles:
            rules = [{**rule, "verbs": ["get"] if resource and rule["resources"] != [resource] else rule["verbs"]} for rule in role["rules"]]
            self._api.patch(RBAC, role["kind"], NAME, {"rules": rules}, role["metadata"].get("namespace"))

    def _secret(self) -> dict:
        return self._api.get("v1", "Secret", "tpu-webhook-certificate", self._namespace)

    def _kill(self) -> None:
        self._keeper.kill()
        self.killed += 1

    def _run(self) -> None:
        seen = self._secret()["metadata"]["resourceVersion"]
        while not self._stop.wait(0.02):
            secret = self._secret()
            if secret["metadata"]["resourceVersion"] == seen:
                continue
            self._kill()
            for kind, resource in CONFIGURATIONS:
                def trusts(kind=kind, bundle=secret["data"]["bundle.crt"]):
                    return {each["clientConfig"].get("caBundle") for each in self._api.get(ADMISSION, kind, "tpu-webhook")["webhooks"]} == {bundle}
                if trusts():
                    continue
                self._allow(resource)
                self._keeper.start()
                wait_for(f"the caBundle of {resource}", trusts, 30, every=0.02)
                self._kill()
            self._allow("secrets")
            self._keeper.start()
            seen = secret["metadata"]["resourceVersion"]
