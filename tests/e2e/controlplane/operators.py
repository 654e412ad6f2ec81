"""JobSet, LeaderWorkerSet, KubeRay and Kueue: real operators, run as processes.

What differs from an installation in a cluster, and why:
* The Deployment is not applied; we start its program, with a token of its own ServiceAccount, so
  its roles are in force and reviews carry the user names they carry in a cluster.
* Webhook Services become ExternalName Services on a loopback address, and caBundle is filled in by
  us instead of by the operator's certificate rotation (which waits for a kubelet to mount a
  Secret). The webhook and conversion configurations are otherwise as rendered.
* AppWrapper's webhooks are off, since they would rotate a certificate too; it listens at port 9443 of all addresses.
* Kueue reads its metrics certificate from a fixed path under /etc; it runs in a mount namespace of
  its own where that path exists. Its visibility API server (fixed port, all addresses) is off.
"""

import dataclasses
import json
import urllib.request

from . import core, kube, manifests, net, process, programs, tls
from .state import State, write_kubeconfig

NAMES = ("jobset", "lws", "kuberay", "kueue")  # the order they are started in
WRAPPERS = ("trainer", "appwrapper")  # of the pins of that name alone; after these
RAY_INDEXING = "RayMultiHostIndexing"

# Kinds of config/default that make no sense without a kubelet, or that we make ourselves.
_NOT_APPLIED = {"Deployment", "Secret", "APIService", "ConfigMap", "Service"}
_APPLIED_APART = {"Namespace", "CustomResourceDefinition", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}
_WEBHOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")


@dataclasses.dataclass(frozen=True)
class Operator:
    name: str
    account: str  # ServiceAccount
    namespace: str
    config_version: str = ""  # apiVersion of its configuration file, if it has one
    arguments: tuple = ()
    probe: dict = dataclasses.field(default_factory=dict)  # created as dry run …
    proof: tuple = ()  # … has this field afterwards, once its webhooks are called
    webhooks: bool = True  # its webhook configurations are created
    config_map: tuple = ()  # its name, and what it holds: read instead of a configuration file


def _minimal_template() -> dict:
    return {"spec": {"containers": [{"name": "c", "image": "i"}]}}


