"""Renders charts/tpu-webhook with the real helm and looks at what comes out.

    python3 tests/charts/chart.py --program build/dev/server/tpu-webhook
    python3 tests/charts/chart.py --update          # rewrites golden/default.yaml; read its diff
"""

import argparse
import base64
import difflib
import functools
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHART = ROOT / "charts" / "tpu-webhook"
GOLDEN = HERE / "golden" / "default.yaml"
NAMESPACE = "tpu-webhook-system"
PEM = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"
BASE64 = base64.b64encode(PEM.encode()).decode()

# (values, flags that are passed because of them, and no more than those of the defaults)
FLAGS = [
    ({}, ["--listen=:8443", "--health-listen=:8081", "--tls-cert=/certificate/tls.crt",
          "--tls-key=/certificate/tls.key", "--drain-delay=5s", "--drain-timeout=20s",
          "--annotation-prefix=tpu-webhook.dev", "--ledger=cluster", "--log-format=json"]),
    ({"port": 10250}, ["--listen=:10250"]),
    ({"drain": {"delaySeconds": 0, "timeoutSeconds": 60}}, ["--drain-delay=0s", "--drain-timeout=60s"]),
    ({"annotationPrefix": "tpu.example.com"}, ["--annotation-prefix=tpu.example.com"]),
    ({"ledger": "none"}, ["--ledger=none"]),
    ({"log": {"format": "text", "level": "debug"}}, ["--log-format=text", "--log-level=debug"]),
    ({"threads": 8}, ["--threads=8"]),
    ({"mode": "shadow"}, ["--mode=shadow"]),
    ({"workloads": ["ray", "jobset"]}, ["--workloads=ray,jobset"]),
    ({"workloads": ["pod", "job", "jobset", "ray", "lws", "statefulset"]},
     ["--workloads=pod,job,jobset,ray,lws,statefulset"]),
    ({"basePort": 65535}, ["--base-port=65535"]),
    ({"kuberayTruncatedService": True}, ["--kuberay-truncated-service"]),
    ({"tpuNameEverywhere": True}, ["--tpu-name-everywhere"]),
    ({"torchTpu": True}, ["--torch-tpu"]),
    ({"placement": False}, ["--no-placement"]),
    ({"perWorkload": {"ray": {"mode": "shadow"}}}, ["--config=/config/config.yaml"]),
    ({"perNamespace": {"a": {"placement": False}}}, ["--config=/config/config.yaml"]),
    ({"extraArgs": ["--threads=3"]}, ["--threads=3"]),
]

