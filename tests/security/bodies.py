"""Reviews that cost more than they look, as bytes."""

import json

UID = "00000000-0000-4000-8000-000000000000"  # the attacker writes another one over it each time
INDEX = "batch.kubernetes.io/job-completion-index"


def _review(pod):
    request = {"uid": UID, "kind": {"group": "", "version": "v1", "kind": "Pod"},
               "resource": {"group": "", "version": "v1", "resource": "pods"}, "operation": "CREATE",
               "namespace": "a", "object": pod}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                       "request": request}, separators=(",", ":")).encode()


def _pod(accelerator, topology, containers, chips):
    """The first Pod of an indexed Job."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "u", "controller": True}
    return {
        "metadata": {"generateName": "job-0-", "namespace": "a", "annotations": {INDEX: "0"},
                     "labels": {INDEX: "0", "batch.kubernetes.io/job-name": "job"},
                     "ownerReferences": [owner]},
        "spec": {"hostname": "job-0", "subdomain": "s", "restartPolicy": "Never",
                 "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": accelerator,
                                  "cloud.google.com/gke-tpu-topology": topology},
                 "containers": [{"name": f"c{number}", "image": "i",
                                 "resources": {"limits": {"google.com/tpu": str(chips)}}}
                                for number in range(containers)]}}


def many_terms(size):
    """A Pod of so many bytes, all of them node selector terms of 20 bytes; the patch writes on
    each."""
    pod = _pod("tpu-v6e-slice", "2x4", 1, 4)
    terms = []
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    pod["spec"]["affinity"] = {"nodeAffinity": affinity}
    room = size - len(_review(pod))
    terms += [{"matchFields": [{}]}] * (room // len('{"matchFields":[{}]},'))
    return _review(pod)


LISTED = 65_000  # elements: of any list 65,536 are read (webhook/read/pod.hpp)


def every_list(size):
    """A Pod of so many bytes that is read to its end, each of whose lists is as long as it may
    be: what it is read into is ten times the text of these. What is left of its size is numbers,
    which only the parser's index holds."""
    pod = _pod("tpu-v6e-slice", "2x4", 1, 4)
    empty, spec = [{}] * LISTED, pod["spec"]
    spec["nodeSelector"] |= {f"k{number}": "" for number in range(LISTED - 2)}
    spec["containers"][0]["resources"]["claims"] = empty
    spec["containers"][0]["env"] = [{"name": "TPU_NAME"}] * (LISTED // 2)
    spec["containers"] += empty
    spec["resourceClaims"] = empty
    node_terms = [{"matchExpressions": empty}, {"matchExpressions": [{"values": [""] * LISTED}]}, *empty]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    spec["affinity"] = {"nodeAffinity": {required: {"nodeSelectorTerms": node_terms}},
                        "podAffinity": {required: empty}}
    spec["numbers"] = []
    room = size - len(_review(pod))
    assert room >= 0, room
    spec["numbers"] = [0] * (room // 2)
    return _review(pod)


def many_names(containers):
    """A Pod of 2.5 KB at most, each of whose containers gets the names of 1,920 hosts four
    times: 200 KB of patch. tpu7x has no host of 16 chips, which is only warned of."""
    return _review(_pod("tpu7x", "16x20x24", containers, 1))


def many_values(size):
    """A review of so many bytes, of which the parser keeps an index."""
    beginning, end = b'{"request":[', b"0]}"
    return beginning + b"0," * ((size - len(beginning) - len(end)) // 2) + end
