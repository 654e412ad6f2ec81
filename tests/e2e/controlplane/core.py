"""The control plane itself: etcd, API server, controller manager, scheduler, KWOK.

Everything listens on 127.0.0.1.
"""

import dataclasses
import json
import pathlib
import shutil

from . import cache, kube, nodes, process, programs, tls
from .real import world
from .state import State, write_kubeconfig

# Whose certificate the API server shows to webhooks that ask for one; nobody does unless told to.
CALLER = "kube-apiserver"


@dataclasses.dataclass(frozen=True)
class Gates:
    """Feature gates of the API server, the controller manager and the scheduler, and APIs that the API server serves."""

    features: tuple = ()
    apis: tuple = ()  # GROUP/VERSION
    off: tuple = ()  # of the API server alone
    no_admission: tuple = ()  # plug-ins of the API server that are switched off
    profiles: tuple = ()  # of the scheduler, as KubeSchedulerConfiguration has them; its default one alone

    def arguments(self) -> list:
        return ["--feature-gates=" + ",".join(f"{name}=true" for name in self.features)] if self.features else []

    def api_arguments(self) -> list:
        off = [f"--feature-gates={name}=false" for name in self.off] + [f"--disable-admission-plugins={name}" for name in self.no_admission]
        return self.arguments() + off + (["--runtime-config=" + ",".join(f"{api}=true" for api in self.apis)] if self.apis else [])


NO_GATES = Gates()
PORTS = ("etcd", "etcd-peer", "apiserver", "controller-manager", "scheduler", "kwok")


def certificates(state: State) -> None:
    """All keys and certificates; webhooks' come from an authority of their own."""
    pki = state.pki
    tls.authority(pki, "ca")
    tls.authority(pki, "webhook-ca")
    names = ["IP:127.0.0.1", "DNS:localhost", "DNS:kubernetes.default.svc"]
    tls.server(pki, "ca", pki / "apiserver", names + ([f"IP:{world.HOST}", f"IP:{world.API_SERVER}"] if state.real else []))
    tls.client(pki, "ca", "admin", "admin", "system:masters")
    tls.client(pki, "ca", "kwok", "kwok", "system:masters")
    tls.client(pki, "ca", "controller-manager", "system:kube-controller-manager")
    tls.client(pki, "ca", "scheduler", "system:kube-scheduler")
    tls.client(pki, "ca", "webhook-caller", CALLER)
    tls.key_pair(pki, "service-accounts")


def configuration(state: State, gates: Gates = NO_GATES) -> None:
    """kubeconfigs and the files that programs read."""
    write_kubeconfig(state.kubeconfig, state, "admin")
    for user in ("controller-manager", "scheduler", "kwok"):
        write_kubeconfig(state.config / f"{user}.kubeconfig", state, user)
    for name in ("stages.yaml", "audit-policy.yaml"):
        shutil.copy(cache.HERE / name, state.config / name)
    _show_a_certificate_to_webhooks(state)
    scheduler = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(state.config / "scheduler.kubeconfig"), "qps": 5000, "burst": 5000},
        **({"profiles": list(gates.profiles)} if gates.profiles else {}),
    }
    (state.config / "scheduler.json").write_text(json.dumps(scheduler, indent=1), encoding="utf-8")


def _show_a_certificate_to_webhooks(state: State) -> None:
    """The API server's own configuration, as docs/operations.md has it: users by the name of a webhook's Service."""
    pair = {"client-certificate": str(state.pki / "webhook-caller.crt"), "client-key": str(state.pki / "webhook-caller.key")}
    users = {"apiVersion": "v1", "kind": "Config", "users": [{"name": "tpu-webhook.tpu-webhook.svc", "user": pair}]}
    (state.config / "webhooks.kubeconfig").write_text(json.dumps(users, indent=1), encoding="utf-8")
    how = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "WebhookAdmissionConfiguration",
        "kubeConfigFile": str(state.config / "webhooks.kubeconfig"),
    }
    plugins = [{"name": name, "configuration": how} for name in ("MutatingAdmissionWebhook", "ValidatingAdmissionWebhook")]
    admission = {"apiVersion": "apiserver.config.k8s.io/v1", "kind": "AdmissionConfiguration", "plugins": plugins}
    (state.config / "admission.json").write_text(json.dumps(admission, indent=1), encoding="utf-8")


def start_storage_and_api(state: State, gates: Gates = NO_GATES) -> None:
    """etcd and the API server; returns once /readyz says ok."""
    _start(state, "etcd", _etcd(state))
    _start(state, "kube-apiserver", _apiserver(state) + gates.api_arguments(), port="apiserver")
    client = state.client()
    kube.wait_for("the API server", lambda: client.get("/readyz") == "ok", 120, failing=lambda: dead(state))


