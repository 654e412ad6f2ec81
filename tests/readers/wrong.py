"""Wrong injections, made by hand from right ones, and the complaint that must catch each."""

import copy
import dataclasses
from collections.abc import Callable

from pods import literal_env, spoiled, spoiled_all, title, tpu_containers


@dataclasses.dataclass
class Wrong:
    what: str
    caught: str  # part of the complaint
    edit: Callable = lambda pods: pods
    without: str = ""  # a variable of the device plugin that is not there
    since: str = ""  # the first JAX that opens the file which this is about


def on(host, **variables):
    """These variables on one Pod."""
    return lambda pods: spoiled(pods, _index(pods, host), **variables)


def everywhere(**variables):
    return lambda pods: spoiled_all(pods, **variables)


def relisted(change, *hosts):
    """The host list changed on these Pods, on all if none is named."""
    def edit(pods):
        for i, pod in enumerate(pods):
            if not hosts or title(pod) in hosts:
                old = literal_env(tpu_containers(pod)[0])["TPU_WORKER_HOSTNAMES"]
                pods = spoiled(pods, i, TPU_WORKER_HOSTNAMES=change(old))
        return pods
    return edit


def unnamed(pods):
    """No Pod has a subdomain."""
    pods = copy.deepcopy(pods)
    for pod in pods:
        del pod["spec"]["subdomain"]
    return pods


def _index(pods, host):
    return [title(pod) for pod in pods].index(host)


def _reversed(text):
    return ",".join(reversed(text.split(",")))


def _slice(number):
    return [f"v6e-multislice-slice-{number}-{i}" for i in range(4)]


_NAMES = [f"{host}.v6e-multislice" for s in range(2) for host in _slice(s)]

# The three that are also tried with a job that really forms.
DUPLICATE_ID = Wrong("a worker id twice", "process ids are [0, 2, 2, 3, 4, 5, 6, 7]",
                     on("v6e-multislice-slice-0-1", TPU_WORKER_ID="2"))
MISSING_ID = Wrong("a worker id missing", "slice-1-2/jax-tpu: id: ValueError",
                   on("v6e-multislice-slice-1-2", TPU_WORKER_ID=None))
WRONG_COORDINATOR = Wrong(
    "a coordinator that is not process 0, the same on all", "the coordinator is v6e-multislice-s",
    everywhere(MEGASCALE_COORDINATOR_ADDRESS=_NAMES[4]))

JAX = {
    "job-2x4": [
        Wrong("a worker id twice", "process ids are [1, 1]",
              on("tpu-training-job-0", TPU_WORKER_ID="1")),
        Wrong("a worker id missing", "tpu-training-job-1/tpu-job: id: ValueError",
              on("tpu-training-job-1", TPU_WORKER_ID=None)),
        Wrong("the list in another order on one", "the lists within slice 0 differ",
              relisted(_reversed, "tpu-training-job-1")),
        Wrong("the list in another order on both", "whose entry is", relisted(_reversed)),
        Wrong("a list of one host on one", "process count differs",
              relisted(lambda old: old.split(",")[0], "tpu-training-job-1")),
        Wrong("a coordinator that is not process 0", "the coordinator is tpu-training-job-1",
              everywhere(MEGASCALE_COORDINATOR_ADDRESS="tpu-training-job-1.headless-svc")),
    ],
    "jobset-2x4x4": [
        DUPLICATE_ID,
        MISSING_ID,
        WRONG_COORDINATOR,
        Wrong("an empty worker id", "id: ValueError", on(_slice(0)[3], TPU_WORKER_ID="")),
        Wrong("a worker id of 4 among 4", "process ids are", on(_slice(0)[3], TPU_WORKER_ID="4")),
        Wrong("another coordinator on one", "coordinator differs",
              on(_slice(1)[0], MEGASCALE_COORDINATOR_ADDRESS=_NAMES[1])),
        Wrong("a coordinator that does not resolve", "Failed to recognize coordinator address",
              everywhere(MEGASCALE_COORDINATOR_ADDRESS="slice-0-0.v6e-multislice")),
        Wrong("Pods without a subdomain", "Failed to recognize coordinator address", unnamed),
        Wrong("a wrong slice id", "process ids are",
              on(_slice(1)[2], MEGASCALE_SLICE_ID="0")),
        Wrong("three slices that are two", "process ids are",
              everywhere(MEGASCALE_NUM_SLICES="3")),
        Wrong("one slice, says one", "process count differs",
              on(_slice(0)[2], MEGASCALE_NUM_SLICES="1")),
        Wrong("a comma too many", "process count differs",
              relisted(lambda old: old + ",", _slice(0)[0])),
        Wrong("the other slice's list on one", "the lists within slice 0 differ",
              relisted(lambda _: ",".join(_NAMES[4:]), _slice(0)[2])),
        Wrong("the other slice's list on a slice", "in the lists of two slices",
              relisted(lambda _: ",".join(_NAMES[:4]), *_slice(1))),
        Wrong("a stale list of addresses", "process count differs",
              on(_slice(0)[1], TPU_PROCESS_ADDRESSES="")),
        Wrong("no list", "JAX takes this for",
              on(_slice(0)[1], TPU_WORKER_HOSTNAMES=None)),
        Wrong("a file of addresses that is missing, beside good lists",
              "Failed to read TPU process addresses file",
              on(_slice(0)[1], TPU_PROCESS_ADDRESSES_PATH="/etc/tpu/addresses"), since="0.11.2"),
        Wrong("a file of addresses that is empty", "TPU process addresses file is empty",
              on(_slice(0)[1], TPU_PROCESS_ADDRESSES_PATH="/dev/null"), since="0.11.2"),
        Wrong("the metadata server asked first", "JAX takes this for GceTpuCluster",
              without="TPU_SKIP_MDS_QUERY"),
    ],
    "jobset-tpu7x-2x2x2x2": [
        Wrong("a worker id once for both containers", "process ids are",
              on("ironwood-slice-1-0", TPU_WORKER_ID="0")),
        Wrong("host lists only, once for both containers", "process ids are",
              lambda pods: everywhere(TPU_PROCESS_ADDRESSES=None)(relisted(
                  lambda old: ",".join(dict.fromkeys(old.split(","))))(pods))),
    ],
}

JAX_JOB = [
    (DUPLICATE_ID, "ALREADY_EXISTS"),
    (MISSING_ID, "ValueError"),
    (WRONG_COORDINATOR, "DEADLINE_EXCEEDED"),
]

RAY = [
    Wrong("a worker id twice", "tpu-group-1: worker ids are",
          on("tpu-group-1-2", TPU_WORKER_ID="3")),
    Wrong("worker id 0 twice", "tpu-group-0: worker ids are",
          on("tpu-group-0-1", TPU_WORKER_ID="0")),
    Wrong("a worker id missing", "tpu-group-0: worker ids are",
          on("tpu-group-0-1", TPU_WORKER_ID=None)),
    Wrong("a worker id that is no number", "tpu-group-0: worker ids are",
          on("tpu-group-0-0", TPU_WORKER_ID="x")),
    Wrong("one slice name for both slices", "1 slices by name",
          everywhere(TPU_NAME="tpu-group-0")),
    Wrong("no slice name on one", "no slice name", on("tpu-group-1-1", TPU_NAME=None)),
    Wrong("the other slice's name on one", "tpu-group-1: worker ids are",
          on("tpu-group-0-1", TPU_NAME="tpu-group-1")),
    Wrong("a slice name that is no label value", "is not a label value",
          everywhere(TPU_NAME="tpu/group")),
]
