"""Story 4: what else runs beside us. Never refused, nothing broken, and only what concerns us reaches us."""

from harness.api import wait_for
from harness.live import Job, Live, jax_agrees
from harness.namespace import env_of

LWS_OWN = ("LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX")


def test_a_deployment_of_single_hosts(release, namespace):
    """Two independent model servers: the device plugin's word stands, each is a slice of its own."""
    namespace.apply("deployment.yaml")
    pods = namespace.running(2)
    live, alone = Live(namespace), Job(processes=1, slices=1, chips=4, nodes=1)
    assert not jax_agrees({pod["metadata"]["name"]: (live.part([pod]), alone) for pod in pods})


def test_a_stateful_set(release, namespace):
    """Four hosts of one slice; its API is not built: nothing is refused, and nothing half done."""
    namespace.apply("statefulset.yaml")
    pods = namespace.running(4)
    if all("TPU_WORKER_ID" in env_of(pod) for pod in pods):
        assert not jax_agrees({"slice": (Live(namespace).part(pods), Job(processes=4, slices=1, chips=16, nodes=4))})
    else:
        assert not any(name.startswith(("TPU_", "MEGASCALE_")) for pod in pods for name in env_of(pod))


def test_leaderworkerset_beside_its_own_webhook(release, namespace):
    """LWS injects for itself; with us in the chain its Pods have what they have without us."""
    def environments():
        namespace.apply("lws.yaml")
        found = {pod["metadata"]["name"]: env_of(pod) for pod in namespace.running(8)}
        namespace.empty()
        return found

    with_us = environments()
    with release.absent():
        without_us = environments()
    assert with_us.keys() == without_us.keys()
    for name, own in without_us.items():
        assert own.items() <= with_us[name].items(), f"{name}: LWS's own variables are not what they were"
        assert all(variable in own for variable in LWS_OWN)


def test_what_is_none_of_our_business_never_reaches_us(release, namespace, api):
    """Pods without TPU, and any Pod of kube-system, are not even sent: counted at the server."""
    before = len(release.reviews())

    def web(obj):
        spec = obj["spec"]["template"]["spec"]
        spec.pop("nodeSelector")
        spec["containers"][0].pop("resources")

    namespace.apply("deployment.yaml", edit=web)
    namespace.apply("job-single-host-8.yaml", edit=web)
    namespace.running(3)
    api.create(_pod("kube-system", {"google.com/tpu": "4"}), dry_run=True)
    api.create(_pod("tpu-webhook", {"google.com/tpu": "4"}), dry_run=True)
    api.create(_pod(namespace.name, {"nvidia.com/gpu": "4"}), dry_run=True)
    # This one arrives, after all of those: were there any others, they would be in the log by now.
    api.create(_pod(namespace.name, {"google.com/tpu": "4"}), dry_run=True)
    wait_for("its review", lambda: release.reviews(namespace.name), 5, every=0.02)
    assert len(release.reviews()) == before + 1


def _pod(namespace, limits):
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lonely", "namespace": namespace},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": limits}}]},
    }
