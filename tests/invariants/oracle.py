"""The fifteen invariants of tests/invariants/README.md, asserted on patched Pods.

Written from what readers of the environment do, before the webhook's source was looked at: what
follows must be true whatever the program's reasons are. Each function looks at a Scene and gives
complaints, sentences that name the member; none means that the invariant holds.
"""

import collections
import dataclasses
import functools
import json
import math
import re

import container_env
import zone
from pods import chips, dns_name, title, tpu_containers

LONGEST_STRING = 131071  # execve takes NAME=VALUE up to here, measured

# What only tpu7x needs, and what breaks PyTorch/XLA's own defaults before it.
_SINCE_TPU7X = ("TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT", "CLOUD_TPU_TASK_ID",
                "TPU_PROCESS_BOUNDS")
# What the platform writes on a Pod that it takes for a single host.
_DEFAULTS = {"TPU_WORKER_ID": "0", "TPU_WORKER_HOSTNAMES": "localhost"}
_LISTS = ("TPU_WORKER_HOSTNAMES", "TPU_PROCESS_ADDRESSES")
_RAY_RESERVED = ("CPU", "GPU", "TPU", "memory", "object_store_memory", "bundle")
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


@dataclasses.dataclass
class Scene:
    """The Pods of one workload before and after, and what its controllers and its manifest say."""
    name: str
    before: list
    after: list
    again: dict      # position of a Pod -> the patch of a second pass
    slices: list     # of each slice, the Pods' positions in `before`, by host
    node: dict       # a node of the pool
    services: list   # those that the user or the controller makes
    subdomain: list = ()       # of each slice the Service that its names stand under
    one_job: bool = False      # the slices are one multislice job
    hosts_once: bool = False   # TPU_WORKER_HOSTNAMES names each host once, not once per process
    named: bool = False        # TPU_NAME is wanted
    foreign: tuple = ()        # variables that another webhook wrote, which are its own business
    sample: bool = False       # not all hosts of a slice are here; then `hosts` gives their indices
    hosts: list = ()

    def host(self, number, place):
        return self.hosts[number][place] if self.sample else place


@dataclasses.dataclass
class Member:
    """One process: a TPU container of a Pod, with the environment that it really has."""
    label: str
    pod: dict
    position: int  # of the Pod in the scene
    slice: int
    host: int
    number: int    # of the container among the Pod's TPU containers
    siblings: int  # TPU containers of the Pod
    chips: int
    own: dict      # the container's literal env
    env: dict      # with what the device plugin gives

    def list(self, name):
        return _split(self.env.get(name, ""))

    @property
    def id(self):
        return self.env.get("TPU_WORKER_ID", "")

    def processes(self):
        return math.prod(container_env.dims(self.env["TPU_TOPOLOGY"])) // self.chips

    def entry(self, name):
        """The entry that this member's id indexes, or None."""
        entries = self.list(name)
        at = int(self.id) if self.id.isdecimal() else len(entries)
        return entries[at] if at < len(entries) else None


def check(scene, only=None):
    """Complaints of all invariants, each with its number; `only` picks some."""
    slices = _members(scene)
    return [f"{number}. {complaint}" for number, holds in INVARIANTS.items()
            if only is None or number in only for complaint in holds(scene, slices)]


def ids_each_once(scene, slices):
    for number, members in enumerate(slices):
        wanted = members[0].processes()
        if not scene.sample and len(members) != wanted:
            yield f"{_slice(scene, number)} has {len(members)} processes for {wanted} places"
        have = [m.id for m in members]
        if len(set(have)) != len(have):
            twice = sorted({i for i in have if have.count(i) > 1})
            yield f"{_slice(scene, number)} has id {', '.join(twice)} more than once"
        for m in members:
            # What the controller calls host h is host h, at every admission of it.
            expected = m.host * m.siblings + m.number
            if not re.fullmatch("0|[1-9][0-9]*", m.id) or int(m.id) >= wanted:
                yield f"{m.label} has id {m.id!r}, not one of 0 to {wanted - 1}"
            elif int(m.id) != expected:
                yield f"{m.label} has id {m.id}; by its controller's index it is {expected}"


