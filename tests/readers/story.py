#!/usr/bin/env python3
"""One story: a customer's Pods through tpu-webhook, then through the programs that read them.

story.py NAME --program PATH   exit 0 told; 1 not; 77 skipped, no registry to install from
story.py --list
"""

import argparse
import dataclasses
import functools
import pathlib
import sys
import time

import agree
import cluster
import compose
import jax_verdict
import ray_verdict
import readers
import wrong
import zone
from pods import reviewed, title

WORKLOADS = pathlib.Path(__file__).resolve().parent.parent / "support" / "workloads"

JOIN_SECONDS = 60  # for a right set: JAX's own timeout
REFUSE_SECONDS = 3  # for a wrong one; the members start together, after their imports


class Failed(Exception):
    """The complaints of a story that did not come true."""


@dataclasses.dataclass
class Scene:
    """Patched Pods in their cluster."""
    processes: list
    hosts: str  # the zone, as a hosts file
    deaf: list  # Pods that would not ask the cluster's DNS


@dataclasses.dataclass
class Job:
    """What the manifests ask for, counted by hand."""
    processes: int
    slices: int
    chips: int  # of a slice
    nodes: int


def scene_of(pods, around):
    return Scene(compose.processes(pods, around), zone.hosts_file(pods, around.services),
                 [title(pod) for pod in pods if not zone.asks_cluster_dns(pod)])


def pods_and_cluster(program, workload):
    return (reviewed(program, WORKLOADS / f"{workload}.jsonl"),
            cluster.load(WORKLOADS / f"{workload}.cluster.json"))


def accept(complaints):
    if complaints:
        raise Failed("\n".join(f"  {c}" for c in complaints))


def check_size(scene, job):
    """The patched Pods are the job that the manifests ask for."""
    have = Job(len(scene.processes),
               len({p.env.get("MEGASCALE_SLICE_ID") for p in scene.processes}),
               sum(p.chips for p in scene.processes) // job.slices,
               len({p.node for p in scene.processes}))
    if have != job:
        raise Failed(f"  {have}, not {job}")
    accept([f"{name} would not resolve names: its dnsPolicy" for name in scene.deaf])
    accept(jax_verdict.bounds(scene.processes))


def jax_reads(scene):
    """JAX derives one job; returns its coordinator."""
    probes = readers.jax_derives(scene.processes, scene.hosts)
    accept(jax_verdict.derived(probes))
    return probes[0]["coordinator"]


def jax_forms(scene):
    """JAX forms the job; returns how long the slowest took to join, meet the others and leave."""
    outcomes = readers.jax_forms(scene.processes, scene.hosts, JOIN_SECONDS)
    accept(jax_verdict.formed(outcomes, jax_verdict.injected_order(scene.processes)))
    return max(o["seconds"] for o in outcomes)


def jax_story(program, workload, job):
    scene = scene_of(*pods_and_cluster(program, workload))
    check_size(scene, job)
    coordinator = jax_reads(scene)
    seconds = jax_forms(scene)
    return (f"{count(job.processes, 'process')} on {count(job.nodes, 'node')}, "
            f"{count(job.slices, 'slice')} of {job.chips} chips (host bounds "
            f"{scene.processes[0].env['TPU_HOST_BOUNDS']}), coordinator {coordinator}: "
            f"one job, formed in {seconds} s")


def ray_scenes(program):
    """The Ray workload, whole and slice by slice (to JAX each slice is a job of its own)."""
    scene = scene_of(*pods_and_cluster(program, "ray-2x4x4"))
    names = sorted({p.env.get("TPU_NAME", "") for p in scene.processes})
    parts = {name: [p for p in scene.processes if p.env.get("TPU_NAME", "") == name]
             for name in names}
    return scene, {name: dataclasses.replace(scene, processes=part)
                   for name, part in parts.items()}


def ray_story(program):
    scene, parts = ray_scenes(program)
    accept(ray_verdict.derived(readers.ray_derives(scene.processes, scene.hosts), slices=2))
    coordinators = []
    for part in parts.values():
        check_size(part, Job(processes=4, slices=1, chips=16, nodes=4))
        coordinators.append(jax_reads(part))
    return (f"{len(scene.processes)} workers, slices {' and '.join(parts)} of 16 chips with one "
            f"head each; to JAX, coordinators {' and '.join(coordinators)}: whole slices")


def ray_cluster_story(program):
    scene, _ = ray_scenes(program)
    said = readers.ray_forms(scene.processes, scene.hosts, slices=2)
    if said["tasks"] != len(scene.processes):
        raise Failed(f"  tasks ran on {said['tasks']} of {len(scene.processes)} workers")
    return f"raylets registered {said['slices']}, {said['tasks']} tasks ran: one cluster"