# (values, texts that are rendered because of them; one that begins with "no " is not)
TEXTS = [
    ({}, ["automountServiceAccountToken: true", "kind: ClusterRole\n"]),
    ({"ledger": "none"}, ["no automountServiceAccountToken: true", "no kind: ClusterRole"]),
    ({"replicas": 1}, ["replicas: 1", "no kind: PodDisruptionBudget", "no topologySpreadConstraints"]),
    ({"drain": {"delaySeconds": 10, "timeoutSeconds": 60}}, ["terminationGracePeriodSeconds: 75"]),
    ({"image": {"repository": "r.example/a", "tag": "v2"}}, ['image: "r.example/a:v2"']),
    ({"image": {"tag": "v2", "digest": "sha256:" + "0" * 64}}, [f'image: "tpu-webhook@sha256:{"0" * 64}"']),
    ({"certificate": {"secretName": "mine", "caBundle": PEM}},
     ["secretName: mine", f"caBundle: {BASE64}", "no kind: Secret"]),
    ({"certificate": {"secretName": "mine", "caBundle": f"{BASE64[:9]}\n{BASE64[9:]}\n"}},
     [f"caBundle: {BASE64}"]),
    ({"failurePolicy": "Ignore", "timeoutSeconds": 3}, ["timeoutSeconds: 3", "no failurePolicy: Fail"]),
    ({"mode": "shadow"}, ["timeoutSeconds: 2", "no failurePolicy: Fail"]),
    ({"mode": "shadow", "perWorkload": {"ray": {"mode": "shadow"}}}, ["no failurePolicy: Fail"]),
    ({"mode": "shadow", "perWorkload": {"ray": {"mode": "enforce"}}},
     ["failurePolicy: Fail", "timeoutSeconds: 10"]),
    ({}, ["no kind: PodMonitor"]),
    ({"podMonitor": {"enabled": True, "interval": "15s", "labels": {"release": "x"}}},
     ["kind: PodMonitor", "port: health", "path: /metrics", "interval: 15s", "release: x"]),
    ({}, ["no kind: ConfigMap", "no checksum/config", "no mountPath: /config"]),
    ({"perNamespace": {"a": {"placement": False}}, "podAnnotations": {"team": "x"}},
     ["kind: ConfigMap", "mountPath: /config", "checksum/config: ", "team: x"]),
    ({"namespaces": {"exclude": ["a", "kube-system"]}},
     [f"values:\n            - kube-system\n            - {NAMESPACE}\n            - a\n        - key"]),
    ({"namespaces": {"selector": {"matchLabels": {"tpu": "yes"}}}}, ['matchLabels:\n        tpu: "yes"']),
    ({"shadowNamespaces": {"label": "x.example/y", "value": "true"}}, ["key: x.example/y", 'values: ["true"]']),
    ({"shadowNamespaces": {"label": ""}}, ["no shadow.pods", "no shadow.workloads", "no /shadow", "path: /validate"]),
    ({"validation": False}, ["no ValidatingWebhookConfiguration", "no /validate"]),
    ({"workloads": ["job", "lws"]}, ["apiGroups: [batch]", "apiGroups: [leaderworkerset.x-k8s.io]", "no rayservices", "no jobsets"]),
    ({"workloads": ["pod", "statefulset"]}, ["no ValidatingWebhookConfiguration"]),
    ({"failurePolicy": "Fail", "timeoutSeconds": 20},
     ["path: /validate", "failurePolicy: Ignore\n    timeoutSeconds: 2\n    rules:\n      - apiGroups: [ray.io]"]),
    ({"annotationPrefix": "tpu.example.com"}, ["startsWith('tpu.example.com/')"]),
    ({"podLabels": {"app.kubernetes.io/name": "other", "team": "x"}},
     ["no app.kubernetes.io/name: other", "team: x"]),
    ({"priorityClassName": "system-cluster-critical"}, ["priorityClassName: system-cluster-critical"]),
]

# (values, what helm's message names)
REFUSED = [
    ({"replica": 3}, "'replica' not allowed"),
    ({"image": {"version": "1"}}, "'version' not allowed"),
    ({"replicas": 0}, "/replicas"),
    ({"ledger": "memory"}, "ledger: memory needs replicas: 1"),
    ({"ledger": "auto"}, "/ledger"),
    ({"replicas": "3"}, "/replicas"),
    ({"image": {"digest": "sha256:1"}}, "/image/digest"),
    ({"image": {"repository": ""}}, "/image/repository"),
    ({"image": {"pullPolicy": "always"}}, "/image/pullPolicy"),
    ({"port": 443}, "/port"),
    ({"port": 8081}, "/port"),
    ({"failurePolicy": "fail"}, "/failurePolicy"),
    ({"timeoutSeconds": 31}, "/timeoutSeconds"),
    ({"namespaces": {"exclude": ["A_b"]}}, "/namespaces/exclude/0"),
    ({"namespaces": {"selector": {"matchExpressions": [{"key": "a", "operator": "in"}]}}}, "/operator"),
    ({"shadowNamespaces": {"value": True}}, "/shadowNamespaces/value"),
    ({"mode": "off"}, "/mode"),
    ({"workloads": ["rays"]}, "/workloads/0"),
    ({"workloads": ["ray", "ray"]}, "/workloads"),
    ({"perWorkload": {"rays": {}}}, "'rays' not allowed"),
    ({"perWorkload": {"ray": {"mode": "off"}}}, "/perWorkload/ray/mode"),
    ({"perWorkload": {"ray": {"placment": False}}}, "'placment' not allowed"),
    ({"perNamespace": {"A": {"placement": False}}}, "invalid propertyName 'A'"),
    ({"perNamespace": {"a": {"mode": "shadow"}}}, "'mode' not allowed"),
    ({"annotationPrefix": "tpu.example.com/"}, "/annotationPrefix"),
    ({"annotationPrefix": "x')||true||('"}, "/annotationPrefix"),
    ({"basePort": 65536}, "/basePort"),
    ({"placement": "false"}, "/placement"),
    ({"validation": "false"}, "/validation"),
    ({"log": {"level": "trace"}}, "/log/level"),
    ({"threads": 65}, "/threads"),
    ({"drain": {"delaySeconds": -1}}, "/drain/delaySeconds"),
    ({"resources": {"memory": "1Gi"}}, "'memory' not allowed"),
    ({"extraArgs": ["-x"]}, "/extraArgs/0"),
    ({"certificate": {"secretName": "mine"}}, "certificate.caBundle is empty"),
    ({"certificate": {"secretName": "mine", "caBundle": "no"}}, "certificate.caBundle contains no certificate"),
    ({"certificate": {"caBundle": PEM}}, "certificate.caBundle is given without certificate.secretName"),
]


