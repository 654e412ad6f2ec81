"""What `doctor` tells a person to run, run as printed by the real helm before a made-up API server.

    python3 tests/charts/fixes.py --program build/ci/server/kubectl-tpu [--helm HELM]

Each case is an installation by helm with values that are no defaults, and something that is wrong with it. Of each
command: it ends well, no value but the named ones has changed, and the same holds of what is rendered.
"""

import argparse
import base64
import copy
import functools
import gzip
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from made_up_cluster import VERSION, Cluster, path_of, served
from tools import helm_programs, kubectl_program

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMESPACE, RELEASE = "hooks", "tpu-hooks"
# None of them is a default, so that a fix that forgets them is seen.
VALUES = {"image": {"repository": "r.example/tpu-webhook", "tag": "v7"}, "replicas": 4, "port": 9443, "timeoutSeconds": 9,
          "config": {"mode": "enforce", "perWorkload": {"job": {"mode": "shadow"}}, "log": {"level": "debug"}},
          "priorityClassName": "of-ours", "shadowNamespaces": {"value": "watched"}, "podAnnotations": {"team": "it's ours; $(touch x)"}}
PEM = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"
SUPPLIED = {**VALUES, "certificate": {"mode": "supplied", "secretName": "mine", "caBundle": PEM}}
SHADOW = {**VALUES, "config": {"mode": "shadow"}}
USUAL = {**VALUES, "priorityClassName": "tpu-webhook"}
CRITICAL = {**VALUES, "priorityClassName": "system-cluster-critical"}
MUTATING, VALIDATING = "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"


def flat(values, path=""):
    """Each value by its path."""
    if not isinstance(values, dict) or not values:
        return {path: values}
    return {key: value for name, each in values.items() for key, value in flat(each, f"{path}.{name}" if path else name).items()}


def differing(one, other):
    one, other = flat(one), flat(other)
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


class Installation:
    """A cluster with a release; `run` is what a person types, in a folder with the chart."""

    def __init__(self, helm, values, cluster=None):
        self.cluster = cluster or Cluster()
        self.helm, self.given = helm, values
        if cluster is None:
            self.run(f"helm install {RELEASE} charts/tpu-webhook -n {NAMESPACE} --create-namespace -f values.yaml")

    def copy(self):
        return Installation(self.helm, self.given, self.cluster.copy())

    @staticmethod
    def of(helm, values):
        """Returns a copy of an installation with this helm and these values. Each installation is made only once."""
        return installed(helm, json.dumps(values)).copy()

    def run(self, command, check=True):
        with served(self.cluster) as port, tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "charts").symlink_to(ROOT / "charts")
            (folder / "bin").mkdir()
            (folder / "bin" / "helm").symlink_to(self.helm)
            if options.kubectl:
                (folder / "bin" / "kubectl").symlink_to(options.kubectl)
            for name in "tpu-webhook", "kubectl-tpu":
                (folder / "bin" / name).symlink_to(pathlib.Path(options.program).with_name(name))
            (folder / "values.yaml").write_text(json.dumps(self.given), encoding="utf-8")
            (folder / "ca.crt").write_text(PEM, encoding="utf-8")
            (folder / "kubeconfig").write_text(json.dumps({
                "apiVersion": "v1", "kind": "Config", "current-context": "t",
                "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}], "users": [{"name": "u", "user": {}}],
                "contexts": [{"name": "t", "context": {"cluster": "c", "user": "u"}}]}), encoding="utf-8")
            environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder), "KUBECONFIG": str(folder / "kubeconfig")}
            answer = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False,
                                    timeout=120)
        if check and answer.returncode:
            raise AssertionError(f"{command}\n{answer.stdout}{answer.stderr}")
        return answer

    def values(self):
        """Returns all values that the release is rendered with, as `helm get values --all` prints them."""
        kept = record(newest(self))
        return coalesced(kept["chart"]["values"], kept.get("config") or {})

    def rendered(self, release=RELEASE):
        text = record(newest(self, release))["manifest"]
        return {(re.search(r"^kind: (\w+)", one, re.M)[1], re.search(r"^  name: (\S+)", one, re.M)[1]): one.strip()
                for one in re.split(r"^---$", text, flags=re.M) if "kind:" in one}

    def checks(self, tools="kubectl-tpu"):
        """`kubectl tpu` takes half a second longer."""
        return json.loads(self.run(f"{tools} doctor --output json", check=False).stdout)["checks"]

    def commands(self, check):
        return commands_of(self.checks(), check)


@functools.cache
def installed(helm, values):
    return Installation(helm, json.loads(values))


def coalesced(defaults, values):
    """Returns the default values of a chart with `values` merged into them. A null removes the default."""
    out = {**defaults, **values}
    for key in defaults.keys() & values.keys():
        if isinstance(defaults[key], dict) and isinstance(values[key], dict):
            out[key] = coalesced(defaults[key], values[key])
    return {key: value for key, value in out.items() if value is not None}


