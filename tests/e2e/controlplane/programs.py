"""Building upstream's programs at the versions that modules/*/go.mod pin.

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

from . import cache, manifests

KUBERNETES_VERSION = "v1.36.3"
PROGRESS_EVERY = 15.0  # seconds between two lines of a build


@dataclasses.dataclass(frozen=True)
class Module:
    """Programs that are built together, of a folder of modules/ whose go.mod has their packages as tools."""

    name: str
    programs: dict  # name in bin/ -> package
    folder: str = ""  # of modules/, where it is not the name
    stamp: str = ""  # extra linker flags
    operators: dict = dataclasses.field(default_factory=dict)  # name in bin/ -> module whose config/default has its objects


def _kubernetes_stamp() -> str:
    """Linker flags without which the API server calls itself v0.0.0-master."""
    major, minor, _ = KUBERNETES_VERSION.removeprefix("v").split(".")
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")  # what they say, what they send
    values = {"gitVersion": KUBERNETES_VERSION, "gitMajor": major, "gitMinor": minor}
    return " ".join(f"-X {package}.{key}={value}" for package in packages for key, value in values.items())


MODULES = {
    module.name: module
    for module in (
        Module("helm", {"helm": "helm.sh/helm/v4/cmd/helm"}),
        Module("helm3", {"helm3": "helm.sh/helm/v3/cmd/helm"}, folder="helm"),  # go build would call both helm
        Module(
            "kubernetes",
            {
                "etcd": "go.etcd.io/etcd/server/v3",
                "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
                "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
                "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
                "kubectl": "k8s.io/kubernetes/cmd/kubectl",
                "kwok": "sigs.k8s.io/kwok/cmd/kwok",
                "jobset": "sigs.k8s.io/jobset",
                "lws": "sigs.k8s.io/lws/cmd",
            },
            stamp=_kubernetes_stamp(),
            operators={"jobset": "sigs.k8s.io/jobset", "lws": "sigs.k8s.io/lws"},
        ),
        Module(
            "kueue",
            {"kueue": "sigs.k8s.io/kueue/cmd/kueue", "kuberay": "github.com/ray-project/kuberay/ray-operator"},
            operators={"kueue": "sigs.k8s.io/kueue", "kuberay": "github.com/ray-project/kuberay/ray-operator"},
        ),
    )
}


def home() -> pathlib.Path:
    return cache.home(recipe=repr(sorted(MODULES.items())) + manifests.RECIPE)


def path(program: str) -> str:
    """The file of a program, whether it is built yet or not."""
    return str(home() / "bin" / program)


def operator_version(operator: str) -> str:
    """The version of an operator, as its module pins it."""
    module = _module_of(operator)
    return module_version(module.name, module.operators[operator])


def ensure(names) -> None:
    """Build what is missing of these modules or programs; one builder at a time on this machine."""
    folder = home()
    modules = dict.fromkeys(_module_of(name).name for name in names)
    missing = [name for name in modules if not _stamp_file(folder, name).exists()]
    if not missing:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open(cache.root() / "build.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in missing:
            if not _stamp_file(folder, name).exists():
                _build(MODULES[name], folder)


def module_version(name: str, path_in_go_mod: str) -> str:
    """The version that the go.mod of a module pins for a module path."""
    for line in (_pins(MODULES[name]) / "go.mod").read_text(encoding="utf-8").splitlines():
        words = line.replace("require ", "").split()
        if len(words) >= 2 and words[0] == path_in_go_mod and words[1].startswith("v"):
            return words[1]
    raise KeyError(f"{path_in_go_mod} is not in {_pins(MODULES[name])}/go.mod")


def _module_of(name: str) -> Module:
    return MODULES.get(name) or next(module for module in MODULES.values() if name in module.programs)


def _pins(module: Module) -> pathlib.Path:
    """The folder of its go.mod."""
    return cache.MODULES / (module.folder or module.name)


def _stamp_file(folder: pathlib.Path, name: str) -> pathlib.Path:
    return folder / "built" / f"{name}.json"


def _build(module: Module, folder: pathlib.Path) -> None:
    print(f"building {module.name} ({', '.join(module.programs)}) in {folder}", flush=True)
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    output = folder / "out" / module.name
    _go_build(module, output)
    (folder / "bin").mkdir(exist_ok=True)
    for name, package in module.programs.items():
        os.replace(output / _made(package), folder / "bin" / name)
    shutil.rmtree(output)
    for operator, its_module in module.operators.items():
        manifests.render(operator, _module_folder(module, its_module), folder)
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
    answer = subprocess.run(
        ["go", "list", "-m", "-f", "{{.Dir}}", wanted],
        cwd=_pins(module), env=cache.go_environment(),
        capture_output=True, text=True, check=True,
    )
    return pathlib.Path(answer.stdout.strip())


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
    # What a debugger reads is left out when linking: not made, a tenth of the CPU is saved.
    command += ["-gcflags=all=-dwarf=false", "-ldflags", f"-s -w {module.stamp}".strip()]
    command += ["-o", f"{output}/", *module.programs.values()]
    total = _package_count(module)
    started, lines = time.monotonic(), []
    with subprocess.Popen(
        command, cwd=_pins(module), env=cache.go_environment(),
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
                    f"{len(lines)} of at most {total} packages, {last}",
                    flush=True,
                )
        reader.join(timeout=5)
    if process.returncode != 0:
        raise RuntimeError(f"go build of {module.name} failed:\n" + "".join(lines[-40:]))


def _package_count(module: Module) -> int:
    """Packages behind a module's programs; this is also what downloads its modules."""
    answer = subprocess.run(
        ["nice", "-n", "19", "go", "list", "-deps", *module.programs.values()],
        cwd=_pins(module), env=cache.go_environment(),
        capture_output=True, text=True, check=False,
    )
    if answer.returncode != 0:
        raise RuntimeError(f"go list of {module.name} failed:\n{answer.stderr[-2000:]}")
    return len(answer.stdout.splitlines())