def helm(*arguments, values=None):
    """What helm prints; subprocess.CalledProcessError if it refuses."""
    return subprocess.run([options.helm, *arguments], input=json.dumps(values or {}), text=True,
                          capture_output=True, check=True, env={**os.environ, "KUBECONFIG": "/dev/null"}).stdout


def render(values=None, *more):
    return helm("template", "release", str(CHART), "--namespace", NAMESPACE, "--values", "-", *more,
                values=values)


@functools.cache
def defaults():
    return render()


def program(*arguments, text=""):
    """What the program prints."""
    return subprocess.run([options.program, *arguments], input=text, text=True, capture_output=True,
                          check=True).stdout


def leaves(schema, within=None, path=""):
    """path -> (type, choices) of everything that an object of the schema may hold."""
    if "$ref" in schema:
        schema = within["definitions"][schema["$ref"].rpartition("/")[2]]
    below = dict(schema.get("properties", {}))
    if schema.get("additionalProperties"):
        below["*"] = schema["additionalProperties"]
    if not below:
        choices = sorted(schema.get("enum", []))
        return {path: choices or schema["type"]}
    return {key: value for name, child in below.items() for key, value in leaves(child, within, f"{path}/{name}").items()}


def flags_in(text):
    return re.findall(r'^ +- "?(--[^"\n]+)"?$', text, re.MULTILINE)


def field(text, name):
    """The PEM in a field of base64; the first, if there are several."""
    return base64.b64decode(re.search(rf"{re.escape(name)}: (\S+)", text)[1]).decode()


