"""What is recorded, and how: `tests/e2e/record`.

A story applies a manifest as a user would, waits until the real controllers have made its Pods and
they run, and turns the reviews of that time into recorded/<name>.jsonl, one line each, unmodified.
"""

import contextlib
import dataclasses
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from . import cache, cluster, kube, operators, programs, recorder
from .state import State, load

E2E = cache.HERE.parent
SETTLED = 2.0  # seconds without a review after which a story is over


@dataclasses.dataclass(frozen=True)
class Story:
    """`pods` Pods run when it is over. Stories of one `setting` share a control plane.

    The last of `manifests` is the workload; those before it are what it stands on.
    """

    name: str
    pods: int
    setting: tuple = ()  # operators installed
    manifests: tuple = ()  # default: <name>.yaml
    ray_indexing: bool = True
    configuration: str = recorder.CONFIGURATION  # its name decides where in the chain we stand

    def files(self) -> list:
        return [E2E / "manifests" / file for file in self.manifests or (f"{self.name}.yaml",)]


ALL = ("jobset", "lws", "kuberay")
EARLY = "a-tpu-webhook"  # sorts before jobset and lws: Pods as they come from the controllers

STORIES = (
    Story("pod-single-host", 1, ALL),
    Story("job-2x4", 2, ALL),
    Story("job-single-host-8", 1, ALL),
    Story("job-tpu7x-two-containers", 2, ALL),
    Story("jobset-multislice", 8, ALL),
    Story("jobset-multislice-first", 8, ALL, ("jobset-multislice.yaml",), configuration=EARLY),
    Story("raycluster-indexed", 9, ALL, ("raycluster.yaml",)),
    Story("raycluster", 9, ALL, ray_indexing=False),
    Story("lws", 8, ALL),
    Story("lws-first", 8, ALL, ("lws.yaml",), configuration=EARLY),
    Story("lws-exclusive", 8, ALL),
    Story("statefulset", 4, ALL),
    Story("deployment", 2, ALL),
    Story("job-kueue", 4, ("jobset", "kueue"), ("kueue.yaml", "job-kueue.yaml")),
    Story("jobset-multislice-kueue", 8, ("jobset", "kueue"), ("kueue.yaml", "jobset-multislice.yaml")),
)


def add_arguments(parser) -> None:
    parser.add_argument("stories", nargs="*", metavar="STORY", help="default: all of " + ", ".join(s.name for s in STORIES))
    parser.add_argument("--out", type=pathlib.Path, default=E2E / "recorded", help="where the .jsonl files go")
    parser.add_argument("--serve", type=pathlib.Path, metavar="DIR", help="record from the running control plane of DIR into --out, until interrupted")


def main(arguments) -> int:
    if arguments.serve:
        return _serve(load(arguments.serve), arguments.out)
    chosen = [story for story in STORIES if not arguments.stories or story.name in arguments.stories]
    unknown = set(arguments.stories) - {story.name for story in STORIES}
    if unknown:
        raise SystemExit(f"no such story: {', '.join(sorted(unknown))}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for setting in dict.fromkeys(story.setting for story in chosen):
        _record_setting(setting, [story for story in chosen if story.setting == setting], arguments.out)
    return 0


def _serve(state: State, out: pathlib.Path) -> int:
    """For looking at something by hand: every review becomes a file until Ctrl-C."""
    with recorder.Recorder(state) as server, server.registered():
        server.into(out)
        print(f"recording into {out}; Ctrl-C ends it", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()
        print(f"{server.count()} reviews")
    return 0


def _record_setting(setting: tuple, stories: list, out: pathlib.Path) -> None:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="tpu-webhook-record-"))
    state = cluster.up(directory, setting, ray_indexing=stories[0].ray_indexing)
    _note_versions(state, out / "versions.json")
    try:
        indexing = stories[0].ray_indexing
        with recorder.Recorder(state) as server:
            for story in stories:
                if story.ray_indexing != indexing:
                    indexing = story.ray_indexing
                    operators.stop(state, "kuberay")
                    operators.start(state, "kuberay", indexing)
                _record(state, server, story, out)
    except BaseException:
        cluster.down(directory)
        print(f"failed; logs are in {directory}/logs")
        raise
    cluster.down(directory)
    shutil.rmtree(directory)


def _note_versions(state: State, file: pathlib.Path) -> None:
    """Keep, beside the recordings, the versions of everything that took part."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known.update(state.versions)
    file.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _record(state: State, server: recorder.Recorder, story: Story, out: pathlib.Path) -> None:
    started, client = time.monotonic(), state.client()
    raw = state.directory / "reviews" / story.name
    with server.registered(story.configuration):
        server.into(raw)
        for file in story.files():
            _kubectl(state, "apply", "-f", str(file))
        kube.wait_for(f"{story.pods} running Pods", lambda: _running(client) == (story.pods, story.pods), 120, every=0.2)
        _settle(server)
    bodies = [file.read_bytes() for file in sorted(raw.iterdir())]
    for body in bodies:
        if body.count(b"\n") != 1 or not body.endswith(b"\n"):
            raise RuntimeError(f"{story.name}: a review is not one line")
    (out / f"{story.name}.jsonl").write_bytes(b"".join(bodies))
    _kubectl(state, "delete", "-f", str(story.files()[-1]))  # what it stands on stays for the next
    kube.wait_for(f"{story.name} to be gone", lambda: _running(client)[0] == 0, 60, every=0.2)
    size = sum(map(len, bodies))
    print(f"  {story.name}: {len(bodies)} reviews, {size / 1000:.0f} kB, {story.pods} Pods, {time.monotonic() - started:.1f} s", flush=True)


def _running(client: kube.Kube) -> tuple:
    """(Pods in `default`, those of them that run)."""
    phases = [pod["status"].get("phase") for pod in client.get("/api/v1/namespaces/default/pods")["items"]]
    return len(phases), phases.count("Running")


def _settle(server: recorder.Recorder) -> None:
    """Wait until no review has come for a while: controllers retry what was refused."""
    seen, since = server.count(), time.monotonic()
    while time.monotonic() - since < SETTLED:
        time.sleep(0.1)
        if server.count() != seen:
            seen, since = server.count(), time.monotonic()


def _kubectl(state: State, *arguments: str) -> None:
    command = [programs.path("kubectl"), "--kubeconfig", str(state.kubeconfig), *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise RuntimeError(f"kubectl {' '.join(arguments)}: {answer.stderr.strip()}")
