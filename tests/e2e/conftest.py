"""Fixtures of the stories; README.md describes them."""

import contextlib
import fcntl
import os
import pathlib
import re
import shutil
import signal

import pytest

from controlplane import cluster, core, operators, process, programs
from controlplane.state import default_directory, load
from harness import built, pools, report
from harness.api import Api
from harness.namespace import Namespace
from harness.release import Release
from harness.watch import watching


def pytest_addoption(parser):
    parser.addoption("--complete", action="store_true", help="fail unless every case of stories.txt ran")
    parser.addoption("--plane", type=int, default=0, help="only the cases that stories.txt has for this control plane")
    parser.addoption("--watch", action="store_true", help="keep every state of the control plane in its folder: watch.jsonl")
    parser.addoption("--keep", action="store_true", help="use the control plane of a run with --keep, and leave it running")


def pytest_configure(config):
    config.pluginmanager.register(report.Report(config.getoption("--complete"), config.getoption("--plane")), "tpuwh-report")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if outcome.get_result().failed:
        item.stash[_FAILED] = True


_FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def gates():
    """Feature gates that a control plane is started with; a file of stories may have its own."""
    return core.NO_GATES


@pytest.fixture(scope="session")
def begin(gates):
    """begin(directory): what starts the control plane; a folder of stories may have its own."""
    return lambda directory: cluster.up(directory, operators.NAMES, pools.ALL, gates=gates)


@pytest.fixture(scope="session")
def plane(request, begin):
    """The control plane with all four operators and pools.ALL: one for all stories."""
    directory, keep = default_directory().resolve(), request.config.getoption("--keep")
    directory.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that fixtures end what they started
    with open(f"{directory}.lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pytest.exit(f"another run uses {directory}; choose another with TPUWH_E2E_DIR", 1)
        if keep and _runs(directory):
            state = load(directory)
        else:
            cluster.down(directory)  # of a run that was killed: nobody holds the lock
            state = begin(directory)
        shutil.rmtree(directory / "failures", ignore_errors=True)
        yield state
        if not keep:
            cluster.down(directory)


@pytest.fixture(scope="session")
def watch(request, plane):
    """What keeps every state, or None."""
    with watching(plane) if request.config.getoption("--watch") else contextlib.nullcontext() as kept:
        yield kept


@pytest.fixture(autouse=True)
def _told(request):
    """Each state is of the case that was being told."""
    if request.config.getoption("--watch") and "plane" in request.fixturenames:
        request.getfixturevalue("watch").story(request.node.nodeid.rpartition("/")[2])


@pytest.fixture(scope="session")
def api(plane):
    return Api(plane.kubeconfig)


@pytest.fixture(scope="session")
def program(plane):
    """A copy of the admission program, with the operators' beside it, so that a rebuild does not disturb the run."""
    found = built.program()
    for name in "tpu-webhook", "kubectl-tpu":
        (plane.directory / name).unlink(missing_ok=True)
        shutil.copy2(found.with_name(name), plane.directory / name)
    return plane.directory / "tpu-webhook"


@pytest.fixture(scope="session")
def tools(program):
    """The operators' program: kubectl tpu. It finds the real kubectl, which it starts as its proxy."""
    os.environ["PATH"] = f"{os.path.dirname(programs.path('kubectl'))}:{os.environ['PATH']}"
    return program.with_name("kubectl-tpu")


@pytest.fixture(scope="session")
def release(plane, api, program):
    """The chart, installed with its default values but for the certificate and one replica."""
    _end_remembered(plane)
    installed = Release(plane, api, program)
    try:
        yield installed.install()
        installed.uninstall()
    finally:
        _end_remembered(plane)


@pytest.fixture
def namespace(plane, api, request):
    """A namespace for this case alone. What it holds is kept in DIR/failures if the case fails."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.removeprefix("test_").lower())[:50].strip("-")
    for left in [one for one in api.list("v1", "Namespace") if one["metadata"]["name"].startswith(name + "-")]:
        api.delete("v1", "Namespace", left["metadata"]["name"])
    made = Namespace(plane, api, f"{name}-{os.getpid()}-{_next()}")
    yield made
    request.config.pluginmanager.get_plugin("tpuwh-report").cases[request.node.nodeid.rpartition("/")[2]].pods = made.most_pods
    if request.node.stash.get(_FAILED, False):
        made.keep(plane.directory / "failures" / name)
    made.clear()


@pytest.fixture(scope="session")
def picture(request):
    """picture(title, text): print it at the end."""
    return request.config.pluginmanager.get_plugin("tpuwh-report").picture


def _runs(directory: pathlib.Path) -> bool:
    if not (directory / "state.json").exists():
        return False
    alive = {one.name for one in process.known(directory) if one.alive()}
    return {"kube-apiserver", "kube-scheduler", *operators.NAMES} <= alive


def _end_remembered(state) -> None:
    """Replicas and relay, ours or of an earlier run that was itself ended."""
    ours = [one for one in process.known(state.directory) if one.name.startswith("tpu-webhook")]
    process.stop(state.directory, ours, at_once=True)


_count = 0


def _next() -> int:
    global _count
    _count += 1
    return _count