def lists_identical(scene, slices):
    for number, members in enumerate(slices):
        for name in _LISTS:
            if len({m.env.get(name) for m in members}) > 1:
                yield f"{name} differs between members of {_slice(scene, number)}"
        for m in members:
            wanted = m.processes()
            names = wanted // m.siblings if scene.hosts_once else wanted
            if len(m.list("TPU_WORKER_HOSTNAMES")) != names:
                yield (f"{m.label} has {len(m.list('TPU_WORKER_HOSTNAMES'))} host names, "
                       f"not {names}")
            addresses = m.list("TPU_PROCESS_ADDRESSES")
            if addresses and len(addresses) != wanted:
                yield f"{m.label} has {len(addresses)} addresses, not {wanted}"
            needed = m.env["TPU_ACCELERATOR_TYPE"].startswith("tpu7") and wanted > 1
            if needed and not addresses:
                yield f"{m.label} has no TPU_PROCESS_ADDRESSES for {wanted} processes"
            # libtpu's law: as many addresses as the device plugin's bounds say
            bounds = math.prod(container_env.dims(m.env["TPU_HOST_BOUNDS"]))
            read = len(addresses or m.list("TPU_WORKER_HOSTNAMES"))
            if read != bounds:
                yield (f"{m.label} gives libtpu {read} addresses for host bounds "
                       f"{m.env['TPU_HOST_BOUNDS']}, {bounds} processes")


def entry_names_member(scene, slices):
    for members in slices:
        for m in members:
            alone = m.processes() == m.siblings
            own = {dns_name(m.pod)} | ({"localhost"} if alone else set())
            names = m.list("TPU_WORKER_HOSTNAMES")
            at = m.host if scene.hosts_once else int(m.id) if m.id.isdecimal() else len(names)
            if at >= len(names) or names[at] not in own:
                found = names[at] if at < len(names) else "absent"
                yield f"{m.label}: host name {at} is {found}, its own is {dns_name(m.pod)}"
            address = m.entry("TPU_PROCESS_ADDRESSES")
            if address is not None and address.rsplit(":", 1)[0] not in own:
                yield f"{m.label}: its address is {address}, its own name {dns_name(m.pod)}"


def service_resolves(scene, slices):
    for number, members in enumerate(slices):
        wanted = scene.subdomain[number] if scene.subdomain else None
        for pod in {id(m.pod): m.pod for m in members}.values():
            if wanted is None:
                continue
            if pod["spec"].get("subdomain") != wanted:
                yield f"{title(pod)}: subdomain {pod['spec'].get('subdomain')}, not {wanted}"
            elif dns_name(pod) not in zone.names(pod, scene.services):
                yield f"{title(pod)}: no Service makes {dns_name(pod)} resolve"


def well_formed(scene, slices):
    for text, holders in _by_value(slices, "TPU_WORKER_HOSTNAMES").items():
        if re.search(r"\s|:|,,|^,|,$|^$", text):
            yield f"{holders[0].label}: TPU_WORKER_HOSTNAMES={text[:200]!r}"
    for text, holders in _by_value(slices, "TPU_PROCESS_ADDRESSES").items():
        for entry in text.split(","):
            if not re.fullmatch(r"[^\s:,]+:[1-9][0-9]{0,4}", entry):
                yield f"{holders[0].label}: {entry!r} among TPU_PROCESS_ADDRESSES"
                break


def port_is_own(scene, slices):
    for members in slices:
        for m in members:
            address, port = m.entry("TPU_PROCESS_ADDRESSES"), m.env.get("TPU_PROCESS_PORT")
            if address is not None and address.rsplit(":", 1)[-1] != port:
                yield f"{m.label} listens on {port}, its entry is {address}"
            if address is None and port is not None and "TPU_PROCESS_PORT" not in scene.foreign:
                yield f"{m.label} has TPU_PROCESS_PORT {port} and no entry of its own"
    for pod, members in _by_pod(slices):
        ports = [m.env["TPU_PROCESS_PORT"] for m in members if "TPU_PROCESS_PORT" in m.env]
        if len(set(ports)) != len(ports):
            yield f"{title(pod)}: two containers listen on {', '.join(ports)}"


