#!/usr/bin/env python3
"""Can the oracle fail? Right sets are spoiled by hand, one thing at a time, and the invariant that
is meant to see it must.

spoiled.py --program PATH   exit 1 if a spoiled set passes, or an invariant has nothing to catch
"""

import argparse
import copy
import sys

import paths  # noqa: F401
import catalog
import fleet
import invariants
import oracle
from pods import literal_env, tpu_containers
from webhook import Webhook

# The right sets: a multislice job, one with two containers on a host, and Ray.
SETS = {
    "v6e": ("ct6e-standard-4t", "4x4", 1, "JobSet of 2"),
    "tpu7x": ("tpu7x-standard-4t", "2x2x2", 2, "JobSet of 2"),
    "ray": ("ct6e-standard-4t", "4x4", 1, "Ray, MEGASCALE"),
}


def env(position, container=0, **variables):
    """These variables on one container, in their place; None for none, new ones at the end."""
    def edit(scene):
        _set(scene.after[position], container, variables)
    return edit


def everywhere(**variables):
    def edit(scene):
        for pod in scene.after:
            for container in range(len(tpu_containers(pod))):
                _set(pod, container, variables)
    return edit


def listed(name, change, *positions):
    """A list changed on these Pods, on all if none is named."""
    def edit(scene):
        for position in positions or range(len(scene.after)):
            for number, container in enumerate(tpu_containers(scene.after[position])):
                old = literal_env(container)[name].split(",")
                _set(scene.after[position], number, {name: ",".join(change(old))})
    return edit


def spec(position, **fields):
    def edit(scene):
        scene.after[position]["spec"].update(fields)
    return edit


def swapped_hosts(scene):
    a, b = (pod["spec"] for pod in scene.after[:2])
    a["hostname"], b["hostname"] = b["hostname"], a["hostname"]


def without_services(scene):
    scene.services = []


def unready_service(scene):
    for service in scene.services:
        service["spec"]["selector"] = {"app": "another"}


def address_first(scene):
    entries = tpu_containers(scene.after[0])[0]["env"]
    at = [e["name"] for e in entries]
    i, j = at.index("TPU_DEVICE_PLUGIN_HOST_IP"), at.index("TPU_DEVICE_PLUGIN_ADDR")
    entries[i], entries[j] = entries[j], entries[i]


def users_variable(name, value):
    """The user had a variable that is not there as it was."""
    def edit(scene):
        tpu_containers(scene.before[0])[0].setdefault("env", []).append(
            {"name": name, "value": value})
    return edit


def twice(scene):
    entries = tpu_containers(scene.after[0])[0]["env"]
    entries.append(dict(entries[0]))


def sidecar_env(scene):
    next(c for c in scene.after[0]["spec"]["containers"] if c["name"] == "sidecar")["env"] = [
        {"name": "TPU_WORKER_ID", "value": "0"}]


def init_image(scene):
    scene.after[0]["spec"]["initContainers"][0]["image"] = "busybox"


def command(scene):
    tpu_containers(scene.after[0])[0]["command"] = ["true"]


def second_pass(scene):
    scene.again[3] = [{"op": "add", "path": "/metadata/labels/a", "value": "b"}]


def one_more_host(scene):
    for name in oracle._LISTS:  # noqa: SLF001
        for position in scene.slices[1]:
            for number, container in enumerate(tpu_containers(scene.after[position])):
                if name in literal_env(container):
                    old = literal_env(container)[name]
                    _set(scene.after[position], number, {name: f"{old},more.js:1"})


def shouting(scene):
    scene.after[1]["metadata"]["labels"]["x"] = "-no-label-"


