"""Scenario: Helm upgrades an installation of an earlier commit to this one and rolls it back, under creations, and no TPU Pod is refused.

$TPUWH_FORMER is a checkout of the earlier commit in which `cmake --build --preset ci --target tpu-webhook` has run. By hand,
because that takes minutes: `ctest -L upgrade`. Before decision 46 the replicas issued their certificate.
"""

import functools
import os
import pathlib

import pytest

from harness import chart, trusted
from harness.api import wait_for
from harness.helm import SAID, VALUES, helm
from harness.load import Load, alone
from harness.rollout import rolling_restart

FORMER = pathlib.Path(os.environ.get("TPUWH_FORMER", "/no/former/checkout"))
BUILT = "build/ci/server/tpu-webhook"


@pytest.mark.parametrize("which", ["helm", "helm3"])
def test_no_pod_is_refused(release, api, plane, namespace, program, picture, which):
    assert (FORMER / BUILT).is_file(), f"TPUWH_FORMER is {FORMER}, where {BUILT} was not built"

    run = functools.partial(helm, which, plane)

    def install():
        run("install", str(FORMER / "charts" / "tpu-webhook"), *SAID)

    with release.run_by(FORMER / BUILT), release.handed_over(VALUES, install, lambda: run("uninstall", "--ignore-not-found")):
        wait_for("every bundle", lambda: all(trusted.bundles(api)), 60)
        before = trusted.bundles(api)
        with Load(namespace, rate=100, users=8, dry_run=True, pod=alone) as load:
            load.more(100)
            run("upgrade", str(chart.CHART), "--reset-then-reuse-values")
            load.more(100)  # by the replicas of before, whose rights Helm has taken away
            with release.run_by(program):
                release.follow_deployments()
                assert rolling_restart(release) == [0]
                assert release.keeper
                load.more(500)
            assert set(before) == set(trusted.bundles(api)), "the keeper goes on with the CA that there was"
            run("rollback", "1")
            load.more(100)
            release.follow_deployments()
            assert rolling_restart(release) == [0]
            assert not release.keeper
            load.more(500)
    picture(f"upgrade from {FORMER.name} and roll back by {which}", f"  {load.line()}")
    assert load.failed == []
