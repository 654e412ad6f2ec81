"""What is recorded: the stories of `tests/e2e/record`.

A story applies a manifest as a user would, waits until the real controllers have made its Pods and
they run, and goes on with `then`, if something happens to it later.
"""

import contextlib
import dataclasses

from . import kube, pins, recorder
from .cache import HERE

MANIFESTS = HERE.parent / "manifests"
FINISH = "e2e.tpu-webhook.dev/finish"
SLICES = "cloud.google.com/gke-tpu-topology=4x4"


def a_member_fails(stage) -> None:
    """JobSet recreates all Pods, one attempt later."""
    with held(stage):
        failed = stage.pods("jobset.sigs.k8s.io/job-index=1,batch.kubernetes.io/job-completion-index=2")[0]
        stage.kubectl("annotate", "pod", failed, f"{FINISH}=failed")
        stage.wait(0, "jobset.sigs.k8s.io/restart-attempt=0")
    stage.wait(8, "jobset.sigs.k8s.io/restart-attempt=1")


def a_pod_is_deleted(stage) -> None:
    """Its controller makes another, which is the same member."""
    stage.kubectl("delete", "pod", "sax-1")  # returns when it is gone
    stage.wait(4)


def a_slice_is_deleted(stage) -> None:
    """KubeRay makes a slice of another name, of the same index."""
    lost = stage.pods("ray.io/worker-group-replica-index=0")
    stage.kubectl("delete", "--ignore-not-found", "pod", *lost)  # KubeRay deletes the others when one goes
    stage.wait(9)


@contextlib.contextmanager
def held(stage):
    """While this holds no 4x4 slice finds room, so each leader of a JobSet waits and each follower
    that the Job controller tries is refused: which ones is otherwise a race with the scheduler."""
    stage.kubectl("cordon", "-l", SLICES)
    before = stage.server.count()
    try:
        yield
        kube.wait_for("a first Pod", lambda: stage.server.count() > before, 60)  # Kueue takes its time
        stage.settle()
    finally:
        stage.kubectl("uncordon", "-l", SLICES)


@dataclasses.dataclass(frozen=True)
class Story:
    """`pods` Pods run before `then`. Stories of one `setting` share a control plane.

    The last of `manifests` is the workload; those before it are what it stands on.
    """

    name: str
    pods: int
    setting: tuple = ()  # operators installed
    manifests: tuple = ()  # default: <name>.yaml
    ray_indexing: bool = True
    configuration: str = recorder.CONFIGURATION  # its name decides where in the chain we stand
    refusals: bool = False  # JobSet refuses followers until their leader stands
    dry_run: bool = False
    then: object = None  # a function of a record.Stage

    def files(self) -> list:
        return [MANIFESTS / file for file in self.manifests or (f"{self.name}.yaml",)]

    def apply(self, stage) -> None:
        with held(stage) if self.refusals else contextlib.nullcontext():
            for file in self.files():
                stage.kubectl("apply", "-f", str(file), *(["--dry-run=server"] if self.dry_run else []))
        stage.wait(self.pods)
        if self.then:
            self.then(stage)


ALL = ("jobset", "lws", "kuberay")
QUEUED = ("jobset", "kueue")
WRAPPED = ("jobset", "lws", "trainer", "appwrapper")  # with the pins `wrappers` alone
EARLY = "a-tpu-webhook"  # sorts before jobset and lws: Pods as they come from the controllers
JOBSET = ("jobset-multislice.yaml",)
RAY = ("raycluster.yaml",)

_STORIES = (
    Story("pod-single-host", 1, ALL),
    Story("pod-dry-run", 0, ALL, ("pod-single-host.yaml",), dry_run=True),
    Story("job-2x4", 2, ALL),
    Story("job-single-host-8", 1, ALL),
    Story("job-tpu7x-two-containers", 2, ALL),
    Story("job-priority", 2, ALL),
    Story("jobset-multislice", 8, ALL, refusals=True),
    Story("jobset-multislice-first", 8, ALL, JOBSET, configuration=EARLY, refusals=True),
    Story("jobset-multislice-restart", 8, ALL, JOBSET, refusals=True, then=a_member_fails),
    Story("raycluster-indexed", 9, ALL, RAY),
    Story("raycluster-replaced", 9, ALL, RAY, then=a_slice_is_deleted),
    Story("rayjob", 6, ALL),  # with the Pod that submits it
    Story("raycluster", 9, ALL, ray_indexing=False),
    Story("lws", 8, ALL),
    Story("lws-first", 8, ALL, ("lws.yaml",), configuration=EARLY),
    Story("lws-exclusive", 8, ALL),
    Story("disaggregatedset", 16, ALL),
    Story("statefulset", 4, ALL),
    Story("statefulset-again", 4, ALL, ("statefulset.yaml",), then=a_pod_is_deleted),
    Story("deployment", 2, ALL),
    Story("job-kueue", 4, QUEUED, ("kueue.yaml", "job-kueue.yaml")),
    Story("jobset-multislice-kueue", 8, QUEUED, ("kueue.yaml", *JOBSET), refusals=True),
    Story("trainjob", 4, WRAPPED),
    Story("appwrapper", 8, WRAPPED),
)
STORIES = tuple(story for story in _STORIES if set(story.setting) <= pins.programs())