OPERATORS = {
    operator.name: operator
    for operator in (
        Operator(
            "jobset", "jobset-controller-manager", "jobset-system", "config.jobset.x-k8s.io/v1alpha1",
            ("--zap-log-level=2",),
            {
                "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "probe"},
                "spec": {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": _minimal_template()}}}]},
            },
            ("spec", "successPolicy"),
        ),
        Operator(
            "lws", "lws-controller-manager", "lws-system", "config.lws.x-k8s.io/v1alpha1",
            ("--zap-log-level=2",),
            {
                "apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": {"name": "probe"},
                "spec": {"leaderWorkerTemplate": {"workerTemplate": _minimal_template()}},
            },
            ("spec", "networkConfig"),
        ),
        Operator("kuberay", "kuberay-operator", "default"),
        Operator(
            "kueue", "kueue-controller-manager", "kueue-system", "config.kueue.x-k8s.io/v1beta2",
            ("--zap-log-level=2", "--feature-gates=VisibilityOnDemand=false"),
            {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": {"name": "probe"}, "spec": {}},
            ("metadata", "finalizers"),
        ),
        Operator("trainer", "kubeflow-trainer-controller-manager", "kubeflow-system", "config.trainer.kubeflow.org/v1alpha1"),
        # Its webhooks check who may create what it wraps, and want a certificate that it rotates itself.
        Operator("appwrapper", "appwrapper-controller-manager", "appwrapper-system", webhooks=False,
                 config_map=("appwrapper-operator-config", {"webhooksEnabled": False})),
    )
}

# Kueue's own default list of frameworks that can exist here, and no other.
_KUEUE_FRAMEWORKS = ["batch/job", "jobset.x-k8s.io/jobset", "ray.io/raycluster", "ray.io/rayjob"]


def define(state: State, names: list) -> None:
    """Create the CRDs of these operators, all at once: the API server works its schemas out once."""
    client, definitions = state.client(), []
    for name in names:
        objects = manifests.load(name, programs.home())
        definitions += [one for one in objects if one["kind"] == "CustomResourceDefinition"]
    for definition in definitions:
        _set_ca(definition["spec"].get("conversion", {}).get("webhook"), state)
    client.create_all(definitions, threads=4)
    wanted = {one["metadata"]["name"] for one in definitions}
    kube.wait_for("CRDs", lambda: wanted <= established(client), 120, every=0.2)


def install(state: State, name: str, ray_indexing: bool = True) -> None:
    """Apply an operator's other objects, start it, and wait until its webhooks are called."""
    operator, client = OPERATORS[name], state.client()
    objects = manifests.load(name, programs.home())
    _apply(state, client, operator, objects)
    if operator.config_map:
        client.create(_config_map(operator, {}))
    start(state, name, ray_indexing)
    if operator.webhooks:
        _apply_webhooks(state, client, objects)
    if operator.probe:
        kube.wait_for(f"{name}'s webhooks", lambda: _webhooks_called(client, operator), 60, failing=lambda: core.dead(state))


def start(state: State, name: str, ray_indexing: bool = True) -> None:
    """Start an installed operator and wait until it says it is ready."""
    operator = OPERATORS[name]
    kubeconfig = state.config / f"{name}.kubeconfig"
    write_kubeconfig(kubeconfig, state, token=_token(state.client(), operator))
    health, metrics = net.free_ports(2)
    if operator.config_map:
        _set_config_map(state.client(), operator, health)
    address = f"{state.addresses[name]}:443" if operator.config_version else f"127.0.0.1:{metrics}"
    command = _command(state, operator, health, metrics, ray_indexing)
    process.start(state.directory, name, command, address, _environment(state, operator, kubeconfig))
    kube.wait_for(f"{name} to be ready", lambda: _healthy(health), 60, failing=lambda: core.dead(state))


def stop(state: State, name: str) -> None:
    process.stop(state.directory, [one for one in process.known(state.directory) if one.name == name])


def loopback_service(name: str, namespace: str, address: str) -> dict:
    """A Service through which the API server reaches port 443 of a loopback address.

    It dials externalName at the webhook configuration's service.port (443 unless said otherwise)
    and checks the certificate for NAME.NAMESPACE.svc, as in a cluster.
    """
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"type": "ExternalName", "externalName": address, "ports": [{"port": 443}]},
    }


def loopback_services(name: str, namespace: str, address: str) -> list:
    return [loopback_service(name, namespace, address)]


