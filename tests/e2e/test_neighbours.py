"""Story 4: another webhook that injects variables into its own Pods, beside ours."""

from harness.namespace import env_of

LWS_OWN = ("LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX")


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