def commands_of(checks, check):
    """Returns the commands of helm and kubectl that the fixes of a check contain."""
    return [command for one in checks if one["check"] == check and one["fix"] for command in commands_in(one["fix"])]


def commands_in(fix):
    """Each command of a fix: to the next ";", "&&" or "#" that is not quoted."""
    parts = re.findall(r"(?:'[^']*'|[^;#&'])+", fix)
    verbs = r"(?:helm|kubectl) (?:-n \S+ )?(?:upgrade|install|uninstall|rollback|delete|patch|rollout re\w+)"
    found = [re.search(rf"(?:^|: |\s)({verbs} .*)", part) for part in parts]
    return [one[1].strip() for one in found if one]


def entries(installation, kind=MUTATING):
    return installation.cluster.one(kind)["webhooks"]


GONE = object()


def edited(at, path, value):
    """Sets the value at `path`, or removes it if `value` is GONE.

    In a path, "*" stands for each element of a list, and "-" for a new last element.
    """
    key, _, below = path.partition("/")
    for each in range(len(at)) if key == "*" else [int(key) if key.isdigit() else key.replace("~1", "/")]:
        if below:
            edited(at[each], below, value)
        elif value is GONE:
            del at[each]
        elif key == "-":
            at.append(copy.deepcopy(value))
        else:
            at[each] = copy.deepcopy(value)


def edit(kind, edits, name="tpu-webhook"):
    """Returns a function that makes these edits, {path: value}, in an object of the release."""
    def spoil(installation):
        for path, value in edits.items():
            edited(installation.cluster.one(kind, name, NAMESPACE), path, value)
    return spoil


def removed(kind, name="tpu-webhook"):
    return lambda installation: installation.cluster.remove(kind, name, NAMESPACE)


def nothing(_):
    pass


ignore = edit(MUTATING, {"webhooks/0/failurePolicy": "Ignore"})
POD = "spec/template/spec"


def rival(installation):
    installation.cluster.write(path_of(MUTATING, "kuberay-tpu-webhook"), {
        "metadata": {"name": "kuberay-tpu-webhook"}, "webhooks": [{"name": "kuberay-tpu.example", "clientConfig": {}}]})


def one_entry_more(installation):
    more = copy.deepcopy(entries(installation)[0])
    more["name"] = "mine.example.dev"
    more["matchConditions"][0]["expression"] = "has(object.spec)"
    entries(installation).append(more)


def with_sidecar(container):
    """Returns a function that adds the Pod of a replica, with a second container of this name."""
    def spoil(installation):
        template = copy.deepcopy(installation.cluster.one("Deployment", namespace=NAMESPACE)["spec"]["template"])
        template["metadata"]["name"] = "replica"
        template["spec"]["containers"].append({"name": container})
        installation.cluster.write(path_of("Pod", "replica", NAMESPACE), template)
    return spoil


def of_gke(installation):
    installation.cluster.about = {**VERSION, "gitVersion": "v1.36.3-gke.1"}