def services_at(name: str, namespace: str, address: str) -> list:
    """The same where the API server looks for the addresses behind a Service itself: then ExternalName is none."""
    metadata = {"name": name, "namespace": namespace}
    slice_ = {
        "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
        "metadata": {**metadata, "labels": {"kubernetes.io/service-name": name}},
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}], "ports": [{"port": 443, "protocol": "TCP"}],
    }
    return [{"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"ports": [{"port": 443}]}}, slice_]


def _apply(state: State, client: kube.Kube, operator: Operator, objects: list) -> None:
    """Namespace, roles, Service and certificate. Webhook configurations come when it runs: before,
    they would refuse every object they are about."""
    client.create_all([one for one in objects if one["kind"] == "Namespace"])
    client.create_all([one for one in objects if one["kind"] not in _NOT_APPLIED.union(_APPLIED_APART)])
    service = _webhook_service(objects)
    if service:
        lead = services_at if state.real else loopback_services
        client.create_all(lead(service, operator.namespace, state.addresses[operator.name]))
        folder = state.pki / operator.name
        folder.mkdir(exist_ok=True)
        tls.server(state.pki, "webhook-ca", folder / "tls.crt", [f"DNS:{service}.{operator.namespace}.svc"])


def _config_map(operator: Operator, data: dict) -> dict:
    metadata = {"name": operator.config_map[0], "namespace": operator.namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _set_config_map(client: kube.Kube, operator: Operator, health: int) -> None:
    """Where to listen, no leader election."""
    name, values = operator.config_map
    manager = {"health": {"bindAddress": f"127.0.0.1:{health}"}, "metrics": {"bindAddress": "0"}, "leaderElection": False}
    data = {"config.yaml": json.dumps({**values, "controllerManager": manager})}
    client.request("PUT", f"/api/v1/namespaces/{operator.namespace}/configmaps/{name}", _config_map(operator, data))


def _environment(state: State, operator: Operator, kubeconfig) -> dict:
    found = {"KUBECONFIG": str(kubeconfig), "NAMESPACE": operator.namespace}
    if operator.name in WRAPPERS:  # they look for a certificate where controller-runtime does: below TMPDIR
        place = state.pki / operator.name / "k8s-webhook-server"
        place.mkdir(exist_ok=True)
        if not (place / "serving-certs").exists():
            (place / "serving-certs").symlink_to(state.pki / operator.name)
        found["TMPDIR"] = str(state.pki / operator.name)
    return found


def _apply_webhooks(state: State, client: kube.Kube, objects: list) -> None:
    """Validating first: when the mutating ones are seen to work, both do."""
    for kind in _WEBHOOKS:
        for configuration in (one for one in objects if one["kind"] == kind):
            for webhook in configuration["webhooks"]:
                _set_ca(webhook, state)
            client.create(configuration)


def _set_ca(webhook: dict | None, state: State) -> None:
    if webhook:
        webhook["clientConfig"]["caBundle"] = state.ca_bundle()


def _webhook_service(objects: list) -> str:
    for one in objects:
        if one["kind"] in _WEBHOOKS:
            return one["webhooks"][0]["clientConfig"]["service"]["name"]
    return ""


def established(client: kube.Kube) -> set:
    """Names of CRDs that are served."""
    found = set()
    for one in client.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")["items"]:
        entries = one.get("status", {}).get("conditions") or []  # null at first
        conditions = {entry["type"]: entry["status"] for entry in entries}
        if conditions.get("Established") == "True":
            found.add(one["metadata"]["name"])
    return found


def _token(client: kube.Kube, operator: Operator) -> str:
    path = f"/api/v1/namespaces/{operator.namespace}/serviceaccounts/{operator.account}/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 86400}}
    return client.post(path, request)["status"]["token"]


def _command(state: State, operator: Operator, health: int, metrics: int, ray_indexing: bool) -> list:
    program = programs.path(operator.name)
    if operator.name == "kuberay":
        gates = f"RayClusterStatusConditions=true,{RAY_INDEXING}={str(ray_indexing).lower()}"
        return [
            program, f"--feature-gates={gates}", "--enable-leader-election=false",
            f"--metrics-addr=127.0.0.1:{metrics}", f"--health-probe-bind-address=127.0.0.1:{health}",
        ]
    if operator.config_map:
        return [program, f"--config={operator.config_map[0]}"]
    file = state.config / f"{operator.name}.json"
    file.write_text(json.dumps(_configuration(state, operator, health), indent=1), encoding="utf-8")
    command = [program, f"--config={file}", *operator.arguments]
    return _with_metrics_certificate(state, command) if operator.name == "kueue" else command


def _configuration(state: State, operator: Operator, health: int) -> dict:
    """The operator's configuration file: where to listen, no rotation, no leader election."""
    configuration = {
        "apiVersion": operator.config_version,
        "kind": "Configuration",
        "webhook": {"host": state.addresses[operator.name], "port": 443, "certDir": str(state.pki / operator.name)},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
        "metrics": {"bindAddress": "0"},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "clientConnection": {"qps": 500, "burst": 500},
    }
    if operator.name == "trainer":
        del configuration["internalCertManagement"], configuration["webhook"]["certDir"]
        configuration["certManagement"] = {"enable": False}
    if operator.name == "kueue":
        configuration["integrations"] = {"frameworks": _KUEUE_FRAMEWORKS}
    return configuration


def _with_metrics_certificate(state: State, command: list) -> list:
    """The command in a mount namespace where /etc/kueue/metrics/certs exists."""
    layer = state.config / "kueue-etc"
    certificates = layer / "kueue" / "metrics" / "certs"
    certificates.mkdir(parents=True, exist_ok=True)
    for name in ("tls.crt", "tls.key"):
        (certificates / name).write_bytes((state.pki / "kueue" / name).read_bytes())
    script = 'mount -t overlay overlay -o lowerdir="$0":/etc /etc && exec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, layer, *command]


def _healthy(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
        return answer.status == 200


def _webhooks_called(client: kube.Kube, operator: Operator) -> bool:
    value = client.create(operator.probe, "?dryRun=All")
    for key in operator.proof:
        value = value.get(key) or {}
    return bool(value)
