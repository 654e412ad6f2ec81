"""Building upstream's programs at the releases of pins.toml.

`go build` makes the programs of a module together, so what they have in common is compiled once.
The first build downloads modules by name and takes minutes; it says what it is doing while it
works. Afterwards `ensure` returns at once.
"""

import dataclasses
import fcntl
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import threading
import time

from . import cache, manifests, pins

PROGRESS_EVERY = 15.0  # seconds between two lines of a build


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a program comes from."""

    project: str  # whose release pins.toml has
    module: str  # its Go module
    package: str = ""  # of it, where that is not the module itself
    objects: manifests.Objects | None = None  # an operator's own: CRDs, roles, webhook configurations
    ours: bool = False  # the program is main.go of the folder, which imports the module
    c_tags: str = ""  # built with C, statically, with these tags
    tags: str = ""  # built with these


def _kubernetes(program: str) -> Source:
    return Source("kubernetes", "k8s.io/kubernetes", f"/cmd/{program}")


OPERATOR = manifests.Objects()
SOURCES = {
    "etcd": Source("etcd", "go.etcd.io/etcd/server/v3"),
    **{name: _kubernetes(name) for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")},
    "kwok": Source("kwok", "sigs.k8s.io/kwok", "/cmd/kwok"),
    "jobset": Source("jobset", "sigs.k8s.io/jobset", objects=OPERATOR),
    "lws": Source("lws", "sigs.k8s.io/lws", "/cmd", objects=OPERATOR),
    "kuberay": Source("kuberay", "github.com/ray-project/kuberay/ray-operator", objects=OPERATOR),
    "kueue": Source("kueue", "sigs.k8s.io/kueue", "/cmd/kueue", objects=OPERATOR),
    "trainer": Source("trainer", "github.com/kubeflow/trainer/v2", "/cmd/trainer-controller-manager",
                      # It would install JobSet from the network, which is here.
                      manifests.Objects("manifests/overlays/manager", without="../../third-party/jobset")),
    "appwrapper": Source("appwrapper", "github.com/project-codeflare/appwrapper", "/cmd", OPERATOR),
    "kubelet": _kubernetes("kubelet"),
    **{name: Source("containerd", "github.com/containerd/containerd/v2", f"/cmd/{name}")
       for name in ("containerd", "containerd-shim-runc-v2", "ctr")},
    "runc": Source("runc", "github.com/opencontainers/runc", c_tags="seccomp netgo osusergo"),
    **{name: Source("cni", "github.com/containernetworking/plugins", f"/plugins/{folder}/{name}")
       for folder, name in (("main", "bridge"), ("main", "loopback"), ("ipam", "host-local"))},
    "coredns": Source("coredns", "github.com/coredns/coredns", ours=True),
    "plugin": Source("device-plugin-api", "k8s.io/kubelet", ours=True),
    "driver": Source("device-plugin-api", "k8s.io/kubelet", ours=True),
    # Of the places where Prometheus finds what to ask, files alone: the clients of clouds are most of it.
    **{name: Source("prometheus", "github.com/prometheus/prometheus", f"/cmd/{name}", tags="remove_all_sd") for name in ("prometheus", "promtool")},
    "cosign": Source("cosign", "github.com/sigstore/cosign/v3", "/cmd/cosign"),
    "krew": Source("krew", "sigs.k8s.io/krew", "/cmd/krew"),
    "actionlint": Source("actionlint", "github.com/rhysd/actionlint", "/cmd/actionlint"),
    "helm": Source("helm", "helm.sh/helm/v4", "/cmd/helm"),
    "helm3": Source("helm3", "helm.sh/helm/v3", "/cmd/helm"),
}
CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok")
NODE = ("kubelet", "containerd", "containerd-shim-runc-v2", "ctr", "runc", "bridge", "loopback", "host-local", "coredns", "plugin", "driver")
KUBERNETES_VERSION = pins.release("kubernetes")


@dataclasses.dataclass(frozen=True)
class Module:
    """Programs that are built together, of a folder of modules/ whose go.mod has their packages as tools."""

    name: str
    folder: str  # of modules/
    programs: dict  # name in bin/ -> package
    stamp: str = ""  # extra linker flags
    operators: tuple = ()  # names in bin/ of what has objects of its own
    c_tags: str = ""
    tags: str = dataclasses.field(default="", repr=False)  # what has none is as it was: home()


def _kubernetes_stamp() -> str:
    """Linker flags without which the API server calls itself v0.0.0-master."""
    major, minor, _ = KUBERNETES_VERSION.removeprefix("v").split(".")
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")  # what they say, what they send
    values = {"gitVersion": KUBERNETES_VERSION, "gitMajor": major, "gitMinor": minor}
    return " ".join(f"-X {package}.{key}={value}" for package in packages for key, value in values.items())


def _module(name: str, folder: str, names: tuple) -> Module:
    found = {each: SOURCES[each] for each in names}
    return Module(
        name, folder,
        programs={each: "." if source.ours else source.module + source.package for each, source in found.items()},
        stamp=_kubernetes_stamp() if {"kube-apiserver", "kubelet"} & set(names) else "",
        operators=tuple(each for each, source in found.items() if source.objects),
        c_tags=" ".join(source.c_tags for source in found.values()).strip(),
        tags=" ".join({source.tags for source in found.values()}).strip(),
    )


MODULES = {name: _module(name, *what) for name, what in pins.modules().items()}


def home() -> pathlib.Path:
    folders = sorted({module.folder for module in MODULES.values()})
    tags = "".join(module.tags for module in MODULES.values())
    return cache.home(folders, recipe=repr(sorted(MODULES.items())) + manifests.RECIPE + tags)


def path(program: str) -> str:
    """The file of a program, whether it is built yet or not."""
    return str(home() / "bin" / program)


def ensure(names) -> None:
    """Build what is missing of these modules or programs; one builder at a time on this machine."""
    folder = home()
    modules = dict.fromkeys(_module_of(name).name for name in names)
    missing = [name for name in modules if not _stamp_file(folder, name).exists()]
    if not missing:
        return
    if wrong := disagreements():
        raise RuntimeError("\n".join(wrong))
    folder.mkdir(parents=True, exist_ok=True)
    with open(cache.root() / "build.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in missing:
            if not _stamp_file(folder, name).exists():
                _build(MODULES[name], folder)


def pinned_folder(program: str) -> pathlib.Path:
    """The folder of modules/ that a program is built in."""
    return _pins(_module_of(program))


def disagreements() -> list:
    """Of programs whose go.mod has another release than pins.toml: what both say."""
    found = []
    for module in MODULES.values():
        required = _required(_pins(module) / "go.mod")
        for program in module.programs:
            source = SOURCES[program]
            says, wanted = required.get(source.module, "nothing"), pins.release(source.project)
            if says != wanted:
                found.append(f"{program}: {_pins(module)}/go.mod has {says}, {pins.FILE} {wanted}")
    return found


def compiled_apart(names) -> list:
    """What these modules would share if they had the same release of it: it is compiled for each, and all that imports it."""
    releases = [_releases(_packages(MODULES[name])) for name in names]
    return [f"{path}: {' and '.join(sorted(has))}" for path in sorted(set().union(*releases))
            if len(has := {each[path] for each in releases if path in each}) > 1]


def _required(go_mod: pathlib.Path) -> dict:
    """Returns {module path: release} of the modules that a go.mod requires."""
    words = [line.replace("require ", "").split() for line in go_mod.read_text(encoding="utf-8").splitlines()]
    return {each[0]: each[1] for each in words if len(each) >= 2 and re.match(r"v\d", each[1])}


def _module_of(name: str) -> Module:
    return MODULES.get(name) or next(module for module in MODULES.values() if name in module.programs)


def _pins(module: Module) -> pathlib.Path:
    """The folder of its go.mod."""
    return cache.MODULES / module.folder


def _stamp_file(folder: pathlib.Path, name: str) -> pathlib.Path:
    return folder / "built" / f"{name}.json"


def _build(module: Module, folder: pathlib.Path) -> None:
    print(f"building {module.name} ({', '.join(module.programs)}) in {folder}", flush=True)
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    output = folder / "out" / module.name
    _go_build(module, output)
    (folder / "bin").mkdir(exist_ok=True)
    for name, package in module.programs.items():
        os.replace(output / (name if package == "." else _made(package)), folder / "bin" / name)
    shutil.rmtree(output)
    for operator in module.operators:
        source = SOURCES[operator]
        manifests.render(operator, _module_folder(module, source.module), source.objects, folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cost = {
        "seconds": round(time.monotonic() - started, 1),
        "cpu_seconds": round(cpu, 1),
        "program_megabytes": round(
            sum((folder / "bin" / name).stat().st_size for name in module.programs) / 1e6
        ),
        "go_cache_megabytes": round(cache.disk_bytes(cache.root() / "go-build") / 1e6),
        "module_cache_megabytes": round(cache.disk_bytes(cache.root() / "go-mod") / 1e6),
    }
    stamp = _stamp_file(folder, module.name)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(json.dumps(cost, indent=1) + "\n", encoding="utf-8")
    print(
        f"built {module.name}: {cost['seconds']:.0f} s, {cost['cpu_seconds']:.0f} CPU s, "
        f"programs {cost['program_megabytes']} MB; {cache.root()} now holds "
        f"{cost['go_cache_megabytes']} MB of build cache and {cost['module_cache_megabytes']} MB of modules",
        flush=True,
    )


def _module_folder(module: Module, wanted: str) -> pathlib.Path:
    """Where Go unpacked the module whose config/ we render."""
    return pathlib.Path(_go_list(module, "-m", "-f", "{{.Dir}}", wanted)[0])


def _made(package: str) -> str:
    """What `go build -o FOLDER/` calls the program: the last part of the package that is no version."""
    *_, before, last = package.split("/")
    return before if re.fullmatch(r"v\d+", last) else last


def _go_build(module: Module, output: pathlib.Path) -> None:
    """Run `go build -v` and say every few seconds how far it is.

    Low priority: a build must not disturb whatever else the machine does. `-v` names a package
    when it is compiled, and nothing that came from the cache.
    """
    jobs = os.environ.get("TPUWH_BUILD_JOBS", str(os.cpu_count() or 2))
    command = ["nice", "-n", "19", "go", "build", "-v", "-p", jobs, "-trimpath"]
    # What a debugger reads is left out when linking: not made, a tenth of the CPU is saved. Without inlining, but in
    # Go's own library, it is a fifth of the rest.
    tags = f"{module.c_tags} {module.tags}".strip()
    static = ("-linkmode external -extldflags -static" if module.c_tags else "", *(["-tags", tags] if tags else []))
    command += ["-gcflags=all=-dwarf=false -l", "-gcflags=std=-dwarf=false", "-ldflags", f"-s -w {module.stamp} {static[0]}".strip(), *static[1:]]
    command += ["-o", f"{output}/", *module.programs.values()]
    packages = _packages(module)
    if wrong := _raised(module, _releases(packages)):
        raise RuntimeError("\n".join(wrong))
    started, lines = time.monotonic(), []
    with subprocess.Popen(
        command, cwd=_pins(module), env=cache.go_environment(bool(module.c_tags), _pins(module)),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:
        reader = threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True)
        reader.start()
        while process.poll() is None:
            try:
                process.wait(timeout=PROGRESS_EVERY)
            except subprocess.TimeoutExpired:
                last = lines[-1].strip() if lines else "nothing compiled yet"
                print(
                    f"  {module.name}: {time.monotonic() - started:4.0f} s, "
                    f"{len(lines)} of at most {len(packages)} packages, {last}",
                    flush=True,
                )
        reader.join(timeout=5)
    if process.returncode != 0:
        raise RuntimeError(f"go build of {module.name} failed:\n" + "".join(lines[-40:]))


def _packages(module: Module) -> list:
    """Returns a line "PACKAGE MODULE RELEASE" for each package that a module's programs need. Also downloads modules.

    For a module that go.mod replaces, RELEASE is the required one: because of -trimpath it is the one in the program.
    """
    form = "{{.ImportPath}}{{with .Module}} {{.Path}} {{.Version}}{{end}}"
    tags = f"{module.c_tags} {module.tags}".strip()
    return _go_list(module, "-deps", "-tags", tags, "-f", form, *module.programs.values())


def _releases(packages: list) -> dict:
    """Returns {module path: release} of the lines of _packages(). Go's own library and our main.go have no release."""
    return dict(words[1:] for words in map(str.split, packages) if len(words) == 3)


def _raised(module: Module, releases: dict) -> list:
    """Returns a sentence for each module of which Go selects a later release than our go.mod requires."""
    required = _required(_pins(module) / "go.mod")
    return [f"{path}: {_pins(module)}/go.mod has {says}, and Go selects {releases[path]}"
            for path, says in required.items() if releases.get(path, says) != says]


def _go_list(module: Module, *arguments) -> list:
    answer = subprocess.run(["nice", "-n", "19", "go", "list", *arguments], cwd=_pins(module), capture_output=True, text=True, check=False,
                            env=cache.go_environment(bool(module.c_tags), _pins(module)))
    if answer.returncode != 0:
        raise RuntimeError(f"go list of {module.name} failed:\n{answer.stderr[-2000:]}")
    return answer.stdout.splitlines()
