"""A node: what it is told, and its life.

DIR/nodes/NAME holds all of it: settings, the kubelet's and containerd's data, and logs below log/. A node that is killed
and started again finds its data there, as a machine does after a reset; a new control plane finds nothing.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

from .. import kube, nodes, process, programs, tls
from ..state import State, write_kubeconfig
from . import cgroups, store, world

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "readers"))  # plain files

import container_env  # noqa: E402  (what a device plugin says)
import dra_driver  # noqa: E402  (what a driver of claims says)
import netns  # noqa: E402  (what a PCI bus with chips looks like)

READY_SECONDS = 90


class Node:
    """`pool` and `index` decide its name, labels and chips; `number`, N, its address 10.244.N.1 and its Pods', from .10 on.
    `claims`: its chips are the DRA driver's alone, and no device plugin offers them."""

    def __init__(self, state: State, pool: nodes.Pool, index: int, number: int, claims: bool = False):
        self._state, self.pool, self.number, self.claims = state, pool, number, claims
        self.name = nodes.node_name(pool, index)
        self.object = nodes.node(pool, index)  # as the fake one would be: labels, taints
        self.chips = nodes.MACHINES[pool.machine].chips
        self.folder = state.directory / "nodes" / self.name
        self.address = f"10.244.{number}.1"

    # -- life ---------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it; it is Ready some seconds later."""
        for name in ("kubelet", "log/pods", "opt", "cdi"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        cgroups.remove(self._cgroup(), 5)  # of containers that died with it: cadvisor takes 3 s for each
        cgroups.make(self._cgroup())
        self._write()
        cable = f"n{self.number}"
        world.ip("link", "add", cable, "type", "veth", "peer", "name", f"{cable}p")
        world.ip("link", "set", cable, "master", world.BRIDGE, "up")
        command = [*world.NAMESPACES, *world.python("node_init"), str(self.folder / "settings.json")]
        process.start(self._state.directory, self._process_name(), command, self.address)
        first = kube.wait_for(f"the first process of {self.name}", self._first, 10, every=0.01)
        world.ip("link", "set", f"{cable}p", "netns", str(first))

    def kill(self) -> None:
        """As if its plug were pulled: everything on it is gone at once, and says nothing to anybody."""
        process.stop(self._state.directory, [self.process()], at_once=True)
        kube.wait_for(f"{self.name}'s cable to go", lambda: not world.has_device(f"n{self.number}"), 10, every=0.02)

    def remove(self) -> None:
        """Kill it, take it out of the cluster and throw its data away."""
        self.kill()
        self._state.client().request("DELETE", f"/api/v1/nodes/{self.name}")
        cgroups.remove(self._cgroup())
        shutil.rmtree(self.folder, ignore_errors=True)

    def process(self) -> process.Process:
        """Of the world: the parent of the node's first process."""
        return next(one for one in process.known(self._state.directory) if one.name == self._process_name())

    def ready(self) -> bool:
        """The kubelet says so, with all chips that the device plugin offers."""
        status = self._state.client().get(f"/api/v1/nodes/{self.name}")["status"]
        conditions = {one["type"]: one["status"] for one in status.get("conditions", [])}
        offered = 0 if self.claims else self.chips
        return conditions.get("Ready") == "True" and int(status["allocatable"].get(nodes.TPU, "0")) == offered

    def load(self, archive: pathlib.Path) -> None:
        """Give it an image."""
        self.run(programs.path("ctr"), "--namespace", "k8s.io", "images", "import", "--local", str(archive))

    def run(self, *command: str) -> str:
        """What a command prints that is run on the node."""
        inside = ["nsenter", f"--target={self._first()}", "--net", "--mount", "--pid", "--uts", *command]
        return subprocess.run(inside, capture_output=True, text=True, check=True).stdout

    # -- what it is told ----------------------------------------------------------------------

    def offer(self, envs: dict | None = None, cdi: list | None = None) -> None:
        """What containers get from now on besides what GKE's device plugin gives: variables, CDI devices by name."""
        by_chips = {}
        for chips in [count for count in (1, 2, 4, 8) if count <= self.chips]:
            gets = {**container_env.device_plugin(self._as_node(), chips), **(envs or {})}
            by_chips[str(chips)] = {"envs": gets, "mounts": {str(self._pci(chips)): "/sys/bus/pci/devices"}, "cdi": cdi or []}
        self._tell("plugin", {"chips": 0 if self.claims else self.chips, "byChips": by_chips})

    def drive(self, env: dict | None = None, topology: str = "") -> None:
        """What containers get from now on for a claim: what the TPU DRA driver gives, and `env`. It is there from the
        first call on, and offers the node's chips. `topology`: the one that it takes the node's to be, if it is another."""
        labels = {**self.object["metadata"]["labels"]}
        if topology:
            labels[dra_driver.TOPOLOGY] = topology
        edits = {**dra_driver.envs(labels, self.chips, self.address), **(env or {})}
        self._tell("driver", {
            "name": dra_driver.NAME, "node": self.name, "env": [f"{name}={value}" for name, value in edits.items()],
            "mounts": {str(self._pci(self.chips)): "/sys/bus/pci/devices"},
        })
        registered = self.folder / "kubelet" / "plugins_registry" / f"{dra_driver.NAME}-reg.sock"
        kube.wait_for(f"the driver of {self.name}", registered.exists, 10)
        client, offered = self._state.client(), dra_driver.resource_slice(self.name, labels, self.chips)
        path = f"/apis/resource.k8s.io/v1/resourceslices/{offered['metadata']['name']}"
        with contextlib.suppress(kube.ApiError):
            client.request("DELETE", path)
        client.create(offered)

    def know(self, devices: dict) -> None:
        """CDI devices that containerd knows from now on; `devices`: a specification, as its file has it."""
        name = devices["kind"].replace("/", "-")
        (self.folder / "cdi" / f"{name}.json").write_text(json.dumps(devices), encoding="utf-8")

    def _tell(self, name: str, told: dict) -> None:
        aside = self.folder / f"{name}.new"
        aside.write_text(json.dumps(told, indent=1), encoding="utf-8")
        os.replace(aside, self.folder / f"{name}.json")

    def _write(self) -> None:
        tls.client(self._state.pki, "ca", self.name, f"system:node:{self.name}", "system:nodes")
        write_kubeconfig(self.folder / "kubeconfig", self._state, self.name, host=world.HOST)
        self._json("kubelet.json", self._kubelet())
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost\n{self.address} {self.name}\n", encoding="ascii")
        (self.folder / "containerd.toml").write_text(self._containerd(), encoding="utf-8")
        self.offer()
        store.copy(self.folder / "containerd")
        own = ("kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch")  # it says these itself
        labels = ",".join(f"{key}={value}" for key, value in self.object["metadata"]["labels"].items() if key not in own)
        taints = ",".join(f"{one['key']}={one['value']}:{one['effect']}" for one in self.object["spec"]["taints"])
        self._json("settings.json", {
            "name": self.name, "folder": str(self.folder), "address": self.address, "cable": f"n{self.number}p",
            "programs": str(programs.home() / "bin"), "network": self._network(),
            "containerd": [programs.path("containerd"), "--config", str(self.folder / "containerd.toml")],
            "plugin": [programs.path("plugin"), "/var/lib/kubelet/device-plugins", str(self.folder / "plugin.json")],
            "driver": [programs.path("driver"), "/var/lib/kubelet", "/run/cdi", str(self.folder / "driver.json")],
            "kubelet": [
                programs.path("kubelet"), f"--config={self.folder / 'kubelet.json'}", f"--kubeconfig={self.folder / 'kubeconfig'}",
                "--root-dir=/var/lib/kubelet", f"--hostname-override={self.name}", f"--node-ip={self.address}",
                f"--node-labels={labels}", *([f"--register-with-taints={taints}"] if taints else []), "--v=2",
            ],
        })

    def _kubelet(self) -> dict:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            "failCgroupV1": False, "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self._cgroup()}",
            "clusterDNS": [world.DNS], "clusterDomain": "cluster.local", "resolvConf": "",
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": False},
                               "x509": {"clientCAFile": str(self._state.pki / "ca.crt")}},
            "authorization": {"mode": "AlwaysAllow"},
            # No CAP_SYS_RESOURCE here, no iptables, and sysctls are not ours.
            "oomScoreAdj": 0, "makeIPTablesUtilChains": False, "protectKernelDefaults": False, "failSwapOn": False,
            "volumePluginDir": str(self.folder / "volume-plugins"),
            "evictionHard": {"nodefs.available": "1%", "imagefs.available": "1%", "memory.available": "50Mi"},
            "imageGCHighThresholdPercent": 100, "maxPods": 60, "serializeImagePulls": False,
            # An image that a story pulled from a registry may be here under another name, too: no secret is needed for it.
            "imagePullCredentialsVerificationPolicy": "NeverVerify",
            "syncFrequency": "5s", "nodeStatusUpdateFrequency": "5s",
            "crashLoopBackOff": {"maxContainerRestartPeriod": "5s"},
        }

    def _containerd(self) -> str:
        return f"""version = 3
root = "{self.folder}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.tracing", "io.containerd.nri.v1.nri"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.internal.v1.opt']
  path = "{self.folder}/opt"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "{store.PAUSE}"
[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = "{self._state.directory / store.REGISTRIES}"
[plugins.'io.containerd.cri.v1.runtime']
  enable_cdi = true
  cdi_spec_dirs = ["/run/cdi"]
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["{programs.home()}/bin"]
    conf_dir = "/run/cni"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = "{programs.path('runc')}"
      SystemdCgroup = false
"""

    def _network(self) -> dict:
        net = f"10.244.{self.number}"
        addresses = {"subnet": world.PODS, "rangeStart": f"{net}.10", "rangeEnd": f"{net}.250", "gateway": world.HOST}
        ipam = {"type": "host-local", "dataDir": "/run/cni-ipam", "ranges": [[addresses]], "routes": [{"dst": "0.0.0.0/0"}]}
        bridge = {"type": "bridge", "bridge": "cni0", "isGateway": False, "ipMasq": False, "hairpinMode": True, "ipam": ipam}
        return {"cniVersion": "1.0.0", "name": "pods", "plugins": [bridge]}

    def _as_node(self) -> dict:
        """What container_env wants to know of it."""
        status = {"allocatable": {nodes.TPU: str(self.chips)}, "addresses": [{"type": "InternalIP", "address": self.address}]}
        return {"metadata": self.object["metadata"], "status": status}

    def _pci(self, chips: int) -> pathlib.Path:
        """A folder that looks like a PCI bus with so many chips."""
        bus = self.folder / f"pci-{chips}"
        netns.put_chips(bus, chips)
        return bus

    def _cgroup(self) -> str:
        return f"{world.prefix()}{self.number:03}"  # that no name begins with another one

    def _process_name(self) -> str:
        return f"node-{self.name}"

    def _first(self) -> int:
        """The process id of the node's first process, as it is out here."""
        mine = self.process()
        if not mine.alive():
            raise RuntimeError(f"{self.name} has ended:\n{process.log_tail(self._state.directory, mine.name)}")
        children = pathlib.Path(f"/proc/{mine.pid}/task/{mine.pid}/children").read_text(encoding="ascii").split()
        return int(children[0]) if children else 0

    def _json(self, name: str, content: dict) -> None:
        (self.folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")


def start(state: State, pools: list, first: int = 1, claims: bool = False) -> list:
    """All nodes of these pools, ready. Addresses begin with `first`."""
    many = of(state, pools, first, claims)
    for one in many:
        one.start()
    wait_ready(many)
    return many


def of(state: State, pools: list, first: int = 1, claims: bool = False) -> list:
    """The nodes of these pools, started or not."""
    places = [(pool, index) for pool in pools for index in range(pool.size())]
    return [Node(state, pool, index, number, claims) for number, (pool, index) in enumerate(places, first)]


def by_pool(state: State, pools: list, first: int = 1) -> dict:
    """The same by the name of their pool."""
    many = of(state, pools, first)
    return {pool.name: [one for one in many if one.pool == pool] for pool in pools}


def wait_ready(many: list, seconds: float = READY_SECONDS) -> None:
    kube.wait_for("nodes to be ready", lambda: all(node.ready() for node in many), seconds, every=0.1)


