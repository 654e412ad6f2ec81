"""The command: reads, asks, tries, cleans up, reports."""

from __future__ import annotations

import argparse
import datetime
import functools
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import time

from . import host, injectors, members, objects, pools, private
from .findings import DIFFERS, Report, Step, as_json
from .kubectl import Failed, Kubectl
from .screen import Screen

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGE = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:latest"
DELETE_SECONDS = 180
ACCOUNT_SECONDS = 20
NEEDED = (
    ("create", "namespaces"),
    ("delete", "namespaces"),
    ("create", "pods"),
    ("delete", "pods"),
    ("create", "services"),
    ("create", "jobs.batch"),
    ("get", "pods/log"),
)
USAGE = """Tries what tpu-webhook relies on, on a TPU node pool of yours, in about ten minutes, and writes a report.

Step 1 reads the cluster. After a question, steps 2 and 3 run Pods on free TPU hosts in a namespace of their own: one
that prints its TPU variables, then a job over all hosts of a slice, with and without the values of tpu-webhook. Step 4
deletes the namespace, also after Ctrl-C. Nothing else is written, and nothing is sent. The report has no name of yours:
docs/try-on-a-real-cluster.md shows one.
"""
EXAMPLES = """Exit code: 0 nothing differs from what is expected, 1 something does, 2 it could not run, 130 interrupted.

Examples:
  scripts/try-on-a-real-cluster --dry-run            # reads, and prints what it would create
  scripts/try-on-a-real-cluster                      # reads, asks, runs
  scripts/try-on-a-real-cluster --context prod --pool tpu-pool-1 --yes
  scripts/try-on-a-real-cluster --image REGISTRY/jax-tpu:1 --output /tmp/report.json
"""


class Unusable(Exception):
    """Why it could not run."""


def main(arguments: list) -> int:
    options, screen = _options(arguments), Screen()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        if not (options.yes or options.dry_run or sys.stdin.isatty()):
            raise Unusable("standard input is not a terminal, so it cannot ask; pass --yes to let it write")
        if not os.access(options.output.parent, os.W_OK):
            raise Unusable("the folder of --output cannot be written to")
        return Run(options, screen).all()
    except KeyboardInterrupt:
        screen.aside("interrupted; nothing was created")
        return 130
    except Unusable as error:
        screen.aside(f"try-on-a-real-cluster: {error}")
    except Failed as failed:
        screen.aside(f"try-on-a-real-cluster: {failed.text}")
    return 2