UPGRADE = f"helm upgrade {RELEASE} charts/tpu-webhook -n {NAMESPACE} --reset-then-reuse-values"
# Each row is (values, {check: function that causes its finding}, values that the commands may change, or None if the
# commands uninstall the release). A row has several findings if UPGRADE alone fixes each of them, or if UPGRADE alone
# fixes none of them.
CASES = [
    (VALUES, {
        "failure-policy": ignore, "configuration": edit(MUTATING, {"webhooks/0/reinvocationPolicy": "Never"}),
        "validation": edit(VALIDATING, {"webhooks/*/clientConfig/service/name": "other"}),
        "service": edit("Service", {"spec/ports/0/targetPort": 8443}),
        "pods": edit("Deployment", {f"{POD}/containers/0/readinessProbe": GONE}),
        "network-policy": edit("NetworkPolicy", {"spec/ingress": []}),
        "namespaces": edit(MUTATING, {"webhooks/0/namespaceSelector": GONE}),
        "spreading": edit("Deployment", {f"{POD}/topologySpreadConstraints": GONE}),
        "account": edit("ServiceAccount", {"automountServiceAccountToken": True}), "rbac": removed("ClusterRole"),
        "flow-schema": edit("FlowSchema", {"spec/matchingPrecedence": 9999}),
        "labels": edit("Service", {"metadata/labels/app.kubernetes.io~1instance": "other"}),
        "certificate": removed("Secret", "tpu-webhook-certificate")}, set()),
    (VALUES, {
        "failure-policy": edit(MUTATING, {"webhooks/0/timeoutSeconds": 2}),
        "configuration": edit(MUTATING, {"webhooks/*/clientConfig/service/name": "other"}),
        "service": removed("Service"), "rbac": removed("RoleBinding"), "account": removed("ServiceAccount")}, set()),
    (VALUES, {"configuration": edit(MUTATING, {"webhooks/3": GONE}), "deployment": removed("Deployment")}, set()),
    (VALUES, {"configuration": removed(MUTATING)}, set()),
    (SHADOW, {"configuration": removed(MUTATING)}, set()),
    (VALUES, {
        "configuration": edit(MUTATING, {"webhooks/0/clientConfig": {"url": "https://10.0.0.1/mutate"}}),
        "service": edit("Service", {"spec/type": "ExternalName", "spec/externalName": "example.com"}),
        "pods": edit("Deployment", {f"{POD}/hostNetwork": True}),
        "rbac": edit("ClusterRole", {"metadata/labels/rbac.authorization.k8s.io~1aggregate-to-admin": "true"})}, set()),
    (VALUES, {"configuration": edit(MUTATING, {"webhooks/3/objectSelector": {"matchLabels": {"team": "a"}}}),
              "pods": edit("Deployment", {f"{POD}/containers/-": {"name": "vault-agent", "image": "v"}})}, set()),
    (VALUES, {"configuration": edit(MUTATING, {"webhooks/0/matchConditions/-": {"name": "off", "expression": "false"}}),
              "pods": edit("Deployment", {f"{POD}/containers/0/ports/0/hostPort": 9443})}, set()),
    (VALUES, {"configuration": one_entry_more}, set()),
    (VALUES, {"disruption": edit("PodDisruptionBudget", {"spec/maxUnavailable": GONE, "spec/minAvailable": 4})}, set()),
    ({**VALUES, "podMonitor": {"enabled": True}}, {"pod-monitor": edit("PodMonitor", {"spec/selector/matchLabels/a": "b"})}, set()),
    ({**VALUES, "failurePolicy": "Ignore"}, {"failure-policy": nothing}, {"failurePolicy"}),
    ({**VALUES, "timeoutSeconds": 3}, {"failure-policy": nothing}, {"timeoutSeconds"}),
    ({**VALUES, "extraArgs": ["--listen=:9999"]}, {"service": nothing}, {"extraArgs"}),
    ({**VALUES, "extraEnv": [{"name": "HTTPS_PROXY", "value": "http://p"}]}, {"replicas": nothing}, {"extraEnv"}),
    (VALUES, {"replicas": with_sidecar("istio-proxy")}, {"podLabels", "podLabels.sidecar.istio.io/inject"}),
    (VALUES, {"replicas": with_sidecar("linkerd-proxy")}, {"podAnnotations", "podAnnotations.linkerd.io/inject"}),
    (VALUES, {"deployment": edit("Deployment", {"spec/replicas": 0})}, {"replicas"}),
    ({**VALUES, "replicas": 1}, {"deployment": edit("Deployment", {"status": {"availableReplicas": 1}})}, {"replicas"}),
    (VALUES, {"port": of_gke}, {"port"}),
    ({**VALUES, "extraArgs": ["--health-listen=:9000"]}, {"pods": nothing}, {"extraArgs"}),
    (VALUES, {"flow-schema": edit("FlowSchema", {"spec/priorityLevelConfiguration/name": "none"})}, {"flowSchema.priorityLevel"}),
    ({**VALUES, "flowSchema": {"priorityLevel": "none"}}, {"flow-schema": nothing}, {"flowSchema.priorityLevel"}),
    (USUAL, {"priority": removed("PriorityClass")}, set()),
    (USUAL, {"priority": edit("PriorityClass", {"value": 10})}, set()),
    (USUAL, {"priority": edit("PriorityClass", {"globalDefault": True})}, set()),
    (VALUES, {"priority": nothing}, {"priorityClassName"}),
    (CRITICAL, {"priority": removed("ResourceQuota", "tpu-webhook-critical-pods")}, set()),
    (CRITICAL, {"priority": edit("ResourceQuota", {"spec/hard/pods": "1"}, "tpu-webhook-critical-pods")}, set()),
    (VALUES, {"rival": rival}, {"config.workloads"}),
    ({**VALUES, "config": {"mode": "enforce", "workloads": ["ray"]}}, {"rival": rival}, None),
    (SUPPLIED, {"ca-bundle": edit(MUTATING, {"webhooks/0/clientConfig/caBundle": "bm9uZQ=="})}, {"certificate.caBundle"}),
]