def spoil(program, workload, case):
    """The workload with one thing wrong."""
    pods, around = pods_and_cluster(program, workload)
    scene = scene_of(case.edit(pods), around)
    for p in scene.processes:
        p.env.pop(case.without, None)
    return scene


def must_catch(case, complaints, expected):
    if not any(expected in c for c in complaints):
        raise Failed(f"  {case.what}: not caught by {expected!r} but by {complaints}")
    print(f"  {case.what}: {next(c for c in complaints if expected in c)[:150]}", flush=True)


def derive_each(derive, scenes):
    """What a reader derives in each scene. Scenes of one zone share a run, and so an import."""
    answers = [None] * len(scenes)
    for hosts in {scene.hosts for scene in scenes}:
        same = [i for i, scene in enumerate(scenes) if scene.hosts == hosts]
        probes = derive([p for i in same for p in scenes[i].processes], hosts)
        for i in same:
            size = len(scenes[i].processes)
            answers[i], probes = probes[:size], probes[size:]
    return answers


def wrong_jax_story(program):
    for workload, cases in wrong.JAX.items():
        print(workload)
        scenes = [spoil(program, workload, case) for case in cases]
        for case, probes in zip(cases, derive_each(readers.jax_derives, scenes)):
            must_catch(case, jax_verdict.derived(probes), case.caught)
    return f"{sum(map(len, wrong.JAX.values()))} wrong sets, each caught by what JAX derives"


def wrong_job_story(program):
    for case, expected in wrong.JAX_JOB:
        scene = spoil(program, "jobset-2x4x4", case)
        outcomes = readers.jax_forms(scene.processes, scene.hosts, REFUSE_SECONDS)
        complaints = jax_verdict.formed(outcomes, jax_verdict.injected_order(scene.processes))
        must_catch(case, complaints, expected)
    return f"{len(wrong.JAX_JOB)} wrong sets, none of which formed a job"


def wrong_ray_story(program):
    scenes = [spoil(program, "ray-2x4x4", case) for case in wrong.RAY]
    for case, probes in zip(wrong.RAY, derive_each(readers.ray_derives, scenes)):
        must_catch(case, ray_verdict.derived(probes, slices=2), case.caught)
    return f"{len(wrong.RAY)} wrong sets, each caught by what Ray registers"


def agree_story(program):
    """agree.py says yes to what the webhook made, and no to each wrong set."""
    for workload in sorted({*wrong.JAX, "job-single-host", "ray-2x4x4"}):
        for line, agreed in agree.reports(reviewed(program, WORKLOADS / f"{workload}.jsonl")):
            if not agreed:
                raise Failed(f"  {line}")
            print(f"  {line}")
    cases = [(w, case) for w, cases in {**wrong.JAX, "ray-2x4x4": wrong.RAY}.items()
             for case in cases if not case.without]
    for workload, case in cases:
        pods = case.edit(reviewed(program, WORKLOADS / f"{workload}.jsonl"))
        if all(agreed for _, agreed in agree.reports(pods)):
            raise Failed(f"  {workload}, {case.what}: agree.py sees nothing wrong")
    return f"the right sets pass the plain check, {len(cases)} wrong ones do not"


def count(number, word):
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{number} {word if number == 1 else plural}"


def _jax(workload, **job):
    return functools.partial(jax_story, workload=workload, job=Job(**job))


STORIES = {
    "job-2x4": _jax("job-2x4", processes=2, slices=1, chips=8, nodes=2),
    "job-single-host": _jax("job-single-host", processes=1, slices=1, chips=8, nodes=1),
    "jobset-2x4x4": _jax("jobset-2x4x4", processes=8, slices=2, chips=16, nodes=8),
    "jobset-tpu7x-2x2x2x2": _jax("jobset-tpu7x-2x2x2x2", processes=8, slices=2, chips=8, nodes=4),
    "ray-2x4x4": ray_story,
    "ray-2x4x4-cluster": ray_cluster_story,
    "agree": agree_story,
    "wrong-jax": wrong_jax_story,
    "wrong-jax-job": wrong_job_story,
    "wrong-ray": wrong_ray_story,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("story", nargs="?", choices=STORIES)
    parser.add_argument("--program", help="the tpu-webhook to ask")
    parser.add_argument("--list", action="store_true", help="print the stories' names")
    args = parser.parse_args()
    if args.list:
        print("\n".join(STORIES))
        return 0
    if not args.story or not args.program:
        parser.error("a story and --program are needed")
    started = time.monotonic()
    try:
        line = STORIES[args.story](args.program)
    except Failed as failed:
        print(f"{args.story}: they do not agree:\n{failed}")
        return 1
    except RuntimeError as error:  # a denial, a reader that did not start
        print(f"{args.story}: {error}")
        return 1
    print(f"{args.story}: {line} ({time.monotonic() - started:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
