"""Renders charts/tpu-webhook with the real helm and looks at what comes out.

    python3 tests/charts/chart.py --program build/dev/server/tpu-webhook
"""

import argparse
import base64
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import generate
from tools import helm_program

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHART = ROOT / "charts" / "tpu-webhook"
GOLDEN = HERE / "golden" / "default.yaml"
NAMESPACE = "tpu-webhook-system"
PEM = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"
BASE64 = base64.b64encode(PEM.encode()).decode()

SUPPLIED = {"certificate": {"mode": "supplied", "secretName": "mine", "caBundle": PEM}}
MANAGED = {"certificate": {"mode": "cert-manager"}}
MONITORED = {"podMonitor": {"enabled": True}, "podMonitoring": {"enabled": True, "rules": True}, "prometheusRule": {"enabled": True},
             "dashboard": {"enabled": True}}
NO_FEATURE = {"ledger": "none", "placementHint": False, "followers": False}
MODES = {"internal": {}, "cert-manager": MANAGED, "supplied": SUPPLIED}

# Values without which something else would be rendered than anybody wants: null for one is refused.
ALWAYS = {("image",), ("image", "repository"), ("port",), ("config",), ("certificate",), ("certificate", "mode"), ("failurePolicy",), ("timeoutSeconds",),
          ("validation",), ("namespaces",), ("namespaces", "optIn"), ("namespaces", "selector"), ("namespaces", "optIn", "enabled"),
          ("namespaces", "optIn", "label"), ("namespaces", "optIn", "value"), ("shadowNamespaces",), ("shadowNamespaces", "label"),
          ("shadowNamespaces", "value"), ("networkPolicy",), ("networkPolicy", "enabled"), ("networkPolicy", "apiServerPorts"),
          ("flowSchema",), ("flowSchema", "enabled"), ("flowSchema", "priorityLevel"), ("podMonitor",), ("podMonitor", "enabled"),
          ("metrics",), ("metrics", "port"), ("podMonitoring",), ("podMonitoring", "enabled"), ("podMonitoring", "interval"),
          ("prometheusRule",), ("prometheusRule", "enabled"), ("prometheusRule", "certificateDays"), ("dashboard",), ("dashboard", "enabled"),
          ("strategy",)}

# The keys that the chart writes into the program's configuration file, beside those of `config`.
DERIVED = {
    "supplied": {"listen": ":10250", "healthListen": ":8081", "metricsListen": ":8082",
                 "tls": {"cert": "/certificate/tls.crt", "key": "/certificate/tls.key"}},
}
DERIVED["cert-manager"] = DERIVED["internal"] = DERIVED["supplied"]

# Every setting, with a value that is not its default.
SETTINGS = {
    "mode": "enforce", "workloads": ["ray", "jobset"], "placement": False, "placementHint": False, "annotationPrefix": "tpu.example.com",
    "basePort": 65535, "kuberayTruncatedService": True, "tpuNameEverywhere": True, "torchTpu": True, "threads": 8,
    "ledger": "cluster", "followers": False, "claims": True, "log": {"format": "json", "level": "debug"}, "drain": {"delay": "1s", "timeout": "60500ms"},
    "perWorkload": {"ray": {"mode": "enforce"}, "jobset": {"placement": True, "placementHint": False}},
    "findings": {"TPU-405": "deny", "TPU-502": "off"},
    "perNamespace": {"team-a": {"placement": True, "findings": {"TPU-405": "warn"}}, "no": {"placement": False, "placementHint": True}},
}

WORKLOADS = ["ray", "lws", "jobset", "job", "statefulset", "pod"]

# (config, the workload APIs whose Pods may be refused, the entries that may refuse them, the others that a Pod reaches)
POLICIES = [
    ({}, [], [], ["ray", "lws", "jobset", "pod"]),
    ({"mode": None}, [], [], ["ray", "lws", "jobset", "pod"]),
    ({"mode": "enforce"}, WORKLOADS, ["ray", "lws", "jobset", "pod"], ["claims"]),
    ({"perWorkload": {"ray": {"mode": "enforce"}}}, ["ray"], ["ray"], ["lws", "jobset", "pod"]),
    ({"mode": "shadow"}, [], [], ["ray", "lws", "jobset", "pod"]),
    ({"mode": "shadow", "perWorkload": {"jobset": {"mode": "enforce"}}}, ["jobset"], ["jobset"], ["ray", "lws", "pod"]),
    ({"mode": "enforce", "perWorkload": {"ray": {"mode": "shadow"}, "pod": None}}, WORKLOADS[1:], ["lws", "jobset", "pod"], ["ray", "claims"]),
    ({"mode": "shadow", "perWorkload": {"job": {"mode": "enforce"}, "statefulset": {"mode": "enforce"}}}, ["job", "statefulset"], ["job"],
     ["ray", "lws", "jobset", "pod"]),
    ({"mode": "enforce", "perWorkload": {"statefulset": {"mode": "shadow"}}}, ["ray", "lws", "jobset", "job", "pod"], ["ray", "lws", "jobset", "pod"],
     ["statefulset"]),
    ({"mode": "enforce", "perWorkload": {"pod": {"mode": "shadow"}}}, WORKLOADS[:-1], ["ray", "lws", "jobset", "job"], ["pod"]),
    ({"mode": "enforce", "workloads": ["ray", "pod"]}, ["ray", "pod"], ["ray", "pod"], ["claims"]),
    ({"workloads": ["job"], "mode": "shadow"}, [], [], ["pod"]),
]

