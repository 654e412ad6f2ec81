"""Story 5, when the webhook cannot be asked: with Fail no TPU Pod is created, with Ignore it is created as it is.

Either way no other Pod notices, and all is well again as soon as the webhook is.
"""

import contextlib
import time

import pytest

from harness import audit, golden
from harness.api import Refused, wait_for
from harness.pods import injected, member, untouched, web
from harness.trouble import configured, down, in_our_place, slow, untrusted

SECOND = {"timeoutSeconds": 1}
LATE = 2.5  # seconds: well over SECOND, well under the chart's 10

TROUBLES = {
    "down": down,
    "slow": lambda release: slow(release, LATE),
    "garbage": lambda release: in_our_place(release, lambda path, body: (200, b"<html>It works!</html>")),
    "another-review": lambda release: in_our_place(release, lambda path, body: (200, SOMEBODY_ELSES)),
    "internal-error": lambda release: in_our_place(release, lambda path, body: (500, b"{}")),
    "hangs-up": lambda release: in_our_place(release, lambda path, body: None),
    "untrusted": untrusted,
}

SOMEBODY_ELSES = (b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",'
                  b'"response":{"uid":"6b1f6a2e-0000-4000-8000-000000000000","allowed":true}}')


def test_fail_refuses_tpu_pods_alone(release, namespace):
    """What kubectl says of each trouble is golden/refused-TROUBLE.txt; nothing is created, and nobody waits long."""
    with configured(release, {**SECOND, "failurePolicy": "Fail"}):
        for name, trouble in TROUBLES.items():
            with trouble(release):
                namespace.create(web(f"web-{name}"))
                start = time.monotonic()
                text = golden.kubectl_create(namespace, member(name, 0))
                took = time.monotonic() - start
            assert namespace.get("v1", "Pod", name) is None, f"created while {name}"
            assert took < 1 + 3, f"{name}: {took:.1f} s, with a timeout of 1 s"
            golden.reads(f"refused-{name}", text)
            assert injected(namespace.create(member(name, 0))), f"after {name}"


def test_ignore_lets_tpu_pods_through(release, namespace, plane):
    """Created as the user wrote them, and the audit log says for which Pods that was so."""
    with configured(release, {**SECOND, "failurePolicy": "Ignore"}):
        for name, trouble in TROUBLES.items():
            with trouble(release):
                pod = namespace.create(member(name, 0))
            assert untouched(pod), f"while {name}"
            said = audit.creation(plane, namespace.name, name)
            assert any(key.startswith(audit.FAILED_OPEN) for key in said), f"{name}: {said}"
            assert injected(namespace.create(member(f"after-{name}", 0))), f"after {name}"


def test_late_but_in_time(release, namespace):
    """An answer after two and a half seconds of the ten that the chart allows is an answer."""
    with slow(release, LATE):
        start = time.monotonic()
        pod = namespace.create(member("late", 0))
    assert injected(pod) and time.monotonic() - start >= LATE


def test_a_denial_is_no_failure(release, namespace):
    """Ignore is about a webhook that cannot be asked: what it denies stays denied."""
    with configured(release, {**SECOND, "failurePolicy": "Ignore"}):
        with pytest.raises(Refused, match="denied the request"):
            namespace.create(member("denied", 2))


def test_a_job_survives_that_the_webhook_was_down(release, namespace, plane):
    """Its controller tries again; no Pod was there before the webhook was."""
    with down(release):
        namespace.apply("job-2x4.yaml")
        wait_for("a refusal", lambda: audit.refused(plane, namespace.name), 20)
        assert not namespace.pods()
    assert all(injected(pod) for pod in namespace.running(2))


def test_the_configuration_can_be_removed_while_the_webhook_is_down(release, namespace):
    """The way out for whoever operates the cluster: no webhook is asked about webhook configurations."""
    with contextlib.ExitStack() as until_it_is_up:
        with down(release):
            with pytest.raises(Refused):
                namespace.create(member("before", 0))
            until_it_is_up.enter_context(release.absent())
            assert untouched(namespace.create(member("after", 0)))