class Chart(unittest.TestCase):
    maxDiff = None

    def test_lint(self):
        helm("lint", "--strict", str(CHART))

    def test_golden(self):
        found = re.sub(r"(ca\.crt|tls\.crt|tls\.key|caBundle): \S+", r"\1: MASKED", defaults())
        if options.update:
            GOLDEN.write_text(found, encoding="utf-8")
        diff = difflib.unified_diff(GOLDEN.read_text(encoding="utf-8").splitlines(), found.splitlines(),
                                    "golden", "rendered", lineterm="")
        self.assertEqual("", "\n".join(diff))

    def test_flags(self):
        standard = FLAGS[0][1]
        for values, wanted in FLAGS:
            with self.subTest(values):
                names = {flag.split("=")[0] for flag in wanted}
                rest = [flag for flag in standard if flag.split("=")[0] not in names]
                self.assertCountEqual(rest + wanted, flags_in(render(values)))

    def test_program_knows_the_flags(self):
        if not options.program:
            self.skipTest("no --program")
        known = subprocess.run([options.program, "serve", "--help"], check=True, capture_output=True, text=True)
        passed = {flag.split("=")[0] for _, flags in FLAGS for flag in flags}
        self.assertLessEqual(passed, set(re.findall(r"(--[a-z-]+)", known.stdout)))

    def test_program_takes_the_configuration_file(self):
        """As the kubelet would mount it; `config print` says that each value arrived."""
        if not options.program:
            self.skipTest("no --program")
        values = {"perWorkload": {"ray": {"mode": "shadow"}, "lws": {"placement": False}},
                  "perNamespace": {"team-a": {"placement": False}, "no": {"placement": True}}}
        text = re.search(r"  config\.yaml: \|\n((?:    .*\n)+)", render(values))[1]
        printed = program("config", "print", "--output=json", "--config=/dev/stdin", text=textwrap.dedent(text))
        found = json.loads(printed)["config"]
        self.assertEqual(values, {key: found[key] for key in values})

    def test_a_change_rolls_the_pods(self):
        sums = [re.search(r"checksum/config: (\w+)", render({"perWorkload": {"ray": {"mode": mode}}}))[1]
                for mode in ("shadow", "enforce", "shadow")]
        self.assertEqual(sums[0], sums[2])
        self.assertNotEqual(sums[0], sums[1])

    def test_program_and_chart_know_the_same_overrides(self):
        if not options.program:
            self.skipTest("no --program")
        of_program = json.loads(program("config", "schema"))["properties"]
        of_chart = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
        for name in ("perWorkload", "perNamespace"):
            with self.subTest(name):
                self.assertEqual(leaves(of_program[name]), leaves(of_chart["properties"][name], of_chart))

    def test_texts(self):
        for values, texts in TEXTS:
            rendered = render(values)
            for text in texts:
                with self.subTest(values, text=text):
                    if text.startswith("no "):
                        self.assertNotIn(text[3:], rendered)
                    else:
                        self.assertIn(text, rendered)

    def test_rbac_is_what_the_program_asks_for(self):
        if not options.program:
            self.skipTest("no --program")
        rules = {kind: re.search(rf"kind: {kind}\n.*?rules:\n(.*?)(?=\n---|\Z)", text, re.S)[1].strip()
                 for kind in ("ClusterRole", "Role") for text in [program("rules", "--rbac").replace('["ray.io"]', "[ray.io]")]}
        for kind, wanted in rules.items():
            found = re.search(rf"kind: {kind}\n.*?\nrules:\n(.*?)\n---", defaults(), re.S)[1].strip()
            self.assertEqual(wanted, found)

    def test_refused(self):
        for values, named in REFUSED:
            with self.subTest(values):
                with self.assertRaises(subprocess.CalledProcessError) as refusal:
                    render(values)
                self.assertIn(named, refusal.exception.stderr)

    def test_old_kubernetes_refused(self):
        with self.assertRaises(subprocess.CalledProcessError) as refusal:
            render({}, "--kube-version", "1.29.9")
        self.assertIn("kubeVersion", refusal.exception.stderr)
        render({}, "--kube-version", "v1.30.5-gke.100")

    def test_every_value_is_described(self):
        """values.yaml and the schema name the same values, and README's table has them all."""
        schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
        named = re.findall(r"^([A-Za-z]+):", (CHART / "values.yaml").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertCountEqual(named, set(schema["properties"]) - {"global"})
        table = set(re.findall(r"`([A-Za-z]+)", (CHART / "README.md").read_text(encoding="utf-8")))
        self.assertLessEqual(set(named), table)

    def test_issued_certificate(self):
        """The API server's handshake, in memory: it trusts caBundle and asks for the Service's name."""
        rendered = defaults()
        self.assertEqual(field(rendered, "caBundle"), field(rendered, "ca.crt"))
        self.assertNotEqual(field(rendered, "ca.crt"), field(rendered, "tls.crt"))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(field(rendered, "tls.crt") + field(rendered, "tls.key"))
            file.flush()
            server.load_cert_chain(file.name)
        client = ssl.create_default_context(cadata=field(rendered, "caBundle"))
        for name in (f"tpu-webhook.{NAMESPACE}.svc", f"tpu-webhook.{NAMESPACE}.svc.cluster.local"):
            handshake(client, server, name)
        with self.assertRaises(ssl.SSLCertVerificationError):
            handshake(client, server, "tpu-webhook.other.svc")


def handshake(client, server, name):
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(back, there, server_hostname=name), server.wrap_bio(there, back, server_side=True)]
    while ends:
        for end in list(ends):
            try:
                end.do_handshake()
                ends.remove(end)
            except ssl.SSLWantReadError:
                pass


def helm_program():
    """The pinned helm of tests/e2e/controlplane; the first call builds it."""
    sys.path.insert(0, str(ROOT / "tests" / "e2e"))
    from controlplane import programs  # pylint: disable=import-outside-toplevel

    programs.ensure(["helm"])
    return programs.path("helm")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a tpu-webhook, for the names of its flags")
    parser.add_argument("--helm", help="another helm than the pinned one")
    parser.add_argument("--update", action="store_true", help="rewrite the golden file")
    options, rest = parser.parse_known_args()
    if not options.helm and not shutil.which("go"):
        print("no go to build helm with")
        sys.exit(1 if os.environ.get("TPUWH_READERS_REQUIRED") else 77)  # .ci/run sets it
    options.helm = options.helm or helm_program()
    unittest.main(argv=[sys.argv[0], *rest])
