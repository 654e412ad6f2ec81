"""Stories with real nodes: kubelets start containers, and what is said in them decides. tests/e2e/run --nodes."""

import itertools
import os

import pytest

from controlplane import cluster, operators
from controlplane.nodes import Pool
from controlplane.real import node, store, world
from harness import built
from harness.installed import Installed
from harness.killing import Killing
from harness.namespace import Namespace

SYSTEM = Pool("default-pool", "e2e-standard-2", nodes=1)
SLICES = (Pool("slice-a", "ct6e-standard-4t", "2x4"), Pool("slice-b", "ct6e-standard-4t", "2x4"))  # two hosts each


@pytest.fixture(scope="session")
def archives():
    """The images, by name."""
    return store.prepare(built.program())


@pytest.fixture(scope="session")
def begin(archives):
    world.prefix()  # here, or nowhere
    return lambda directory: cluster.up(directory, operators.NAMES, (), real=(SYSTEM, *SLICES))


@pytest.fixture(scope="session")
def machines(plane):
    """The nodes, by the name of their pool."""
    return node.by_pool(plane, (SYSTEM, *SLICES))


@pytest.fixture(scope="session")
def release(plane, api, archives, machines):
    """The chart, installed by Helm, its Pods running on the node of the system."""
    installed = Installed(plane, api, archives, machines[SYSTEM.name])
    installed.install()
    yield installed
    installed.uninstall()


@pytest.fixture(scope="session")
def killed(picture):
    """How many replicas were killed in each case."""
    counts: list = []
    yield counts
    picture("replicas killed while workloads train", f"  {sum(counts)} in {len(counts)} cases, at least {min(counts, default=0)} in each")


@pytest.fixture
def replicas_die(release, killed):
    """From the beginning of a case to its end one replica after another is killed. Whoever makes Pods is refused meanwhile
    now and then, and asks again."""
    with Killing(release) as killing:
        yield
    killed.append(killing.killed)


@pytest.fixture
def shadow(plane, api):
    """A namespace in shadow mode: nothing is changed in it."""
    made = Namespace(plane, api, f"shadow-{os.getpid()}-{next(_numbers)}")
    api.patch("v1", "Namespace", made.name, {"metadata": {"labels": {"tpu-webhook.dev/mode": "shadow"}}})
    yield made
    made.clear()


_numbers = itertools.count(1)
