"""What the API server adds to a Pod before the webhook sees it, and the request around it.

Defaults and in-tree admission as in docs/facts.md#pod-at-create, for Kubernetes 1.35:
`creationTimestamp` is absent, empty maps and lists are absent, quantities are strings.
Names that are random in a cluster are digests here, so that a file is the same each time.
"""

import hashlib
import json

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # what Kubernetes makes name suffixes of

_NOT_READY_SECONDS = 300
_TOKEN_SECONDS = 3607


def digest(*what):
    return hashlib.sha256("/".join(map(str, what)).encode()).hexdigest()


def uid(*what):
    """A version 4 uuid in form, the same for the same words."""
    d = digest("uid", *what)
    return f"{d[:8]}-{d[8:12]}-4{d[13:16]}-{'89ab'[int(d[16], 16) % 4]}{d[17:20]}-{d[20:32]}"


def suffix(*what):
    """Five letters, as in the random part of a Pod's name."""
    value = int(digest("suffix", *what), 16)
    letters = []
    for _ in range(5):
        value, rest = divmod(value, len(_SUFFIX_LETTERS))
        letters.append(_SUFFIX_LETTERS[rest])
    return "".join(letters)


def ordered(mapping):
    """Go writes the keys of a map sorted, and leaves an empty one out."""
    return dict(sorted(mapping.items()))


def container(name, image, *, command=None, args=None, ports=(), env=(), limits=None,
              claims=(), mounts=(), probes=None, privileged=False):
    """A container after defaulting: requests copied from limits, port protocols, policies."""
    resources = {}
    if limits:
        resources = {"limits": ordered(limits), "requests": ordered(limits)}
    if claims:
        resources["claims"] = [{"name": claim} for claim in claims]
    out = {
        "name": name,
        "image": image,
        "command": command,
        "args": args,
        "ports": [
            {**({"name": port_name} if port_name else {}),
             "containerPort": number, "protocol": "TCP"}
            for port_name, number in ports
        ],
        "env": list(env),
        "resources": resources,
        "volumeMounts": list(mounts),
        **(probes or {}),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "Always" if image.endswith(":latest") else "IfNotPresent",
        "securityContext": {"privileged": True} if privileged else None,
    }
    return {key: value for key, value in out.items()
            if value or key == "resources"}


def field_env(name, path):
    """An environment variable taken from a field of the Pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def exec_probe(script, *, delay=0, timeout=1, period, failures, successes=1):
    probe = {"exec": {"command": ["bash", "-c", script]}}
    if delay:
        probe["initialDelaySeconds"] = delay
    probe.update(timeoutSeconds=timeout, periodSeconds=period, successThreshold=successes,
                 failureThreshold=failures)
    return probe


def pod(*, identity, name=None, generate_name=None, namespace, labels, annotations, owner=None,
        finalizers=(), manager, containers, init_containers=(), volumes=(), restart_policy,
        node_selector, service_account="default", host_network=False, dns_policy="ClusterFirst",
        hostname=None, subdomain=None, affinity=None, resource_claims=()):
    """The Pod in a CREATE review. `identity` makes the random names of this Pod its own. A Pod
    whose controller names it has `name`; others are named after admission."""
    token = "kube-api-access-" + suffix("token", *identity)
    mount = {"name": token, "readOnly": True,
             "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}
    metadata = {
        "name": name,
        "generateName": generate_name,
        "namespace": namespace,
        "labels": ordered(labels),
        "annotations": ordered(annotations),
        "ownerReferences": [owner] if owner else [],
        "finalizers": list(finalizers),
        "managedFields": [_managed_fields(manager, labels)],
    }
    spec = {
        "volumes": [*volumes, _token_volume(token)],
        "initContainers": [_mounted(c, mount) for c in init_containers],
        "containers": [_mounted(c, mount) for c in containers],
        "restartPolicy": restart_policy,
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": dns_policy,
        "nodeSelector": ordered(node_selector),
        "serviceAccountName": service_account,
        "serviceAccount": service_account,
        "hostNetwork": host_network,
        "securityContext": {},
        "hostname": hostname,
        "subdomain": subdomain,
        "affinity": affinity,
        "schedulerName": "default-scheduler",
        "tolerations": _tolerations(),
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "resourceClaims": list(resource_claims),
    }
    always = ("securityContext", "priority")
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {k: v for k, v in metadata.items() if v},
        "spec": {k: v for k, v in spec.items() if v or k in always},
        "status": {},
    }


def review(body, *, identity, service_account):
    """The AdmissionReview of a CREATE by a controller's service account "namespace:name"."""
    account_namespace = service_account.split(":")[0]
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    resource = {"group": "", "version": "v1", "resource": "pods"}
    return {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": uid("request", *identity),
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            **({"name": body["metadata"]["name"]} if "name" in body["metadata"] else {}),
            "namespace": body["metadata"]["namespace"],
            "operation": "CREATE",
            "userInfo": {
                "username": f"system:serviceaccount:{service_account}",
                "uid": uid("account", service_account),
                "groups": ["system:serviceaccounts", f"system:serviceaccounts:{account_namespace}",
                           "system:authenticated"],
                "extra": {"authentication.kubernetes.io/credential-id":
                          ["JTI=" + uid("credential", service_account)]},
            },
            "object": body,
            "oldObject": None,
            "dryRun": False,
            "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
        },
    }


def go_json(value):
    """One line, with the characters escaped that Go escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _mounted(body, mount):
    """`body` with the service account's mount, in the place Go's field order gives it."""
    out = {}
    for key, value in body.items():
        if key == "volumeMounts":
            continue
        out[key] = value
        if key == "resources":
            out["volumeMounts"] = body.get("volumeMounts", []) + [mount]
    return out


def _token_volume(name):
    return {
        "name": name,
        "projected": {
            "sources": [
                {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
                {"configMap": {"name": "kube-root-ca.crt",
                               "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"downwardAPI": {"items": [
                    {"path": "namespace",
                     "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}},
            ],
            "defaultMode": 0o644,
        },
    }


def _tolerations():
    """DefaultTolerationSeconds, then ExtendedResourceToleration (on at GKE)."""
    out = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": _NOT_READY_SECONDS} for key in ("not-ready", "unreachable")]
    return out + [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}]


def _managed_fields(manager, labels):
    """Present, as in a real request, and cut down to the label keys."""
    keys = {".": {}, **{f"f:{key}": {} for key in sorted(labels)}}
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": "2026-10-05T08:15:30Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:generateName": {}, "f:labels": keys}},
    }
