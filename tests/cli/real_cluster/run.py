#!/usr/bin/env python3
"""scripts/try-on-a-real-cluster on a made-up cluster: run.py PROGRAM [-k PART]. PROGRAM: kubectl-tpu. With --update it
writes the samples of docs/try-on-a-real-cluster.md.

Each call that it makes of kubectl is recorded, so that what it may write can be proved, and the cluster is full of
names that must be in no report. The real nodes are in tests/e2e/by_label/nodes/test_kit.py.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import made_up
from world import IMAGE, KIT, OURS, THEIRS, World, configuration, node

sys.path.insert(0, str(KIT.parent))

from real_cluster import findings, host, kubectl, members, private, run, waiting  # noqa: E402

PROGRAM = (
    str(pathlib.Path(sys.argv.pop(1)).resolve())
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-")
    else sys.exit(__doc__)
)
UPDATE = "--update" in sys.argv and not sys.argv.remove("--update")
PAGE = KIT.parents[1] / "docs" / "try-on-a-real-cluster.md"
MINE = "my-own-namespace"
NO_WEBHOOK = {"enforce": False}


def members_of(value, required, path=()):
    """The paths of all members of an object that are not called as `required`, also of those in its lists."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in pairs:
        if isinstance(value, dict) and name not in required:
            yield (*path, name)
        yield from members_of(inner, required, (*path, name))


def outside(call):
    """What is wrong with a call, by a rule that shares no code with the kit; "" if it reads, or writes its own."""
    words = [word for word in call["arguments"] if not word.startswith("--")]
    inside = f"--namespace={MINE}" in call["arguments"]
    if words[0] in ("get", "version") or words[:2] == ["auth", "can-i"] or (inside and words[0] == "logs"):
        return ""
    given = json.loads(call["given"]) if call["given"] else {}
    if words[0] == "create" and given.get("kind") == "Namespace":
        return "" if given["metadata"]["name"] == MINE else "another namespace"
    if words[0] == "create" and inside:
        objects = given["items"] if given["kind"] == "List" else [given]
        own = all(one["metadata"]["namespace"] == MINE and one["kind"] in ("Pod", "Service", "Job") for one in objects)
        return "" if own else "objects elsewhere"
    if words[0] == "delete":
        if words[1:] == ["namespace", MINE] or inside and words[1] in ("pod", "jobs.batch,pods,services"):
            return ""
    return "not its own"


class Tried(unittest.TestCase):
    def world(self, **behaviour):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return World(folder.name, **behaviour)

    def tried(self, *arguments, code, terminal=None, world=None, **behaviour):
        """The world after a run with --yes, or with a terminal on which `terminal` is typed. It is run in this process,
        and so is its kubectl. Whatever happened: nothing is written elsewhere, and no name is in the report."""
        world = world or self.world(**behaviour)
        said = io.StringIO(), io.StringIO()
        given = [*world.command()[3:], *arguments, *["--yes"] * (terminal is None)]

        def called(command, **more):
            if command[0] != "kubectl":
                return really(command, **more)
            return subprocess.CompletedProcess(command, *made_up.answer(world.folder, command[1:], more["input"]))

        really = subprocess.run
        with (
            mock.patch.object(kubectl.subprocess, "run", called),
            mock.patch("sys.stdin") as stdin,
            mock.patch.dict(os.environ, world.environment(PROGRAM)),
            contextlib.redirect_stdout(said[0]),
            contextlib.redirect_stderr(said[1]),
        ):
            stdin.isatty.return_value, stdin.readline.return_value = terminal is not None, terminal
            got = run.main(given)
        world.out, world.err = said[0].getvalue(), said[1].getvalue()
        self.assertIn(got, [code] if isinstance(code, int) else code, world.out + world.err)
        self.sound(world)
        return world

    def sound(self, world):
        for call in world.calls():
            self.assertEqual("", outside(call), call["arguments"])
        text = world.report.read_text(encoding="utf-8") if world.report.exists() else ""
        for name in THEIRS:
            self.assertNotIn(name, text)
            self.assertNotIn(name, world.out)
        world.said = json.loads(text) if text else None

    def check(self, world, name, of=None):
        found = [
            one
            for step in world.said["steps"]
            for one in step["checks"]
            if one["id"] == name and of in (None, one.get("of"))
        ]
        self.assertEqual(1, len(found), f"{name}: {found}")
        return found[0]

    def outcomes(self, world):
        return {step["id"]: step["outcome"] for step in world.said["steps"]}

    def writes(self, world):
        return [
            call
            for call in world.calls()
            if {"create", "delete"} & set(call["arguments"][:3]) and "auth" not in call["arguments"]
        ]


