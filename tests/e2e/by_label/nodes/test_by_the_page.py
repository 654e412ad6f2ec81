"""docs/install.md, from its first command to its last: from a registry to an enforced cluster, and gone again.

Before the cases that have a release of their own; the page ends with none.
"""

import itertools
import os
import pathlib
import shutil

import pytest
import yaml

from docker_registry import Registry

from controlplane import programs
from controlplane.real import store, world
from controlplane.real.images import webhook
from harness import built, page, training
from harness.chart import CHART
from harness.load import Load, alone
from harness.namespace import manifest
from harness.registry import push_chart, push_image
from harness.release import NAMESPACE

PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "install.md"
VERSION, NEXT = "0.1.0", "0.1.1"  # of the same program: what differs is the image's name
ENFORCED, AWAY = "### Enforce the others", "## Uninstall"  # between these headings every creation has to succeed


@pytest.fixture
def registry(plane, archives, tmp_path):
    """With two releases: images and charts."""
    with Registry(tmp_path / "registry", world.HOST, world.HOST) as served:
        store.trust(plane, served.name, served.certificate)
        for version in VERSION, NEXT:
            push_image(served, archives[webhook.name()], f"tpu/tpu-webhook:{version}")
            push_chart(served, CHART, version, "tpu/charts")
        yield served


@pytest.fixture
def shell(plane, registry, namespace, tmp_path):
    """Who reads the page: has kubectl with our plugin and helm, a kubeconfig, and a team with a Job."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name in "kubectl", "helm":
        (bin_folder / name).symlink_to(programs.path(name))
    shutil.copy2(built.program().with_name("kubectl-tpu"), bin_folder)
    service, job = manifest("job-2x4.yaml")
    training.training(job)
    (tmp_path / "job.yaml").write_text(yaml.safe_dump_all([service, job]), encoding="utf-8")
    yours = {"REGISTRY": f"{registry.name}/tpu", "VERSION": VERSION, "NEXT": NEXT, "TEAM": namespace.name,
             "MANIFEST": "job.yaml", "JOB": job["metadata"]["name"]}
    trusting = {"KUBECONFIG": str(plane.kubeconfig), "SSL_CERT_FILE": str(registry.certificate), "NO_COLOR": "1",
                "HOME": str(tmp_path), "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    one = page.Shell(tmp_path, {**yours, **trusting}, plane.directory / "install-page.log")
    one.yours = yours
    yield one
    one.end()
    namespace.kubectl("delete", "-f", str(tmp_path / "job.yaml"), "--ignore-not-found")


def test_the_page(shell, api, namespace, picture):
    found = page.blocks(PAGE)
    yours, run = [one for one in found if one.yours], [one for one in found if not one.yours]
    assert sorted(itertools.chain(*map(page.variables, yours))) == sorted(shell.yours)
    assert sum(len(page.commands(one)) for one in yours) <= 12
    first, after = line_of(ENFORCED), line_of(AWAY)
    before = everything(api)
    enforcing = next(one for one in run if one.line > first)
    for one in run[:run.index(enforcing) + 1]:
        shell.run(one)
    with Load(namespace, rate=5, users=2, dry_run=True, pod=alone) as load:
        for one in run:
            if enforcing.line < one.line < after:
                shell.run(one)
    for one in run:
        if one.line > after:
            shell.run(one)
    picture("docs/install.md", f"  {len(run)} blocks; while it was enforced, upgraded and rolled back: {load.line()}")
    assert load.failed == []
    assert everything(api) == before and api.get("v1", "Namespace", NAMESPACE) is None


def line_of(heading: str) -> int:
    return PAGE.read_text(encoding="utf-8").splitlines().index(heading) + 1


def everything(api) -> list:
    """Whatever of a release is of the cluster, not of its namespace."""
    kinds = [("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"), ("scheduling.k8s.io/v1", "PriorityClass"),
             ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"), ("rbac.authorization.k8s.io/v1", "ClusterRole"),
             ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"), ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema")]
    return sorted(one["metadata"]["name"] for kind in kinds for one in api.list(*kind) if "tpu-webhook" in one["metadata"]["name"])