def names_legal(scene, slices):
    hosts = collections.Counter(pod["spec"]["hostname"] for pod in scene.after
                                if pod["spec"].get("hostname"))
    for name, times in hosts.items():
        if times > 1:
            yield f"{times} Pods are called {name}"
    for pod in scene.after:
        for key in ("hostname", "subdomain"):
            name = pod["spec"].get(key)
            if name is not None and not _LABEL.fullmatch(name):
                yield f"{title(pod)}: {key} {name!r} is not a DNS label"
        for key, value in pod["metadata"].get("labels", {}).items():
            if value and not _LABEL_VALUE.fullmatch(value):
                yield f"{title(pod)}: label {key}={value!r} is not a label value"
    by_slice = []
    for number, members in enumerate(slices):
        names = {m.env.get("TPU_NAME") for m in members}
        by_slice.append(min(names, key=str))
        if len(names) > 1:
            yield f"{_slice(scene, number)} is called {' and '.join(sorted(map(str, names)))}"
        for name in names:
            if name is None:
                if scene.named:
                    yield f"{_slice(scene, number)} has no TPU_NAME"
            elif not _LABEL_VALUE.fullmatch(name):
                yield f"{_slice(scene, number)}: TPU_NAME {name!r} is not a label value"
            elif name in _RAY_RESERVED or re.fullmatch("TPU-.*-head|node:.*", name):
                yield f"{_slice(scene, number)}: TPU_NAME {name!r} is a resource of Ray's own"
    for name, times in collections.Counter(by_slice).items():
        if name is not None and times > 1 and "TPU_NAME" not in scene.foreign:
            yield f"{times} slices are called {name}"


def fits_exec(scene, slices):
    for members in slices:
        for m in members:
            for name, value in m.own.items():
                size = len(name) + 1 + len(value)
                if size > LONGEST_STRING:
                    yield f"{m.label}: {name} is a string of {size} bytes"


def nothing_before_tpu7x(scene, slices):
    for members in slices:
        for m in members:
            if m.env["TPU_ACCELERATOR_TYPE"].startswith("tpu7"):
                continue
            had = _names(_container(scene, m))
            for name in _SINCE_TPU7X:
                if name in m.own and name not in had:
                    yield f"{m.label}: {name} on {m.env['TPU_ACCELERATOR_TYPE']}"


def users_values_stay(scene, slices):
    for members in slices:
        for m in members:
            old = _container(scene, m).get("env", [])
            new = _new_container(m).get("env", [])
            names = [e["name"] for e in new]
            for name in {n for n in names if names.count(n) > 1} - _doubled(old):
                yield f"{m.label} has {name} {names.count(name)} times"
            multi_host = m.processes() > m.siblings
            kept = [e for e in old if not (multi_host and _platform_default(e))]
            rest = iter(new)
            for e in kept:
                if not any(e == other for other in rest):
                    yield f"{m.label}: {json.dumps(e)[:200]} is changed, moved or gone"
                    break


def one_multislice_job(scene, slices):
    everybody = [m for members in slices for m in members]
    if not scene.one_job:
        for m in everybody:
            had = _names(_container(scene, m))
            for name in m.own:
                if name.startswith("MEGASCALE_") and name not in had:
                    yield f"{m.label} has {name}, and its slice is a job of its own"
        return
    counts = {m.env.get("MEGASCALE_NUM_SLICES") for m in everybody}
    if counts != {str(len(slices))}:
        yield f"MEGASCALE_NUM_SLICES is {_set(counts)}, there are {len(slices)} slices"
    numbers = [{m.env.get("MEGASCALE_SLICE_ID") for m in members} for members in slices]
    if numbers != [{str(i)} for i in range(len(slices))]:
        yield f"slice ids are {' / '.join(map(_set, numbers))}"
    coordinators = {m.env.get("MEGASCALE_COORDINATOR_ADDRESS") for m in everybody}
    if len(coordinators) != 1:
        yield f"coordinators are {_set(coordinators)}"
    coordinator = (min(coordinators, key=str) or "").split(":")[0]
    zero = next((m for m in slices[0] if m.id == "0"), slices[0][0])
    if coordinator != dns_name(zero.pod):
        yield f"the coordinator is {coordinator}, slice 0 id 0 is {dns_name(zero.pod)}"
    if coordinator not in zone.names(zero.pod, scene.services):
        yield f"no Service makes the coordinator {coordinator} resolve"
    for number in range(everybody[0].siblings):
        ports = {m.env.get("MEGASCALE_PORT") for m in everybody if m.number == number}
        if len(ports) != 1:
            yield f"container {number} has MEGASCALE_PORT {_set(ports)}"
    for pod, members in _by_pod(slices):
        ports = [m.env.get("MEGASCALE_PORT") for m in members]
        if len(members) > 1 and len(set(ports)) != len(ports):
            yield f"{title(pod)}: two containers have MEGASCALE_PORT {', '.join(map(str, ports))}"


def equal_lengths(scene, slices):
    if scene.one_job:
        for name in _LISTS:
            lengths = {len(m.list(name)) for members in slices for m in members}
            if len(lengths) > 1:
                yield f"{name} has {_set(lengths)} entries, by slice"