class Whole(Tried):
    def test_as_a_program(self):
        """With the interpreter, the kubectl in PATH and the signals of a user."""
        world = self.world()
        code, world.out, world.err = world.run(PROGRAM, "--yes", "--context=gke_acme", f"--image={IMAGE}")
        self.assertEqual(0, code, world.out + world.err)
        self.sound(world)
        self.assertEqual("given", world.said["image"])
        self.assertTrue(all(call["arguments"][0] == "--context=gke_acme" for call in world.calls()))

    def test_all_is_as_expected(self):
        for enforce, by in ((True, "tpu-webhook in the cluster"), (False, "kubectl tpu, outside")):
            with self.subTest(by):
                world = self.tried("--pool=tpu-blue", f"--program={PROGRAM}", code=0, enforce=enforce)
                self.assertEqual({"reads": "ok", "host": "ok", "slice": "ok", "clean": "ok"}, self.outcomes(world))
                self.assertTrue(self.check(world, "values-by")["found"].startswith(by))
                self.assertEqual("0, 1", self.check(world, "worker-ids")["found"])
                self.assertIsNone(world.state()["namespace"])

    def test_the_rule_of_calls_sees_a_breach(self):
        pod = {"kind": "Pod", "metadata": {"namespace": "theirs"}}
        for arguments, given in (
            (["create", "--filename=-"], pod),
            ([f"--namespace={MINE}", "create", "--filename=-"], pod),
            (["delete", "namespace", "theirs"], {}),
            ([f"--namespace={MINE}", "delete", "node", "x"], {}),
            (["--namespace=theirs", "logs", "x"], {}),
            (["label", "node", "x"], {}),
            (["config", "view"], {}),
        ):
            self.assertNotEqual(
                "", outside({"arguments": arguments, "given": json.dumps(given) if given else ""}), arguments
            )
            self.assertFalse(kubectl.permitted(arguments, given, MINE), arguments)

    def test_every_pod_ends_by_itself_and_has_no_token(self):
        world = self.tried(code=0)
        given = [json.loads(call["given"]) for call in self.writes(world) if call["given"]]
        specs = [
            one["spec"] if one["kind"] == "Pod" else one["spec"]["template"]["spec"]
            for many in given
            for one in many.get("items", [many])
            if one["kind"] in ("Pod", "Job")
        ]
        self.assertGreater(len(specs), 4)
        for spec in specs:
            self.assertLessEqual(spec["activeDeadlineSeconds"], 600)
            self.assertFalse(spec["automountServiceAccountToken"])
            self.assertNotIn("hostNetwork", spec)