class Run:
    def __init__(self, options: argparse.Namespace, screen: Screen):
        self._options, self._screen, self._names = options, screen, private.Names()
        self._kubectl = Kubectl(options.namespace, options.kubeconfig, options.context)
        self._names.hide(options.namespace)
        self._names.hide(options.context)
        self._names.hide(options.image)
        self._id = secrets.token_hex(8)  # of this run, on its namespace
        given = "default" if options.image == IMAGE else "given"
        self._report = Report(_commit(), datetime.date.today().isoformat(), image=given)

    def all(self) -> int:
        pool = self._read()
        if self._options.dry_run:
            self._print_objects(pool)
            return self._end()
        if pool is None or not self._agreed(pool):
            return self._end()
        interrupted, making = False, objects.Making(
            self._options.namespace, self._options.image, pool, self._options.privileged
        )
        try:
            self._make_namespace()
            self._try(making)
        except KeyboardInterrupt:
            interrupted = True
            self._screen.aside("interrupted: deleting the namespace, some seconds (Ctrl-C again leaves it)")
        finally:
            self._clean_up()
        code = self._end()
        return 130 if interrupted else code

    # -- step 1 -------------------------------------------------------------------------------

    def _read(self) -> pools.Pool | None:
        """The pool to use; None if there is none, and the report says why."""
        with self._step("reads", "reads the cluster") as step:
            version = self._kubectl.version()["serverVersion"]["gitVersion"]
            self._report.server = private.version(version)
            step.note("server", self._report.server)
            found = pools.read(self._kubectl, self._names)
            if not found:
                raise Unusable(f"no node has label {pools.ACCELERATOR}")
            pools.check(found, step)
            self._report.injectors = injectors.read(self._kubectl, step)
            self._report.device_classes = injectors.device_classes(self._kubectl, step)
            try:
                for one in found:
                    pools.count_free(self._kubectl, one)
            except Failed as failed:
                self._screen.aside(failed.text)
                step.not_known("free-hosts", f"Pods of TPU nodes: {failed.kind}")
            pool = self._chosen(found, step)
            self._report.pools = [{**one.summary(), "used": one is pool} for one in found]
        self._screen.aside(
            "for you, and not in the report: " + ", ".join(f"{one.alias} is {one.name}" for one in found)
        )
        return pool

    def _chosen(self, found: list, step: Step) -> pools.Pool | None:
        wanted = self._options.pool
        pool = pools.choose(found, wanted)
        if wanted and pool is None:
            raise Unusable(f"--pool: no TPU node pool is called {wanted}")
        if pool is None:
            step.not_known("pool", "no pool has a free host without taints of your own; --pool chooses one")
        elif not pool.free:
            step.not_known("pool", f"{pool.alias} has no free host")
            return None
        else:
            step.note("pool", f"{pool.alias}, {len(pool.free)} of {len(pool.nodes)} hosts free")
        return pool

    # -- the question -------------------------------------------------------------------------

    def _agreed(self, pool: pools.Pool) -> bool:
        missing = [f"{verb} {kind}" for verb, kind in NEEDED if not self._kubectl.may(verb, kind)]
        if missing:
            raise Unusable(f"you lack permission for: {', '.join(missing)}")
        if self._kubectl.own_namespace():
            raise Unusable(
                f"namespace {self._options.namespace} exists already; --namespace chooses another, and if it is of a "
                f"run that was killed: kubectl delete namespace {self._options.namespace}"
            )
        hosts = f"all {pool.hosts} hosts" if pool.is_whole() else "one host"
        question = (
            f"Create namespace {self._options.namespace}, run Pods of {self._options.image} on {hosts} of {pool.alias} "
            "for some minutes, and delete the namespace?"
        )
        return self._options.yes or self._screen.ask(question)

    # -- steps 2 to 4 -------------------------------------------------------------------------

    def _make_namespace(self) -> None:
        self._kubectl.create_namespace({**objects.LABELS, objects.MARK: self._id})
        until = time.monotonic() + ACCOUNT_SECONDS
        while not self._kubectl.here("serviceaccounts") and time.monotonic() < until:
            time.sleep(0.2)  # until there is one, Pods are refused

    def _try(self, making: objects.Making) -> None:
        pool = making.pool
        with self._step("host", "one TPU host") as step:
            enforced = host.admission(self._kubectl, making, step) if pool.hosts > 1 else False
            host.run(self._kubectl, self._screen, making, self._names, step)
        with self._step("slice", "all hosts of a slice, one job") as step:
            if pool.hosts < 2:
                step.not_known("slice", f"a slice of {pool.alias} has one host; --pool chooses another pool")
            elif not pool.is_whole():
                step.not_known("slice", f"{len(pool.free)} of {pool.hosts} hosts of {pool.alias} are free")
            else:
                tool = members.program(self._options.program)
                members.run(self._kubectl, self._screen, making, self._names, enforced, tool, step)

    def _clean_up(self) -> None:
        """Deletes the namespace if this run made it, also where the answer to its creation was lost."""
        with self._step("clean", "cleans up") as step:
            try:
                found = self._kubectl.own_namespace()
                if found and found["metadata"].get("labels", {}).get(objects.MARK) != self._id:
                    raise Unusable(f"namespace {self._options.namespace} was made by another; it stays")
                if self._options.keep and found:
                    step.not_known("left", "the namespace, as --keep asks")
                    return
                if found:
                    self._screen.progress("deleting the namespace")
                    self._kubectl.delete_namespace(DELETE_SECONDS)
                step.equal("left", "the namespace" if self._kubectl.own_namespace() else "nothing", "nothing")
            except (Failed, KeyboardInterrupt) as error:
                self._screen.aside(
                    f"{getattr(error, 'text', 'interrupted')}\n"
                    f"delete it by hand: kubectl delete namespace {self._options.namespace}"
                )
                step.equal("left", "the namespace, perhaps", "nothing")

    # -----------------------------------------------------------------------------------------

    def _step(self, name: str, title: str):
        return _Shown(Step(name, title), self._report, self._screen)

    def _print_objects(self, pool: pools.Pool | None) -> None:
        if pool is None:
            return
        making = objects.Making(self._options.namespace, self._options.image, pool, self._options.privileged)
        node = (pool.free or pool.nodes)[0]
        made = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._options.namespace}},
            objects.host_pod(making, "host", node),
        ]
        if pool.hosts > 1:
            made += [
                objects.service(making),
                objects.job(making, pool.hosts),
                objects.job(making, pool.hosts, objects.NOT_INJECTED),
            ]
        self._screen.aside("Would be created, one after another; names of yours are in it:")
        for one in made:
            self._screen.aside(json.dumps(one, indent=2))

    def _end(self) -> int:
        self._screen.total(self._report)
        self._options.output.write_text(as_json(self._report.as_dict()), encoding="utf-8")
        self._screen.aside(
            f"report: {self._options.output}; read it, and send it if you like (docs/try-on-a-real-cluster.md)"
        )
        return 1 if self._report.outcome == DIFFERS else 0