def host_ip_first(scene, slices):
    for members in slices:
        for m in members:
            names = [e["name"] for e in _new_container(m).get("env", [])]
            if "TPU_DEVICE_PLUGIN_ADDR" not in names:
                continue
            if "$(" in m.env["TPU_DEVICE_PLUGIN_ADDR"]:
                yield f"{m.label}: TPU_DEVICE_PLUGIN_ADDR stays {m.env['TPU_DEVICE_PLUGIN_ADDR']}"
            if ("TPU_DEVICE_PLUGIN_HOST_IP" in names and names.index("TPU_DEVICE_PLUGIN_HOST_IP")
                    > names.index("TPU_DEVICE_PLUGIN_ADDR")):
                yield f"{m.label}: TPU_DEVICE_PLUGIN_HOST_IP comes after TPU_DEVICE_PLUGIN_ADDR"


_OURS_TO_WRITE = ("containers", "initContainers", "hostname", "subdomain", "affinity")


def others_untouched(scene, slices):
    for old, new in zip(scene.before, scene.after):
        for key in old["spec"].keys() | new["spec"].keys():
            if key not in _OURS_TO_WRITE and old["spec"].get(key) != new["spec"].get(key):
                yield f"{title(new)}: spec.{key} is changed"
        for kind in ("containers", "initContainers"):
            pair = old["spec"].get(kind, []), new["spec"].get(kind, [])
            if len(pair[0]) != len(pair[1]):
                yield f"{title(new)}: {len(pair[1])} {kind}, there were {len(pair[0])}"
            for a, b in zip(*pair):
                if chips(a):
                    a, b = ({k: v for k, v in c.items() if k != "env"} for c in (a, b))
                if a != b:
                    yield f"{title(new)}/{a['name']} is changed"


def second_pass_empty(scene, slices):
    for position, patch in scene.again.items():
        if patch != []:
            yield f"{title(scene.after[position])}: a second pass gives {json.dumps(patch)[:300]}"


INVARIANTS = {
    1: ids_each_once,
    2: lists_identical,
    3: entry_names_member,
    4: service_resolves,
    5: well_formed,
    6: port_is_own,
    7: names_legal,
    8: fits_exec,
    9: nothing_before_tpu7x,
    10: users_values_stay,
    11: one_multislice_job,
    12: equal_lengths,
    13: host_ip_first,
    14: others_untouched,
    15: second_pass_empty,
}


def _members(scene):
    plugin = functools.cache(lambda asked: container_env.device_plugin(scene.node, asked))
    out = []
    for number, positions in enumerate(scene.slices):
        members = []
        for place, position in enumerate(positions):
            pod = scene.after[position]
            containers = tpu_containers(pod)
            for i, container in enumerate(containers):
                env = dict(plugin(chips(container)))
                env.update(container_env.pod_env(pod, container, scene.node, "10.0.0.1", "00000"))
                own = {e["name"]: e.get("value", "") for e in container.get("env", [])}
                members.append(Member(f"{title(pod)}/{container['name']}", pod, position, number,
                                      scene.host(number, place), i, len(containers),
                                      chips(container), own, env))
        out.append(members)
    return out


@functools.lru_cache(maxsize=16)
def _split(text):
    return tuple(text.split(",")) if text else ()


def _container(scene, m):
    """The member's container as it came."""
    return tpu_containers(scene.before[m.position])[m.number]


def _new_container(m):
    return tpu_containers(m.pod)[m.number]


def _names(container):
    return {e["name"] for e in container.get("env", [])}


def _doubled(env):
    names = [e["name"] for e in env]
    return {n for n in names if names.count(n) > 1}


def _platform_default(entry):
    name, value = entry["name"], entry.get("value")
    return ((name, value) in _DEFAULTS.items()
            or name == "TPU_PROCESS_ADDRESSES" and "localhost" in (value or ""))


def _by_value(slices, name):
    out = collections.defaultdict(list)
    for members in slices:
        for m in members:
            if name in m.env:
                out[m.env[name]].append(m)
    return out


def _by_pod(slices):
    pods = {}
    for members in slices:
        for m in members:
            pods.setdefault(id(m.pod), (m.pod, []))[1].append(m)
    return pods.values()


def _slice(scene, number):
    return f"slice {number} of {scene.name}"


def _set(values):
    return ", ".join(sorted(map(str, values)))
