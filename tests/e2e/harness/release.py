"""An installed chart: `helm template`, everything applied, the program running, and called.

The objects are applied as rendered, with strict field validation, but for the Service: it becomes
an ExternalName Service on our loopback address, where a relay stands for kube-proxy. The
Deployment is applied as it is, too, so that its Pods are real, validated, scheduled Pods; nobody
runs them, though (KWOK only says so), and the processes that answer are ours (replica.py).
"""

import base64
import contextlib
import copy
import itertools
import json
import pathlib
import shutil
import subprocess
import time

from controlplane import operators, programs, tls
from controlplane.state import State

from . import audit, chart, keeper, replica
from .api import Api, Refused, wait_for
from .kubelet import Kubelet
from .service import Service

NAME = NAMESPACE = "tpu-webhook"
SECRET = "tpu-webhook-supplied"
PROBES = "tpu-webhook-probe"  # a namespace; reviews of it are ours and are not counted
CHECKS = ("checked", "never_works", "forbidden")  # reasons that only /validate has
CONFIGURATION = ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration")
ENFORCED = {"mode": "enforce"}  # the chart's default is shadow


class Release:
    """`values` go to the chart, over a certificate of ours, one replica and the mode enforce."""

    def __init__(self, state: State, api: Api, program: pathlib.Path, values: dict | None = None):
        self._state, self._api, self._program = state, api, program
        self._folder = state.directory / "release"
        self._service: Service | None = None
        self.values = {**self._defaults(), **(values or {})}
        self.replicas: list = []
        self.keeper: keeper.Keeper | None = None  # in certificate mode internal
        self.keeper_pod: dict | None = None  # the spec of its Pods
        self.kubelet: Kubelet | None = None
        self._applied: list = []  # all but the configuration
        self.rendered = self.deployment = None  # as the chart renders them
        self.configuration = NAME  # its name at the API server now; it decides our place in the chain
        self.ready_seconds = 0.0  # from the start of the first process until replicas were ready, at the last install

    # -- life ---------------------------------------------------------------------------------

    def install(self, before=None) -> "Release":
        """Apply, start, and wait until the API server calls us.

        Where a keeper issues the certificate it needs the configuration, to write the CA there: as with Helm it is there
        first. `before` is then called while it is, and neither keeper nor replica runs.
        """
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        for name in (NAMESPACE, PROBES):
            if not self._api.get("v1", "Namespace", name):
                self._api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self._certificate()
        objects = chart.render(NAME, NAMESPACE, self.values)
        self.rendered = chart.one(objects, CONFIGURATION[1])
        self.deployment = chart.one(objects, "Deployment")
        service = chart.one(objects, "Service")
        self._apply([service], "--dry-run=server")  # at least it must be valid
        service["spec"] = operators.loopback_service(NAME, NAMESPACE, self._state.addresses[NAME])["spec"]
        self._apply([obj for obj in objects if obj is not self.rendered])
        keeps = self._keepers_pod(objects) is not None
        if keeps:
            self._apply([self.rendered])
            if before:
                before()
        begun = time.monotonic()
        self._start(self.deployment["spec"], self._keepers_pod(objects))
        self.ready_seconds = time.monotonic() - begun
        # Else it comes last: before the program answers, it would only refuse Pods.
        if not keeps:
            self._apply([self.rendered])
        self.configuration = NAME
        self._applied = [obj for obj in objects if obj is not self.rendered]
        self.wait_called()
        return self

    def uninstall(self) -> None:
        """Take the configuration away first, as anybody should, then the rest."""
        self._api.delete(*CONFIGURATION, self.configuration)
        for obj in reversed(self._applied):
            self._api.delete(obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace"))
        self.wait_called(False)
        self._end()

    @contextlib.contextmanager
    def reinstalled(self, values: dict, before=None):
        """While this holds the chart is installed again with these values over ours; `before` as of install()."""
        ours = self.values
        self.uninstall()
        self.values = {**ours, **values}
        try:
            self.install(before)
            yield self
        finally:
            self.uninstall()
            self.values = ours
            self.install()

    @contextlib.contextmanager
    def handed_over(self, values: dict, install, uninstall):
        """While this holds the objects are somebody else's: `install` has made them, as the chart renders them with `values`.

        Ours are the processes, and that the Service leads to them: of it type and name alone, so that whoever made it can
        change it.
        """
        self.uninstall()
        try:
            install()
            self.rendered = chart.one(chart.render(NAME, NAMESPACE, values), CONFIGURATION[1])
            self.deployment = self._api.get("apps/v1", "Deployment", NAME, NAMESPACE)
            spec = operators.loopback_service(NAME, NAMESPACE, self._state.addresses[NAME])["spec"]
            leads = {key: spec[key] for key in ("type", "externalName")}
            self._api.patch("v1", "Service", NAME, {"spec": {**leads, "clusterIP": None, "clusterIPs": None}}, NAMESPACE)
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            self._start({**self.deployment["spec"], "replicas": 1}, self._keepers_pod_now())
            self.wait_called()
            yield self
        finally:
            self._end()
            uninstall()
            self.wait_called(False)
            self.install()

    @contextlib.contextmanager
    def run_by(self, program: pathlib.Path):
        """While this holds, processes that start are of this program, and the keeper's of the kubectl-tpu beside it."""
        ours, self._program = self._program, program
        try:
            yield
        finally:
            self._program = ours

    def follow_deployments(self) -> None:
        """After somebody else has changed the Deployments: the keeper, and each replica that starts from now on, are as they say."""
        self.deployment = self._api.get("apps/v1", "Deployment", NAME, NAMESPACE)
        self._end_keeper()
        self._mount(self.deployment["spec"]["template"]["spec"], self._keepers_pod_now())

    # -- being called -------------------------------------------------------------------------

    @contextlib.contextmanager
    def absent(self):
        """While this holds the API server does not know us."""
        self._api.delete(*CONFIGURATION, self.configuration)
        self.wait_called(False)
        try:
            yield
        finally:
            self._apply([self._named(self.configuration)])
            self.wait_called()

    @contextlib.contextmanager
    def renamed(self, name: str):
        """While this holds our configuration has another name, and so another place in the chain."""
        before = self.configuration
        self._rename(name)
        try:
            yield
        finally:
            self._rename(before)

    def wait_called(self, wanted: bool = True) -> None:
        """A configuration takes effect some time after it is written: ask until it has."""
        what = f"{NAME} {'' if wanted else 'not '}to be called"
        wait_for(what, lambda: self._called() == wanted, 30, every=0.05)

    # -- what it did --------------------------------------------------------------------------

    def reviews(self, namespace: str | None = None) -> list:
        """The log line of every Pod's review that any replica answered, without our own probes'."""
        return [line for line in self._answers(namespace) if line["reason"] not in CHECKS]

    def checks(self, namespace: str | None = None) -> list:
        """The same of workload objects."""
        return [line for line in self._answers(namespace) if line["reason"] in CHECKS]

    def _answers(self, namespace: str | None) -> list:
        lines = [line for one in self.replicas for line in one.reviews()]
        return [line for line in lines if line["namespace"] == (namespace or line["namespace"]) != PROBES]

    # -- replicas -----------------------------------------------------------------------------

    def scale(self, count: int) -> None:
        """Start or end replicas until there are `count`, all of them ready and in the relay."""
        while len(self.replicas) < count:
            self.add(f"{NAME}-{len(self.replicas)}")
        leaving = self.replicas[count:]
        self.replicas = self.replicas[:count]
        self.route()
        for one in leaving:
            one.forget()
        self.wait_ready()

    def add(self, name: str) -> replica.Replica:
        """Start one more; it is called once it is ready and in the relay's table."""
        one = replica.Replica(self._state, name, self._program,
                              self.deployment["spec"]["template"]["spec"], self._mounts)
        one.start()
        self.replicas.append(one)
        return one

    def route(self, entries: dict | None = None, cut: bool = False) -> None:
        """New connections go to these entries, or to all replicas. `cut` ends what is connected."""
        self._service.route(entries or {one.name: one.entry() for one in self.replicas}, cut)

    def wait_ready(self, names: list | None = None) -> None:
        """Until the relay sends connections to these, by default to all replicas: to the processes that run now."""
        self._service.wait_ready(names or [one.name for one in self.replicas])

    def relay(self) -> dict:
        """What the relay finds now: who is ready, connections so far."""
        return self._service.says()

    @property
    def mounts(self) -> dict:
        """mountPath of the rendered container -> the folder that stands for it."""
        return self._mounts

    # -- inside -------------------------------------------------------------------------------

    def _defaults(self) -> dict:
        ca = base64.b64decode(self._state.ca_bundle()).decode()
        return {"replicas": 1, "config": ENFORCED, "certificate": {"mode": "supplied", "secretName": SECRET, "caBundle": ca}}

    def _certificate(self) -> None:
        """The Secret that an operator would supply, for the name that the API server asks for."""
        files = self._folder / "tls.crt"
        tls.server(self._state.pki, "webhook-ca", files, [f"DNS:{NAME}.{NAMESPACE}.svc"])
        data = {name: base64.b64encode(files.with_name(name).read_bytes()).decode() for name in ("tls.crt", "tls.key")}
        self._api.delete("v1", "Secret", SECRET, NAMESPACE)
        self._api.create({
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "data": data,
            "metadata": {"name": SECRET, "namespace": NAMESPACE},
        })

    def _start(self, deployment: dict, keepers_pod: dict | None = None) -> None:
        self._service = Service(self._state.directory, f"{self._state.addresses[NAME]}:443", self._folder)
        self._mount(deployment["template"]["spec"], keepers_pod)
        self.scale(deployment["replicas"])

    def _mount(self, pod: dict, keepers_pod: dict | None) -> None:
        """Folders for the mounts of the replicas that start from now on, and the keeper's process if it has Pods."""
        self._mounts = replica.write_mounts(self._api, pod, NAMESPACE, self._folder / f"mounts-{next(_numbers)}")
        if keepers_pod:
            (volume,) = [one["secret"] for one in pod["volumes"] if one["name"] == "certificate"]
            self.kubelet = Kubelet(self._api, volume["secretName"], NAMESPACE, self._mounts["/certificate"],
                                   tuple(item["key"] for item in volume["items"]))
            self.keeper_pod = keepers_pod
            self.keeper = keeper.Keeper(self._state, self._program, keepers_pod)
            self.keeper.start()

    def _end(self) -> None:
        """No process of ours is left."""
        self._end_keeper()
        for one in self.replicas:
            one.forget()
        if self._service:
            self._service.end()
        self.replicas, self._service = [], None

    def _end_keeper(self) -> None:
        if self.keeper:
            self.keeper.forget()
        if self.kubelet:
            self.kubelet.end()
        self.keeper = self.kubelet = None

    def _keepers_pod_now(self) -> dict | None:
        own = self._api.get("apps/v1", "Deployment", keeper.NAME, NAMESPACE)
        return own and own["spec"]["template"]["spec"]

    @staticmethod
    def _keepers_pod(objects: list) -> dict | None:
        """The spec of the keeper's Pods; None where the chart renders none."""
        found = [obj for obj in objects if obj["kind"] == "Deployment" and obj["metadata"]["name"] == keeper.NAME]
        return found[0]["spec"]["template"]["spec"] if found else None

    def _apply(self, objects: list, *arguments: str) -> None:
        """kubectl apply --server-side: a field that the API does not know is an error."""
        command = [programs.path("kubectl"), "--kubeconfig", str(self._state.kubeconfig), "apply", "--server-side",
                   "--force-conflicts", "--validate=strict", *arguments, "-f", "-"]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        answer = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            raise RuntimeError(f"the chart is refused: {answer.stderr.strip()}")

    def _named(self, name: str) -> dict:
        configuration = copy.deepcopy(self.rendered)
        configuration["metadata"]["name"] = name
        return configuration

    def _rename(self, name: str) -> None:
        """Never without one: Pods of other stories may be on their way."""
        if name == self.configuration:
            return
        before, self.configuration = self.configuration, name
        self._apply([self._named(name)])
        wait_for(f"{name} to be called", lambda: name in self._answered(), 30, every=0.05)
        self._api.delete(*CONFIGURATION, before)
        wait_for(f"{before} not to be called", lambda: before not in self._answered(), 30, every=0.05)

    def _called(self) -> bool:
        try:
            return self.configuration in self._answered()
        except Refused as error:
            # It has not yet heard whom to trust: the keeper was faster.
            if "certificate signed by unknown authority" in error.message:
                return False
            raise

    def _answered(self) -> set:
        """The configurations by which a dry-run Pod was reviewed; raises Refused where nobody answers.

        By the API server's word for this Pod: the program writes its own log some time after it answered, and of a line
        that is not there nobody can say whether it will come.
        """
        name, since = f"probe-{next(_numbers)}", audit.size(self._state)
        self._api.create(_probe(name), dry_run=True)
        return audit.answered(audit.creation(self._state, PROBES, name, since))


_numbers = itertools.count(1)


def _probe(name: str) -> dict:
    """A Pod that concerns us."""
    container = {"name": "c", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": PROBES}, "spec": {"containers": [container]}}