# invariant -> (which right set, what is wrong, how)
SPOILS = {
    1: [
        ("v6e", "an id twice", env(1, TPU_WORKER_ID="2")),
        ("v6e", "an id missing", env(3, TPU_WORKER_ID=None)),
        ("v6e", "an empty id", env(0, TPU_WORKER_ID="")),
        ("v6e", "an id past the end", env(2, TPU_WORKER_ID="4")),
        ("v6e", "an id with a zero before it", env(2, TPU_WORKER_ID="02")),
        ("v6e", "a member missing", lambda scene: scene.slices[0].pop()),
        ("tpu7x", "one id for both containers", env(1, 1, TPU_WORKER_ID="2")),
    ],
    2: [
        ("v6e", "another list on one",
         listed("TPU_WORKER_HOSTNAMES", lambda old: old[::-1], 1)),
        ("v6e", "a name too few", listed("TPU_WORKER_HOSTNAMES", lambda old: old[:-1])),
        ("v6e", "no list", everywhere(TPU_WORKER_HOSTNAMES=None)),
        ("tpu7x", "addresses once per host",
         listed("TPU_PROCESS_ADDRESSES", lambda old: old[::2])),
        ("tpu7x", "no addresses", everywhere(TPU_PROCESS_ADDRESSES=None)),
        ("ray", "a name per chip", listed("TPU_WORKER_HOSTNAMES", lambda old: old * 4)),
    ],
    3: [
        ("v6e", "the list in another order",
         listed("TPU_WORKER_HOSTNAMES", lambda old: old[::-1])),
        ("v6e", "two Pods with each other's host name", swapped_hosts),
        ("ray", "another host name", spec(1, hostname="workers-0-7")),
        ("tpu7x", "addresses in another order",
         listed("TPU_PROCESS_ADDRESSES", lambda old: old[2:] + old[:2])),
    ],
    4: [
        ("v6e", "another subdomain", spec(1, subdomain="other")),
        ("ray", "no subdomain", spec(1, subdomain=None)),
        ("v6e", "no Service", without_services),
        ("ray", "a Service that selects others", unready_service),
    ],
    5: [
        ("v6e", "a blank after a comma",
         listed("TPU_WORKER_HOSTNAMES", lambda old: [old[0], " " + old[1], *old[2:]])),
        ("v6e", "a comma too many", listed("TPU_WORKER_HOSTNAMES", lambda old: [*old, ""])),
        ("v6e", "a port in the host names",
         listed("TPU_WORKER_HOSTNAMES", lambda old: [o + ":8471" for o in old])),
        ("tpu7x", "an address without a port",
         listed("TPU_PROCESS_ADDRESSES", lambda old: [o.split(":")[0] for o in old])),
        ("v6e", "an empty list", everywhere(TPU_WORKER_HOSTNAMES="")),
    ],
    6: [
        ("tpu7x", "a port that is not in the list", env(1, 1, TPU_PROCESS_PORT="9000")),
        ("tpu7x", "one port for both", env(1, 1, TPU_PROCESS_PORT="8471")),
        ("tpu7x", "no port", env(1, TPU_PROCESS_PORT=None)),
    ],
    7: [
        ("v6e", "a host name twice", spec(1, hostname="js-slice-0-0")),
        ("v6e", "a host name in capitals", spec(1, hostname="JS-slice-0-1")),
        ("v6e", "a host name of 64", spec(1, hostname="a" * 64)),
        ("ray", "no TPU_NAME", everywhere(TPU_NAME=None)),
        ("ray", "one TPU_NAME for two slices", everywhere(TPU_NAME="workers-0")),
        ("ray", "two TPU_NAMEs in a slice", env(1, TPU_NAME="workers-1")),
        ("ray", "a TPU_NAME that is no label value", everywhere(TPU_NAME="tpu/0")),
        ("ray", "a TPU_NAME that Ray has for itself", env(0, TPU_NAME="TPU")),
        ("v6e", "a label that is no label value", shouting),
    ],
    8: [
        ("v6e", "a string the kernel refuses", everywhere(TPU_WORKER_HOSTNAMES="a" * 131051)),
    ],
    9: [
        ("v6e", "addresses before tpu7x", everywhere(TPU_PROCESS_ADDRESSES="a:1,b:1,c:1,d:1")),
        ("ray", "bounds before tpu7x", env(0, TPU_PROCESS_BOUNDS="1,1,1")),
        ("ray", "a task id before tpu7x", env(0, CLOUD_TPU_TASK_ID="0")),
    ],
    10: [
        ("v6e", "the user's id gone", users_variable("TPU_WORKER_ID", "3")),
        ("ray", "the user's variable gone", users_variable("OMP_NUM_THREADS", "8")),
        ("v6e", "a variable twice", twice),
    ],
    11: [
        ("v6e", "a slice too many", everywhere(MEGASCALE_NUM_SLICES="3")),
        ("v6e", "no count on one", env(1, MEGASCALE_NUM_SLICES=None)),
        ("v6e", "the other slice's number", env(1, MEGASCALE_SLICE_ID="1")),
        ("v6e", "two coordinators",
         env(1, MEGASCALE_COORDINATOR_ADDRESS="js-slice-0-1.js")),
        ("v6e", "another coordinator, the same on all",
         everywhere(MEGASCALE_COORDINATOR_ADDRESS="js-slice-1-0.js")),
        ("v6e", "a coordinator that nothing resolves", without_services),
        ("ray", "another port on one", env(1, MEGASCALE_PORT="9999")),
        ("tpu7x", "one port for both containers", everywhere(MEGASCALE_PORT="8080")),
        ("v6e", "slices that are no job", lambda scene: setattr(scene, "one_job", False)),
    ],
    12: [("v6e", "a longer list in slice 1", one_more_host)],
    13: [("ray", "the address before what it is made of", address_first)],
    14: [
        ("v6e", "an id for a container without TPU", sidecar_env),
        ("v6e", "another image of an init container", init_image),
        ("v6e", "another command of a TPU container", command),
        ("v6e", "another scheduler", spec(0, schedulerName="mine")),
    ],
    15: [("v6e", "a second patch", second_pass)],
}


def right_sets(program):
    out = {}
    for key, (machine, topology, containers, workload) in SETS.items():
        shape = fleet.Shape(catalog.row(machine, topology), containers)
        chosen = [each for each in fleet.fleets(shape) if each.name == workload]
        (out[key],) = invariants.scenes(program, shape, chosen)
    return out


def _set(pod, container, variables):
    entries = tpu_containers(pod)[container].setdefault("env", [])
    for name, value in variables.items():
        at = next((i for i, e in enumerate(entries) if e["name"] == name), None)
        if at is not None and value is None:
            del entries[at]
        elif at is not None:
            entries[at] = {"name": name, "value": value}
        elif value is not None:
            entries.append({"name": name, "value": value})


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the tpu-webhook to ask")
    sets = right_sets(Webhook(parser.parse_args().program))
    wrong = [f"{key}: {c}" for key, scene in sets.items() for c in oracle.check(scene)]
    wrong += [f"nothing is spoiled for invariant {n}" for n in oracle.INVARIANTS if n not in SPOILS]
    for number, cases in SPOILS.items():
        for key, what, edit in cases:
            scene = copy.deepcopy(sets[key])
            edit(scene)
            seen = oracle.check(scene, only=[number])
            print(f"{key}, {what}: {seen[0][:140] if seen else 'NOT SEEN'}")
            if not seen:
                wrong.append(f"{key}, {what}: invariant {number} does not see it")
    print("\n".join(wrong) or f"{sum(map(len, SPOILS.values()))} spoiled sets, each caught by "
          f"the invariant that is meant to")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
