"""What an operator sees of a running cluster: slices, audit, doctor, ledger list; each by the program itself."""

import json
import subprocess

import pytest

from harness import pools
from harness.pods import member
from harness.workers import Cluster
from test_ledger import keep_trying, no_ledger_left  # noqa: F401 (a fixture)
from test_multislice import TWO_POOLS, not_queued


@pytest.fixture
def ask(plane, program):
    """ask("audit", "-n", "x"): (exit code, what it printed)."""
    def run(*arguments):
        done = subprocess.run([str(program), *arguments, "--kubeconfig", str(plane.kubeconfig)],
                              capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


def test_slices_of_a_jobset(release, api, namespace, ask):
    """Two whole slices, each on its pool; nothing is wrong with them."""
    with pools.only(api, *TWO_POOLS):
        namespace.apply("jobset-multislice.yaml", edit=not_queued)
        namespace.running(8)
    code, text = ask("slices", "-n", namespace.name, "--output", "json")
    assert code == 0, text
    found = json.loads(text)["slices"]
    assert [one["phase"] for one in found] == ["running", "running"], text
    assert {pool for one in found for pool in one["pools"]} == set(TWO_POOLS), text
    code, text = ask("audit", "-n", namespace.name)
    assert code == 0, text


def test_audit_of_pods_that_nobody_changed(release, namespace, ask):
    """Created while the webhook was away, two hosts of a slice have no TPU environment: an error, with a fix."""
    with release.absent():
        for number in range(2):
            namespace.create(member(f"bare-{number}", number))
        code, text = ask("doctor")
        assert code == 1 and "FAIL  configuration" in text, text
    code, text = ask("audit", "-n", namespace.name)
    assert code == 1 and "error" in text and "fix:" in text, text


def test_doctor_finds_nothing_to_mend(release, ask):
    """An installation of the chart as it is."""
    code, text = ask("doctor", "--output", "json")
    assert code == 0, text
    assert {"rbac", "order", "trust"} <= {check["check"] for check in json.loads(text)["checks"]}, text


def test_the_ledger_as_a_table(release, no_ledger_left, namespace, ask):  # noqa: F811
    """A group with two of its four places given, each to a Pod that lives."""
    cluster = Cluster(namespace, "listed", hosts=4)
    for number in range(2):
        keep_trying(cluster, f"w-{number}")
    code, text = ask("ledger", "list", "--output", "json")
    (group,) = [one for one in json.loads(text)["groups"] if one["rayClusterUid"] == cluster.uid]
    assert code == 0 and group["withPod"] == ["0-0", "0-1"] and not group["withoutPod"], text
