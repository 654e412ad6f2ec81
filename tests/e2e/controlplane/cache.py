"""Where things outside the checkout live.

    <root>/go-mod, go-build          Go's module and build caches, shared by all versions
    <root>/controlplane-<hash>/      programs and rendered manifests of one set of versions
        bin/                         etcd, kube-apiserver, …
        objects/<operator>.json      CRDs, roles and webhook configurations, as rendered
        built/<module>.json          what the first build of a module cost

<hash> covers the go.mod, go.sum and main.go of a set of pins, the recipe in programs.py and the Go release, so a
change of any of them builds anew and nothing else does.
"""

import hashlib
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE / "modules"


def root() -> pathlib.Path:
    """${TPUWH_CACHE}, else ~/.cache/tpu-webhook."""
    chosen = os.environ.get("TPUWH_CACHE")
    return pathlib.Path(chosen) if chosen else pathlib.Path.home() / ".cache" / "tpu-webhook"


def go_environment(with_c: bool = False) -> dict:
    """The environment every `go` command runs in. -modcacherw lets `rm -rf` remove the cache."""
    environment = dict(os.environ)
    environment.update(
        GOCACHE=str(root() / "go-build"),
        GOMODCACHE=str(root() / "go-mod"),
        GOFLAGS="-buildvcs=false -modcacherw",
        GOTOOLCHAIN="local",
        GOWORK="off",
        CGO_ENABLED=str(int(with_c)),
        GOGC="400",  # the compiler collects less often: an eighth of its CPU, for memory that is there
    )
    return environment


def go_version() -> str:
    answer = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True)
    return answer.stdout.strip()


def home(folders: list, recipe: str) -> pathlib.Path:
    """The folder for the versions of these folders of MODULES; `recipe` is whatever else decides the result."""
    digest = hashlib.sha256()
    files = [MODULES / folder / name for folder in folders for name in ("go.mod", "go.sum", "main.go")]
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
