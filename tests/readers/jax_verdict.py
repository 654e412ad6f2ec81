"""Whether what JAX derives in each process describes one and the same job.

Each function returns complaints, sentences a person can act on; none means agreement.
"""

import collections
import math

from container_env import dims


def derived(probes):
    """Over the answers of jax_probe for all processes of one job."""
    unread = [c for p in probes for c in _unread(p)]
    if unread:
        return unread  # the rest would only repeat it
    return [*_one_value("process count", probes, "count"), *_one_value("coordinator", probes,
                                                                        "coordinator"),
            *_ids(probes), *_coordinator(probes), *_lists(probes), *_own_entries(probes)]


def bounds(processes):
    """Over the composed processes: libtpu's law, that the lists are as long as the bounds of
    the device plugin say, and that the bounds cover the slice."""
    out = []
    for p in processes:
        hosts = math.prod(dims(p.env["TPU_HOST_BOUNDS"]))
        entries = len(worker_list(p.env))
        if entries != hosts:
            out.append(f"{p.label}: {entries} addresses for host bounds "
                       f"{p.env['TPU_HOST_BOUNDS']}, which are {hosts} processes")
        total = math.prod(dims(p.env["TPU_TOPOLOGY"]))
        if hosts * p.chips != total:
            out.append(f"{p.label}: {hosts} processes of {p.chips} chips in a slice of "
                       f"{p.env['TPU_TOPOLOGY']}")
    return out


def formed(outcomes, expected):
    """Over the outcomes of jax_job: everybody ended well, counted alike, and the service's
    list of who is who is the injected one (`expected`, names by process id)."""
    out = [f"{o['label']} {o['error']}" for o in outcomes if o["error"]]
    if out:
        return out
    count = len(outcomes)
    if sorted(o["id"] for o in outcomes) != list(range(count)):
        out.append(f"process ids are {sorted(o['id'] for o in outcomes)}")
    for o in outcomes:
        if o["count"] != count:
            out.append(f"{o['label']} counts {o['count']} processes, there are {count}")
        if o["names"] != expected:
            out.append(f"{o['label']} met {o['names']}, the injected lists say {expected}")
    return out


def injected_order(processes):
    """The names by process id, as the injected lists say: slice 0's list, slice 1's, …"""
    lists = {}
    for p in processes:
        lists[int(p.env.get("MEGASCALE_SLICE_ID") or 0)] = worker_list(p.env)
    return [entry for s in sorted(lists) for entry in lists[s]]


def worker_list(env):
    """The host part of each entry, of the list that JAX takes."""
    text = env.get("TPU_PROCESS_ADDRESSES", env.get("TPU_WORKER_HOSTNAMES", ""))
    return [_host(entry) for entry in text.split(",")]


def _host(entry):
    return entry.split(":")[0]


def _unread(p):
    if "crash" in p:
        yield f"{p['label']}: {p['crash']}"
    elif p["chosen"] != "GkeTpuCluster":
        yield f"{p['label']}: JAX takes this for {p['chosen']}, not for a GKE TPU cluster"
    else:
        for key, kind in (("count", int), ("id", int), ("slice", int), ("list", list)):
            if not isinstance(p[key], kind):
                yield f"{p['label']}: {key}: {p[key]}"
        if ":" not in p["coordinator"] or " " in p["coordinator"]:
            yield f"{p['label']}: coordinator: {p['coordinator']}"


def _one_value(what, probes, key):
    holders = collections.defaultdict(list)
    for p in probes:
        holders[p[key]].append(p["label"])
    if len(holders) > 1:
        yield f"{what} differs: " + "; ".join(f"{v} for {len(h)}, such as {h[0]}"
                                              for v, h in holders.items())


def _ids(probes):
    have, count = sorted(p["id"] for p in probes), probes[0]["count"]
    if have != list(range(count)):
        yield f"process ids are {have}, not 0 to {count - 1}"


def _coordinator(probes):
    zero = next((p for p in probes if p["id"] == 0), None)
    if zero and _host(zero["coordinator"]) != _host(zero["list"][0]):
        yield (f"the coordinator is {_host(zero['coordinator'])}, process 0 is "
               f"{_host(zero['list'][0])}")


def _lists(probes):
    by_slice = collections.defaultdict(set)
    for p in probes:
        by_slice[p["slice"]].add(tuple(p["list"]))
    for number, lists in by_slice.items():
        if len(lists) > 1:
            yield f"the lists within slice {number} differ: {sorted(lists)}"
    first = [next(iter(lists)) for lists in by_slice.values()]
    shared = {h for i, a in enumerate(first) for b in first[:i]
              for h in set(map(_host, a)) & set(map(_host, b))}
    if shared:
        yield f"in the lists of two slices: {sorted(shared)}"


def _own_entries(probes):
    for p in probes:
        entry = _host(p["list"][p["id"] % len(p["list"])])
        alone = p["list"] == ["localhost"]  # nobody else has to find it
        if entry != p["name"] and not alone:
            yield f"{p['label']} has id {p['id']}, whose entry is {entry}; its name is {p['name']}"
