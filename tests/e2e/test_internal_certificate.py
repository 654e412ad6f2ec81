"""Story 7, as most will have it: the replicas issue and renew their certificate by themselves (certificate.mode: internal)."""

import contextlib
import signal
import time

import pytest

from harness import audit, rbac, trusted
from harness.api import Refused, wait_for
from harness.figures import unregistered
from harness.load import Load, alone
from harness.longer import in_full
from harness.namespace import Namespace
from harness.pods import injected, member
from harness.release import CONFIGURATION, NAME, NAMESPACE
from harness.rollout import replicas

INTERNAL = {"certificate": {"mode": "internal"}}
# Creations a second that are begun, as many as two cores can take; how many were reached is in the picture.
RATE = 200
RATE_FOR_MINUTES = in_full(RATE, otherwise=20)
USERS = 32
ROLE = ("rbac.authorization.k8s.io/v1", "ClusterRole", NAME)
VALIDATING = "ValidatingWebhookConfiguration"
RACES = 5  # of replicas that start with an empty Secret


@pytest.fixture(scope="module")
def internal(release):
    with release.reinstalled(INTERNAL):
        yield release


def test_a_first_install(release, api, namespace, picture):
    """Everything is there at once, as Helm makes it; TPU Pods are refused until a replica is ready, and no longer."""
    tries = []
    with release.reinstalled(INTERNAL, before=lambda: tries.append(wait_for("a refusal", lambda: refusal(api, namespace), 10))):
        assert "failed calling webhook" in tries[0], tries
        assert injected(namespace.create(member("afterwards", 0)))
        held = set(trusted.bundles(api) + trusted.bundles(api, VALIDATING))
        assert len(held) == 1 and trusted.authorities(held.pop()) == 1
        picture("a first install", f"  {release.ready_seconds:.1f} s from the first process to a replica that the API server trusts;\n"
                f"  before it a TPU Pod was refused: {tries[0]}")


@contextlib.contextmanager
def busy(api, namespace, rate):
    """Creations of Pods that are cheap for a control plane, and no other webhook is called."""
    with unregistered(api, "jobset", "kueue", "lws"), Load(namespace, rate=rate, users=USERS, dry_run=True, pod=alone) as load:
        yield load


def test_a_certificate_is_renewed(internal, api, namespace, picture):
    """On request, as at its time: another certificate of the same CA; no creation fails, no API server distrusts it."""
    with replicas(internal, 3), trusted.Verifier(internal, api) as verifier, busy(api, namespace, RATE) as load:
        before, bundle = trusted.served(internal), trusted.bundles(api)
        start = time.monotonic()
        trusted.ask_for(api, "certificate")
        wait_for("the new certificate", lambda: len(new := trusted.served(internal)) == 1 and not new & before, 30)
        seconds = time.monotonic() - start
        load.more(RATE)
    assert trusted.bundles(api) == bundle
    assert "tpu-webhook.dev/renew" not in api.get("v1", "Secret", trusted.SECRET, NAMESPACE)["metadata"].get("annotations", {})
    assert load.failed == [] and verifier.failed == []
    picture("a certificate renewed by the replicas", f"  served by all three {seconds:.1f} s after it was asked for; "
            f"{verifier.made} new connections, all trusted\n  {load.line()}")


def test_a_ca_is_renewed(internal, api, namespace, picture):
    """Both are trusted, the new one signs, the old one goes: at each step an API server that is late still trusts us."""
    steps = []
    with replicas(internal, 3), trusted.Verifier(internal, api) as verifier, busy(api, namespace, RATE_FOR_MINUTES) as load:
        start, before, old = time.monotonic(), trusted.served(internal), trusted.bundles(api)[0]

        def step(what, reached, seconds):
            wait_for(what, reached, seconds)
            steps.append(f"{what} after {time.monotonic() - start:.0f} s")

        trusted.ask_for(api, "ca")
        step("both are trusted", lambda: all(trusted.authorities(one) == 2 and old in one for one in everywhere(api)), 30)
        step("the new one signs", lambda: len(new := trusted.served(internal)) == 1 and not new & before, 120)
        step("the old one is gone", lambda: all(trusted.authorities(one) == 1 and old != one for one in everywhere(api)), 240)
        load.more(RATE_FOR_MINUTES)
    assert load.failed == [] and verifier.failed == []
    picture("a CA renewed by the replicas", f"  {', '.join(steps)};\n  {verifier.made} new connections, all trusted, "
            f"half of them as of {trusted.LATE} s before\n  {load.line()}")


