"""How stories are recorded: `tests/e2e/record`.

Each becomes <out>/<story>/reviews.jsonl, one review a line as canonical.py keeps it; what is answered to them,
golden_test --update writes beside it.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from . import cache, canonical, cluster, kube, operators, programs, recorder
from .answering import Program
from .state import State, load
from .stories import STORIES, Story

ROOT = cache.HERE.parents[2]
SETTLED = 2.0  # seconds without a review after which a story is over


def add_arguments(parser) -> None:
    parser.add_argument("stories", nargs="*", metavar="STORY", help="default: all of " + ", ".join(s.name for s in STORIES))
    parser.add_argument("--program", type=pathlib.Path, help="what answers; default: $TPUWH_PROGRAM, build/ci, build/dev")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "tests" / "golden" / "recorded", help="default: %(default)s")
    parser.add_argument("--serve", type=pathlib.Path, metavar="DIR", help="record from the running control plane of DIR into --out, until interrupted")


def main(arguments) -> int:
    with tempfile.TemporaryDirectory(prefix="tpu-webhook-record-program-") as folder:
        program = Program(_found(arguments.program), pathlib.Path(folder))
        if arguments.serve:
            return _serve(load(arguments.serve), program, arguments.out)
        return _record_all(arguments.stories, program, arguments.out)


def _found(given: pathlib.Path | None) -> pathlib.Path:
    given = given or (os.environ.get("TPUWH_PROGRAM") and pathlib.Path(os.environ["TPUWH_PROGRAM"]))
    places = [given] if given else [ROOT / "build" / name / "server" / "tpu-webhook" for name in ("ci", "dev")]
    found = next((place for place in places if place.exists()), None)
    if not found:
        raise SystemExit(f"no program that answers: {', '.join(map(str, places))}")
    return found


def _serve(state: State, program: Program, out: pathlib.Path) -> int:
    """For looking at something by hand: every review becomes a file until Ctrl-C."""
    with program.serving() as answer, recorder.Recorder(state) as server, server.registered():
        server.into(out, answer)
        print(f"recording into {out}; Ctrl-C ends it", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()
        print(f"{server.count()} reviews")
    return 0


def _record_all(names: list, program: Program, out: pathlib.Path) -> int:
    unknown = set(names) - {story.name for story in STORIES}
    if unknown:
        raise SystemExit(f"no such story: {', '.join(sorted(unknown))}")
    chosen = [story for story in STORIES if not names or story.name in names]
    out.mkdir(parents=True, exist_ok=True)
    for setting in dict.fromkeys(story.setting for story in chosen):
        _record_setting(setting, [story for story in chosen if story.setting == setting], program, out)
    return 0


def _record_setting(setting: tuple, stories: list, program: Program, out: pathlib.Path) -> None:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="tpu-webhook-record-"))
    indexing = stories[0].ray_indexing
    state = cluster.up(directory, setting, ray_indexing=indexing)
    _note_versions({**state.versions, "tpu-webhook": program.version()}, out / "versions.json")
    try:
        with recorder.Recorder(state) as server:
            for story in stories:
                if story.ray_indexing != indexing:
                    indexing = story.ray_indexing
                    operators.stop(state, "kuberay")
                    operators.start(state, "kuberay", indexing)
                _record(Stage(state, server), story, program, out / story.name)
    except BaseException:
        cluster.down(directory)
        print(f"failed; logs are in {directory}/logs")
        raise
    cluster.down(directory)
    shutil.rmtree(directory)


def _note_versions(versions: dict, file: pathlib.Path) -> None:
    """Keep, beside the recordings, the versions of everything that took part."""
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known.update(versions)
    file.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


class Stage:
    """The control plane as a story sees it. Everything is in the namespace `default`."""

    def __init__(self, state: State, server: recorder.Recorder):
        self.state, self.server, self._client = state, server, state.client()

    def kubectl(self, *arguments: str) -> None:
        command = [programs.path("kubectl"), "--kubeconfig", str(self.state.kubeconfig), *arguments]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {answer.stderr.strip()}")

    def pods(self, labels: str) -> list:
        """Names of the Pods with these labels."""
        return [pod["metadata"]["name"] for pod in self._pods(labels)]

    def wait(self, count: int, labels: str = "") -> None:
        """Until there are `count` Pods with these labels, all of them running."""

        def as_wanted() -> bool:
            phases = [pod["status"].get("phase") for pod in self._pods(labels)]
            return phases == ["Running"] * count

        try:
            kube.wait_for(f"{count} running Pods {labels}".rstrip(), as_wanted, 120, every=0.2)
        except TimeoutError as error:
            table = "\n".join(f"  {pod['metadata']['name']} {pod['status'].get('phase')}" for pod in self._pods())
            raise TimeoutError(f"{error}; there are\n{table or '  none'}") from None

    def settle(self) -> None:
        """Until no review has come for a while: controllers retry what was refused."""
        seen, since = self.server.count(), time.monotonic()
        while time.monotonic() - since < SETTLED:
            time.sleep(0.1)
            if self.server.count() != seen:
                seen, since = self.server.count(), time.monotonic()

    def _pods(self, labels: str = "") -> list:
        found = self._client.get("/api/v1/namespaces/default/pods" + (kube.selector(labels) if labels else ""))["items"]
        return [pod for pod in found if pod["status"].get("phase") not in ("Succeeded", "Failed")]


def _record(stage: Stage, story: Story, program: Program, out: pathlib.Path) -> None:
    started, raw = time.monotonic(), stage.state.directory / "reviews" / story.name
    with program.serving() as answer, stage.server.registered(story.configuration):
        stage.server.into(raw, answer)
        story.apply(stage)
        stage.settle()
    reviews = [file.read_bytes() for file in sorted(raw.iterdir())]
    for review in reviews:
        if review.count(b"\n") != 1 or not review.endswith(b"\n"):
            raise RuntimeError(f"{story.name}: a review is not one line")
    kept = canonical.canonical(story.name, reviews, program.ask, once=story.refusals)
    out.mkdir(exist_ok=True)
    (out / "reviews.jsonl").write_bytes(b"".join(kept))
    stage.kubectl("delete", "--ignore-not-found", "-f", str(story.files()[-1]))  # what it stands on stays for the next
    stage.wait(0)
    size = sum(map(len, kept))
    print(f"  {story.name}: {len(reviews)} reviews came, {len(kept)} kept, {size / 1000:.0f} kB, {time.monotonic() - started:.1f} s", flush=True)