# Each row is (values, texts that are rendered because of them). A text behind "no " must not be rendered. The chart
# without values is in golden/default.yaml.
TEXTS = [
    ({"config": {"ledger": "none"}}, ["serviceAccountToken:", "no configmaps", "no resources: [rayclusters]", "no [services]", "[pods]", "[nodes]",
                                      "resources: [secrets]"]),
    ({"keeper": {"image": {"repository": "r.example/b", "digest": "sha256:" + "1" * 64}, "resources": {"limits": {"memory": "1Gi"}}}},
     [f'image: "r.example/b@sha256:{"1" * 64}"', "memory: 1Gi"]),
    ({**SUPPLIED, "config": NO_FEATURE}, ["no serviceAccountToken", "no automountServiceAccountToken: true", "no kind: ClusterRole", "no kind: Role",
                                          "no FlowSchema", "egress: []"]),
    ({**SUPPLIED, "config": {**NO_FEATURE, "placementHint": True}}, ["serviceAccountToken:", "[nodes]", "no resources: [pods]\n    verbs:", "no kind: Role\n"]),
    ({**MANAGED, "config": {**NO_FEATURE, "claims": True}}, ["serviceAccountToken:", "resourceclaims", "no [nodes]", "no resources: [pods]\n    verbs:", "no kind: Role\n"]),
    ({**MANAGED, "config": {**NO_FEATURE, "ledger": "memory"}, "replicas": 1}, ["no serviceAccountToken", "no kind: ClusterRole"]),
    (SUPPLIED, ["secretName: mine", f"caBundle: {BASE64}", "no resourceNames", "mountPath: /certificate", "no tpu-webhook-certificate",
                "no optional: true", "no keeper"]),
    ({"certificate": {**SUPPLIED["certificate"], "caBundle": f"{BASE64[:9]}\n{BASE64[9:]}\n"}}, [f"caBundle: {BASE64}"]),
    (MANAGED, [f"cert-manager.io/inject-ca-from: {NAMESPACE}/tpu-webhook", "kind: Issuer", "selfSigned: {}", "isCA: true", "secretName: tpu-webhook-ca", "no caBundle:", "no resourceNames", "no keeper",
               f"- tpu-webhook.{NAMESPACE}.svc\n", "algorithm: ECDSA", "rotationPolicy: Always", "secretName: tpu-webhook-tls"]),
    ({"certificate": {"mode": "cert-manager", "certManager": {"issuerRef": {"kind": "ClusterIssuer", "name": "ca"}}}},
     ["kind: ClusterIssuer", "name: ca", "no kind: Issuer\n"]),
    ({"podSecurityContext": {"runAsUser": 1000, "fsGroup": None}}, ["runAsUser: 1000", "runAsGroup: 65532", "no fsGroup"]),
    ({"podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None}}, ["runAsNonRoot: true", "no runAsUser", "no runAsGroup", "no fsGroup"]),
    ({"podSecurityContext": None}, ["runAsNonRoot: true", "no runAsUser", "no fsGroup"]),
    ({"replicas": 1}, ["replicas: 1", "no kind: PodDisruptionBudget", "no topologySpreadConstraints"]),
    ({"topologySpreadConstraints": [{"topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]},
     ["topologyKey: rack", "no topologyKey: kubernetes.io/hostname"]),
    ({"config": {"drain": {"delay": "10s"}}}, ["terminationGracePeriodSeconds: 35"]),
    ({"config": {"drain": {"delay": "1m30s", "timeout": "500ms"}}}, ["terminationGracePeriodSeconds: 96"]),
    ({"config": {"drain": {"delay": "0", "timeout": "1.5h"}}}, ["terminationGracePeriodSeconds: 5405"]),
    ({"image": {"repository": "r.example/a", "tag": "v2"}}, ['image: "r.example/a:v2"']),
    ({"image": {"tag": "v2", "digest": "sha256:" + "0" * 64}}, [f'image: "tpu-webhook@sha256:{"0" * 64}"']),
    ({"replicas": None}, ["no replicas: 3", "kind: PodDisruptionBudget", "topologyKey: kubernetes.io/hostname"]),
    ({"failurePolicy": "Ignore", "timeoutSeconds": 3, "config": {"mode": "enforce"}}, ["timeoutSeconds: 3", "no failurePolicy: Fail"]),
    ({"podMonitor": {"enabled": True, "interval": "15s", "labels": {"release": "x"}}},
     ["kind: PodMonitor", "port: metrics", "path: /metrics", "interval: 15s", "release: x"]),
    ({"podMonitoring": {"enabled": True, "labels": {"team": "x"}}}, ["kind: PodMonitoring\n", "port: metrics", "interval: 30s", "team: x", "no kind: Rules"]),
    ({"podMonitoring": {"enabled": True, "rules": True}}, ["kind: Rules\n", "alert: TpuWebhookNoReplicaReady", "apiVersion: monitoring.googleapis.com/v1"]),
    ({"prometheusRule": {"enabled": True, "labels": {"release": "x"}, "alertLabels": {"team": "pagers"}, "certificateDays": 7}},
     ["kind: PrometheusRule\n", "release: x", "            team: pagers", "- time() < 7 * 86400", "ends in less than 7 days", "Replica {{ $labels.pod }} is not ready",
      f"kubectl -n {NAMESPACE} get pods", "alert: TpuWebhookFewReplicas"]),
    ({"prometheusRule": {"enabled": True}, "replicas": 1}, ["no alert: TpuWebhookFewReplicas"]),
    ({"dashboard": {"enabled": True, "annotations": {"grafana_folder": "TPU"}}},
     ["kind: ConfigMap\n", "name: tpu-webhook-dashboard", 'grafana_dashboard: "1"', "grafana_folder: TPU", "tpu-webhook.json: |-", '"title": "Ready replicas"']),
    ({"metrics": {"port": 9090, "from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}},
     ["containerPort: 9090", "        - port: metrics\n      from:\n        - ipBlock:\n            cidr: 10.0.0.0/8\n  egress",
      "        - port: https\n        - port: health\n    #"]),
    ({"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "25%"}}, "minReadySeconds": 7, "dnsConfig": {"options": [{"name": "ndots", "value": "1"}]}},
     ["maxSurge: 0\n      maxUnavailable: 25%", "minReadySeconds: 7", "dnsConfig:\n        options:\n        - name: ndots"]),
    ({"probe": {"namespace": "tried"}}, ["helm.sh/hook: test", "- --probe-namespace=tried", 'image: "kubectl-tpu:', "no kind: Namespace"]),
    ({"probe": {"namespace": "tried", "image": {"tag": "v3"}}, "image": {"repository": "r.example/a/tpu-webhook", "digest": "sha256:" + "0" * 64}},
     ['image: "r.example/a/kubectl-tpu:v3"']),
    ({"probe": {"namespace": "tried", "image": {"repository": "r.example/b", "digest": "sha256:" + "1" * 64}}},
     [f'image: "r.example/b@sha256:{"1" * 64}"']),
    ({"probe": {"namespace": "tried", "createNamespace": True},
      "namespaces": {"optIn": {"enabled": True, "label": "a/b", "value": "on"}, "selector": {"matchLabels": {"c": "d"}}}},
     ["kind: Namespace\nmetadata:\n  name: tried\n", "    a/b: \"on\"\n    ", "    c: d\n", "pod-security.kubernetes.io/enforce: restricted"]),
    ({"namespaces": {"exclude": ["a", "kube-system"]}},
     [f"values:\n            - kube-system\n            - kube-node-lease\n            - {NAMESPACE}\n            - a\n        - key"]),
    ({"namespaces": {"selector": {"matchLabels": {"tpu": "yes"}}}}, ['matchLabels:\n        tpu: "yes"']),
    ({"namespaces": {"optIn": {"enabled": True}}}, ['operator: In\n          values: ["enforce"]']),
    ({"shadowNamespaces": {"label": "x.example/y", "value": "true"}}, ["key: x.example/y", 'values: ["true"]']),
    ({"shadowNamespaces": {"label": ""}}, ["no shadow.pods", "no shadow.workloads", "no /shadow", "path: /validate"]),
    ({"validation": False}, ["no ValidatingWebhookConfiguration", "no /validate"]),
    ({"config": {"workloads": ["job", "lws"]}},
     ["apiGroups: [batch]", "apiGroups: [leaderworkerset.x-k8s.io]", "no rayservices", "no resources: [jobsets]"]),
    ({"config": {"workloads": ["pod", "statefulset"]}}, ["resources: [statefulsets]", "resources: [deployments]", "no rayservices"]),
    ({"failurePolicy": "Fail", "timeoutSeconds": 20},
     ["path: /validate", "failurePolicy: Ignore\n    timeoutSeconds: 2\n    rules:\n      - apiGroups: [ray.io]"]),
    ({"config": {"annotationPrefix": "tpu.example.com"}}, ["startsWith('tpu.example.com/')"]),
    ({"podLabels": {"app.kubernetes.io/name": "other", "team": "x"}, "podAnnotations": {"who": "us"}},
     ["no app.kubernetes.io/name: other", "team: x", "who: us", "checksum/config: "]),
    ({"serviceAccount": {"annotations": {"iam.gke.io/x": "z"}}}, ["iam.gke.io/x: z"]),
    ({"extraVolumes": [{"name": "v", "emptyDir": {}}], "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}],
      "extraEnv": [{"name": "TZ", "value": "UTC"}], "extraArgs": ["--threads=3"]},
     ["- emptyDir: {}\n          name: v", "mountPath: /v", "value: UTC", '- "--threads=3"']),
    ({"networkPolicy": {"enabled": False}, "flowSchema": {"enabled": False}}, ["no NetworkPolicy", "no FlowSchema"]),
    ({"networkPolicy": {"apiServerPorts": [16443]}, "flowSchema": {"priorityLevel": "system"}},
     ["port: 16443", "no port: 6443", "name: system"]),
    ({"priorityClassName": "system-cluster-critical"}, ["priorityClassName: system-cluster-critical", "kind: ResourceQuota",
                                                        "scopeName: PriorityClass", "values: [system-cluster-critical]", "no kind: PriorityClass"]),
    ({"priorityClassName": "of-ours"}, ["priorityClassName: of-ours", "no kind: PriorityClass", "no ResourceQuota"]),
    ({"priorityClassName": ""}, ["no priorityClassName", "no kind: PriorityClass"]),
]

# What the default render says.
NO_IMAGE = ("image.repository is not set: no image is published yet, so build one (scripts/image), push it, and set its name: "
            "--set image.repository=REGISTRY/tpu-webhook")

# (values, what helm's message names)
REFUSED = [
    ({"replica": 3}, "'replica' not allowed"),
    ({"image": {"version": "1"}}, "'version' not allowed"),
    ({"replicas": 0}, "/replicas"),
    ({"config": {"ledger": "memory"}}, "/replicas"),
    ({"replicas": "3"}, "/replicas"),
    ({"image": {"digest": "sha256:1"}}, "/image/digest"),
    ({"image": {"repository": ""}}, NO_IMAGE),
    ({"image": {"repository": None}}, NO_IMAGE),
    ({"image": {"repository": "", "digest": "sha256:" + "0" * 64}}, NO_IMAGE),
    ({"image": {"pullPolicy": "always"}}, "/image/pullPolicy"),
    ({"port": 443}, "/port"),
    ({"port": 8081}, "/port"),
    ({"failurePolicy": "fail"}, "/failurePolicy"),
    ({"timeoutSeconds": 31}, "/timeoutSeconds"),
    ({"podSecurityContext": {"runAsUser": 0}}, "/podSecurityContext/runAsUser"),
    ({"podSecurityContext": {"fsGroup": "1"}}, "/podSecurityContext/fsGroup"),
    ({"podSecurityContext": {"privileged": True}}, "'privileged' not allowed"),
    ({"namespaces": {"exclude": ["A_b"]}}, "/namespaces/exclude/0"),
    ({"namespaces": {"selector": {"matchExpressions": [{"key": "a", "operator": "in"}]}}}, "/operator"),
    ({"namespaces": {"optIn": {"enabled": True, "label": ""}}}, "/namespaces/optIn/label"),
    ({"namespaces": {"optIn": {"enabled": True, "value": "shadow"}}}, "/namespaces/optIn/value"),
    ({"namespaces": {"optIn": {"enabled": True, "label": "a/b", "value": "c"}}, "shadowNamespaces": {"label": "a/b", "value": "c"}},
     'namespaces.optIn.value is shadowNamespaces.value, "c"'),
    ({"replicas": None, "config": {"ledger": "memory"}}, "replicas"),
    ({"probe": {"createNamespace": True}}, "/probe/namespace"),
    ({"probe": {"namespace": "A"}}, "/probe/namespace"),
    ({"probe": {"namespace": NAMESPACE}}, f'probe.namespace is "{NAMESPACE}", whose Pods are never handled'),
    ({"probe": {"namespace": "a"}, "namespaces": {"exclude": ["a"]}}, 'probe.namespace is "a", whose Pods are never handled'),
    ({"probe": {"namespace": "tried", "image": {"digest": "sha256:1"}}}, "/probe/image/digest"),
    ({"keeper": {"image": {"digest": "sha256:1"}}}, "/keeper/image/digest"),
    ({"keeper": {"replicas": 2}}, "'replicas' not allowed"),
    ({"shadowNamespaces": {"value": True}}, "/shadowNamespaces/value"),
    ({"config": {"mode": "off"}}, "/config/mode"),
    ({"config": {"ledger": "clusters"}}, "/config/ledger"),
    ({"config": {"workloads": ["rays"]}}, "/config/workloads/0"),
    ({"config": {"perWorkload": {"rays": {}}}}, "'rays' not allowed"),
    ({"config": {"perWorkload": {"ray": {"mode": "off"}}}}, "/config/perWorkload/ray/mode"),
    ({"config": {"perWorkload": {"ray": {"placment": False}}}}, "'placment' not allowed"),
    ({"config": {"perNamespace": {"A": {"placement": False}}}}, "invalid propertyName 'A'"),
    ({"config": {"perNamespace": {"a": {"mode": "shadow"}}}}, "'mode' not allowed"),
    ({"config": {"annotationPrefix": "tpu.example.com/"}}, "/config/annotationPrefix"),
    ({"config": {"annotationPrefix": "x')||true||('"}}, "/config/annotationPrefix"),
    ({"config": {"basePort": 65536}}, "/config/basePort"),
    ({"config": {"placement": "false"}}, "/config/placement"),
    ({"config": {"log": {"level": "trace"}}}, "/config/log/level"),
    ({"config": {"threads": 65}}, "/config/threads"),
    ({"config": {"drain": {"delay": 5}}}, "/config/drain/delay"),
    ({"config": {"listen": ":1"}}, "'listen' not allowed"),
    ({"config": {"healthListen": ":1"}}, "'healthListen' not allowed"),
    ({"config": {"tls": {"cert": "x"}}}, "'tls' not allowed"),
    ({"config": {"cluster": {"context": "x"}}}, "'cluster' not allowed"),
    ({"mode": "shadow"}, "'mode' not allowed"),
    ({"validation": "false"}, "/validation"),
    ({"resources": {"memory": "1Gi"}}, "'memory' not allowed"),
    ({"config": {"metricsListen": ":1"}}, "'metricsListen' not allowed"),
    ({"config": {"healthMetrics": False}}, "'healthMetrics' not allowed"),
    ({"config": {"teamRules": "/rules.yaml"}}, "'teamRules' not allowed"),
    ({"teamRules": {"rules": [{"name": "a", "namespaces": ["*"]}]}}, "kubectl tpu policy --team-rules rules.yaml | kubectl apply -f -"),
    ({"config": {"findings": {"TPU-651": "deny"}}}, "invalid propertyName 'TPU-651'"),
    ({"metrics": {"port": 8081}}, "/metrics/port"),
    ({"metrics": {"port": 10250}}, "metrics.port is port, 10250"),
    ({"metrics": {"from": [{}]}}, "/metrics/from/0"),
    ({"metrics": {"from": [{"namespace": "monitoring"}]}}, "'namespace' not allowed"),
    ({"podMonitoring": {"interval": ""}}, "/podMonitoring/interval"),
    ({"prometheusRule": {"certificateDays": 90}}, "/prometheusRule/certificateDays"),
    ({"prometheusRule": {"alertLabels": {"severity": "page"}}}, "invalid propertyName 'severity'"),
    ({"strategy": {"type": "Recreate"}}, "/strategy/type"),
    ({"strategy": {"rollingUpdate": {"maxSurge": 0}}}, "/strategy/rollingUpdate"),
    ({"minReadySeconds": -1}, "/minReadySeconds"),
    ({"dnsConfig": {"ndots": 1}}, "'ndots' not allowed"),
    ({"annotations": {"Pod": {"a": "b"}}}, "'Pod' not allowed"),
    ({"extraArgs": ["-x"]}, "/extraArgs/0"),
    ({"extraEnv": {"TZ": "UTC"}}, "/extraEnv"),
    ({"commonLabels": {"a": "-"}}, "/commonLabels/a"),
    ({"networkPolicy": {"apiServerPorts": []}}, "/networkPolicy/apiServerPorts"),
    ({"certificate": {"mode": "issued"}}, "/certificate/mode"),
    ({"certificate": {"mode": "supplied"}}, "/certificate/caBundle"),
    ({"certificate": {"mode": "supplied", "secretName": "mine"}}, "/certificate/caBundle"),
    ({"certificate": {"mode": "supplied", "caBundle": PEM}}, "/certificate/secretName"),
    ({"certificate": {"mode": "supplied", "secretName": "mine", "caBundle": "no"}}, "certificate.caBundle contains no certificate"),
    ({"certificate": {"caBundle": PEM}}, "/certificate/caBundle"),
    ({"certificate": {"secretName": "mine"}}, "/certificate/secretName"),
    ({"certificate": {"mode": "cert-manager", "caBundle": PEM}}, "/certificate/caBundle"),
    ({"certificate": {"certManager": {"issuerRef": {"kind": "Issuer", "name": "a"}}}}, "/certificate/certManager/issuerRef"),
    ({"certificate": {"mode": "cert-manager", "certManager": {"issuerRef": {"name": "a"}}}}, "/certificate/certManager/issuerRef"),
]

# Any three of different lists are rendered together: `python3 tests/charts/chart.py Chart.test_combinations`; and accepted
# by a real API server in tests/e2e/test_chart.py.
COMBINED = [
    [SUPPLIED, MANAGED, {}],
    [{}, {"config": {"ledger": "none"}}, {"config": NO_FEATURE}, {"config": {"ledger": "memory"}, "replicas": 1}],
    [{}, {"config": {"mode": "shadow", "perWorkload": {"jobset": {"mode": "enforce"}}}}, {"config": {"workloads": ["ray", "lws"]}}],
    [{}, {"namespaces": {"optIn": {"enabled": True}, "exclude": ["a"], "selector": {"matchLabels": {"b": "c"}}}},
     {"shadowNamespaces": {"label": ""}, "failurePolicy": "Ignore", "validation": False}],
    [{}, {"networkPolicy": {"enabled": False}, "flowSchema": {"enabled": False}, "replicas": 1},
     {"commonLabels": {"team": "x"}, "commonAnnotations": {"who": "y"}, "serviceAccount": {"annotations": {"a": "b"}},
      "extraEnv": [{"name": "TZ", "value": "UTC"}], "extraVolumes": [{"name": "v", "emptyDir": {}}],
      "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}], "podAnnotations": {"c": "d"}, "podLabels": {"e": "f"},
      "probe": {"namespace": "tried", "createNamespace": True}, "nodeSelector": {"g": "h"}, "tolerations": [{"operator": "Exists"}], "priorityClassName": "system-cluster-critical",
      "affinity": {"nodeAffinity": {}}, "image": {"pullSecrets": ["s"]},
      "topologySpreadConstraints": [{"topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]}],
]

# What people set, each by itself, and accepted by a real API server in tests/e2e/test_chart.py: it knows the definitions
# of cert-manager and of the Prometheus operator, which Go modules serve, and not Google's, which none does.
KINDS_OF_VALUES = {
    "none": {},
    "certificates of cert-manager": MANAGED,
    "an issuer of one's own": {"certificate": {"mode": "cert-manager", "certManager": {"issuerRef": {"kind": "ClusterIssuer", "name": "ca"}}}},
    "a supplied certificate": SUPPLIED,
    "one replica": {"replicas": 1},
    "replicas by an autoscaler": {"replicas": None},
    "everything enforced": {"config": {"mode": "enforce"}, "timeoutSeconds": 5},
    "one workload API enforced": {"config": {"perWorkload": {"jobset": {"mode": "enforce"}}}},
    "some workload APIs": {"config": {"workloads": ["ray", "lws"], "ledger": "none"}},
    "nothing of the cluster": {"config": NO_FEATURE},
    "namespaces that ask for it": {"namespaces": {"optIn": {"enabled": True}, "exclude": ["a"], "selector": {"matchLabels": {"b": "c"}}}},
    "nobody waits": {"failurePolicy": "Ignore", "shadowNamespaces": {"label": ""}, "validation": False},
    "no policies": {"networkPolicy": {"enabled": False}, "flowSchema": {"enabled": False}},
    "an image by digest": {"image": {"digest": "sha256:" + "0" * 64, "pullSecrets": ["s"], "pullPolicy": "Always"}},
    "nodes of their own": {"nodeSelector": {"g": "h"}, "tolerations": [{"operator": "Exists"}],
                           "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                               {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "tpu-webhook"}}}]}},
                           "topologySpreadConstraints": [{"topologyKey": "rack", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
                           "strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}, "minReadySeconds": 5},
    "a class of the system": {"priorityClassName": "system-cluster-critical"},
    "users by the platform": {"podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None}},
    "more of a Pod": {"extraArgs": ["--threads=3"], "extraEnv": [{"name": "TZ", "value": "UTC"}], "extraVolumes": [{"name": "v", "emptyDir": {}}],
                      "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}], "dnsConfig": {"options": [{"name": "ndots", "value": "1"}]},
                      "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}},
    "labels and annotations": {"commonLabels": {"team": "x"}, "commonAnnotations": {"who": "y"}, "podAnnotations": {"c": "d"}, "podLabels": {"e": "f"},
                               "serviceAccount": {"annotations": {"a": "b"}}, "annotations": {"Service": {"s": "t"}}},
    "metrics for some": {"metrics": {"port": 9090, "from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}},
                                                              "podSelector": {"matchLabels": {"app": "prometheus"}}}, {"ipBlock": {"cidr": "10.0.0.0/8"}}]}},
    "the Prometheus operator": {"podMonitor": {"enabled": True, "interval": "15s", "labels": {"release": "x"}},
                                "prometheusRule": {"enabled": True, "labels": {"release": "x"}, "alertLabels": {"team": "x"}}},
    "a dashboard": {"dashboard": {"enabled": True, "annotations": {"grafana_folder": "TPU"}}},
}


def combinations():
    """The values of as few combinations as have every three of different lists together: dictionaries merged as Helm does."""
    def merged(one, other):
        both = {**one, **other}
        for key in one.keys() & other.keys():
            if isinstance(one[key], dict):
                both[key] = merged(one[key], other[key])
        return both

    return [functools.reduce(merged, chosen, {}) for chosen in covering(COMBINED)]


def covering(lists, together=3):
    """A value of each list, so often that any `together` values of different lists are once together."""
    every = [tuple(enumerate(chosen)) for chosen in itertools.product(*(range(len(one)) for one in lists))]
    parts = {chosen: set(itertools.combinations(chosen, together)) for chosen in every}
    missing = set().union(*parts.values())
    while missing:
        best = max(every, key=lambda chosen: len(parts[chosen] & missing))
        missing -= parts[best]
        yield [lists[number][place] for number, place in best]


def helm(*arguments, values=None):
    """What helm prints; subprocess.CalledProcessError if it refuses."""
    return subprocess.run([options.helm, *arguments], input=json.dumps(values or {}), text=True,
                          capture_output=True, check=True, env={**os.environ, "KUBECONFIG": "/dev/null"}).stdout


def with_image(values):
    """These values, and an image where they say none: without one nothing is rendered."""
    image = (values or {}).get("image", {})
    return {**(values or {}), "image": {"repository": "tpu-webhook", **image} if isinstance(image, dict) else image}


def render(values=None, *more):
    return render_exactly(with_image(values), *more)


def render_exactly(values, *more):
    return rendered(json.dumps(values), *more)


@functools.cache
def rendered(values, *more):
    return helm("template", "release", str(CHART), "--namespace", NAMESPACE, "--values", "-", *more, values=json.loads(values))


def defaults():
    return render()


def program(*arguments, text=""):
    """What the program prints."""
    return subprocess.run([options.program, *arguments], input=text, text=True, capture_output=True,
                          check=True).stdout


def server():
    """The admission program."""
    return str(pathlib.Path(options.program).with_name("tpu-webhook"))


def entries(text):
    """Each entry of the configuration for Pods: {name, failurePolicy, timeoutSeconds, path, expression, present, absent}."""
    text = re.search(r"kind: MutatingWebhookConfiguration\n.*?\nwebhooks:\n(.*?)(?=\n---|\Z)", text, re.S)[1]
    found = []
    for one in re.split(r"^  - name: ", text, flags=re.M)[1:]:
        entry = {key: re.search(rf"^ +{key}: (\S+)$", one, re.M)[1] for key in ("failurePolicy", "timeoutSeconds", "path")}
        lines = one[one.index("expression: |-\n"):].splitlines()[1:]
        entry["expression"] = "\n".join(line[10:] for line in lines if line.startswith(" " * 10))
        selector = re.findall(r"- key: (\S+)\n +operator: (\w+)", one.partition("\n    rules:")[0].partition("objectSelector:")[2])
        found.append({"name": one.splitlines()[0], **entry, "present": [key for key, operator in selector if operator == "Exists"],
                      "absent": [key for key, operator in selector if operator == "DoesNotExist"]})
    return found


def is_reached(entry):
    """Whether any Pod can meet its selector."""
    return not set(entry["present"]) & set(entry["absent"])


def every_mode():
    """`config` of every way in which each workload API is enforced, watched or left out; of every fifth with claims read, too."""
    for number, modes in enumerate(itertools.product(("enforce", "shadow", None), repeat=len(WORKLOADS))):
        handled = {name: {"mode": mode} for name, mode in zip(WORKLOADS, modes) if mode}
        if handled:
            yield {"workloads": list(handled), "perWorkload": handled}
        if handled and (number % 5 == 0 or len({*modes}) == 1):
            yield {"workloads": list(handled), "perWorkload": handled, "claims": True}


def rendered_by_the_chart(configs):
    """Entries of the chart for each of these values of `config`, by one run of helm."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "templates").mkdir()
        (pathlib.Path(folder) / "Chart.yaml").write_text("{apiVersion: v2, name: x, version: 1.0.0}", encoding="utf-8")
        for name in ("_program.tpl", "_config.tpl", "_entries.tpl"):
            shutil.copy(CHART / "templates" / name, pathlib.Path(folder) / "templates")
        (pathlib.Path(folder) / "templates" / "x.yaml").write_text(ENTRIES_OF_ALL, encoding="utf-8")
        text = helm("template", "x", folder, "--values", "-", values={"all": configs})
    return [json.loads(json.loads(line)) for line in re.findall(r"^- (\".*\")$", text, re.M)]


ENTRIES_OF_ALL = """kind: X
all:
{{- range .Values.all }}
{{- $root := dict "Values" (dict "config" .) }}
{{- $out := list }}
{{- range include "tpu-webhook.entries" $root | fromYamlArray }}
{{- $expression := include "tpu-webhook.condition" (dict "root" $root "entry" .) }}
{{- $out = append $out (dict "name" .name "mode" (.mode | default "") "present" (.present | default list) "absent" (.absent | default list)
  "condition" .condition "expression" $expression) }}
{{- end }}
- {{ $out | toJson | quote }}
{{- end }}
"""


def every_value():
    """(path, default) of each value of values.yaml, and of the maps that they are in."""
    def below(values, path):
        for name, value in values.items():
            yield (*path, name), value
            if isinstance(value, dict):
                yield from below(value, (*path, name))

    return list(below(default_values(), ()))


def nested(path, value, values):
    """`values` with one more, as Helm reads it from a file."""
    out = dict(values)
    out[path[0]] = value if len(path) == 1 else nested(path[1:], value, out.get(path[0]) if isinstance(out.get(path[0]), dict) else {})
    return out


@functools.cache
def default_values():
    """values.yaml, as Helm reads it: a chart that renders its values says so."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "templates").mkdir()
        (pathlib.Path(folder) / "Chart.yaml").write_text("{apiVersion: v2, name: x, version: 1.0.0}", encoding="utf-8")
        (pathlib.Path(folder) / "templates" / "x.yaml").write_text("kind: X\nvalues: {{ .Values | toJson | quote }}", encoding="utf-8")
        shutil.copy(CHART / "values.yaml", folder)
        text = helm("template", "x", folder)
    return json.loads(json.loads(re.search(r"^values: (.*)$", text, re.M)[1]))


def broken(text):
    """Lines that have a name and no content, by what stands below them; and what Go writes for a thing that is no text."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    found = []
    for one, after in itertools.zip_longest(lines, lines[1:], fillvalue="---"):
        bare = re.match(r"( *)(?:- )*([\w./-]+):$", one)
        inner = len(one) - len(one.lstrip(" -"))
        if bare and not (len(after) - len(after.lstrip(" ")) > len(bare[1]) or after.startswith(" " * (inner if "- " in one else len(bare[1])) + "- ")):
            found.append(one)
        if re.search(r"map\[|<nil>|<no value>|%!|: (null|~)$|\[null\]", one):
            found.append(one)
    return found


def of_workloads(names):
    return ["pods.tpu-webhook.dev" if name == "pod" else f"{name}.pods.tpu-webhook.dev" for name in names]


def configuration(text):
    """The program's configuration file, as the kubelet would mount it."""
    return base64.b64decode(re.search(r"config\.json: (\S+)", text)[1]).decode()


def rules(text, kind, name="tpu-webhook"):
    """The rules of the ClusterRole or Role of this name, each with its reason; none where there is no such role."""
    found = re.findall(rf"^kind: {kind}\nmetadata:\n  name: {name}\n(?:  [^\n]*\n)*rules:\n(.*?)(?=\n---|\Z)", text, re.S | re.M)
    assert len(found) <= 1, found
    return [rule.rstrip() for rule in re.split(r"^(?=  # )", "".join(found), flags=re.M) if rule.strip()]


# (config, the features that read the cluster with it): settings beside those of the features themselves.
OTHER_SETTINGS = [
    ({"mode": "enforce", "ledger": "auto"}, ["ledger", "hint", "followers"]),
    ({"ledger": "cluster", "workloads": ["ray"]}, ["ledger", "hint"]),
    ({"ledger": "memory", "workloads": ["jobset"]}, ["hint", "followers"]),
    ({"workloads": ["job"]}, ["hint"]),
    ({"workloads": ["job"], "placement": False}, []),
    ({**NO_FEATURE, "placementHint": True, "placement": False, "perWorkload": {"job": {"placement": True}, "ray": None}}, ["hint"]),
    ({**NO_FEATURE, "placement": True, "perNamespace": {"a": {"placementHint": True}, "b": None}}, ["hint"]),
    ({**NO_FEATURE, "perWorkload": {"job": {"placementHint": False}}}, []),
]


def values_of_rights():
    """(values, features): each combination of certificate mode and features, and other settings that switch features."""
    switches = {"ledger": {"ledger": "none"}, "hint": {"placementHint": False}, "followers": {"followers": False}, "claims": {"claims": True}}
    for mode, chosen in itertools.product(MODES.values(), itertools.product((False, True), repeat=len(switches))):
        config, on = {}, []
        for (feature, switch), is_given in zip(switches.items(), chosen):
            config |= switch if is_given else {}
            on += [feature] if is_given == (feature == "claims") else []
        yield {**mode, "config": config}, on
    for config, on in OTHER_SETTINGS:
        yield {**SUPPLIED, "config": config, **({"replicas": 1} if config.get("ledger") == "memory" else {})}, on


# Feature -> what it may read.
READS = {"ledger": {"pods", "services", "rayclusters"}, "hint": {"nodes"}, "followers": {"pods", "nodes"},
         "claims": {"resourceclaims", "resourceclaimtemplates", "deviceclasses"}}


def resources(found, *verbs):
    """The resources of rules, of those that have only these verbs."""
    return [re.search(r"resources: \[(\w+)\]", rule)[1] for rule in found
            if set(re.search(r"verbs: \[(.*)\]", rule)[1].split(", ")) <= set(verbs)]


def as_a_dependency(alias, values):
    """What a parent chart renders that has this one as its dependency `alias`, by the condition `alias`.enabled."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(CHART, pathlib.Path(folder) / "charts" / "tpu-webhook")
        version = re.search(r"^version: (\S+)", (CHART / "Chart.yaml").read_text(encoding="utf-8"), re.M)[1]
        dependency = {"name": "tpu-webhook", "version": version, "alias": alias, "condition": f"{alias}.enabled", "tags": ["front"]}
        (pathlib.Path(folder) / "Chart.yaml").write_text(
            json.dumps({"apiVersion": "v2", "name": "parent", "version": "1.0.0", "dependencies": [dependency]}), encoding="utf-8")
        return helm("template", "release", folder, "--namespace", NAMESPACE, "--values", "-", values=values)


class Once(yaml.SafeLoader):
    """Loads YAML, and refuses an object that has a key twice, because an API server would use only one of the two."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        assert len(keys) == len({*keys}), keys
        return super().construct_mapping(node, deep)


def leaves(value, path=""):
    """Returns {path: JSON} of each scalar, empty list and empty object in `value`. A path has keys and list indices."""
    if not isinstance(value, (dict, list)) or not value:
        return {path: json.dumps(value)}
    below = value.items() if isinstance(value, dict) else enumerate(value)
    return {found: leaf for key, each in below for found, leaf in leaves(each, f"{path}/{key}").items()}


def objects_of(text, name):
    """Its objects without comments, whatever the chart is called."""
    text = re.sub(r"^ *#.*\n", "", text, flags=re.M).replace(f"helm.sh/chart: {name}-", "helm.sh/chart: CHART-")
    return sorted(one.strip() for one in re.split(r"^---$", text, flags=re.M) if one.strip())


class Chart(unittest.TestCase):
    maxDiff = None

    def test_lint(self):
        helm("lint", "--strict", str(CHART), "--set", "image.repository=r.example/tpu-webhook")

    def test_the_default_says_what_it_lacks(self):
        """Else its Pods would wait for an image that does not exist, and nobody would answer."""
        for verb in (["template", "release", str(CHART)], ["install", "release", str(CHART), "--dry-run=client"]):
            with self.assertRaises(subprocess.CalledProcessError) as refusal:
                helm(*verb)
            self.assertIn(NO_IMAGE, refusal.exception.stderr)

    def test_golden(self):
        """Compares each value of each object, and the order of the objects, with golden/default.yaml.

        After an intended change, copy the values that the failure shows into the file.
        """
        golden, found = (
            {f"{place} {one['kind']} {one['metadata']['name']}": one for place, one in enumerate(objects)}
            for objects in (yaml.safe_load(GOLDEN.read_text(encoding="utf-8")), yaml.load_all(defaults(), Loader=Once)))
        self.assertEqual(list(golden), list(found))
        golden, found = leaves(golden), leaves(found)
        self.assertEqual({}, {path: (golden.get(path), found.get(path)) for path in golden.keys() | found.keys()
                              if golden.get(path) != found.get(path)}, "path: (golden, rendered)")

    def test_twice_the_same(self):
        """Argo CD and others render again and again, and a difference is a drift."""
        for mode, values in MODES.items():
            with self.subTest(mode):
                self.assertEqual(render(values), rendered.__wrapped__(json.dumps(with_image(values))))

    def test_made_from_the_program(self):
        """Where it differs: python3 tests/charts/generate.py --program PROGRAM, and read the difference."""
        if not options.program:
            self.skipTest("no --program")
        for file, text in generate.made(options.program).items():
            with self.subTest(file.name):
                self.assertEqual(text, file.read_text(encoding="utf-8"))

    def test_the_program_takes_the_configuration_file(self):
        """Each value arrives, and the chart's own."""
        if not options.program:
            self.skipTest("no --program")
        self.assertEqual(set(SETTINGS), set(json.loads(program("config", "schema"))["properties"]) - set(generate.DERIVED))
        for mode in MODES:
            text = configuration(render({**MODES[mode], "config": SETTINGS}))
            subprocess.run([server(), "config", "check", "-"], input=text, text=True, capture_output=True, check=True)
            found = json.loads(program("config", "print", "--output=json", "--config=/dev/stdin", text=text))
            wanted = {**SETTINGS, **DERIVED[mode]}
            for key in wanted:
                with self.subTest(mode, key=key):
                    self.assertEqual(wanted[key], {name: found[key][name] for name in wanted[key]} if key == "tls" else found[key])

    def test_the_configuration_file_of_each_mode(self):
        """`log` is the only default of values.yaml; null takes a setting away."""
        for mode, values in MODES.items():
            rendered = render({**values, "port": 10250, "config": {"log": None, "mode": "shadow"}})
            with self.subTest(mode):
                self.assertEqual({**DERIVED[mode], "listen": ":10250", "mode": "shadow"}, json.loads(configuration(rendered)))

    def test_the_revision_before_finds_its_file(self):
        """Its Pods read config.yaml of the same Secret, which JSON is, too; those of this revision read config.json."""
        text = defaults()
        self.assertEqual(configuration(text), base64.b64decode(re.search(r"config\.yaml: (\S+)", text)[1]).decode())
        self.assertIn("--config=/config/config.json", text)

    def test_a_change_rolls_the_pods(self):
        sums = [re.search(r"checksum/config: (\w+)", render({"config": {"mode": mode}}))[1] for mode in (None, "enforce", "shadow")]
        self.assertEqual(sums[0], sums[2])
        self.assertNotEqual(sums[0], sums[1])

    def test_entries_are_the_programs(self):
        """In every mode that workload APIs can have; and of the whole chart as its templates say alone."""
        if not options.program:
            self.skipTest("no --program")
        configs = list(every_mode())
        for config, found in zip(configs, rendered_by_the_chart(configs), strict=True):
            wanted = json.loads(program("rules", "--entries", "--output=json", "--config=/dev/stdin", text=json.dumps(config)))["entries"]
            fields = ("name", "mode", "condition", "expression") + ("present", "absent")
            for one, other in zip(wanted, found, strict=True):
                reached = fields if one["mode"] else fields[:4]
                self.assertEqual({key: one[key] for key in reached}, {key: other[key] for key in reached}, f"{config} {one['name']}")
        wanted = json.loads(program("rules", "--entries", "--output=json", "--config=/dev/stdin", text='{"mode": "shadow"}'))["entries"]
        found = entries(defaults())
        self.assertEqual([entry["name"] for entry in wanted] + ["shadow.pods.tpu-webhook.dev"], [entry["name"] for entry in found])
        for one, other in zip(wanted, found):
            with self.subTest(one["name"]):
                self.assertEqual(one["expression"], other["expression"])
                self.assertEqual(bool(one["mode"]), is_reached(other))
                if one["mode"]:
                    self.assertEqual((one["present"], one["absent"]), (other["present"], other["absent"]))

    def test_whom_an_outage_touches(self):
        """An entry is waited for, and may refuse, where its workload APIs are enforced; all others are Ignore and 2 s."""
        for config, _, refusing, watching in POLICIES:
            with self.subTest(config):
                every = entries(render({"config": config, "timeoutSeconds": 7}))
                self.assertEqual(set(), {entry["failurePolicy"] for entry in every if not is_reached(entry)} - {"Ignore"})
                found = {entry["name"]: (entry["failurePolicy"], entry["timeoutSeconds"], entry["path"]) for entry in every if is_reached(entry)}
                wanted = {name: ("Ignore", "2", "/mutate") for name in of_workloads(watching)}
                wanted |= {name: ("Fail", "7", "/mutate") for name in of_workloads(refusing)}
                self.assertEqual({**wanted, "shadow.pods.tpu-webhook.dev": ("Ignore", "2", "/shadow")}, found)

    def test_no_revision_says_a_bundle_that_somebody_else_writes(self):
        """Helm would take it away, or go back to an old one, when it rolls back."""
        for mode in ("internal", "cert-manager"):
            self.assertFalse(re.search("^ *caBundle:", render(MODES[mode]), re.M))
        self.assertNotIn("lookup", "".join(file.read_text(encoding="utf-8") for file in sorted((CHART / "templates").iterdir())))

    def test_whom_an_outage_touches_where_claims_are_read(self):
        """The entry for claims refuses, too, and leaves out who selects nodes with GPUs; the notes say so."""
        values = {"config": {"mode": "enforce", "claims": True}}
        (entry,) = [entry for entry in entries(render(values)) if entry["name"] == "claims.pods.tpu-webhook.dev"]
        self.assertEqual(("Fail", True), (entry["failurePolicy"], is_reached(entry)))
        self.assertIn("cloud.google.com/gke-accelerator", entry["expression"])
        notes = helm("install", "release", str(CHART), "--dry-run=client", "--namespace", NAMESPACE, "--values", "-",
                     values=with_image(values)).partition("\nNOTES:\n")[2]
        self.assertIn("So are Pods with resource claims (config.claims)", notes)
        self.assertNotIn("with resource claims alone, in shadow", notes)

    def test_notes_say_whom_an_outage_touches(self):
        for config, enforced, *_ in POLICIES:
            with self.subTest(config):
                notes = helm("install", "release", str(CHART), "--dry-run=client", "--namespace", NAMESPACE, "--values", "-",
                             values=with_image({"config": config})).partition("\nNOTES:\n")[2]
                if enforced:
                    order = config.get("workloads", WORKLOADS)
                    named = ", ".join(name for name in order if name in enforced)
                    self.assertIn(f"if they are of {named}; their controllers retry", notes)
                else:
                    self.assertIn("every Pod is created as usual, and none is changed", notes)
                    self.assertIn(f"helm upgrade release charts/tpu-webhook -n {NAMESPACE} --reset-then-reuse-values --set config.mode=enforce\n", notes)

    def test_the_account_of_the_test_may_create_pods_in_one_namespace(self):
        """And nothing else; and nothing of the test is left by one that succeeds but the namespace, if the chart made it."""
        text = render({"probe": {"namespace": "tried", "createNamespace": True}})
        objects = {}
        for one in re.split(r"^---$", text, flags=re.M):
            if "tpu-webhook-probe" in one or "\n  name: tried\n" in one:
                objects[re.search(r"^kind: (\w+)", one, re.M)[1]] = one
        self.assertEqual({"Namespace", "ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Pod"}, set(objects))
        self.assertEqual(['  - apiGroups: [""]', "    resources: [pods]", "    verbs: [create]"],
                         objects["Role"].partition("\nrules:\n")[2].strip("\n").splitlines())
        for kind in ("Role", "RoleBinding"):
            self.assertIn("  namespace: tried\n", objects[kind].partition("roleRef:")[0])
        self.assertIn(f"kind: ServiceAccount\n    name: tpu-webhook-probe\n    namespace: {NAMESPACE}\n", objects["RoleBinding"])
        # No other binding names it, and none of the rest of the chart is what a test is.
        self.assertEqual(1, text.count("  - kind: ServiceAccount\n    name: tpu-webhook-probe\n"))
        for kind in set(objects) - {"Namespace"}:
            with self.subTest(kind):
                self.assertIn("    helm.sh/hook: test\n", objects[kind])
                self.assertRegex(objects[kind], "helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded")
        self.assertNotIn("helm.sh/hook", objects["Namespace"], "Helm would delete a namespace of this name before it makes it")

    def test_the_pod_of_the_test_is_no_replica(self):
        """The Deployment, the Service and the NetworkPolicy find replicas by these labels."""
        text = render({"probe": {"namespace": "tried"}, "commonLabels": {"app.kubernetes.io/name": "tpu-webhook"}})
        (pod,) = [one for one in re.split(r"^---$", text, flags=re.M) if re.search(r"^kind: Pod$", one, re.M)]
        labels = re.search(r"^  labels:\n((?:    .*\n)+)", pod, re.M)[1]
        self.assertIn("    app.kubernetes.io/name: tpu-webhook-probe\n", labels)
        self.assertIn("allowPrivilegeEscalation: false", pod)
        self.assertIn("drop: [ALL]", pod)

    def test_the_test_knows_what_is_installed(self):
        """Its account may not read it: the entries, and the labels of the namespace that the chart makes."""
        text = render({"probe": {"namespace": "tried", "createNamespace": True}, "config": {"mode": "enforce"}})
        (one,) = [one for one in re.split(r"^---$", text, flags=re.M) if "installed.yaml: |" in one]
        known = "\n".join(line[4:] for line in one.partition("installed.yaml: |\n")[2].splitlines())
        self.assertEqual(entries(text), entries(known))
        self.assertRegex(known, "kind: Namespace\nmetadata:\n  name: tried\n")

    def test_common_labels_and_annotations_are_on_every_object(self):
        text = render({"commonLabels": {"team": "x", "app.kubernetes.io/name": "other"}, "commonAnnotations": {"who": "me"}, **MONITORED,
                       "probe": {"namespace": "tried", "createNamespace": True}})
        for one in re.split(r"^---$", text, flags=re.M)[1:]:
            head = re.search(r"^metadata:\n((?:  .*\n)+)", one, re.M)[1]
            with self.subTest(re.search(r"^kind: (\w+)", one, re.M)[1]):
                self.assertIn("    team: x\n", head)
                self.assertIn("    who: me\n", head)
                self.assertNotIn("name: other", one)

    def test_annotations_are_on_the_objects_of_their_kind(self):
        """Of every kind that any values render, and of no other."""
        kinds = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))["properties"]["annotations"]["properties"]
        found = set()
        for values in (MONITORED, {**MONITORED, **MANAGED, "priorityClassName": "system-cluster-critical"}):
            text = render({**values, "commonAnnotations": {"of-kind": "common"}, "annotations": {kind: {"of-kind": kind} for kind in kinds}})
            for one in re.split(r"^---$", text, flags=re.M)[1:]:
                kind = re.search(r"^kind: (\w+)", one, re.M)[1]
                found.add(kind)
                with self.subTest(kind):
                    self.assertIn(f"    of-kind: {kind}\n", re.search(r"^metadata:\n((?:  .*\n)+)", one, re.M)[1])
        self.assertEqual(set(kinds), found)

    def test_who_may_read_metrics(self):
        """Nobody is named: everybody, and beside the probes as before. Somebody is: the probes' port, which is open, has none."""
        for given, beside in (([], True), ([{"podSelector": {}}], False)):
            text = render({"metrics": {"from": given}})
            with self.subTest(given):
                self.assertEqual(beside, json.loads(configuration(text)).get("healthMetrics", True))
                policy = re.search(r"kind: NetworkPolicy\n.*?\n  egress", text, re.S)[0]
                rules = re.split(r"^    - ", policy.partition("  ingress:\n")[2], flags=re.M)[1:]
                ports = [(re.findall(r"port: (\w+)", rule), "from:" in rule) for rule in rules]
                self.assertEqual([(["https", "health"], False), (["metrics"], not beside)], ports)

    def test_dashboard_is_json_of_known_metrics(self):
        """Alerts and panels ask for metrics that docs/operations.md explains, or that are of the process or the API server."""
        dashboard = json.loads((CHART / "files" / "dashboard.json").read_text(encoding="utf-8"))
        asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
        asked += re.findall(r"expr: \|-\n +(.*)", render(MONITORED))
        self.assertGreater(len(asked), 50)
        explained = set(re.findall(r"tpu_webhook_\w+", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")))
        for name in sorted(set(re.findall(r"\b(?:tpu_webhook|process|apiserver_admission)_\w+", " ".join(asked)))):
            base = re.sub(r"_(bucket|count|sum)$", "", name)
            with self.subTest(name):
                self.assertTrue(base in explained or name.startswith(("process_", "apiserver_admission_webhook_")))

    def test_alerts_are_explained(self):
        """Each in docs/operations.md, with its `for`, and none that is not there."""
        found = re.findall(r"alert: TpuWebhook(\w+)\n +expr: .*\n.*\n +for: (\w+)\n +labels:\n +severity: (\w+)", render(MONITORED))
        self.assertEqual(2 * len(set(found)), len(found))  # for the Prometheus operator and for Google's
        explained = re.findall(r"^\| `(\w+)` \| (\w+), (\w+) \|", (ROOT / "docs" / "operations.md").read_text(encoding="utf-8"), re.M)
        self.assertCountEqual(set(found), [(name, wait, severity) for name, wait, severity in explained])

    def test_combinations(self):
        for values in combinations():
            with self.subTest(values):
                self.assertIn("kind: MutatingWebhookConfiguration", render(values))

    def test_rbac_is_what_the_program_asks_for(self):
        """With each of the settings that rights follow from, `rules --rbac` of the rendered configuration is what the chart binds:
        reading what the features need, and writing the ledger; and without a configuration it is what the chart's default values bind."""
        if not options.program:
            self.skipTest("no --program")
        tried, empty = 0, 0
        for values, features in values_of_rights():
            text = render(values)
            printed = program("rules", "--rbac", "--config=/dev/stdin", text=configuration(text))
            tried += 1
            for kind in ("ClusterRole", "Role"):
                with self.subTest(values, kind=kind):
                    self.assertEqual(rules(text, kind), rules(printed, kind))
            with self.subTest(values):
                reads = resources(rules(text, "ClusterRole"), "get", "list", "watch")
                self.assertCountEqual(set().union(*(READS[feature] for feature in features)), reads)
                writes = "create", "delete", "get", "list", "update"
                self.assertEqual(["configmaps"] if "ledger" in features else [],
                                 [each for each in resources(rules(text, "Role"), *writes) if each != "secrets"])
                self.assertNotIn("automountServiceAccountToken: true", text)
            if "kind:" not in printed:
                empty += 1
                server = "\n---\n".join(one for one in re.split(r"^---$", text, flags=re.M) if "keeper" not in one)
                self.assertIn("egress: []", server)
                self.assertNotRegex(server, "kind: (Cluster)?Role(Binding)?\n|kind: FlowSchema|serviceAccountToken:")
        self.assertEqual((56, 5), (tried, empty))
        for kind in ("ClusterRole", "Role"):
            self.assertEqual(rules(defaults(), kind), rules(program("rules", "--rbac"), kind))

    def test_the_table_of_rights_is_what_each_feature_gets(self):
        """docs/install.md, "Which rights?": a row is what the account has with this feature alone."""
        rows = re.findall(r"^\| `(ledger|placementHint|followers|claims): .*? \| (.*?) \|", (ROOT / "docs" / "install.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(["ledger", "placementHint", "followers", "claims"], [feature for feature, _ in rows])
        for feature, said in rows:
            text = render({**SUPPLIED, "config": {**NO_FEATURE, feature: "auto" if feature == "ledger" else True}})
            found = []
            for kind, where in (("ClusterRole", ""), ("Role", " of its own namespace")):
                for rule in rules(text, kind):
                    resource, verbs = re.search(r"resources: \[(\w+)\]\n +verbs: \[(.*)\]", rule).groups()
                    found.append(f"{resource}{where}: {verbs}")
            with self.subTest(feature):
                self.assertEqual(said, "; ".join(found))

    def test_the_keeper_alone_writes_the_certificate(self):
        """Its roles are what it prints; the server's account never has a right on Secrets or webhook configurations; and the
        server's Pods mount the certificate and its key, not those of the CA."""
        for mode, values in MODES.items():
            text = render(values)
            for kind in ("ClusterRole", "Role"):
                with self.subTest(mode, kind=kind):
                    self.assertNotRegex("".join(rules(text, kind)), "secrets|webhookconfigurations")
                    if options.program and mode == "internal":
                        keeper = subprocess.run([pathlib.Path(options.program).with_name("kubectl-tpu"), "certificate", "rights"],
                                                text=True, capture_output=True, check=True).stdout
                        self.assertEqual(rules(keeper, kind, "tpu-webhook-keeper"), rules(text, kind, "tpu-webhook-keeper"))
                        self.assertTrue(rules(text, kind, "tpu-webhook-keeper"))
            keys = re.findall(r"- key: (\S+)\n +path: (\S+)\n", text.partition("- name: certificate\n          secret:")[2].partition("- name: account")[0])
            self.assertEqual([("tls.crt", "tls.crt"), ("tls.key", "tls.key")], keys)

    def test_the_alert_of_the_keeper_follows_from_its_times(self):
        """A day after it should have renewed."""
        times = (ROOT / "kubectl" / "certificate" / "times.hpp").read_text(encoding="utf-8")
        days = int(re.search(r"leaf_left\{24 \* (\d+)\}", times)[1])
        self.assertIn(f"- time() < {days - 1} * 86400", render(MONITORED))
        self.assertNotIn("CertificateNotRenewed", render({**MONITORED, **MANAGED}))

    def test_a_parent_chart_has_it_as_a_dependency(self):
        """By a condition, by another name, and with values that Helm passes to every chart: the objects are those of the chart by itself."""
        with_globals = {"imageRegistry": "r.example", "labels": {"a": "b"}, "storageClass": None, "tpu-webhook": {"enabled": 7}}
        for alias in ("tpu-webhook", "webhook"):
            for own, more, there in (({}, {}, True), ({"enabled": True}, {}, True), ({"enabled": False}, {}, False),
                                     ({"enabled": True, "global": {"own": 1}}, {"global": with_globals}, True), ({}, {"global": with_globals}, True),
                                     ({**SUPPLIED, "enabled": True, "config": {"mode": "enforce"}}, {"tags": {"front": True}}, True)):
                with self.subTest(alias=alias, own=own, more=more):
                    text = as_a_dependency(alias, {alias: with_image(own), **more})
                    if not there:
                        self.assertEqual("", text.strip())
                        continue
                    alone = render({name: value for name, value in own.items() if name not in ("enabled", "global")})
                    self.assertEqual(objects_of(alone, "tpu-webhook"), objects_of(text, alias))
        for wrong in ({"enabled": "yes"}, {"enable": True}):
            with self.assertRaises(subprocess.CalledProcessError) as refusal:
                as_a_dependency("tpu-webhook", {"tpu-webhook": with_image(wrong)})
            self.assertIn(next(iter(wrong)), refusal.exception.stderr)

    def test_texts(self):
        for values, texts in TEXTS:
            rendered = render(values)
            for text in texts:
                with self.subTest(values, text=text):
                    if text.startswith("no "):
                        self.assertNotIn(text[3:], rendered)
                    else:
                        self.assertIn(text, rendered)

    def test_refused(self):
        for values, named in REFUSED:
            with self.subTest(values):
                with self.assertRaises(subprocess.CalledProcessError) as refusal:
                    render(values)
                self.assertIn(named, refusal.exception.stderr)

    def test_each_value_taken_away(self):
        """null takes a default away: a field is left out, or it is refused by name; nothing is rendered without its content."""
        usual = defaults().splitlines()
        for depth in (1, 2, 3):
            refused, text = self.render_what_is_allowed({path: None for path, _ in every_value() if len(path) == depth})
            with self.subTest(depth=depth):
                self.assertEqual([], broken(text))
                more = [line for line in text.splitlines() if line not in usual and not re.search(r"checksum/config|config\.(json|yaml):|\{\}$", line)]
                self.assertEqual([], more, "what was left out is not left out")
                self.assertNotIn("null", configuration(text))
                self.assertLessEqual({path for path in ALWAYS if len(path) == depth}, refused)

    def test_each_value_of_another_type(self):
        """Refused by name, or what it says is rendered as it stands."""
        for other in ("no", 7, -1, 2.5, True, [], [7], {}, {"a": {"b": 1}}):
            for depth in (1, 2, 3):
                given = {path: other for path, value in every_value() if len(path) == depth and type(other) is not type(value)}
                with self.subTest(other=other, depth=depth):
                    _, text = self.render_what_is_allowed(given)
                    self.assertEqual([], broken(text))

    def render_what_is_allowed(self, given):
        """(paths that are refused, what is rendered of the others): Helm says of all at once whether they fit."""
        refused = set()
        while True:
            values = functools.reduce(lambda all, path: nested(path, given[path], all), given.keys() - refused, with_image({}))
            if ("image",) not in given:
                values = with_image(values)
            try:
                return refused, render_exactly(values)
            except subprocess.CalledProcessError as refusal:
                said = refusal.stderr
            named = {path for path in given if re.search(rf"at '/{'/'.join(path)}(/[^']*)?':", said)}
            for at, missing in re.findall(r"at '([^']*)': missing propert(?:y|ies) (.*)", said):
                named |= {(*filter(None, at.split("/")), name) for name in re.findall(r"'([^']+)'", missing)} & given.keys()
            if NO_IMAGE in said:
                named.add(("image", "repository"))
            self.assertTrue(named - refused, said)
            refused |= named

    def test_old_kubernetes_refused(self):
        with self.assertRaises(subprocess.CalledProcessError) as refusal:
            render({}, "--kube-version", "1.29.9")
        self.assertIn("kubeVersion", refusal.exception.stderr)
        render({}, "--kube-version", "v1.30.5-gke.100")

    def test_every_value_is_described(self):
        """values.yaml and the schema name the same values, and README's table has them all."""
        schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
        named = re.findall(r"^([A-Za-z]+):", (CHART / "values.yaml").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertCountEqual(named, set(schema["properties"]) - {"global", "enabled"})  # which Helm passes on
        table = set(re.findall(r"`([A-Za-z]+)", (CHART / "README.md").read_text(encoding="utf-8")))
        self.assertLessEqual(set(named), table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="a kubectl-tpu, for what it prints, beside a tpu-webhook")
    parser.add_argument("--helm", help="another helm than the pinned one")
    options, rest = parser.parse_known_args()
    if not options.helm and not shutil.which("go"):
        print("no go to build helm with")
        sys.exit(1 if os.environ.get("TPUWH_READERS_REQUIRED") else 77)  # .ci/run sets it
    options.helm = options.helm or helm_program()
    unittest.main(argv=[sys.argv[0], *rest])
