"""Where things outside the checkout live.

    <root>/go-mod, go-build          Go's module and build caches, shared by all versions
    <root>/workspaces/<hash>/        go.work of one module; see go_environment
    <root>/controlplane-<hash>/      programs and rendered manifests of one set of versions
        bin/                         etcd, kube-apiserver, …
        objects/<operator>.json      CRDs, roles and webhook configurations, as rendered
        built/<module>.json          what the first build of a module cost

The last <hash> covers the go.mod and main.go of a set of pins, modules/go.sum, the recipe in programs.py and the Go
release, so a change of any of them builds anew and nothing else does.
"""

import hashlib
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE / "modules"
CHECKSUMS = MODULES / "go.sum"  # of all modules; a line for each file that Go reads
# A value of GOSUMDB that Go does not accept, so Go fails as soon as it needs the checksum of a module that is not in
# CHECKSUMS.
NO_OTHER_CHECKSUMS = "modules/go.sum-alone"


def root() -> pathlib.Path:
    """${TPUWH_CACHE}, else ~/.cache/tpu-webhook."""
    chosen = os.environ.get("TPUWH_CACHE")
    return pathlib.Path(chosen) if chosen else pathlib.Path.home() / ".cache" / "tpu-webhook"


def go_environment(with_c: bool = False, module: pathlib.Path | None = None) -> dict:
    """Returns the environment of every `go` command. -modcacherw lets `rm -rf` remove the cache.

    `module` is the folder of a go.mod. The module is a workspace of its own, in which Go does not require go.mod to
    list indirect requirements. Go computes them from the go.mod files of the direct ones, which CHECKSUMS pins, so they
    are the same on every machine. If ${TPUWH_NEW_MODULES} is set, Go fetches lines that CHECKSUMS lacks from
    sum.golang.org and adds them.
    """
    environment = dict(os.environ)
    if module:
        environment["GOSUMDB"] = "sum.golang.org" if os.environ.get("TPUWH_NEW_MODULES") else NO_OTHER_CHECKSUMS
        environment["GONOSUMDB"] = "none"  # no module is exempt, whatever GOPRIVATE says
    environment.update(
        GOCACHE=str(root() / "go-build"),
        GOMODCACHE=str(root() / "go-mod"),
        GOFLAGS="-buildvcs=false -modcacherw",
        GOTOOLCHAIN="local",
        GOWORK=str(_workspace(module)) if module else "off",
        CGO_ENABLED=str(int(with_c)),
        GOGC="400",  # the compiler collects less often: an eighth of its CPU, for memory that is there
    )
    return environment


def _workspace(module: pathlib.Path) -> pathlib.Path:
    """Writes a go.work of this module alone, with CHECKSUMS as its go.work.sum, and returns its path."""
    folder = root() / "workspaces" / hashlib.sha256(str(module).encode()).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    release = next(line for line in (module / "go.mod").read_text(encoding="utf-8").splitlines() if line.startswith("go "))
    new = folder / f"go.work.{os.getpid()}"
    new.write_text(f"{release}\n\nuse {json.dumps(str(module))}\n", encoding="utf-8")
    os.replace(new, folder / "go.work")
    new.symlink_to(CHECKSUMS)
    os.replace(new, folder / "go.work.sum")
    return folder / "go.work"


def go_version() -> str:
    answer = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    return answer.stdout.strip()


def home(folders: list, recipe: str) -> pathlib.Path:
    """The folder for the versions of these folders of MODULES; `recipe` is whatever else decides the result."""
    digest = hashlib.sha256()
    files = [CHECKSUMS, *(MODULES / folder / name for folder in folders for name in ("go.mod", "main.go"))]
    for path in filter(pathlib.Path.exists, files):
        digest.update(path.relative_to(MODULES).as_posix().encode() + b"\0" + path.read_bytes())
    digest.update(recipe.encode() + go_version().encode())
    return root() / f"controlplane-{digest.hexdigest()[:12]}"


def disk_bytes(path: pathlib.Path) -> int:
    """Bytes a folder takes on disk (as `du`, which is quicker than walking it from Python)."""
    if not path.exists():
        return 0
    answer = subprocess.run(["du", "-sk", str(path)], capture_output=True, text=True, check=False)
    return int(answer.stdout.split()[0]) * 1024 if answer.stdout else 0
