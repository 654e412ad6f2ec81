"""up, down and status: what the three commands do."""

import os
import pathlib
import sys
import time

from . import core, kube, net, nodes, operators, pins, process, programs
from .real import node, services, world
from .state import State, fresh, load


def up(directory: pathlib.Path, with_operators=(), pools=nodes.DEFAULT_POOLS, ray_indexing: bool = True,
       gates: core.Gates = core.NO_GATES, real=()) -> State:
    """Build what is missing, start everything, wait until it is ready. `real`: pools of real nodes, beside the fake ones."""
    with_operators = [name for name in (*operators.NAMES, *operators.WRAPPERS) if name in with_operators]
    programs.ensure([*programs.CONTROL_PLANE, *with_operators, *(programs.NODE if real else ())])
    state = fresh(directory.resolve())
    state.real = bool(real)
    try:
        _start(state, with_operators, pools, ray_indexing, gates)
        if real:
            _start_real(state, real)
    except BaseException as error:
        _explain(state, error)
        down(state.directory)
        raise
    return state


def down(directory: pathlib.Path) -> int:
    """End every process of DIR by its id; logs stay. Returns how many were running."""
    if not (directory / "processes").exists():
        return 0
    processes = process.known(directory)
    running = [one for one in processes if one.alive()]
    # The API server takes long to end by itself, and without it etcd's data is of no use; a node ends when it is killed.
    core_ones = [one for one in processes if one.name in ("etcd", "kube-apiserver") or one.name.startswith("node-")]
    late = process.stop(directory, [one for one in processes if one not in core_ones])
    process.stop(directory, core_ones, at_once=True)
    for one in late:
        print(f"{one.name} ({one.pid}) did not end by itself and was killed")
    core.remove_data(directory)
    return len(running)


def status(directory: pathlib.Path) -> bool:
    """Print what runs and what nodes and Pods there are; True when all that should run does."""
    if not (directory / "state.json").exists():
        print(f"no control plane in {directory}")
        return False
    state, good = load(directory), True
    print(f"{'process':<24}{'version':<10}{'pid':>8}{'MiB':>7}{'CPU s':>8}  address")
    for one in process.known(directory):
        memory, cpu = one.usage()
        good = good and one.alive()
        where = one.address if one.alive() else "NOT RUNNING, see logs/" + one.name + ".log"
        print(f"{one.name:<24}{state.versions.get(one.name, ''):<10}{one.pid:>8}{memory:>7.0f}{cpu:>8.1f}  {where}")
    if not process.known(directory):
        print("nothing runs")
        return False
    if good:
        _print_nodes(state.client())
        print(f"\n  . {directory}/env   # KUBECONFIG, KUBECTL, TPUWH_*")
    return good


def _start(state: State, with_operators: list, pools, ray_indexing: bool, gates: core.Gates) -> None:
    clock = _Clock()
    ports = net.free_ports(len(core.PORTS))
    state.ports = dict(zip(core.PORTS, ports))
    if state.real:
        state.ports["apiserver"] = int(os.environ[world.PORT])
    choose = net.own_addresses if state.real else net.loopback_addresses
    state.addresses = choose(["tpu-webhook", *operators.NAMES, *operators.WRAPPERS])
    state.operators, state.versions = with_operators, _versions(with_operators)
    core.certificates(state)
    core.configuration(state, gates)
    clock.lap("certificates")
    core.start_storage_and_api(state, gates)
    clock.lap("API server ready")
    core.start_controllers(state, gates)
    clock.lap("controllers ready")
    count = nodes.create(state.client(), pools, nodes.FAKE if state.real else None)
    clock.lap(f"{count} fake nodes")
    if with_operators:
        operators.define(state, with_operators)
        clock.lap("CRDs served")
    for name in with_operators:
        operators.install(state, name, ray_indexing)
        clock.lap(f"{name} ready")
    state.save()
    clock.total()


def _start_real(state: State, pools) -> None:
    clock = _Clock()
    services.start(state)
    clock.lap("DNS, metadata")
    clock.lap(f"{len(node.start(state, pools))} real nodes")
    state.save()


def _versions(with_operators: list) -> dict:
    parts = [name for name in programs.CONTROL_PLANE if name != "kubectl"] + [name for name in programs.NODE if name in pins.programs()]
    return {name: pins.release(programs.SOURCES[name].project) for name in (*parts, *with_operators)}


def _print_nodes(client: kube.Kube) -> None:
    pools: dict = {}
    for one in client.get("/api/v1/nodes")["items"]:
        labels = one["metadata"]["labels"]
        key = labels.get("cloud.google.com/gke-nodepool", "")
        pools.setdefault(key, []).append((labels, one["status"]["allocatable"].get(nodes.TPU, "0")))
    print(f"\n{'pool':<16}{'nodes':>6}{'chips':>7}  {'machine':<20}topology")
    for name, members in sorted(pools.items()):
        labels = members[0][0]
        chips = sum(int(count) for _, count in members)
        machine = labels.get("node.kubernetes.io/instance-type", "")
        topology = labels.get("cloud.google.com/gke-tpu-topology", "")
        print(f"{name:<16}{len(members):>6}{chips:>7}  {machine:<20}{topology}")
    pods = client.get("/api/v1/pods")["items"]
    running = sum(1 for pod in pods if pod["status"].get("phase") == "Running")
    print(f"{len(pods)} Pods, {running} of them Running")


def _explain(state: State, error: BaseException) -> None:
    """Name the process that ended, with the end of its log, before everything is stopped."""
    print(f"up failed: {error}", file=sys.stderr)
    for one in process.known(state.directory):
        if not one.alive():
            print(f"--- {one.name} has ended; {state.directory}/logs/{one.name}.log ends with", file=sys.stderr)
            print(process.log_tail(state.directory, one.name), file=sys.stderr)


class _Clock:
    """Prints what each step took."""

    def __init__(self):
        self._start = self._last = time.monotonic()

    def lap(self, what: str) -> None:
        now = time.monotonic()
        print(f"  {now - self._last:5.1f} s  {what}", flush=True)
        self._last = now

    def total(self) -> None:
        print(f"  {time.monotonic() - self._start:5.1f} s  in all", flush=True)
