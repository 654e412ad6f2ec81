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
import container_env
import jax_verdict
import ray_verdict
import readers
import sets_story
import torch_tpu_story
import wrong
import zone
from pods import reviewed, title, tpu_containers

WORKLOADS = pathlib.Path(__file__).resolve().parent.parent / "support" / "workloads"
sys.path.append(str(WORKLOADS))
import generate  # noqa: E402

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
    return Scene(container_env.processes(pods, around), zone.hosts_file(pods, around.services),
                 [title(pod) for pod in pods if not zone.asks_cluster_dns(pod)])


@functools.cache
def pods_and_cluster(program, workload, *flags):
    return (reviewed(program, WORKLOADS / f"{workload}.jsonl", *flags),
            cluster.Cluster(generate.cluster_of(workload)["items"]))


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


def jax_forms_story(program, workload, version="jax"):
    """JAX forms the job: all join, meet the others and leave."""
    (lines, job), = JOBS[workload]
    scene = scene_of(*pods_and_cluster(program, workload))
    check_size(scene, job)
    outcomes = readers.jax_forms(scene.processes, scene.hosts, JOIN_SECONDS, version)
    accept(jax_verdict.formed(outcomes, jax_verdict.injected_order(scene.processes)))
    return (f"{count(job.processes, 'process')} on {count(job.nodes, 'node')}, "
            f"{count(job.slices, 'slice')} of {job.chips} chips (host bounds "
            f"{scene.processes[0].env['TPU_HOST_BOUNDS']}), coordinator "
            f"{outcomes[0]['coordinator']}: one job, formed in "
            f"{max(o['seconds'] for o in outcomes)} s by {reader(outcomes[0])}")


def together(program, workloads):
    """(workload, Scene, Job) for each job of the workloads, all in one zone, so that one run of a
    reader answers for all."""
    parts, hosts, first = [], zone.LOOPBACK, 0
    for workload in workloads:
        pods, around = pods_and_cluster(program, workload)
        processes = iter(container_env.processes(pods, around, first))
        by_line = [[next(processes) for _ in tpu_containers(pod)] for pod in pods]
        hosts += zone.hosts_file(pods, around.services, first).removeprefix(zone.LOOPBACK)
        first += len(pods)
        for lines, job in JOBS[workload]:
            deaf = [title(pods[i]) for i in lines if not zone.asks_cluster_dns(pods[i])]
            parts.append((workload, Scene([p for i in lines for p in by_line[i]], "", deaf), job))
    for _, scene, _ in parts:
        scene.hosts = hosts
    return parts


def derive_story(program, version):
    """JAX derives each job of each workload, in one run."""
    parts = together(program, JOBS)
    answers = derive_each(functools.partial(readers.jax_derives, version=version),
                          [scene for _, scene, _ in parts])
    for (workload, scene, job), probes in zip(parts, answers):
        check_size(scene, job)
        accept([f"{workload}: {c}" for c in jax_verdict.derived(probes)])
        print(f"  {workload}: {count(job.processes, 'process')} in {count(job.slices, 'slice')} "
              f"of {job.chips} chips, coordinator {probes[0]['coordinator']}")
    return (f"{reader(answers[0][0])} derives {len(parts)} jobs of {len(JOBS)} workloads, "
            f"{sum(len(a) for a in answers)} processes")


def reader(answer):
    """Which JAX said it, and on which Python: install takes an older one where there is no newer Python."""
    return f"JAX {answer['version']} on Python {answer['python']}"


def ray_story(program):
    """What raylets would register, by their slice names."""
    scenes = [scene_of(*pods_and_cluster(program, workload)) for workload in RAY]
    for scene in scenes:
        scene.hosts = zone.LOOPBACK  # nothing is resolved: one run for all
    said = []
    for scene, probes in zip(scenes, derive_each(readers.ray_derives, scenes)):
        accept(ray_verdict.derived(probes, slices=2))
        names = sorted({p.env["TPU_NAME"] for p in scene.processes})
        said.append(f"{len(scene.processes)} workers are slices {' and '.join(names)}")
    return f"{', '.join(said)}: each with one head"


def ray_cluster_story(program):
    scene = scene_of(*pods_and_cluster(program, "ray-2x4x4"))
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
    """All cases in one zone, as `together` has it, but for those that change who resolves."""
    right = {workload: pods_and_cluster(program, workload) for workload in wrong.JAX}
    first, zones = {}, {}
    for workload, (pods, around) in right.items():
        first[workload] = sum(len(right[w][0]) for w in first)
        zones[workload] = zone.hosts_file(pods, around.services, first[workload])
    cases, scenes = [], []
    for workload, (pods, around) in right.items():
        for case in wrong.JAX[workload]:
            edited = case.edit(pods)
            own = zone.hosts_file(edited, around.services, first[workload])
            processes = container_env.processes(edited, around, first[workload])
            for p in processes:
                p.env.pop(case.without, None)
            scenes.append(Scene(processes, "".join({**zones, workload: own}.values()), []))
            cases.append(case)
    answers = derive_each(readers.jax_derives, scenes)
    asked = [(case, probes) for case, probes in zip(cases, answers)
             if numbers(probes[0]["version"]) >= numbers(case.since or "0")]
    for case, probes in asked:
        must_catch(case, jax_verdict.derived(probes), case.caught)
    return (f"{len(asked)} wrong sets, each caught by what {reader(answers[0][0])} derives; "
            f"{len(cases) - len(asked)} need a newer JAX")