def start_controllers(state: State, gates: Gates = NO_GATES) -> None:
    """Controller manager, scheduler and KWOK; returns once Pods can be created in `default`."""
    _start(state, "kube-controller-manager", _controller_manager(state) + gates.arguments(), port="controller-manager")
    _start(state, "kube-scheduler", _scheduler(state) + gates.arguments(), port="scheduler")
    _start(state, "kwok", _kwok(state))
    client = state.client()
    account = "/api/v1/namespaces/default/serviceaccounts/default"
    kube.wait_for("the default ServiceAccount", lambda: client.get(account), 60, failing=lambda: dead(state))


def dead(state: State) -> str:
    """The name of a process that should run and does not, or nothing."""
    return next((one.name for one in process.known(state.directory) if not one.alive()), "")


def _start(state: State, name: str, command: list, port: str = "") -> None:
    process.start(state.directory, name, command, f"127.0.0.1:{state.ports[port or name]}")


def _etcd(state: State) -> list:
    client, peer = (f"http://127.0.0.1:{state.ports[name]}" for name in ("etcd", "etcd-peer"))
    return [
        programs.path("etcd"), "--data-dir", state.directory / "etcd", "--unsafe-no-fsync", "--log-level=warn",
        f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}",
    ]


def _apiserver(state: State) -> list:
    pki, key = state.pki, state.pki / "service-accounts"
    return [
        programs.path("kube-apiserver"),
        f"--etcd-servers=http://127.0.0.1:{state.ports['etcd']}",
        *_apiserver_network(state), f"--secure-port={state.ports['apiserver']}",
        "--endpoint-reconciler-type=none",  # a loopback address is refused as an endpoint
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--tls-cert-file={pki / 'apiserver.crt'}", f"--tls-private-key-file={pki / 'apiserver.key'}",
        f"--client-ca-file={pki / 'ca.crt'}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}.pub", f"--service-account-signing-key-file={key}.key",
        "--authorization-mode=Node,RBAC", "--allow-privileged", "--enable-priority-and-fairness=false",
        "--enable-admission-plugins=ExtendedResourceToleration",  # as on GKE: TPU Pods tolerate the TPU taint
        f"--admission-control-config-file={state.config / 'admission.json'}",
        # Without these two, controller manager and scheduler log an error every ten seconds.
        f"--requestheader-client-ca-file={pki / 'ca.crt'}", "--requestheader-allowed-names=front-proxy",
        f"--audit-policy-file={state.config / 'audit-policy.yaml'}",
        f"--audit-log-path={state.directory / 'logs' / 'audit.log'}",
        "--audit-log-maxsize=0",  # one file: what is read of it, and where, would be gone with the first 100 MB
    ]


def _apiserver_network(state: State) -> list:
    if not state.real:
        return ["--bind-address=127.0.0.1", "--advertise-address=127.0.0.1"]
    admin = state.pki / "admin"
    return [
        "--bind-address=0.0.0.0", f"--advertise-address={world.HOST}",
        f"--kubelet-client-certificate={admin}.crt", f"--kubelet-client-key={admin}.key",
        "--kubelet-preferred-address-types=InternalIP",
        "--enable-aggregator-routing=true",  # a webhook is dialled at its Pods' addresses: there is no kube-proxy
    ]


def _controller_manager(state: State) -> list:
    kubeconfig = state.config / "controller-manager.kubeconfig"
    return [
        programs.path("kube-controller-manager"),
        f"--kubeconfig={kubeconfig}", f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1", f"--secure-port={state.ports['controller-manager']}", "--leader-elect=false",
        f"--service-account-private-key-file={state.pki / 'service-accounts.key'}",
        f"--root-ca-file={state.pki / 'ca.crt'}", "--use-service-account-credentials=true",
        "--kube-api-qps=1000", "--kube-api-burst=2000",
        f"--node-monitor-grace-period={'40s' if state.real else '24h'}",  # fake nodes send no heartbeats
        "--concurrent-job-syncs=10", "--concurrent-statefulset-syncs=10",
    ]


def _scheduler(state: State) -> list:
    kubeconfig = state.config / "scheduler.kubeconfig"
    return [
        programs.path("kube-scheduler"), f"--config={state.config / 'scheduler.json'}",
        f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
        "--bind-address=127.0.0.1", f"--secure-port={state.ports['scheduler']}",
    ]


def _kwok(state: State) -> list:
    (fake,) = nodes.FAKE.items()
    whose = [f"--manage-nodes-with-label-selector={'='.join(fake)}", "--node-lease-duration-seconds=40"]
    return [
        programs.path("kwok"), f"--kubeconfig={state.config / 'kwok.kubeconfig'}",
        f"--config={state.config / 'stages.yaml'}",
        *(whose if state.real else ["--manage-all-nodes=true", "--node-lease-duration-seconds=0"]),
        f"--server-address=127.0.0.1:{state.ports['kwok']}",
    ]


def remove_data(directory: pathlib.Path) -> None:
    shutil.rmtree(directory / "etcd", ignore_errors=True)
