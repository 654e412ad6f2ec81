"""By label, not part of a whole run: Pods of workloads that other objects make.

    tests/e2e/run --pins wrappers by_label/test_wrappers.py
    ctest --test-dir build/ci -L wrappers

Kubeflow Trainer makes a JobSet of a TrainJob, AppWrapper makes what stands in it. Their Pods are the JobSet's and the
Job's, so each slice has to stand and JAX to see it whole. `explain` is held against the same Pods as they are recorded:
tests/golden/expand.
"""

import pytest

from controlplane import operators, pins
from harness import pools, slices
from harness.live import Job, Live, jax_agrees

# Of Trainer's JAX plug-in: trainer pkg/runtime/framework/plugins/jax, v2.2.1.
JAX = {"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"}


@pytest.fixture(scope="module", autouse=True)
def wrappers(plane):
    """Both controllers run."""
    if not set(operators.WRAPPERS) <= set(pins.modules()):
        pytest.exit("the programs of this story are those of --pins wrappers", 1)
    operators.define(plane, operators.WRAPPERS)
    for name in operators.WRAPPERS:
        operators.install(plane, name)


def stand(namespace, wanted, picture, title):
    """So many slices of 4x4 stand, and JAX sees each whole. Returns them."""
    namespace.running(4 * wanted, 90)
    found = slices.of(namespace.pods(), pools.by_node(namespace.api))
    picture(title, slices.table(found))
    assert len(found) == wanted and all(one.stands for one in found), slices.table(found)
    live = Live(namespace)
    assert not jax_agrees({one.name: (live.part(one.pods), Job(processes=4, slices=1, chips=16, nodes=4)) for one in found})
    return found


def test_a_train_job(release, namespace, picture):
    """Trainer's own JAX_* stand beside ours and say the same, for one slice."""
    namespace.apply("trainjob.yaml")
    ids = {}
    for pod in stand(namespace, 1, picture, "a TrainJob of four hosts")[0].pods:
        env = {each["name"]: each.get("value") for each in pod["spec"]["containers"][0]["env"]}
        assert JAX <= set(env) and env["JAX_NUM_PROCESSES"] == "4", env
        ids[pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]] = env["TPU_WORKER_ID"]
    assert ids == {str(index): str(index) for index in range(4)}, ids


def test_what_is_wrapped(release, namespace, picture):
    """A Job and a JobSet in one AppWrapper."""
    namespace.apply("appwrapper.yaml")
    stand(namespace, 2, picture, "a Job and a JobSet in an AppWrapper")