class Fixes(unittest.TestCase):
    maxDiff = None

    def test_no_fix_changes_a_value_that_it_does_not_name(self):
        for helm in options.helm:
            # How values are kept is the same in both, so that of the second a few will do.
            for values, wrong, named in CASES if helm == options.helm[0] else CASES[::8]:
                with self.subTest(helm=pathlib.Path(helm).name, checks=list(wrong), named=named):
                    installation = Installation.of(helm, values)
                    before, rendered = installation.values(), installation.rendered()
                    for spoil in wrong.values():
                        spoil(installation)
                    checks = installation.checks()
                    commands = {check: list(dict.fromkeys(commands_of(checks, check))) for check in wrong}
                    for check, found in commands.items():
                        self.assertTrue(found, [one for one in checks if one["check"] == check])
                        self.assertTrue(len(wrong) == 1 or (found == [UPGRADE]) == ([UPGRADE] in commands.values()), commands)
                    found = list(dict.fromkeys(itertools.chain(*commands.values())))
                    if found[0].startswith("kubectl") and not options.kubectl:
                        continue
                    for command in found[:1] if named or named is None else found:
                        installation.run(command)
                    if named is None:  # it goes, with all that it rendered
                        self.assertIn("uninstall", found[0])
                        self.assertNotEqual(0, installation.run(f"helm status {RELEASE} -n {NAMESPACE}", check=False).returncode)
                        continue
                    self.assertLessEqual(differing(before, installation.values()), named, found[0])
                    if not named:
                        checks = installation.checks()
                        self.assertEqual(rendered, installation.rendered())
                        self.assertEqual({}, {check: left for check in wrong if (left := commands_of(checks, check))}, "it is not mended")

    def test_defaults_of_an_older_chart_stay(self):
        """Installed by 0.1 with its defaults: they are others now, and the command says those that were."""
        with tempfile.TemporaryDirectory() as folder:
            older = pathlib.Path(folder) / "tpu-webhook"
            shutil.copytree(ROOT / "charts" / "tpu-webhook", older)
            for file, before, after in [("Chart.yaml", "version: 0.2.0\n", "version: 0.1.0\n"), ("values.yaml", "\n  mode: shadow\n", "\n  mode: enforce\n"),
                                        ("values.yaml", "\nport: 10250\n", "\nport: 8443\n"),
                                        ("values.yaml", "\npriorityClassName: tpu-webhook\n", '\npriorityClassName: ""\n')]:
                text = (older / file).read_text(encoding="utf-8")
                self.assertIn(before, text)
                (older / file).write_text(text.replace(before, after), encoding="utf-8")
            for helm in options.helm:
                installation = Installation(helm, {"image": {"repository": "r"}}, Cluster())
                installation.run(f"helm install {RELEASE} {older} -n {NAMESPACE} --create-namespace -f values.yaml")
                before = installation.values()
                ignore(installation)
                installation.run(installation.commands("failure-policy")[0])
                self.assertEqual(set(), differing(before, installation.values()), "failurePolicy was Fail before it was edited")

    def test_a_neighbour_is_uninstalled_from_its_own_namespace(self):
        """Whose release it is says Helm's annotation; `doctor` can only know that."""
        for helm in options.helm:
            installation = Installation.of(helm, VALUES)
            with tempfile.TemporaryDirectory() as folder:
                chart = pathlib.Path(folder) / "chart"
                (chart / "templates").mkdir(parents=True)
                (chart / "Chart.yaml").write_text("{apiVersion: v2, name: kuberay-tpu-webhook, version: 1.0.0}")
                (chart / "templates" / "webhook.yaml").write_text(json.dumps({
                    "apiVersion": "admissionregistration.k8s.io/v1", "kind": MUTATING, "metadata": {"name": "kuberay-tpu-webhook-cfg"},
                    "webhooks": [{"name": "kuberay-tpu.example.dev", "clientConfig": {}}]}))
                installation.run(f"helm install rays {chart} -n of-ray --create-namespace")
            fix = next(one["fix"] for one in installation.checks() if one["check"] == "rival" and one["fix"])
            self.assertIn("helm uninstall rays -n of-ray", fix)
            installation.run("helm uninstall rays -n of-ray")
            self.assertFalse([one for one in installation.checks() if one["check"] == "rival" and one["fix"]])

    def test_what_was_rendered_by_hand_is_told_in_words(self):
        """`helm template | kubectl apply`: a command of Helm's would say "has no deployed releases"."""
        for helm in options.helm:
            installation = Installation.of(helm, VALUES)
            for one in installation.cluster.store.values():
                one["metadata"].pop("annotations", None)
            ignore(installation)
            fixes = [one["fix"] for one in installation.checks() if one["check"] == "failure-policy"]
            self.assertIn("render the chart again", fixes[0])
            self.assertEqual([], commands_in(fixes[0]))

    def test_names_are_words_of_the_shell(self):
        """Who may write the annotation makes no command."""
        for helm in options.helm:
            installation = Installation.of(helm, VALUES)
            for kind, namespace in ((MUTATING, ""), (VALIDATING, ""), ("Deployment", NAMESPACE), ("Service", NAMESPACE),
                                    ("ClusterRole", ""), ("ClusterRoleBinding", "")):
                installation.cluster.one(kind, namespace=namespace)["metadata"]["annotations"]["meta.helm.sh/release-name"] = "x; touch pwned #"
            for entry in entries(installation):
                entry["clientConfig"]["service"]["namespace"] = "x'; touch pwned #"
            ignore(installation)
            for one in installation.checks():
                self.assertNotRegex(re.sub(r"'[^']*'|\\\\'", "", one["fix"] or ""), "touch", one)
                for command in commands_in(one["fix"] or ""):
                    self.assertNotIn("touch", shlex.split(command))


