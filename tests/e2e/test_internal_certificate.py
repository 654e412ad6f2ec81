"""Story 7, as most will have it: a keeper issues and renews the certificate, and replicas mount it (certificate.mode: internal).

The keeper is the real one, with the rights that the chart gives its account. There is no kubelet here: harness/kubelet.py
writes the Secret's data into the folder that stands for the mount, at once or so many seconds late.
"""

import contextlib
import time

import pytest

from harness import audit, rbac, trusted
from harness.api import Refused, wait_for
from harness.keeper import NAME as KEEPER, Keeper, KilledAfterEachWrite
from harness.load import Load, alone
from harness.longer import in_full
from harness.namespace import Namespace
from harness.pods import injected, member
from harness.release import CONFIGURATION, NAME, NAMESPACE
from harness.rollout import replicas
from harness.unregistered import unregistered

INTERNAL = {"certificate": {"mode": "internal"}}
# Creations a second that are begun, as many as two cores can take; how many were reached is in the picture.
RATE = 200
RATE_FOR_MINUTES = in_full(RATE, otherwise=20)
USERS = 32
ROLE = ("rbac.authorization.k8s.io/v1", "ClusterRole", KEEPER)
VALIDATING = "ValidatingWebhookConfiguration"
RACES = 3  # of two keepers that start with an empty Secret and untrusted entries
LATE_KUBELET = 150  # seconds, as late as a kubelet may be


@pytest.fixture(scope="module")
def internal(release):
    with release.reinstalled(INTERNAL):
        yield release


