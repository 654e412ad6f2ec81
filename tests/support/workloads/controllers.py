"""The Pods that the Job, JobSet, KubeRay and ReplicaSet controllers create, with what each writes
on them. StatefulSets and what is made of them: stateful.py.

Labels, annotations, names and owners as in docs/facts.md, "Workload APIs", and as seen from the running
controllers (tests/golden/recorded).
"""

import hashlib

from apiserver import digest, field_env, pod, suffix, uid

JOB_CONTROLLER = "kube-system:job-controller"
KUBERAY_OPERATOR = "kuberay-system:kuberay-operator"

_INDEX = "batch.kubernetes.io/job-completion-index"
_JOBSET = "jobset.sigs.k8s.io/"
EXCLUSIVE_TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology"


def owner(api_version, kind, name, owner_uid):
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": owner_uid,
            "controller": True, "blockOwnerDeletion": True}


def _with_index(body):
    """The variable that the Job controller gives every container of an Indexed Job."""
    out = {}
    for key, value in body.items():
        if key == "env":
            continue
        if key == "resources":
            out["env"] = [*body.get("env", []),
                          field_env("JOB_COMPLETION_INDEX", f"metadata.labels['{_INDEX}']")]
        out[key] = value
    return out


def job_pod(*, job, namespace, index, containers, labels=None, annotations=None, **spec):
    """A Pod of a Job; `index` is None where completionMode is NonIndexed."""
    job_uid = uid("job", namespace, job)
    labels = {
        **(labels or {}),
        "batch.kubernetes.io/controller-uid": job_uid,
        "batch.kubernetes.io/job-name": job,
        "controller-uid": job_uid,
        "job-name": job,
    }
    annotations = dict(annotations or {})
    generate_name = f"{job}-"
    if index is not None:
        labels[_INDEX] = annotations[_INDEX] = str(index)
        generate_name = f"{job}-{index}-"
        containers = [_with_index(c) for c in containers]
        spec["hostname"] = f"{job}-{index}"
    return pod(
        identity=(namespace, job, index),
        generate_name=generate_name,
        namespace=namespace,
        labels=labels,
        annotations=annotations,
        owner=owner("batch/v1", "Job", job, job_uid),
        finalizers=["batch.kubernetes.io/job-tracking"],
        manager="kube-controller-manager",
        containers=containers,
        **spec,
    )


def jobset_pod(*, jobset, namespace, replicated_job, replicas, job_index, index, exclusive=None,
               domain=None, labels=None, annotations=None, node_selector, **spec):
    """A Pod of a JobSet with one replicatedJob, as JobSet's own webhook leaves it.

    exclusive  topology key of the exclusive-topology annotation, None without it
    domain     value of that key on the leader's node, which a follower's selector has
    """
    job = f"{jobset}-{replicated_job}-{job_index}"
    job_key = hashlib.sha1(f"{namespace}/{job}".encode()).hexdigest()
    written = {
        _JOBSET + "jobset-name": jobset,
        _JOBSET + "jobset-uid": uid("jobset", namespace, jobset),
        _JOBSET + "replicatedjob-name": replicated_job,
        _JOBSET + "replicatedjob-replicas": str(replicas),
        _JOBSET + "global-replicas": str(replicas),
        _JOBSET + "job-index": str(job_index),
        _JOBSET + "job-global-index": str(job_index),
        _JOBSET + "job-key": job_key,
        _JOBSET + "restart-attempt": "0",
        _JOBSET + "group-name": "default",
        _JOBSET + "group-replicas": str(replicas),
        _JOBSET + "job-group-index": str(job_index),
    }
    labels = {**(labels or {}), **written, _JOBSET + "priority": "0"}
    annotations = {**(annotations or {}), **written}
    if exclusive:
        annotations[EXCLUSIVE_TOPOLOGY] = exclusive
        if index == 0:
            spec["affinity"] = _leader_affinity(job_key, exclusive)
        else:
            node_selector = {**node_selector, exclusive: domain}
    return job_pod(job=job, namespace=namespace, index=index, labels=labels,
                   annotations=annotations, node_selector=node_selector, subdomain=jobset,
                   restart_policy="Never", **spec)


def _leader_affinity(job_key, topology_key):
    """Near its own Job, away from every other Job of the same priority."""
    def term(*expressions):
        return {"labelSelector": {"matchExpressions": list(expressions)},
                "topologyKey": topology_key, "namespaceSelector": {}}

    def selects(key, operator, *values):
        expression = {"key": _JOBSET + key, "operator": operator}
        return {**expression, "values": list(values)} if values else expression

    required = "requiredDuringSchedulingIgnoredDuringExecution"
    own = selects("job-key", "In", job_key)
    others = (selects("job-key", "Exists"), selects("job-key", "NotIn", job_key),
              selects("priority", "In", "0"))
    return {"podAffinity": {required: [term(own)]}, "podAntiAffinity": {required: [term(*others)]}}


def ray_worker(*, cluster, namespace, group, replica, host, indexed=True, **spec):
    """A worker Pod of a KubeRay group. KubeRay gives it neither a host name nor a subdomain.

    indexed  whether KubeRay indexes hosts (RayMultiHostIndexing)
    host     None where the group has one host per replica: then only the replica has an index
    """
    indices = {}
    if indexed:
        indices["ray.io/worker-group-replica-index"] = str(replica)
        if host is not None:
            indices["ray.io/replica-host-index"] = str(host)
            indices["ray.io/worker-group-replica-name"] = (
                f"{group}-{suffix(namespace, cluster, group, replica)}")
    return pod(
        identity=(namespace, cluster, group, replica, host),
        generate_name=f"{cluster}-{group}-worker-",
        namespace=namespace,
        labels={
            "app.kubernetes.io/created-by": "kuberay-operator",
            "app.kubernetes.io/name": "kuberay",
            "ray.io/cluster": cluster,
            "ray.io/group": group,
            "ray.io/identifier": f"{cluster}-worker",
            "ray.io/is-ray-node": "yes",
            "ray.io/node-type": "worker",
            **indices,
        },
        annotations={"ray.io/ft-enabled": "false"},
        owner=owner("ray.io/v1", "RayCluster", cluster, uid("raycluster", namespace, cluster)),
        manager="manager",
        restart_policy="Always",
        **spec,
    )


def deployment_pod(*, deployment, namespace, number, **spec):
    """One of the Pods that a Deployment's ReplicaSet makes, all alike."""
    template_hash = digest("template", namespace, deployment)[:10]
    replica_set = f"{deployment}-{template_hash}"
    owner_uid = uid("replicaset", namespace, replica_set)
    return pod(
        identity=(namespace, replica_set, number),
        generate_name=f"{replica_set}-",
        namespace=namespace,
        labels={"app": deployment, "pod-template-hash": template_hash},
        annotations={},
        owner=owner("apps/v1", "ReplicaSet", replica_set, owner_uid),
        manager="kube-controller-manager",
        restart_policy="Always",
        **spec,
    )


def bare_pod(*, name, namespace, labels=None, annotations=None, **spec):
    """A Pod that a user creates."""
    return pod(identity=(namespace, name), name=name, namespace=namespace, labels=labels or {},
               annotations=annotations or {}, manager="kubectl-client-side-apply",
               restart_policy="Always", **spec)
