"""Pods of the cluster, read by the real JAX and the real Ray: tests/readers on what really runs.

A Pod comes back from the API server with what every webhook and controller made of it, and the
node the scheduler chose. Names resolve only through Services and Pods that exist in its namespace.
"""

import dataclasses
import pathlib
import sys

from .namespace import Namespace
from .slices import chips

READERS = pathlib.Path(__file__).resolve().parents[2] / "readers"
sys.path.append(str(READERS))  # its modules are plain files: cluster, pods, story, …

import cluster  # noqa: E402
import ray_verdict  # noqa: E402
import readers  # noqa: E402
import story  # noqa: E402

Job = story.Job


class Live:
    """The running TPU Pods of a namespace, composed once for several readers."""

    def __init__(self, namespace: Namespace):
        pods = [pod for pod in namespace.pods() if chips(pod) and pod["status"].get("phase") == "Running"]
        around = cluster.Cluster([*namespace.api.nodes(), *namespace.api.services(namespace.name)])
        self._scene = story.scene_of(pods, around)
        self._titles = [story.title(pod) for pod in pods]

    def part(self, pods: list) -> story.Scene:
        """The same world, only these Pods in it as processes."""
        chosen = {story.title(pod) for pod in pods}
        some = [p for p in self._scene.processes if p.label.split("/")[0] in chosen]
        deaf = [name for name in self._scene.deaf if name in chosen]
        return dataclasses.replace(self._scene, processes=some, deaf=deaf)


def jax_agrees(scenes: dict) -> list:
    """`scenes`: (Scene, Job) by name, all of one Live. JAX derives in each the job that Job says.

    Complaints; none is agreement. One run of JAX for all of them.
    """
    complaints = [f"{name}: {c}" for name, (scene, job) in scenes.items() for c in _size(scene, job)]
    if complaints:
        return complaints
    answers = story.derive_each(readers.jax_derives, [scene for scene, _ in scenes.values()])
    return [f"{name}: {c}" for name, probes in zip(scenes, answers) for c in story.jax_verdict.derived(probes)]


def jax_forms(scene: story.Scene) -> list:
    """Real JAX processes, one per container, become one job. Complaints."""
    outcomes = readers.jax_forms(scene.processes, scene.hosts, story.JOIN_SECONDS)
    return story.jax_verdict.formed(outcomes, story.jax_verdict.injected_order(scene.processes))


def ray_agrees(scene: story.Scene, slices: int) -> list:
    """What Ray would register for each worker is `slices` whole slices. Complaints."""
    return ray_verdict.derived(readers.ray_derives(scene.processes, scene.hosts), slices=slices)


def ray_forms(scene: story.Scene, slices: int) -> dict:
    """A real raylet per worker; what the driver says of the cluster they form, or RuntimeError."""
    return readers.ray_forms(scene.processes, scene.hosts, slices)


def _size(scene: story.Scene, job: Job) -> list:
    if not scene.processes:
        return ["no process"]
    try:
        story.check_size(scene, job)
    except story.Failed as failed:
        return [str(failed).strip()]
    return []
