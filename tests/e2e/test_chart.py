"""Story 10, the chart: every combination of its values is accepted, Helm installs and upgrades it, and nothing stays."""

import base64
import contextlib
import json
import pathlib
import subprocess
import sys

import pytest

from controlplane import operators, programs

from harness import chart, definitions
from harness.api import wait_for
from harness.release import CONFIGURATION, NAME, NAMESPACE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "charts"))
import chart as offline  # noqa: E402  pylint: disable=wrong-import-position

ELSEWHERE = "tpu-webhook-helm"  # a namespace
BUNDLE = base64.b64encode(b"-----BEGIN CERTIFICATE-----\n").decode()
VALIDATING = ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")


@pytest.fixture(scope="module")
def cert_manager(plane, api):
    """The API server knows cert-manager's objects; nobody acts on them."""
    with known(plane, api, definitions.cert_manager()):
        yield


@pytest.fixture(scope="module")
def prometheus_operator(plane, api):
    """The same of the Prometheus operator's."""
    with known(plane, api, definitions.prometheus_operator()):
        yield


@contextlib.contextmanager
def known(plane, api, wanted):
    made = [api.create(one) for one in wanted if not api.get(*definitions.CRD, one["metadata"]["name"])]
    names = {one["metadata"]["name"] for one in wanted}
    wait_for("the definitions", lambda: names <= operators.established(plane.client()), 120)
    yield
    for one in made:
        api.delete(*definitions.CRD, one["metadata"]["name"])


def test_combinations_of_values_are_accepted(release, plane, cert_manager, picture):
    """By the API server, with strict field validation: each object that any of them renders, once."""
    combined = offline.combinations()
    objects = {}
    for values in combined:
        for obj in chart.render(NAME, NAMESPACE, with_authority(plane, values)):
            objects[json.dumps(obj, sort_keys=True)] = obj
    kinds = {obj["kind"] for obj in objects.values()}
    assert {"Issuer", "Certificate", "FlowSchema", "NetworkPolicy", "Secret", "MutatingWebhookConfiguration"} <= kinds
    refused = dry_run(plane, list(objects.values()))
    picture("The chart", f"  {len(combined)} combinations of values render {len(objects)} different objects; {len(refused)} refused")
    assert not refused, refused[0]


def test_every_kind_of_values_is_accepted(release, plane, cert_manager, prometheus_operator, picture):
    """By itself: all that it renders, with strict field validation."""
    lines, refused = [], {}
    for kind, values in offline.KINDS_OF_VALUES.items():
        objects = chart.render(NAME, NAMESPACE, with_authority(plane, values))
        if said := dry_run(plane, objects):
            refused[kind] = said
        lines.append(f"  {kind:30} {len(objects):3} objects, {len(said)} refused")
    picture("The chart, one kind of values at a time", "\n".join(lines))
    assert not refused, refused


def test_a_field_that_is_not_there_would_be_refused(release, plane, prometheus_operator):
    """So the stories above can fail."""
    objects = chart.render(NAME, NAMESPACE, {"podMonitor": {"enabled": True}, "prometheusRule": {"enabled": True}})
    for kind in ("NetworkPolicy", "PodMonitor", "PrometheusRule"):
        obj = chart.one(objects, kind)
        assert not dry_run(plane, [obj])
        obj["spec"]["ingres"] = []
        assert dry_run(plane, [obj]), kind


def test_cert_manager_is_asked_for_what_the_api_server_wants(release, api, cert_manager):
    """Its objects are accepted as they are, and both configurations name the Certificate that is mounted."""
    objects = chart.render(NAME, NAMESPACE, {"certificate": {"mode": "cert-manager"}})
    made = {(obj["kind"], obj["metadata"]["name"]): obj for obj in objects if obj["kind"] in ("Issuer", "Certificate")}
    for obj in made.values():
        stored = api.create(obj, dry_run=True)
        assert {key: stored["spec"][key] for key in obj["spec"]} == obj["spec"]
    certificate, authority = made["Certificate", NAME], made["Certificate", f"{NAME}-ca"]
    assert f"{NAME}.{NAMESPACE}.svc" in certificate["spec"]["dnsNames"]
    # Signed by a CA that stays when the certificate is renewed, which itself is signed by nobody.
    assert certificate["spec"]["issuerRef"] == {"kind": "Issuer", "name": NAME}
    assert made["Issuer", NAME]["spec"] == {"ca": {"secretName": authority["spec"]["secretName"]}}
    assert authority["spec"]["isCA"] and authority["spec"]["issuerRef"] == {"kind": "Issuer", "name": f"{NAME}-ca"}
    assert made["Issuer", f"{NAME}-ca"]["spec"] == {"selfSigned": {}}
    for _, kind in (CONFIGURATION, VALIDATING):
        configuration = chart.one(objects, kind)
        annotations = configuration["metadata"]["annotations"]
        assert annotations["cert-manager.io/inject-ca-from"] == f"{NAMESPACE}/{certificate['metadata']['name']}"
        assert all("caBundle" not in webhook["clientConfig"] for webhook in configuration["webhooks"])
    volumes = chart.one(objects, "Deployment")["spec"]["template"]["spec"]["volumes"]
    assert certificate["spec"]["secretName"] in [volume["secret"]["secretName"] for volume in volumes if "secret" in volume]


