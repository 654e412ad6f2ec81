"""Every workload API on a row of the catalog: the Pods as the controllers make them, which of
them form which slice, and what else the controllers and the manifest settle."""

import dataclasses

import paths  # noqa: F401
import clusters
from apiserver import container
from controllers import bare_pod, deployment_pod, job_pod, jobset_pod, ray_worker
from stateful import lws_pod, lws_written, statefulset_pod

NAMESPACE = "default"
IMAGE = "us-docker.pkg.dev/cloud-tpu-images/jax-ai-image/tpu:latest"
SLICES = 2  # of a workload that has several
SMALL = 8  # hosts; of what is bigger, fewer slices

_WRITTEN_BY_LWS = ("TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID", "TPU_NAME", "TPU_PROCESS_ADDRESSES",
                   "TPU_PROCESS_PORT")


@dataclasses.dataclass
class Fleet:
    """A workload before admission; oracle.Scene says what the fields mean."""
    name: str
    pods: list
    slices: list
    services: list = ()
    subdomain: list = ()
    one_job: bool = False
    hosts_once: bool = False
    named: bool = False
    foreign: tuple = ()
    hosts: list = None  # where only these hosts of each slice are here, their indices


@dataclasses.dataclass
class Shape:
    """A row of the catalog, how its hosts' chips are split over containers, and which hosts are
    made (all, but for a sample of a big slice)."""
    row: object
    containers: int
    sample: list = None

    def __str__(self):
        return f"{self.row}" + (f" x{self.containers} containers" if self.containers > 1 else "")

    @property
    def members(self):
        return self.sample or list(range(self.row.hosts))

    def selector(self):
        return {"cloud.google.com/gke-tpu-accelerator": self.row.accelerator,
                "cloud.google.com/gke-tpu-topology": self.row.topology}

    def node(self):
        return clusters.node_pool(
            f"{self.row.machine}-{self.row.topology}", accelerator=self.row.accelerator,
            topology=self.row.topology, machine=self.row.machine, chips=self.row.chips, nodes=1,
            start=10)[0]

    def pod(self, env=()):
        """The part of a Pod's template that asks for the row's chips, beside a container and an
        init container that ask for none."""
        asked = str(self.row.chips // self.containers)
        tpu = [container(f"tpu-{c}", IMAGE, limits={"google.com/tpu": asked}, env=env)
               for c in range(self.containers)]
        return {"node_selector": self.selector(),
                "containers": [tpu[0], container("sidecar", "busybox:1.36"), *tpu[1:]],
                "init_containers": [container("fetch", "busybox:1.36")]}


def shapes(row):
    """tpu7x VMs have two NUMA nodes: a Pod asks with one container or with two."""
    counts = (1, 2) if row.accelerator == "tpu7x" and row.chips == 4 else (1,)
    return [Shape(row, count) for count in counts]


def fleets(shape):
    """Every workload API that can have the shape."""
    makers = _MULTI_HOST if shape.row.hosts > 1 else _SINGLE_HOST
    out = [fleet for make in makers for fleet in make(shape)]
    if shape.row.hosts > SMALL:
        for fleet in out:
            for pod in fleet.pods:
                _without_ballast(pod)
    return out


def _without_ballast(pod):
    """What every Pod has and nobody here reads is half of its bytes; the small shapes keep it."""
    del pod["metadata"]["managedFields"]
    for key in ("volumes", "tolerations"):
        del pod["spec"][key]
    for kind in ("containers", "initContainers"):
        for each in pod["spec"].get(kind, []):
            del each["volumeMounts"]


def _numbered(shape, number=SLICES):
    """(slice, host) of each Pod in the order they are made, and the slices' positions."""
    pairs = [(s, h) for s in range(number) for h in shape.members]
    size = len(shape.members)
    return pairs, [list(range(s * size, (s + 1) * size)) for s in range(number)]


def _lone(count):
    """Pods that are each a slice of their own."""
    return [[i] for i in range(count)]


def indexed_job(shape):
    pairs, slices = _numbered(shape, 1)
    pods = [job_pod(job="train", namespace=NAMESPACE, index=h, subdomain="svc",
                    restart_policy="Never", **shape.pod()) for _, h in pairs]
    yield Fleet("Indexed Job", pods, slices, [clusters.job_service("svc", NAMESPACE, "train")],
                ["svc"], hosts=[shape.members])


def jobset(shape, replicas):
    pairs, slices = _numbered(shape, replicas)
    pods = [jobset_pod(jobset="js", namespace=NAMESPACE, replicated_job="slice",
                       replicas=replicas, job_index=s, index=h, **shape.pod()) for s, h in pairs]
    yield Fleet(f"JobSet of {replicas}", pods, slices, [clusters.jobset_service("js", NAMESPACE)],
                ["js"] * replicas, one_job=replicas > 1 and shape.row.hosts > 1,
                hosts=[shape.members] * replicas)


def ray(shape, asked):
    """With index labels. `asked`: the user set MEGASCALE_NUM_SLICES."""
    env = [{"name": "MEGASCALE_NUM_SLICES", "value": str(SLICES)}] if asked else []
    # Replicas that are no job together are each like the first: one is enough where it is long.
    replicas = 1 if not asked and shape.row.hosts > SMALL else SLICES
    pairs, slices = _numbered(shape, replicas)
    many = shape.row.hosts > 1
    pods = [ray_worker(cluster="ray", namespace=NAMESPACE, group="workers", replica=s,
                       host=h if many else None, **shape.pod(env)) for s, h in pairs]
    named = many or asked  # somebody has to find the coordinator
    yield Fleet("Ray, MEGASCALE" if asked else "Ray", pods, slices,
                [clusters.ray_service("ray", NAMESPACE)], ["ray-headless"] * replicas * named,
                one_job=asked, hosts_once=True, named=True, hosts=[shape.members] * replicas)


def statefulset(shape):
    pairs, slices = _numbered(shape)
    pods = [statefulset_pod(statefulset="sax", namespace=NAMESPACE, service="sax",
                            ordinal=s * shape.row.hosts + h, labels={"app": "sax"}, **shape.pod())
            for s, h in pairs]
    yield Fleet("StatefulSet", pods, slices,
                [clusters.headless_service("sax", NAMESPACE, {"app": "sax"},
                                           publish_not_ready=True)],
                ["sax"] * SLICES, hosts=[shape.members] * SLICES)


def lws(shape, *, leader_has_tpu=True, subgroups=1, excluded=False, unique=False):
    """A slice is a group, or a subgroup; each as its StatefulSet sends it, and after
    LeaderWorkerSet's webhook, which has then written variables of its own."""
    first = 0 if leader_has_tpu else 1
    hosts = shape.row.hosts
    size = first + subgroups * hosts
    groups = 1 if subgroups > 1 or hosts > SMALL else SLICES
    pods, slices = [], []
    for g in range(groups):
        def member(worker, spec):
            return lws_pod(lws="vllm", namespace=NAMESPACE, group=g, worker=worker, size=size,
                           leader_has_tpu=leader_has_tpu,
                           subgroup_size=hosts if subgroups > 1 else None,
                           leader_excluded=excluded, unique_subdomain=unique, **spec)
        if not leader_has_tpu:
            pods.append(member(0, {"node_selector": {},
                                   "containers": [container("leader", "busybox:1.36")]}))
        for s in range(subgroups):
            slices.append([])
            for h in shape.members:
                slices[-1].append(len(pods))
                pods.append(member(first + s * hosts + h, shape.pod()))
    what = ["LeaderWorkerSet", *(["leader without"] if first else []),
            *([f"{subgroups} subgroups"] if subgroups > 1 else []),
            *(["LeaderExcluded"] if excluded else []), *(["a Service each"] if unique else [])]
    subdomain = [f"vllm-{g}" if unique else "vllm" for g in range(groups) for _ in range(subgroups)]
    services = [clusters.headless_service(name, NAMESPACE, {"leaderworkerset.sigs.k8s.io/name":
                                                            "vllm"}, publish_not_ready=True)
                for name in dict.fromkeys(subdomain)]
    common = {"slices": slices, "services": services, "subdomain": subdomain, "named": hosts > 1,
              "hosts": [shape.members] * len(slices)}
    yield Fleet(", ".join(what), pods, **common)
    # LeaderWorkerSet writes the first container of a subgroup's Pods alone, which is half a set.
    if subgroups == 1 or shape.containers == 1:
        yield Fleet(", ".join([*what, "after its webhook"]), list(map(lws_written, pods)),
                    foreign=_WRITTEN_BY_LWS, **common)


def deployment(shape):
    pods = [deployment_pod(deployment="serve", namespace=NAMESPACE, number=i, **shape.pod())
            for i in range(SLICES)]
    yield Fleet("Deployment", pods, _lone(SLICES))


def plain_pod(shape):
    yield Fleet("Pod", [bare_pod(name="notebook", namespace=NAMESPACE, **shape.pod())], _lone(1))


def single_host_job(shape):
    """Indexed, where the index counts independent servers and means nothing to the slice."""
    pods = [job_pod(job="eval", namespace=NAMESPACE, index=i, restart_policy="Never",
                    **shape.pod()) for i in range(SLICES)]
    yield Fleet("Indexed Job, one host", pods, _lone(SLICES))
    pods = [job_pod(job="once", namespace=NAMESPACE, index=None, restart_policy="Never",
                    **shape.pod())]
    yield Fleet("Job, one host", pods, _lone(1))


_MULTI_HOST = (
    indexed_job,
    lambda shape: jobset(shape, 1),
    lambda shape: jobset(shape, SLICES),
    lambda shape: ray(shape, asked=False),
    lambda shape: ray(shape, asked=True),
    statefulset,
    lws,
    lambda shape: lws(shape, unique=True, leader_has_tpu=False),
    lambda shape: lws(shape, subgroups=2),
    lambda shape: lws(shape, subgroups=2, leader_has_tpu=False),
    lambda shape: lws(shape, subgroups=2, leader_has_tpu=False, excluded=True),
)
_SINGLE_HOST = (
    plain_pod,
    deployment,
    single_host_job,
    lambda shape: jobset(shape, SLICES),
    lambda shape: ray(shape, asked=False),
    lambda shape: ray(shape, asked=True),
    statefulset,
    lws,
)