def test_a_first_install(release, api, namespace, picture):
    """Everything is there at once, as Helm makes it; TPU Pods are refused until a replica is ready, and no longer. It is ready
    once it has a certificate, and has none before every entry trusts it."""
    tries = []
    with release.reinstalled(INTERNAL, before=lambda: tries.append(wait_for("a refusal", lambda: refusal(api, namespace), 10))):
        assert "failed calling webhook" in tries[0], tries
        assert injected(namespace.create(member("afterwards", 0)))
        held = set(trusted.bundles(api) + trusted.bundles(api, VALIDATING))
        assert len(held) == 1 and trusted.authorities(held.pop()) == 1
        assert any(line["msg"].startswith("no certificate yet") for one in release.replicas for line in one.log())
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
    picture("a certificate renewed by the keeper", f"  served by all three {seconds:.1f} s after it was asked for; "
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
        step("the old one is gone", lambda: all(trusted.authorities(one) == 1 and old != one for one in everywhere(api)), 420)
        load.more(RATE_FOR_MINUTES)
    assert load.failed == [] and verifier.failed == []
    picture("a CA renewed by the keeper", f"  {', '.join(steps)};\n  {verifier.made} new connections, all trusted, "
            f"half of them as of {trusted.LATE} s before\n  {load.line()}")


def test_a_ca_is_renewed_by_keepers_that_are_killed(internal, api, namespace, picture):
    """After each write; and the kubelet is as late as one may be: no creation fails, no API server distrusts a replica."""
    old, internal.kubelet.late = trusted.bundles(api)[0], LATE_KUBELET
    try:
        with replicas(internal, 2), trusted.Verifier(internal, api) as verifier, busy(api, namespace, RATE_FOR_MINUTES) as load, \
                KilledAfterEachWrite(internal.keeper, api, NAMESPACE) as killing:
            trusted.ask_for(api, "ca")
            wait_for("the old one to go", lambda: all(trusted.authorities(one) == 1 and old != one for one in everywhere(api)), 600)
            load.more(RATE_FOR_MINUTES)
        wait_for("the new certificate", lambda: trusted.served(internal) == {"".join(trusted.secret(api)["tls.crt"].split())}, LATE_KUBELET + 30)
    finally:
        internal.kubelet.late = 0
    assert load.failed == [] and verifier.failed == [] and killing.killed >= 5
    picture("a CA renewed by keepers that are killed", f"  {killing.killed} were, each after a write; the kubelet was {LATE_KUBELET} s late;\n"
            f"  {verifier.made} new connections, all trusted\n  {load.line()}")


def test_an_emptied_secret_is_filled_again(internal, api, namespace):
    """With what it had: nobody notices."""
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


def test_a_lost_secret_and_a_keeper_that_may_not_write(internal, api, namespace):
    """It has written a new CA into the Secret and may not write the configurations: there is no certificate of it, and what is
    served is still trusted. Once it may, both are trusted, and no creation has failed."""
    role, before = api.get(*ROLE), trusted.bundles(api)
    internal.keeper.kill()
    with Load(namespace, dry_run=True) as load, trusted.Verifier(internal, api) as verifier:
        api.patch("v1", "Secret", trusted.SECRET, {"data": None}, NAMESPACE)
        try:
            allow(api, role, ["get"])
            internal.keeper.start()
            wait_for("the CA", lambda: "ca.crt" in trusted.secret(api), 30)
            wait_for("its complaint", lambda: any("mutatingwebhookconfigurations" in str(line.get("error")) for line in internal.keeper.log()), 30)
            assert trusted.bundles(api) == before and "tls.crt" not in trusted.secret(api)
        finally:
            allow(api, role, ["get", "update"])
        wait_for("both CAs", lambda: all(trusted.authorities(one) == 2 for one in everywhere(api)), 60)
        wait_for("the certificate", lambda: "tls.crt" in trusted.secret(api), 120)
        wait_for("it to be served", lambda: trusted.served(internal) == {"".join(trusted.secret(api)["tls.crt"].split())}, 30)
        load.more(50)
    assert load.failed == [] and verifier.failed == []
    assert set(everywhere(api)) == {trusted.secret(api)["bundle.crt"]} != set(before)


def test_the_keepers_rules_are_what_is_used(internal, api, plane, program):
    """Of the rules that `certificate rights` prints none is for nothing; and the replicas' account has used none of them."""
    api.patch("v1", "Secret", trusted.SECRET, {"data": {"bundle.crt": None, "tls.crt": None}}, NAMESPACE)
    wait_for("the Secret to be filled", lambda: "tls.crt" in trusted.secret(api), 30)
    internal.keeper.kill()
    configuration = api.get(*CONFIGURATION, NAME)
    without = [{**one, "clientConfig": {**one["clientConfig"], "caBundle": None}} for one in configuration["webhooks"]]
    api.patch(*CONFIGURATION, NAME, {"webhooks": without})
    api.patch(CONFIGURATION[0], VALIDATING, NAME, {"webhooks": [
        {**one, "clientConfig": {**one["clientConfig"], "caBundle": None}} for one in api.get(CONFIGURATION[0], VALIDATING, NAME)["webhooks"]]})
    internal.keeper.start()
    wait_for("every bundle", lambda: set(everywhere(api)) == {trusted.secret(api)["bundle.crt"]}, 30)
    rules = rbac.of_the_keeper(program)
    assert rules and rules == audit.used_by(plane, f"system:serviceaccount:{NAMESPACE}:{KEEPER}")
    assert not rules & audit.used_by(plane, f"system:serviceaccount:{NAMESPACE}:{NAME}")


def test_keepers_that_issue_at_once_agree(internal, api, plane, program, picture):
    """Two start with an empty Secret and entries that trust nobody: one writes, the other takes what it wrote."""
    second = Keeper(plane, program, internal.keeper_pod, f"{KEEPER}-2")
    before = first_writes(internal.keeper, second)
    for _ in range(RACES):
        internal.keeper.kill()
        api.patch("v1", "Secret", trusted.SECRET, {"data": None}, NAMESPACE)
        for kind in (CONFIGURATION[1], VALIDATING):
            entries = api.get(CONFIGURATION[0], kind, NAME)["webhooks"]
            api.patch(CONFIGURATION[0], kind, NAME, {"webhooks": [
                {**one, "clientConfig": {**one["clientConfig"], "caBundle": None}} for one in entries]})
        internal.keeper.start()
        second.start()
        wait_for("a certificate", lambda: "tls.crt" in trusted.secret(api), 60)
        held = trusted.secret(api)
        wait_for("one certificate", lambda held=held: trusted.served(internal) == {"".join(held["tls.crt"].split())}, 30)
        assert set(everywhere(api)) == {held["bundle.crt"]}
        second.forget()
    assert first_writes(internal.keeper, second) - before == RACES
    picture("two keepers that issue at once", f"  {RACES} times: one CA and one certificate each time")


def first_writes(*keepers) -> int:
    """How often any of them has written a first CA into the Secret."""
    return sum(line.get("written") == "the first CA" for one in keepers for line in one.log())


def everywhere(api) -> list:
    """The bundle of each entry of both configurations."""
    return [*trusted.bundles(api), *trusted.bundles(api, VALIDATING)]


def allow(api, role: dict, verbs: list) -> None:
    """The verbs that the keeper's account has on webhook configurations."""
    rules = [{**rule, "verbs": verbs} if rule["apiGroups"] == ["admissionregistration.k8s.io"] else rule for rule in role["rules"]]
    api.patch(*ROLE, {"rules": rules})


def refusal(api, namespace: Namespace) -> str:
    """What the creator of a TPU Pod reads; "" if it would be created."""
    try:
        api.create(namespace.here(member("before", 0)), dry_run=True)
    except Refused as error:
        return error.message
    return ""
