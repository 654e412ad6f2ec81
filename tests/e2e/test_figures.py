"""How fast Pods are created: not a demand, a picture. The scheduler stays out of it."""

import time

from harness import figures
from harness.api import wait_for

JOBS, HOSTS = 2, 64  # 128 Pods: two slices of 16x16


def pod_template():
    return {"spec": {
        "restartPolicy": "Never", "subdomain": "burst",
        "schedulingGates": [{"name": "e2e.tpu-webhook.dev/unscheduled"}],
        "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "16x16"},
        "containers": [{"name": "c", "image": "i", "resources": {"limits": {"google.com/tpu": "4"}}}],
    }}


def job_spec():
    size = {"completions": HOSTS, "parallelism": HOSTS}
    return {"completionMode": "Indexed", **size, "backoffLimit": 0, "template": pod_template()}


def jobs():
    job = {"apiVersion": "batch/v1", "kind": "Job", "spec": job_spec()}
    return [{**job, "metadata": {"name": f"burst-{number}"}} for number in range(JOBS)]


def jobset():
    replicated = {"name": "burst", "replicas": JOBS, "template": {"spec": job_spec()}}
    return [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "burst"},
             "spec": {"replicatedJobs": [replicated]}}]


def rate(namespace, objects):
    """Pods per second, from the first POST until all exist."""
    started = time.monotonic()
    for obj in objects:
        namespace.create(obj)
    wait_for("the burst", lambda: namespace.api.count("v1", "Pod", namespace.name) == JOBS * HOSTS, 60, every=0.02)
    took = time.monotonic() - started
    namespace.most_pods = JOBS * HOSTS
    namespace.empty()
    return f"{JOBS * HOSTS / took:6.0f} Pods/s ({took:.2f} s)"


def test_pod_creation_rate(release, namespace, api, picture):
    """128 Pods of two Jobs, by the real Job controller, on whatever this machine has left."""
    before, found = figures.measured(api), []
    with figures.unregistered(api, "kueue"):  # which is called for every Pod
        with release.absent():
            found.append(f"  without any webhook             {rate(namespace, jobs())}")
        used, connections = release.cpu_seconds(), sum(release.relay()["total"].values())
        found.append(f"  with tpu-webhook                {rate(namespace, jobs())}")
        program, relay = (now - then for now, then in zip(release.cpu_seconds(), used))
        found.append(f"    for which it took {program:.2f} CPU s, the relay in front of it (Python) {relay:.2f} CPU s, "
                     f"and the API server made {sum(release.relay()['total'].values()) - connections} connections")
        wait_for("the log to have them all", lambda: len(release.reviews(namespace.name)) == JOBS * HOSTS, 5)
        found.append(f"  with tpu-webhook and JobSet's   {rate(namespace, jobset())}")
    picture(f"creating {JOBS * HOSTS} Pods at once", "\n".join([
        *found, "  the API server's measurement of these:", figures.lines(figures.measured(api), before),
        "  and of the stories before:", figures.lines(before)]))