class _Shown:
    """A step that is timed, and printed when it ends, also early."""

    def __init__(self, step: Step, report: Report, screen: Screen):
        self._step, self._report, self._screen = step, report, screen

    def __enter__(self) -> Step:
        self._report.steps.append(self._step)
        self._timer = self._step.timed()
        return self._timer.__enter__()

    def __exit__(self, kind, *_) -> None:
        self._timer.__exit__(None, None, None)
        if kind:
            self._step.not_known("ended-early", "interrupted" if kind is KeyboardInterrupt else "it could not go on")
        self._screen.step(len(self._report.steps), self._step)


def _options(arguments: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "try-on-a-real-cluster",
        description=USAGE,
        epilog=EXAMPLES,
        formatter_class=functools.partial(argparse.RawDescriptionHelpFormatter, width=118),
    )
    parser.add_argument("--context", default="", help="of the kubeconfig, in place of the current one")
    parser.add_argument("--kubeconfig", default="", help="in place of kubectl's own")
    parser.add_argument(
        "--namespace", default="tpu-webhook-try", help="made, and deleted at the end; must not exist (%(default)s)"
    )
    parser.add_argument(
        "--pool", default="", help="node pool to use, by its name; default: the smallest that is free as a whole"
    )
    parser.add_argument("--image", default=IMAGE, help="with JAX for TPU, and Python as `python` (%(default)s)")
    parser.add_argument(
        "--program", default="", help="kubectl-tpu, if it is not in PATH; used where tpu-webhook does not enforce"
    )
    parser.add_argument(
        "--privileged",
        action="store_true",
        help="privileged containers, for versions of GKE that give chips to no others",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before writing")
    parser.add_argument("--dry-run", action="store_true", help="read, and print what would be created")
    parser.add_argument("--keep", action="store_true", help="leave the namespace, to look at it")
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("tpu-webhook-report.json"), help="the report (%(default)s)"
    )
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", options.namespace):
        parser.error(f'--namespace: expected the name of a namespace, got "{options.namespace}"')
    return options


def _commit() -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
        return done.stdout.strip() or "not a checkout"
    except (OSError, subprocess.SubprocessError):
        return "not a checkout"


def _interrupt(*_) -> None:
    raise KeyboardInterrupt