def numbers(version):
    return [int(part) for part in version.split(".")]


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
    # LeaderWorkerSet's webhook calls all subgroups of a group the same, which agree.py says.
    for workload in sorted(JOBS.keys() - {"lws-subgroups-after"}):
        for line, agreed in agree.reports(reviewed(program, WORKLOADS / f"{workload}.jsonl")):
            if not agreed:
                raise Failed(f"  {line}")
            print(f"  {line}")
    cases = [(w, case) for w, cases in {**wrong.JAX, "ray-2x4x4": wrong.RAY}.items()
             for case in cases if not case.without and not case.since]  # it opens no file
    for workload, case in cases:
        pods = case.edit(reviewed(program, WORKLOADS / f"{workload}.jsonl"))
        if all(agreed for _, agreed in agree.reports(pods)):
            raise Failed(f"  {workload}, {case.what}: agree.py sees nothing wrong")
    return f"the right sets pass the plain check, {len(cases)} wrong ones do not"


def torch_tpu_story_told(program):
    """Each slice of each case by itself."""
    for workload, injected, order, expected in torch_tpu_story.CASES:
        flags = ("--torch-tpu",) if injected else ()
        processes = scene_of(*pods_and_cluster(program, workload, *flags)).processes
        asked = torch_tpu_story.placed(processes, order)
        probes = readers.torch_tpu_launches(asked, zone.LOOPBACK)
        found = []
        for part in {p.env["TPU_WORKER_HOSTNAMES"] for p in processes}:
            mine = [i for i, p in enumerate(processes) if p.env["TPU_WORKER_HOSTNAMES"] == part]
            found += torch_tpu_story.complaints([asked[i] for i in mine], [probes[i] for i in mine])
        where = order.__name__ if order else "no chip answers"
        case = f"{workload}, {'with' if injected else 'without'} --torch-tpu, {where}"
        if expected is None:
            accept([f"{case}: {c}" for c in found])
        elif not any(expected in c for c in found):
            raise Failed(f"  {case}: no complaint of {expected!r}: {found}")
        print(f"  {case}: {found[0] if found else 'one slice'}"[:230])
    return f"TorchTPU {probes[0]['version']} on Python {probes[0]['python']}: {len(torch_tpu_story.CASES)} cases"


def sets_told(program):
    complaints, line = sets_story.told(program, [WORKLOADS / f"{name}.jsonl" for name in sorted(JOBS)], JOBS,
                                       pods_and_cluster)
    accept(complaints)
    return line


def count(number, word):
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{number} {word if number == 1 else plural}"


def _alone(chips, processes=1):
    return Job(processes=processes, slices=1, chips=chips, nodes=1)


_TWO_HOSTS = Job(processes=2, slices=1, chips=8, nodes=2)
_FOUR_HOSTS = Job(processes=4, slices=1, chips=16, nodes=4)

# The jobs that JAX has to derive: which lines of the file they are, by hand, and their size.
JOBS = {
    "job-2x4": [((0, 1), _TWO_HOSTS)],
    "job-single-host": [((0,), _alone(8))],
    "jobset-2x4x4": [(range(8), Job(processes=8, slices=2, chips=16, nodes=8))],
    "jobset-tpu7x-2x2x2x2": [(range(4), Job(processes=8, slices=2, chips=8, nodes=4))],
    "lws-subgroups": [((0, 1), _TWO_HOSTS), ((2, 3), _TWO_HOSTS)],
    "lws-subgroups-after": [((0, 1), _TWO_HOSTS), ((2, 3), _TWO_HOSTS)],
    "ray-2x4x4": [((0, 1, 3, 5), _FOUR_HOSTS), ((2, 4, 6, 7), _FOUR_HOSTS)],
    "ray-megascale": [(range(4), Job(processes=4, slices=2, chips=8, nodes=4))],
    "single-hosts": [((0,), _alone(1)), ((1,), _alone(4)), ((2,), _alone(8)), ((3,), _alone(8)),
                     ((4,), _alone(4, processes=2))],
    "statefulset-2x2x2": [((0, 2), _TWO_HOSTS), ((1, 3), _TWO_HOSTS)],
}
RAY = ("ray-2x4x4", "ray-megascale")


def _forms(workload, version="jax"):
    return functools.partial(jax_forms_story, workload=workload, version=version)


STORIES = {
    "derive-jax": functools.partial(derive_story, version="jax"),
    "derive-jax-0.6": functools.partial(derive_story, version="jax-0.6"),
    "derive-jax-0.10": functools.partial(derive_story, version="jax-0.10"),
    "job-2x4": _forms("job-2x4"),
    "job-single-host": _forms("job-single-host"),
    "jobset-2x4x4": _forms("jobset-2x4x4"),
    "jobset-tpu7x-2x2x2x2": _forms("jobset-tpu7x-2x2x2x2"),
    "jobset-tpu7x-jax-0.6": _forms("jobset-tpu7x-2x2x2x2", "jax-0.6"),
    "ray-megascale": _forms("ray-megascale"),
    "ray": ray_story,
    "ray-2x4x4-cluster": ray_cluster_story,
    "agree": agree_story,
    "sets": sets_told,
    "wrong-jax": wrong_jax_story,
    "wrong-jax-job": wrong_job_story,
    "wrong-ray": wrong_ray_story,
    "torch-tpu": torch_tpu_story_told,  # by label
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