def on_one_node(installation):
    template = installation.cluster.one("Deployment", namespace=NAMESPACE)["spec"]["template"]
    for name in ("replica-a", "replica-b"):
        pod = copy.deepcopy(template)
        pod["metadata"]["name"], pod["spec"]["nodeName"] = name, "node"
        pod["spec"]["containers"][0]["image"] = "r.example/tpu-webhook:v6"
        installation.cluster.write(path_of("Pod", name, NAMESPACE), pod)


def with_a_keeper(installation):
    on_one_node(installation)
    pod = copy.deepcopy(installation.cluster.one("Deployment", "tpu-webhook-keeper", NAMESPACE)["spec"]["template"])
    pod["metadata"]["name"] = "keeper"
    installation.cluster.write(path_of("Pod", "keeper", NAMESPACE), pod)


def rolled_out(installation):
    edit("Deployment", {"metadata/generation": 1, "status": {
        "observedGeneration": 1, "replicas": 4, "updatedReplicas": 4, "availableReplicas": 4, "readyReplicas": 4}})(installation)
    on_one_node(installation)


def strangers(installation):
    on_one_node(installation)
    installation.cluster.write(path_of("EndpointSlice", "x", NAMESPACE), {
        "metadata": {"name": "x", "labels": {"kubernetes.io/service-name": "tpu-webhook"}}, "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"], "targetRef": {"kind": "Pod", "name": "nginx"}}]})


def opted_in(installation):
    installation.cluster.write(path_of("Namespace", "team"), {"metadata": {"name": "team", "labels": {"kubernetes.io/metadata.name": "team"}}})


def managed(installation):
    installation.cluster.write(path_of("Certificate", "tpu-webhook", NAMESPACE), {"metadata": {"name": "tpu-webhook"}, "spec": {}})


# (what is wrong, values, the check that says so, how its command begins, what it answers with)
LOOKS = [
    (nothing, VALUES, "deployment", "kubectl -n hooks describe deployment,pods", "tpu-webhook"),
    (nothing, VALUES, "service", "kubectl -n hooks get pods,events", ""),
    (strangers, VALUES, "service", "kubectl -n hooks get pods --show-labels", "replica-a"),
    (with_a_keeper, VALUES, "certificate", "kubectl -n hooks logs deployment/tpu-webhook-keeper", "made up"),
    (with_a_keeper, VALUES, "ca-bundle", "kubectl -n hooks logs deployment/tpu-webhook-keeper", "made up"),
    (rolled_out, VALUES, "versions", "kubectl -n hooks rollout status deployment/tpu-webhook", "successfully rolled out"),
    (managed, {**VALUES, "certificate": {"mode": "cert-manager"}}, "ca-bundle", "kubectl -n hooks describe certificates", "tpu-webhook"),
    (managed, {**VALUES, "certificate": {"mode": "cert-manager"}}, "certificate", "kubectl -n hooks describe certificates", "tpu-webhook"),
]


class Others(unittest.TestCase):
    """Commands that change no release: each is run as printed by the real kubectl."""

    def setUp(self):
        if not options.kubectl:
            self.skipTest("no kubectl")

    def printed(self, installation, check, beginning):
        fixes = [one["fix"] for one in installation.checks() if one["check"] == check and one["fix"]]
        (command,) = {fix[fix.index(beginning):].partition(" # ")[0] for fix in fixes if beginning in fix}
        return command

    def test_what_looks_ends_well_and_changes_nothing(self):
        for spoil, values, check, beginning, answer in LOOKS:
            with self.subTest(command=beginning, check=check):
                installation = Installation.of(options.helm[0], values)
                spoil(installation)
                command = self.printed(installation, check, beginning)
                before = copy.deepcopy(installation.cluster.store)
                self.assertIn(answer, installation.run(command).stdout)
                self.assertEqual(before, installation.cluster.store)

    def test_a_rollout_is_resumed(self):
        installation = Installation.of(options.helm[0], VALUES)
        edit("Deployment", {"spec/paused": True, "status": {"availableReplicas": 4}})(installation)
        installation.run(self.printed(installation, "deployment", "kubectl -n hooks rollout resume"))
        self.assertNotIn("paused", installation.cluster.one("Deployment", namespace=NAMESPACE)["spec"])
        self.assertEqual(["ok"], [one["verdict"] for one in installation.checks("kubectl tpu") if one["check"] == "deployment"])

    def test_replicas_are_made_again(self):
        """Where they then stand is the scheduler's: tests/unit/kubectl/inspect/doctor plays it."""
        installation = Installation.of(options.helm[0], VALUES)
        on_one_node(installation)
        before = installation.values()
        installation.run(self.printed(installation, "replicas", "kubectl -n hooks rollout restart"))
        annotations = installation.cluster.one("Deployment", namespace=NAMESPACE)["spec"]["template"]["metadata"]["annotations"]
        self.assertIn("kubectl.kubernetes.io/restartedAt", annotations)
        self.assertEqual(before, installation.values())

    def test_a_namespace_is_labelled(self):
        installation = Installation.of(options.helm[0], {**VALUES, "namespaces": {"optIn": {"enabled": True}}})
        opted_in(installation)
        installation.run(self.printed(installation, "namespaces", "kubectl label namespace NAME").replace("NAME", "team"))
        self.assertEqual(["ok"], [one["verdict"] for one in installation.checks() if one["check"] == "namespaces"])

    def test_a_secret_is_made_of_files(self):
        installation = Installation.of(options.helm[0], SUPPLIED)
        command = self.printed(installation, "certificate", "kubectl -n hooks create secret tls mine")
        make = ("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=tpu-webhook "
                "-addext subjectAltName=DNS:tpu-webhook.hooks.svc -keyout tls.key -out tls.crt")
        installation.run(f"{make} && {command}")
        self.assertEqual(["ok"], [one["verdict"] for one in installation.checks() if one["check"] == "certificate"])


