"""Who resolves under which name, from the Pods and Services alone.

A Pod has a record only if it sets hostname and subdomain and a headless Service of exactly
that name, in its namespace, selects it (docs/facts.md#dns-records). What the environment
under test says plays no part.
"""

LOOPBACK = "127.0.0.1 localhost\n"


def address(i):
    """The loopback address of the Pod with index `i`. 127.0.0.1 is nobody's."""
    return f"127.0.{1 + i // 250}.{1 + i % 250}"


def names(pod, services):
    """The names of a Pod, shortest first; empty if it has no record."""
    spec, metadata = pod["spec"], pod["metadata"]
    host, subdomain, namespace = spec.get("hostname"), spec.get("subdomain"), metadata["namespace"]
    if not host or not subdomain:
        return []
    if not any(_publishes(service, pod) for service in services):
        return []
    short = f"{host}.{subdomain}"
    return [short, f"{short}.{namespace}", f"{short}.{namespace}.svc",
            f"{short}.{namespace}.svc.cluster.local"]


def hosts_file(pods, services, first=0):
    """The zone as a hosts file. Two Pods of one name give two lines, of which the first wins;
    in a cluster they would take turns. `first`: the index of the first of these Pods."""
    lines = [f"{address(i)} {' '.join(found)}\n"
             for i, pod in enumerate(pods, first) if (found := names(pod, services))]
    return LOOPBACK + "".join(lines)


def asks_cluster_dns(pod):
    """Whether short names resolve in this Pod: its search list is the cluster's."""
    spec = pod["spec"]
    policy = spec.get("dnsPolicy", "ClusterFirst")
    if spec.get("hostNetwork"):
        return policy == "ClusterFirstWithHostNet"
    return policy in ("ClusterFirst", "ClusterFirstWithHostNet")


def _publishes(service, pod):
    spec, metadata = service["spec"], pod["metadata"]
    have = metadata.get("labels", {})
    ready_at_start = not any("readinessProbe" in c for c in pod["spec"]["containers"])
    return (spec.get("clusterIP") == "None"
            and service["metadata"]["name"] == pod["spec"]["subdomain"]
            and service["metadata"]["namespace"] == metadata["namespace"]
            and bool(spec.get("selector"))  # without one it publishes what somebody writes by hand
            and all(have.get(k) == v for k, v in spec["selector"].items())
            and (spec.get("publishNotReadyAddresses", False) or ready_at_start))
