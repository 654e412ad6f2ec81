"""Sends reviews directly to a replica's port, from a caller that is not the API server."""

import collections
import contextlib
import http.client
import json
import ssl
import threading
import uuid


@contextlib.contextmanager
def reviews(release, pod: dict, count: int, users: int):
    """While this holds `users` send `count` reviews of the Pod: of four one of an unknown RayCluster, one of an unknown
    worker group of its own.

    Yields how many answers of each HTTP status came; all have come at the end. On loopback, and no more than `count`.
    """
    answers, lock, left = collections.Counter(), threading.Lock(), [count]

    def send():
        connection = to_a_replica(release)
        while True:
            with lock:
                if left[0] == 0:
                    return
                left[0] -= 1
                number = left[0]
            connection.request("POST", "/mutate", json.dumps(_review(pod, number % 4)), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            with lock:
                answers[answer.status] += 1

    threads = [threading.Thread(target=send, daemon=True) for _ in range(users)]
    for one in threads:
        one.start()
    try:
        yield answers
    finally:
        for one in threads:
            one.join()


def to_a_replica(release) -> http.client.HTTPSConnection:
    """Whoever is not the API server does not mind whom it speaks to."""
    host, port = release.replicas[0].entry()["address"].split(":")
    return http.client.HTTPSConnection(host, int(port), context=ssl._create_unverified_context(), timeout=30)


def ask(release, path: str, body: bytes | str) -> tuple:
    """(status, body) of what a replica answers."""
    with contextlib.closing(to_a_replica(release)) as connection:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()


def _review(pod: dict, kind: int) -> dict:
    pod = json.loads(json.dumps(pod))
    if kind == 1:
        pod["metadata"]["labels"]["ray.io/group"] = f"nobody-{uuid.uuid4().hex[:8]}"
    if kind == 2:
        name = f"nobody-{uuid.uuid4().hex[:8]}"
        pod["metadata"]["labels"]["ray.io/cluster"] = name
        pod["metadata"]["ownerReferences"][0].update(name=name, uid=str(uuid.uuid4()))
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": str(uuid.uuid4()), "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"}, "operation": "CREATE",
        "namespace": pod["metadata"]["namespace"], "object": pod}}