def test_helm_installs_upgrades_and_leaves_nothing(release, api, plane, picture):
    """Mode internal: no upgrade touches the bundle that a replica wrote, or a key; then every kind is looked at."""
    release.uninstall()
    try:
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ELSEWHERE}})
        wait_for("the ServiceAccount", lambda: api.get("v1", "ServiceAccount", "default", ELSEWHERE), 20)
        before = everything(plane)
        helm(plane, "install", "--set", "replicas=1")
        assert bundles(api) == {None}
        kept = {"tls.key": BUNDLE, "bundle.crt": BUNDLE}
        api.patch("v1", "Secret", "tpu-webhook-certificate", {"data": kept}, ELSEWHERE)
        for kind in (CONFIGURATION, VALIDATING):
            webhooks = api.get(*kind, NAME)["webhooks"]
            api.patch(*kind, NAME, {"webhooks": [{**one, "clientConfig": {**one["clientConfig"], "caBundle": BUNDLE}} for one in webhooks]})
        helm(plane, "upgrade", "--set", "replicas=2")
        assert bundles(api) == {BUNDLE}, "an upgrade takes away whom the API server trusts"
        assert api.get("v1", "Secret", "tpu-webhook-certificate", ELSEWHERE)["data"] == kept
        helm(plane, "upgrade", "--set", "replicas=2,config.mode=enforce")
        assert bundles(api) == {BUNDLE}
        during = everything(plane)
        assert {"Secret", "ClusterRole", "MutatingWebhookConfiguration", "FlowSchema"} <= {kind for kind, *_ in during - before}
        helm(plane, "uninstall")
        left = wait_for("nothing to be left", lambda: nothing_else(everything(plane) - before), 60)
        picture("Uninstall", f"  {len(during - before)} objects came, none stayed; looked at: {', '.join(left)}")
    finally:
        with contextlib.suppress(RuntimeError):
            helm(plane, "uninstall", "--ignore-not-found")
        api.delete("v1", "Namespace", ELSEWHERE)
        release.install()


def with_authority(plane, values):
    """A caBundle that holds a certificate: the API server reads it."""
    given = values.get("certificate", {})
    if "caBundle" not in given:
        return values
    return {**values, "certificate": {**given, "caBundle": plane.ca_bundle()}}


def dry_run(plane, objects):
    """What the API server says of each object that it refuses. kubectl would stop at the first of several that have
    one name, so each list holds a name once."""
    lists, said = [], []
    for obj in objects:
        key = obj["kind"], obj["metadata"]["name"]
        free = next((each for each in lists if key not in each), None)
        if free is None:
            lists.append(free := {})
        free[key] = obj
    for each in lists:
        command = [programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig), "apply", "--server-side", "--force-conflicts",
                   "--dry-run=server", "--validate=strict", "-f", "-"]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(each.values())})
        answer = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        said += [answer.stderr.strip()] if answer.returncode else []
    return said


def helm(plane, verb, *arguments):
    command = [programs.path("helm"), "--kubeconfig", str(plane.kubeconfig), "--namespace", ELSEWHERE, verb, NAME]
    command += [] if verb == "uninstall" else [str(chart.CHART), "--set", "image.repository=tpu-webhook"]
    answer = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"helm {verb}: {answer.stderr.strip()}")


def bundles(api):
    """The caBundle of every entry of both configurations; None for one without."""
    found = [api.get(*kind, NAME) for kind in (CONFIGURATION, VALIDATING)]
    return {webhook["clientConfig"].get("caBundle") for one in found for webhook in one["webhooks"]}


def everything(plane):
    """(kind, namespace, name) of every object of the cluster but Events, Leases and what describes endpoints and namespaces."""
    kubectl = [programs.path("kubectl"), "--kubeconfig", str(plane.kubeconfig)]
    listed = subprocess.run([*kubectl, "api-resources", "--verbs=list", "-o", "name"], capture_output=True, text=True, check=True).stdout.split()
    kinds = [kind for kind in listed if kind not in ("events", "events.events.k8s.io", "leases.coordination.k8s.io", "nodes", "csinodes.storage.k8s.io")]
    answer = subprocess.run([*kubectl, "get", ",".join(kinds), "--all-namespaces", "--ignore-not-found", "-o",
                             r'jsonpath={range .items[*]}{.kind}{"\t"}{.metadata.namespace}{"\t"}{.metadata.name}{"\n"}{end}'],
                            capture_output=True, text=True, check=True).stdout
    everything.kinds = kinds
    return {tuple(line.split("\t")) for line in answer.splitlines()}


def nothing_else(more):
    """The kinds looked at, once nothing is left in the namespace, and nothing with our name anywhere."""
    ours = [each for each in more if each[1] == ELSEWHERE or NAME in each[2]]
    return None if ours else sorted(everything.kinds)
