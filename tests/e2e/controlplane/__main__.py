"""python3 -m controlplane build|up|down|status|record, as the scripts in tests/e2e call it."""

import argparse
import pathlib
import signal
import sys

from . import cluster, nodes, operators, process, programs, record
from .real import standing, world
from .state import default_directory


def main() -> int:
    arguments = _parser().parse_args()
    # So that `up` and `record` end what they started when they are ended themselves.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    return arguments.run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests/e2e", description="A real Kubernetes control plane on loopback.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    build = commands.add_parser("build", help="build programs into the cache and stop")
    build.add_argument("modules", nargs="*", choices=[[], *programs.MODULES], help="default: all")
    build.set_defaults(run=_build)

    up = commands.add_parser("up", help="start a control plane")
    _add_directory(up)
    up.add_argument("--with", dest="operators", type=_operators, default=[], metavar="NAME,…", help="of " + ", ".join(operators.NAMES))
    up.add_argument("--pool", action="append", default=[], metavar="NAME=MACHINE:TOPOLOGY[:COUNT]", help="more node pools")
    up.add_argument("--no-default-pools", action="store_true", help="only the pools of --pool")
    up.add_argument("--no-ray-indexing", action="store_true", help=f"KubeRay without {operators.RAY_INDEXING}")
    up.add_argument("--nodes", type=int, default=0, metavar="N", help="N real nodes of v6e, two a slice of 2x4, and one without TPUs; "
                    "then fake ones are only those of --pool")
    up.set_defaults(run=_up)

    down = commands.add_parser("down", help="end its processes; logs stay")
    _add_directory(down)
    down.set_defaults(run=_down)

    status = commands.add_parser("status", help="what runs, which nodes")
    _add_directory(status)
    status.set_defaults(run=_status)

    command = commands.add_parser("record", help="record the reviews that real controllers' Pods cause")
    record.add_arguments(command)
    command.set_defaults(run=record.main)
    return parser


def _add_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=pathlib.Path, default=default_directory(), help="default: %(default)s")


def _operators(text: str) -> list:
    names = [name for name in text.split(",") if name]
    unknown = sorted(set(names) - set(operators.NAMES))
    if unknown:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: not one of {', '.join(operators.NAMES)}")
    return names


def _build(arguments) -> int:
    programs.ensure(arguments.modules or list(programs.MODULES))
    print(programs.home())
    return 0


def _up(arguments) -> int:
    if arguments.nodes and not world.inside():
        return standing.up(arguments.dir, sys.argv[1:])
    pools = [] if arguments.no_default_pools or arguments.nodes else list(nodes.DEFAULT_POOLS)
    for text in arguments.pool:
        pools += nodes.parse_pools(text)
    real = standing.pools(arguments.nodes)
    state = cluster.up(arguments.dir, arguments.operators, pools, not arguments.no_ray_indexing, real=real)
    good = cluster.status(state.directory)
    if good and arguments.nodes:
        standing.stay(state)
    return 0 if good else 1


def _status(arguments) -> int:
    if found := standing.enter(arguments.dir, sys.argv[1:]):
        return found.returncode
    return 0 if cluster.status(arguments.dir) else 1


def _down(arguments) -> int:
    if standing.down(arguments.dir):
        print(f"ended all that ran; logs are in {arguments.dir}/logs")
        return 0
    remembered = len(process.known(arguments.dir)) if (arguments.dir / "processes").exists() else 0
    ended = cluster.down(arguments.dir)
    print(f"ended {ended} of {remembered} processes; logs are in {arguments.dir}/logs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
