"""Story 13: Helm installs, upgrades and rolls back under creations, and no TPU Pod is refused.

By Helm 4 and by Helm 3, whose patches are others. The keeper issues the certificate and writes caBundle (mode
internal): no revision says it, so that none takes it away.
"""

import pytest

from harness import chart, trusted
from harness.api import wait_for
from harness.beside import beside
from harness.helm import SAID, VALUES, helm
from harness.load import Load, alone
from harness.release import CONFIGURATION, NAME

STEPS = [  # what helm is told, one after the other
    ["upgrade", "--set", "timeoutSeconds=9"],
    ["rollback", "1"],
    ["upgrade", "--set", "config.workloads={ray,lws,jobset}"],  # the creators' Pods reach no entry
    ["rollback", "1"],  # and again one, which refuses where it is not trusted
    ["upgrade", "--set", "config.mode=shadow"],
    ["upgrade", "--set", "config.mode=enforce"],
    ["rollback", "2"],
]


@pytest.mark.parametrize("which", ["helm", "helm3"])
def test_no_pod_is_refused(release, api, plane, namespace, picture, which):
    told = []

    def run(verb, *arguments):
        helm(which, plane, verb, *arguments)
        told.append(verb)

    def install():
        run("install", str(chart.CHART), *SAID)

    with release.handed_over(VALUES, install, lambda: run("uninstall", "--ignore-not-found")):
        wait_for("every bundle", lambda: all(trusted.bundles(api)), 60)
        untrusted, looked = [], []

        def look(stop):
            while not stop.is_set():
                good = trusted.secret(api)["bundle.crt"]
                entries = api.get(*CONFIGURATION, NAME)["webhooks"]
                looked.append(len(entries))
                untrusted.extend(entry["name"] for entry, bundle in zip(entries, trusted.bundles(api)) if bundle != good)
                stop.wait(0.05)

        with Load(namespace, rate=100, users=8, dry_run=True, pod=alone) as load, beside(look):
            for verb, *arguments in STEPS:
                given = [str(chart.CHART), "--reset-then-reuse-values"] if verb == "upgrade" else []
                run(verb, *given, *arguments)
                load.more(100)
    picture(f"install, upgrade and roll back by {which}", f"  {', '.join(told)}; entries looked at {len(looked)} times\n  {load.line()}")
    assert untrusted == []
    assert load.failed == []