def test_an_emptied_secret_is_filled_again(internal, api, namespace):
    """With what is served: nobody notices."""
    with replicas(internal, 2), trusted.Verifier(internal, api) as verifier, Load(namespace, dry_run=True) as load:
        before = trusted.secret(api)
        api.patch("v1", "Secret", trusted.SECRET, {"data": None}, NAMESPACE)
        wait_for("the Secret to be filled", lambda: trusted.secret(api), 30)
        after = trusted.secret(api)
        assert [after[key] for key in ("tls.crt", "ca.crt")] == [before[key] for key in ("tls.crt", "ca.crt")]
        load.more(50)
    assert load.failed == [] and verifier.failed == []


def test_an_entry_that_an_upgrade_adds(internal, api, namespace, picture):
    """Its caBundle is written within seconds, and the others' stay."""
    configuration = api.get(*CONFIGURATION, NAME)
    added = {**configuration["webhooks"][0], "name": "added.tpu-webhook.dev", "failurePolicy": "Ignore"}
    added["clientConfig"] = {key: value for key, value in added["clientConfig"].items() if key != "caBundle"}
    start = time.monotonic()
    try:
        api.patch(*CONFIGURATION, NAME, {"webhooks": [*configuration["webhooks"], added]})
        wait_for("its caBundle", lambda: len(set(trusted.bundles(api))) == 1, 30)
        picture("an entry that an upgrade adds", f"  trusted after {time.monotonic() - start:.1f} s")
    finally:
        api.patch(*CONFIGURATION, NAME, {"webhooks": configuration["webhooks"]})
    assert injected(namespace.create(member("afterwards", 0)))


def test_a_replica_is_killed_between_secret_and_configuration(internal, api, namespace):
    """It has written the one and not the other: here it may not. The next one finishes."""
    role = api.get(*ROLE)
    only = internal.replicas[0]
    only.kill()
    api.patch("v1", "Secret", trusted.SECRET, {"data": None}, NAMESPACE)
    before = trusted.bundles(api)
    try:
        allow(api, role, ["get"])
        only.start()
        wait_for("the Secret to be filled", lambda: "bundle.crt" in trusted.secret(api), 30)
        wait_for("its complaint", lambda: any("mutatingwebhookconfigurations" in str(line.get("error")) for line in only.log()), 30)
        assert trusted.bundles(api) == before
        assert internal.relay()["ready"] == []
        only.kill()
    finally:
        allow(api, role, ["get", "update"])
    only.start()
    internal.wait_ready()
    assert set(everywhere(api)) == {trusted.secret(api)["bundle.crt"]} != set(before)
    assert injected(namespace.create(member("afterwards", 0)))


def test_the_rules_by_name_are_what_is_used(internal, api, plane, program):
    """Of the rules with names in `rules -o json` none is for nothing: get and update, of one Secret and two configurations."""
    api.patch("v1", "Secret", trusted.SECRET, {"data": None}, NAMESPACE)
    wait_for("the Secret to be filled", lambda: trusted.secret(api), 30)
    _, by_name = rbac.said(program)
    assert by_name and by_name <= audit.used_by(plane, f"system:serviceaccount:{NAMESPACE}:{NAME}")


def test_replicas_that_issue_at_once_agree(internal, api, picture):
    """They start with an empty Secret: one writes it, the others take what it wrote."""
    with replicas(internal, 3):
        before = first_writes(internal)
        for _ in range(RACES):
            for one in internal.replicas:
                one.signal(signal.SIGKILL)
            for one in internal.replicas:
                one.wait_exit()
            api.patch("v1", "Secret", trusted.SECRET, {"data": None}, NAMESPACE)
            for one in internal.replicas:
                one.start()
            internal.wait_ready()
            held = trusted.secret(api)
            wait_for("one certificate", lambda: trusted.served(internal) == {"".join(held["tls.crt"].split())}, 30)
            assert set(everywhere(api)) == {held["bundle.crt"]}
        assert first_writes(internal) - before == RACES
    picture("three replicas that issue at once", f"  {RACES} times: one CA and one certificate each time")


def first_writes(release) -> int:
    """How often any replica has written a first CA into the Secret."""
    return sum(line.get("written") == "the first CA and certificate" for one in release.replicas for line in one.log())


def everywhere(api) -> list:
    """The bundle of each entry of both configurations."""
    return [*trusted.bundles(api), *trusted.bundles(api, VALIDATING)]


def allow(api, role: dict, verbs: list) -> None:
    """The verbs that the ServiceAccount has on webhook configurations."""
    rules = [{**rule, "verbs": verbs} if rule["apiGroups"] == ["admissionregistration.k8s.io"] else rule for rule in role["rules"]]
    api.patch(*ROLE, {"rules": rules})


def refusal(api, namespace: Namespace) -> str:
    """What the creator of a TPU Pod reads; "" if it would be created."""
    pod = member("before", 0)
    pod["metadata"]["namespace"] = namespace.name
    try:
        api.create(pod, dry_run=True)
    except Refused as error:
        return error.message
    return ""