class Page(Tried):
    def test_its_samples(self):
        """Seconds, day and commit are those of another run."""
        nodes = [node("tpu-blue", number) for number in (0, 1)]
        world = self.tried(
            code=0,
            objects={
                "nodes": nodes,
                "mutatingwebhookconfigurations": [OURS],
                "validatingwebhookconfigurations": [],
                "deviceclasses.resource.k8s.io": [],
            },
        )
        text = PAGE.read_text(encoding="utf-8")
        for kind, made in ("json", world.report.read_text(encoding="utf-8")), ("", world.out):
            (found,) = re.findall(rf"^```{kind}\n((?:[{{\d].*\n(?:.*\n)*?)?)```$", text, re.MULTILINE)
            if UPDATE:
                text = text.replace(f"```{kind}\n{found}```", f"```{kind}\n{made}```")
            else:
                self.assertEqual(timeless(made), timeless(found))
        if UPDATE:
            PAGE.write_text(text, encoding="utf-8")

    def test_every_check_is_explained(self):
        page = PAGE.read_text(encoding="utf-8").partition("## What each outcome means")[2]
        sources = "".join(file.read_text(encoding="utf-8") for file in (KIT.parent / "real_cluster").glob("*.py"))
        checks = set(re.findall(r'step\.(?:equal|holds|note|not_known)\(\s*"([a-z-]+)"', sources))
        self.assertGreater(len(checks), 20)
        self.assertEqual(set(), {check for check in checks if f"`{check}`" not in page})

    def test_every_fact_exists(self):
        sources = "".join(file.read_text(encoding="utf-8") for file in (KIT.parent / "real_cluster").glob("*.py"))
        facts = set(re.findall(r'fact=?"?:? ?"([a-z-]+)"', sources)) | {host.WHO_WINS}
        self.assertGreater(len(facts), 8)
        headings = re.findall(r"^### (.+)$", (KIT.parents[1] / "docs/facts.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(set(), facts - set(headings))

    def test_every_option_is_explained(self):
        page = PAGE.read_text(encoding="utf-8")
        options = set(
            re.findall(r'add_argument\("(--[a-z-]+)"', pathlib.Path(run.__file__).read_text(encoding="utf-8"))
        )
        self.assertEqual(set(), {option for option in options if f"`{option}" not in page and f" {option}" not in page})


def timeless(text):
    for pattern, instead in (
        (r'"kit": "\w+"', "kit"),
        (r'"date": "[-\d]+"', "date"),
        (r'"seconds": [\d.]+', "seconds"),
        (r"\([\d.]+ s\)", "(s)"),
        (r"\b\d+ from creation", "s from creation"),
    ):
        text = re.sub(pattern, instead, text)
    return text


class Asked(Tried):
    def test_a_dry_run_writes_nothing(self):
        world = self.tried("--dry-run", code=0, terminal="")
        self.assertEqual([], self.writes(world))
        self.assertIn('"kind": "Job"', world.err)

    def test_without_a_terminal_it_does_not_begin(self):
        world = self.world()
        code, _, err = world.run(PROGRAM)
        self.assertEqual((2, []), (code, world.calls()))
        self.assertIn("--yes", err)

    def test_an_answer(self):
        for answer, steps in (("y\n", ["reads", "host", "slice", "clean"]), ("\n", ["reads"]), ("no\n", ["reads"])):
            with self.subTest(answer):
                world = self.tried(code=0, terminal=answer)
                self.assertEqual(steps, list(self.outcomes(world)))
                self.assertEqual(len(steps) > 1, bool(self.writes(world)))
                self.assertIn(f"Create namespace {MINE}, run Pods of us-docker.pkg.dev/", world.err)

    def test_a_namespace_that_exists_is_left_alone(self):
        world = self.world()
        theirs = {"namespace": {"metadata": {"name": MINE, "labels": {}}}, "pods": [], "logs": {}}
        world.folder.joinpath("state.json").write_text(json.dumps(theirs), encoding="utf-8")
        self.assertIn("exists already", self.tried(code=2, world=world).err)
        self.assertEqual([], self.writes(world))

    def test_a_namespace_that_another_makes_meanwhile_is_left_alone(self):
        world = self.world()
        theirs = {"namespace": {"metadata": {"name": MINE, "labels": {}}}, "pods": [], "logs": {}}
        late = kubectl.Failed("exists already", "AlreadyExists")

        def create(*_):
            world.folder.joinpath("state.json").write_text(json.dumps(theirs), encoding="utf-8")
            raise late

        with mock.patch.object(kubectl.Kubectl, "create_namespace", create):
            self.assertIn("made by another", self.tried(code=2, world=world).err)
        self.assertEqual(([], theirs), (self.writes(world), world.state()))

    def test_a_right_that_is_missing_is_said_before_anything_is_made(self):
        world = self.tried(code=2, forbidden=["create jobs.batch"])
        self.assertIn("you lack permission for: create jobs.batch", world.err)
        self.assertEqual([], self.writes(world))


class Chosen(Tried):
    def test_a_pool_with_a_taint_of_its_own_only_if_it_is_named(self):
        world = self.tried("--pool=tpu-green", code=0)
        self.assertEqual([False, True], [pool["used"] for pool in world.said["pools"]])
        self.assertEqual("not known", self.outcomes(world)["slice"])
        (pod,) = [
            json.loads(call["given"])["items"][0] for call in self.writes(world) if '"name": "host"' in call["given"]
        ][:1]
        self.assertIn("acme.example/dedicated", [one["key"] for one in pod["spec"]["tolerations"]])

    def test_a_pool_that_does_not_exist(self):
        self.assertIn("no TPU node pool is called blue", self.tried("--pool=blue", code=2).err)

    def test_hosts_in_use_are_not_waited_for(self):
        name = node("tpu-blue", 0)["metadata"]["name"]
        world = self.tried("--pool=tpu-blue", code=0, podsOn={name: ["Succeeded 4", "Running  4"]})
        self.assertIn("1 of 2 hosts", self.check(world, "slice")["found"])
        self.assertFalse(
            [
                call
                for call in self.writes(world)
                if '"Job"' in call["given"] and "--dry-run=server" not in call["arguments"]
            ]
        )
        used = {node("tpu-blue", number)["metadata"]["name"]: ["Running 4"] for number in (0, 1)}
        world = self.tried("--pool=tpu-blue", code=0, podsOn=used)
        self.assertEqual([], self.writes(world))

    def test_no_pool_at_all(self):
        self.assertIn("no node has label", self.tried(code=2, objects={"nodes": []}).err)


class Found(Tried):
    """What a report is for."""

    def test_a_device_plugin_that_says_something_else(self):
        world = self.tried(
            code=1,
            plugin={
                "TPU_TOPOLOGY_WRAP": "true,true,true",
                "ALT": None,
                "TPU_NEW": "tpu-blue",
                "TPU_AT": "10.77.0.1:80",
                "SIDECAR": "istio",
            },
        )
        differs = {
            (one["found"], one["expected"]) for one in world.said["steps"][1]["checks"] if one["outcome"] == "differs"
        }
        self.assertEqual(
            {
                ("TPU_TOPOLOGY_WRAP=true,true,true", "TPU_TOPOLOGY_WRAP=false,false,false"),
                ("ALT is not set", "ALT=false"),
                ("TPU_NEW=(text of 8)", "TPU_NEW is not set"),
                ("TPU_AT=(text of 12)", "TPU_AT is not set"),
                ("1 of other names", "0 of other names"),
            },
            differs,
        )

    def test_values_of_the_node_over_those_of_the_pod(self):
        world = self.tried(code=1, podWins=False)
        for name in ("pod-over-plugin", "empty-over-plugin"):
            self.assertEqual(
                ("differs", "the node's"), tuple(self.check(world, name)[key] for key in ("outcome", "found"))
            )

    def test_another_injector_and_whether_it_keeps_values(self):
        values = {"TPU_WORKER_HOSTNAMES": "try-0.try,try-1.try"}
        for replaces in (False, True):
            with self.subTest(replaces=replaces):
                world = self.tried(f"--program={PROGRAM}", code=1, **NO_WEBHOOK, injector=values, replaces=replaces)
                self.assertEqual("TPU_WORKER_HOSTNAMES, TPU_WORKER_ID", self.check(world, "other-injector")["found"])
                self.assertEqual("differs" if replaces else "ok", self.check(world, "values-kept")["outcome"])
                self.assertIn("something else gave the values", self.check(world, "without-values")["found"])

    def test_a_pool_that_is_not_as_the_facts_have_it(self):
        odd = [node("tpu-blue", number, topology="2x2x4", chips=4) for number in (0, 1)]
        for one in odd:
            one["spec"]["taints"] = []
            one["metadata"]["labels"]["cloud.google.com/gke-accelerator-count"] = "8"
        world = self.tried(
            "--dry-run", code=1, terminal="", objects={"nodes": odd, "mutatingwebhookconfigurations": []}
        )
        self.assertEqual("2 nodes of 4 chips, 2x2x4", self.check(world, "whole-hosts")["found"])
        self.assertEqual("missing", self.check(world, "tpu-taint")["found"])
        self.assertEqual(
            ("8", "4"), tuple(self.check(world, "accelerator-count")[key] for key in ("found", "expected"))
        )
        self.assertEqual("the API server has none", self.check(world, "device-classes")["found"])
        self.assertEqual(
            "not known", [one for one in world.said["steps"][0]["checks"] if one["id"] == "injectors"][0]["outcome"]
        )

    def test_which_injectors_are_named(self):
        many = [
            OURS,
            configuration("kuberay-tpu-mutating-webhook-cfg", "x"),
            configuration("kuberay-tpu-of-acme", "x"),
            configuration("falcon", "gke-tpu-env-injector.aaronbatilo.dev"),
            configuration("tpu-things-of-team-x", "x"),
            configuration("jobset-mutating-webhook-configuration", "x"),
            configuration("nodes.gke.io", "x", resources=("nodes",)),
            configuration("all.gke.io", "x", resources=("*/*",)),
            configuration("none.gke.io"),
            {"metadata": {"name": "empty.gke.io"}},
            {"metadata": {"name": "null.gke.io"}, "webhooks": None},
        ]
        nodes = [node("tpu-blue", number) for number in (0, 1)]
        world = self.tried(
            "--dry-run",
            code=0,
            terminal="",
            objects={"nodes": nodes, "mutatingwebhookconfigurations": many, "validatingwebhookconfigurations": []},
        )
        self.assertEqual(
            [
                ("all.gke.io", "GKE"),
                ("(not shown)", "gke-tpu-env-injector"),
                ("jobset-mutating-webhook-configuration", "neighbour"),
                ("kuberay-tpu-mutating-webhook-cfg", "KubeRay"),
                ("(not shown)", "KubeRay"),
                ("tpu-webhook", "tpu-webhook"),
            ],
            [(one["name"], one["whose"]) for one in world.said["injectors"]],
        )

    def test_objects_without_what_they_may_lack(self):
        """Each member that the API does not require, absent and null: it is read all the same, and what it says is in the report."""
        required = {"metadata", "name", "namespace", "type", "address", "key", "effect"}
        of_nodes = {"labels", "spec", "status"}  # a Node with a label of TPUs is asked for, and has both
        sound = {
            "nodes": [node("tpu-blue", number) for number in (0, 1)],
            "mutatingwebhookconfigurations": [configuration("x.gke.io", "x"), OURS],
            "validatingwebhookconfigurations": [configuration("y.gke.io", "y")],
            "deviceclasses.resource.k8s.io": [{"metadata": {"name": "tpu.google.com"}, "spec": {"selectors": []}}],
        }
        spoiled = 0
        for kind, objects in sound.items():
            for path in members_of(objects[0], required | (of_nodes if kind == "nodes" else set())):
                first = json.loads(json.dumps(objects[0]))
                parent = first
                for name in path[:-1]:
                    parent = parent[name]
                for null in (True, False):  # Go's encoder may write a list or a map that it does not have as null
                    if null and not isinstance(parent[path[-1]], (list, dict)):
                        continue
                    if null:
                        parent[path[-1]] = None
                    else:
                        del parent[path[-1]]
                    with self.subTest(kind, path=path, null=null):
                        self.tried("--dry-run", code=(0, 1), terminal="", objects={**sound, kind: [first, *objects[1:]]})
                        spoiled += 1
        self.assertGreater(spoiled, 40)

    def test_what_is_printed_may_be_cut(self):
        for text in ("", "Warning: x", '{"items": ['):
            with self.assertRaises(kubectl.Failed):
                kubectl.read(text)
        logs = mock.Mock(**{"logs.return_value": 'tpu-webhook-try {"a": 1}\ntpu-webhook-try {"a": 2\nValueError: x\n'})
        self.assertEqual(({"a": 1}, "ValueError: x"), waiting.printed(logs, {"metadata": {"name": "p"}}, "member"))

    def test_last_words_without_their_names(self):
        name = node("tpu-blue", 1)["metadata"]["name"]
        line = (
            f"RuntimeError: {name} of acme-falcon-1 at 10.77.1.9:8476 (34.90.1.2, fd00:10:77::1) in europe-west4-b: "
            "/home/jsmith/research/x.py, see https://payroll.acme-corp.example/a or jsmith@acme-corp.example, "
            "tpu-blue, "
            "registry.acme-corp.example/team-x"
        )
        world = self.tried(code=1, withoutValues=line)
        found = self.check(world, "without-values")["found"]
        self.assertTrue(found.startswith("RuntimeError: h1 of (not shown) at (not shown):8476 ("), found)

    def test_no_program_for_the_values(self):
        with mock.patch("shutil.which", return_value=None), mock.patch("os.access", return_value=False):
            self.assertEqual("", members.program(""))
        world = self.tried("--program=/nonexistent/kubectl-tpu", code=0, **NO_WEBHOOK)
        self.assertEqual("not known", self.check(world, "values-by")["outcome"])
        self.assertEqual("ok", self.check(world, "without-values")["outcome"])

    def test_a_refusal(self):
        refused = 'Error from server: admission webhook "pods.acme.example" denied the request: team-x has no quota'
        world = self.tried(code=0, wrong={"Pod": refused, "Job": refused})
        self.assertEqual(
            {"reads": "ok", "host": "not known", "slice": "not known", "clean": "ok"}, self.outcomes(world)
        )
        self.assertEqual("refused by a webhook", self.check(world, "host")["found"])
        self.assertIn("team-x has no quota", world.err)  # for the user alone


class Waits(Tried):
    """Limits, made short."""

    def setUp(self):
        for module, limit in (waiting, "SCHEDULED_SECONDS"), (members, "SECONDS"), (host, "HOST_SECONDS"):
            short = mock.patch.object(module, limit, 0)
            short.start()
            self.addCleanup(short.stop)

    def test_no_node(self):
        world = self.tried(code=0, pods="pending")
        self.assertEqual(
            {"reads": "ok", "host": "not known", "slice": "not known", "clean": "ok"}, self.outcomes(world)
        )
        self.assertIn("not on a node after", self.check(world, "with-values")["found"])

    def test_no_image(self):
        self.assertEqual(
            "a container was not started: ImagePullBackOff",
            self.check(self.tried(code=0, pods="no image"), "host")["found"],
        )

    def test_a_job_that_never_forms(self):
        world = self.tried(code=1, pods="hang", lastLine="waits for payroll.acme-corp.dev")
        self.assertIn(
            "2 of 2 Pods have not ended after 0 s; last lines: waits for (name)",
            self.check(world, "with-values")["found"],
        )


class Cleaned(Tried):
    def test_a_namespace_that_stays(self):
        world = self.tried(code=1, stuck=True)
        self.assertEqual("differs", self.check(world, "left")["outcome"])

    def test_kept(self):
        world = self.tried("--keep", code=0)
        self.assertEqual("not known", self.outcomes(world)["clean"])
        self.assertIsNotNone(world.state()["namespace"])

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                world = World(folder, slowly=2)
                started = subprocess.Popen(
                    world.command("--yes"),
                    env=world.environment(PROGRAM),
                    text=True,
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
                while not (world.folder / "state.json").exists() or not world.state()["namespace"]:
                    time.sleep(0.02)
                started.send_signal(number)  # while its creation is not answered yet
                world.out, world.err = started.communicate(timeout=60)
                self.assertEqual(130, started.returncode, world.out + world.err)
                self.sound(world)
                self.assertIsNone(world.state()["namespace"])
                self.assertEqual({"reads", "clean"}, set(self.outcomes(world)))

    def test_interrupted_while_pods_run(self):
        with mock.patch.object(waiting, "printed", side_effect=KeyboardInterrupt):
            world = self.tried(code=130)
        self.assertEqual({"reads": "ok", "host": "not known", "clean": "ok"}, self.outcomes(world))
        self.assertEqual("interrupted", self.check(world, "ended-early")["found"])


class Old(unittest.TestCase):
    def test_python_3_9_reads_it(self):
        files = [
            KIT,
            KIT.parents[1] / "tests" / "readers" / "device_plugin.py",
            *(KIT.parent / "real_cluster").rglob("*.py"),
        ]
        self.assertGreater(len(files), 12)
        for file in files:
            ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))


class Private(unittest.TestCase):
    def test_forms(self):
        for value, want in (
            ("2,2,1", "2,2,1"),
            ("v5litepod-16", "v5litepod-16"),
            ("false,false,true", "false,false,true"),
            ("true", "true"),
            ("tpu-v6e-slice", "tpu-v6e-slice"),
            ("acme", "(text of 4)"),
            ("", ""),
            ("10.1.2.3:8353", "(text of 13)"),
            (":8353", ":8353"),
            ("2001:4860::8888", "(text of 15)"),
            ("123456789012", "(text of 12)"),
            ("tpu-blue", "(text of 8)"),
            ("tpu7x-32", "tpu7x-32"),
            ("8431,8432", "8431,8432"),
        ):
            self.assertEqual(want, private.plain(value))
        for value, want in (
            ("v1.33.5-gke.1080000", "v1.33.5-gke.1080000"),
            ("v1.36.3-acme.7", "v1.36.3"),
            ("0.12.0.1", "0.12.0.1"),
            ("acme", "(not shown)"),
        ):
            self.assertEqual(want, private.version(value))
        for value, want in (
            ("ct6e-standard-4t", "ct6e-standard-4t"),
            ("tpu7x-standard-4t", "tpu7x-standard-4t"),
            ("acme-4t", "(not shown)"),
        ):
            self.assertEqual(want, private.machine(value))

    def test_of_names_within_names(self):
        names = private.Names()
        self.assertEqual(["p0", "h0", "h1"], [names.pool("blue"), names.host("blue-1"), names.host("blue-10")])
        self.assertEqual("h1 and h0 of p0: ValueError", names.clean("blue-10 and blue-1 of blue: ValueError"))

    def test_words_of_jax_stay(self):
        for line in (
            "ValueError: coordinator_address should be defined.",
            "RuntimeError: after 10.5s in device.cc:99 (jax._src.distributed)",
            "jax.errors.JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out",
        ):
            self.assertEqual(line, private.Names().clean(line))

    def test_a_report_is_json(self):
        report = findings.Report(
            "67abe164", "2026-11-27", pools=[{"pool": "p0"}], steps=[findings.Step("reads", "reads")]
        )
        self.assertEqual(report.as_dict(), json.loads(findings.as_json(report.as_dict())))


if __name__ == "__main__":
    unittest.main(verbosity=1)