# Values that a user may choose, and about which doctor must not complain. A row has several values, but no check of
# doctor reads two values of the same row.
CHOSEN = [
    {},
    {"config": {"mode": "enforce"}, "shadowNamespaces": {"label": ""}, "timeoutSeconds": 25, "port": 8443, "networkPolicy": {"enabled": False},
     "priorityClassName": "", "resources": {"limits": {"memory": "1Gi"}}},
    {"config": {"mode": "shadow", "perWorkload": {"jobset": {"mode": "enforce"}}}, "namespaces": {"exclude": ["a", "b"]},
     "networkPolicy": {"apiServerPorts": [16443]}, "podLabels": {"a": "b"}, "commonLabels": {"c": "d"}, "extraArgs": ["--threads=4"]},
    {"config": {"mode": "enforce", "workloads": ["ray", "job"]}, "namespaces": {"selector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-public"}}},
     "extraEnv": [{"name": "A", "value": "b"}], "tolerations": [{"operator": "Exists"}], "podSecurityContext": {"runAsUser": 1000, "fsGroup": None}},
    {"config": {"mode": "enforce", "workloads": ["pod"], "ledger": "none"}, "validation": False, "podSecurityContext": None,
     "podMonitor": {"enabled": True, "interval": "15s"}, "topologySpreadConstraints": [{
         "topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "tpu-webhook"}}}]},
    {"config": {"mode": "enforce", "annotationPrefix": "x.example", "drain": {"delay": "10s", "timeout": "60500ms"}}, "replicas": None,
     "priorityClassName": "system-cluster-critical", "flowSchema": {"priorityLevel": "workload-high"}, "commonAnnotations": {"a": "b"}},
    {"certificate": {"mode": "cert-manager"}, "flowSchema": {"enabled": False}, "serviceAccount": {"annotations": {"iam.gke.io/x": "y"}},
     "image": {"pullSecrets": ["s"], "pullPolicy": "Always"}, "extraVolumes": [{"name": "v", "emptyDir": {}}], "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}]},
    {"certificate": SUPPLIED["certificate"], "affinity": {"podAntiAffinity": {}}, "nodeSelector": {"a": "b"}},
    {"certificate": SUPPLIED["certificate"], "config": {"ledger": "none"}},
    {"certificate": SUPPLIED["certificate"], "config": {"ledger": "none", "placementHint": False, "followers": False}},
]


class Chosen(unittest.TestCase):
    def test_what_values_choose_is_as_it_should_be(self):
        """Of what the real helm renders `doctor` says that it is what the program would render."""
        compared = {"configuration", "failure-policy", "namespaces", "installations", "settings", "validation", "pods", "replicas",
                    "network-policy", "disruption", "rbac", "release", "labels", "spreading", "priority", "quota", "account", "flow-schema",
                    "pod-monitor", "values"}
        for values in CHOSEN:
            with self.subTest(values=values):
                installation = Installation(options.helm[0], {**values, "image": {**values.get("image", {}), "repository": "r"}})
                installation.cluster.write("/api/v1/namespaces/kube-public", {"metadata": {
                    "name": "kube-public", "labels": {"kubernetes.io/metadata.name": "kube-public"}}}, "Namespace")
                self.assertEqual([], [one for one in installation.checks() if one["check"] in compared and one["verdict"] != "ok"])


class FirstAid(unittest.TestCase):
    """docs/first-aid.md: what stands there is what `doctor` says, and it helps."""

    def states(self, helm):
        sound = Installation.of(helm, VALUES)
        yield "namespace", sound.copy(), lambda one: one.cluster.remove_namespace(NAMESPACE)
        yield "configurations", sound.copy(), lambda one: [one.cluster.remove(kind) for kind in (MUTATING, VALIDATING)]
        yield "pending-upgrade", sound.copy(), pending_upgrade
        yield "pending-install", sound.copy(), lambda one: mark(one, "pending-install")
        yield "record", sound.copy(), lambda one: [one.cluster.store.pop(path) for path in records(one)]

    def test_each_command_helps(self):
        page = " ".join((ROOT / "docs" / "first-aid.md").read_text(encoding="utf-8").replace("\\\n", " ").split())
        for helm in options.helm:
            for name, installation, break_it in self.states(helm):
                with self.subTest(helm=pathlib.Path(helm).name, state=name):
                    rendered = installation.rendered()
                    break_it(installation)
                    commands, done = self.complaints(installation), []
                    self.assertTrue(commands)
                    for command in commands:
                        usual = command.replace(RELEASE, "tpu-webhook").replace(f"-n {NAMESPACE}", "-n tpu-webhook-system").replace("rollback tpu-webhook 1 ", "rollback tpu-webhook REVISION ")
                        self.assertIn(" ".join(usual.split()), page)
                    for _ in range(3):  # "… and install it again": what is then to do, doctor says
                        if not commands:
                            break
                        if not options.kubectl:
                            commands = [one for one in commands if one.startswith("helm")]
                        for command in commands:
                            done.append(installation.run(command.replace("REGISTRY", "r.example")).args[-1])
                        commands = self.complaints(installation)
                    self.assertEqual([], commands, done)
                    release, namespace = self.release(installation)
                    if name == "pending-install":  # nothing is known of it any more
                        self.assertEqual(("tpu-webhook", "tpu-webhook-system"), (release, namespace))
                        continue
                    self.assertEqual((RELEASE, NAMESPACE), (release, namespace))
                    found = installation.rendered(release)
                    self.assertEqual(rendered, found, done)
                    for kind, called in rendered:
                        self.assertIn(path_of(kind, called, NAMESPACE), installation.cluster.store, done)

    @staticmethod
    def complaints(installation):
        """What the first line says that has to do with Helm's record, or with what is not there."""
        checks = installation.checks()
        return next(filter(None, (commands_of(checks, check) for check in ("release", "configuration", "validation"))), [])

    @staticmethod
    def release(installation):
        annotations = installation.cluster.one(MUTATING)["metadata"]["annotations"]
        return annotations["meta.helm.sh/release-name"], annotations["meta.helm.sh/release-namespace"]


class Rollback(unittest.TestCase):
    """What a replica has written is there after every revision; tests/e2e/test_rollback.py plays it under load."""

    STEPS = [f"helm upgrade {RELEASE} charts/tpu-webhook -n {NAMESPACE} --reset-then-reuse-values --set timeoutSeconds=8",
             f"helm rollback {RELEASE} 1 -n {NAMESPACE}",
             f"helm upgrade {RELEASE} charts/tpu-webhook -n {NAMESPACE} --reset-then-reuse-values --set 'config.workloads={{ray}}'",
             f"helm rollback {RELEASE} 1 -n {NAMESPACE}", f"helm rollback {RELEASE} 2 -n {NAMESPACE}"]

    def test_every_entry_keeps_its_bundle(self):
        for helm in options.helm:
            installation = Installation.of(helm, VALUES)
            bundle = "T0xE"
            self.write(installation, bundle)
            for step in self.STEPS:
                installation.run(step)
                with self.subTest(helm=pathlib.Path(helm).name, step=step):
                    for kind in (MUTATING, VALIDATING):
                        self.assertEqual({bundle}, {entry["clientConfig"].get("caBundle") for entry in entries(installation, kind)})
                bundle += "T0xE"  # a CA was renewed meanwhile
                self.write(installation, bundle)

    @staticmethod
    def write(installation, bundle):
        """As a replica does."""
        edit("Secret", {"data": {"bundle.crt": bundle}}, "tpu-webhook-certificate")(installation)
        for kind in (MUTATING, VALIDATING):
            edit(kind, {"webhooks/*/clientConfig/caBundle": bundle})(installation)


class Notes(unittest.TestCase):
    """What helm says after an install, typed as it stands, one line after the other."""

    def test_a_namespace_goes_into_shadow_mode_and_back(self):
        opt_in = {"optIn": {"enabled": True, "value": "yes"}}
        for namespaces, shadow, labels in [({}, {}, ["shadow", None]), (opt_in, {}, ["yes", "shadow", "yes"]),
                                           (opt_in, {"label": "x.example/y"}, ["yes", "yes", "yes"])]:
            with self.subTest(namespaces=namespaces, shadow=shadow):
                installation = Installation.of(options.helm[-1], {**VALUES, "namespaces": namespaces, "shadowNamespaces": shadow})
                installation.cluster.write(path_of("Namespace", "team"), {"metadata": {"name": "team"}})
                found = []
                for command in self.notes(installation, "kubectl label namespace NAME"):
                    installation.run(command.replace("NAME", "team"))
                    found.append(installation.cluster.one("Namespace", "team")["metadata"].get("labels", {}).get("tpu-webhook.dev/mode"))
                self.assertEqual(labels, found)

    def test_they_say_how_to_take_another_mode(self):
        """doctor says how to enforce if the mode is shadow, and how to use other certificates if they are internal.

        The command changes no other value.
        """
        internal = {**VALUES, "certificate": {"mode": "internal"}}
        for helm, (values, mode) in itertools.product(options.helm, [(SHADOW, "config.mode"), (internal, "certificate.mode")]):
            installation = Installation.of(helm, values)
            before = installation.values()
            (command,) = self.upgrades(installation, mode)
            installation.run(command)
            self.assertEqual({mode}, differing(before, installation.values()))
            self.assertEqual([], self.upgrades(installation, mode))

    def test_the_last_lines_leave_nothing(self):
        for helm in options.helm:
            installation = Installation.of(helm, VALUES)
            for command in self.notes(installation, "kubectl delete") + self.notes(installation, "helm -n"):
                installation.run(command)
            self.assertEqual({f"/api/v1/namespaces/{one}" for one in ("default", "kube-system", NAMESPACE)}, set(installation.cluster.store) - {path_of("PriorityLevelConfiguration", "workload-high")})

    def test_into_default_they_say_what_that_means(self):
        """And how to have a namespace of its own, with the values that it has."""
        for helm in options.helm:
            installation = Installation(helm, VALUES, Cluster())
            opted_in(installation)  # a namespace whose Pods are sent
            installation.run(f"helm install {RELEASE} charts/tpu-webhook -n default -f values.yaml")
            text = installation.run(f"helm get notes {RELEASE} -n default").stdout
            self.assertIn("Its own namespace is never handled", text)
            (said,) = [one for one in installation.checks() if one["check"] == "namespaces"]
            self.assertEqual("warn", said["verdict"])
            self.assertIn("is installed in default", said["what"])
            lines = [line.strip() for line in text.splitlines() if re.match(r" +helm (get|uninstall|install) ", line)]
            # In one folder: the second reads what the first has written.
            installation.run(" && ".join(lines[:3]))
            moved = json.loads(installation.run(f"helm get values {RELEASE} -n tpu-webhook-system -o json").stdout)
            self.assertEqual(VALUES, moved)
            self.assertEqual("ok", next(one["verdict"] for one in installation.checks() if one["check"] == "namespaces"))
            self.assertNotIn("Its own namespace", installation.run(f"helm get notes {RELEASE} -n tpu-webhook-system").stdout)

    def upgrades(self, installation, value):
        """Those that set this value."""
        return [line for line in self.notes(installation, "helm upgrade") if f" {value}=" in line]

    def notes(self, installation, beginning):
        if beginning.startswith("kubectl") and not options.kubectl:
            self.skipTest("no kubectl")
        text = installation.run(f"helm get notes {RELEASE} -n {NAMESPACE}").stdout
        return [line.strip() for line in text.splitlines() if line.strip().startswith(beginning)]


def records(installation):
    return [path for path in installation.cluster.store if "/secrets/sh.helm.release" in path]


def newest(installation, release=RELEASE):
    """Of Helm's records of a release the last; it is quicker to read than to ask helm."""
    found = [installation.cluster.store[path] for path in records(installation)]
    return max((one for one in found if one["metadata"]["labels"]["name"] == release), key=lambda one: int(one["metadata"]["labels"]["version"]))


def record(secret):
    return json.loads(gzip.decompress(base64.b64decode(base64.b64decode(secret["data"]["release"]))))


def mark(installation, state, which=-1):
    """Sets the status in one of Helm's release records and in its label, by default in the newest record."""
    secret = installation.cluster.store[records(installation)[which]]
    changed = record(secret)
    secret["metadata"]["labels"]["status"] = changed["info"]["status"] = state
    secret["data"]["release"] = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(changed).encode()))).decode()


def pending_upgrade(installation):
    installation.run(f"helm upgrade {RELEASE} charts/tpu-webhook -n {NAMESPACE} --reuse-values --set replicas=5")
    mark(installation, "pending-upgrade")
    mark(installation, "deployed", 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--helm", action="append", help="instead of the pinned ones; several")
    options, rest = parser.parse_known_args()
    options.kubectl = kubectl_program()
    if not options.helm and not shutil.which("go"):
        print("no go to build helm with")
        sys.exit(1 if os.environ.get("TPUWH_READERS_REQUIRED") else 77)  # .ci/run sets it
    options.helm = [str(pathlib.Path(one).resolve()) for one in options.helm or helm_programs()]
    unittest.main(argv=[sys.argv[0], *rest])
