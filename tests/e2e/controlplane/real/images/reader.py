"""localhost/reader:1: Python with JAX and Ray, and what KubeRay's and the guides' commands call in a container.

The packages are those of the virtual environments that tests/readers/install makes and the stories of
tests/readers read with, copied into one, at READER. Ray's is made with the Python of JAX's, so there may be a
second one of it in the cache. Where no registry of packages can be reached and they are not there yet, install
ends with 77, and so does whoever asks for the image.

Left out: tests, Java, Ray's reinforcement learning, what only a compiler, a debugger or an editor reads. All Python
is compiled: importing JAX and Ray takes 1.5 s of CPU, and 6.6 where every container compiles anew. HOME is not said:
runc takes it from /etc/passwd, for root and for ray.
"""

import os
import pathlib
import re
import subprocess
import sys

from . import archive
from .root import Root
from .webhook import CHECKOUT

NAME = "localhost/reader:1"
READERS = CHECKOUT / "tests" / "readers"
LISTS = ("jax", "ray", "ray-default")  # of READERS/requirements
READER = "/opt/reader"
CONFIG = {
    # The last two are what an image for TPUs has in libtpu: there are no chips, and JAX looks for that file before chips.
    "Env": [f"PATH={READER}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
            "JAX_PLATFORMS=cpu", "TPU_LIBRARY_PATH=/etc/hostname"],
    "Cmd": ["/bin/bash"],
    "WorkingDir": "/",
}
PROGRAMS = """
    bash sh env cat ls cp mv rm mkdir rmdir ln touch chmod chown id whoami uname nproc sleep timeout date echo printf
    true false test expr seq head tail cut sort uniq tr tee wc od stat df du dirname basename readlink realpath mktemp
    sha256sum base64 nice nohup stdbuf sync tty yes [ grep sed awk find xargs tar gzip wget hostname getent ps kill
    mount which
""".split()
# By name and not by what the loader sees: glibc opens them when it needs them.
OPENED = "libnss_files.so.2 libnss_dns.so.2 libresolv.so.2 libgcc_s.so.1".split()
USERS = {"root": (0, 0, "/root"), "ray": (1000, 100, "/home/ray")}

# In Python's own library, and among packages.
OF_PYTHON = re.compile(r"(test|idlelib|tkinter|turtledemo|ensurepip|lib2to3|config-.*|site-packages|dist-packages)$"
                       r"|lib-dynload/(_tkinter|_test|xx).*")
OF_PACKAGES = re.compile(r"(pip|setuptools|_distutils_hack)(-.*)?$|distutils-precedence\.pth$|ray/(jars|rllib)$")
EVERYWHERE = re.compile(r"(.*/)?(__pycache__|tests|include)$|.*\.(a|h|hpp|pyi|pyx|pxd|pyc|js\.map)$")


def requirements() -> list:
    """The files that decide which packages are in it."""
    return [READERS / "install", *sorted((READERS / "requirements").glob("jax*.txt")),
            *(READERS / "requirements" / f"{name}.txt" for name in LISTS if name != "jax")]


def make(work: pathlib.Path, path: pathlib.Path) -> None:
    venvs = _venvs()
    _agree(venvs)
    program = os.path.realpath(_python_says(venvs[0], "import sys; print(sys._base_executable)"))
    library = _python_says(venvs[0], "import sysconfig; print(sysconfig.get_path('stdlib'))")
    packages = _python_says(venvs[0], "import sysconfig; print(sysconfig.get_path('purelib', vars={'base': '.'}))")
    print(f"  Python of {program}, packages of {', '.join(venv.name for venv in venvs)}", flush=True)
    root = Root(work / "root")
    root.copy(program)
    root.tree(library, library, _but(OF_PYTHON))
    for venv in venvs:
        root.tree(venv / packages, f"{READER}/{packages}", _but(OF_PACKAGES))
        _scripts(root, venv)
    _environment(root, program)
    print("  compiling what is Python", flush=True)
    _compile(root, program, [library, f"{READER}/{packages}"])
    _system(root)
    print("  libraries, and writing it down", flush=True)
    root.libraries()
    # Not numpy's: strip breaks libraries that auditwheel has moved things in.
    root.strip([os.path.dirname(library), *(f"{READER}/{packages}/{name}" for name in ("jaxlib", "ray"))])
    archive.write(path, NAME, root.folder, CONFIG, {home: (uid, gid) for uid, gid, home in USERS.values()})


def _but(these: re.Pattern):
    return lambda at: these.match(str(at)) or EVERYWHERE.match(str(at))


def _venvs() -> list:
    """One of each of LISTS, all with the Python of the first."""
    venvs, environment = [], dict(os.environ)
    for name in LISTS:
        install = [READERS / "install", name]
        made = subprocess.run(install, stdout=subprocess.PIPE, text=True, env=environment, check=False)
        if made.returncode:
            sys.exit(made.returncode)
        venvs.append(pathlib.Path(made.stdout.strip()))
        environment["TPUWH_PYTHON"] = _python_says(venvs[0], "import sys; print(sys._base_executable)")
    return venvs


def _agree(venvs: list) -> None:
    """One release of each package, or they cannot be in one place."""
    seen = {}
    for venv in venvs:
        for folder in venv.glob("lib/python3*/site-packages/*.dist-info"):
            package, _, release = folder.name.removesuffix(".dist-info").partition("-")
            if seen.setdefault(package, release) != release:
                raise RuntimeError(f"{package} is {seen[package]} and {release} in {', '.join(map(str, venvs))}")


def _python_says(venv: pathlib.Path, code: str) -> str:
    python = venv / "bin" / "python"
    return subprocess.run([python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def _scripts(root: Root, venv: pathlib.Path) -> None:
    """`ray`, …: written by pip with the path of the Python that they are for."""
    first = f"#!{venv}/bin/python"
    for file in sorted((venv / "bin").iterdir()):
        text = file.read_text(encoding="utf-8") if file.is_file() and not file.is_symlink() else ""
        if text.startswith(first) and not file.name.startswith("pip"):
            root.text(f"{READER}/bin/{file.name}", f"#!{READER}/bin/python\n" + text.split("\n", 1)[1], executable=True)


def _environment(root: Root, program: str) -> None:
    """What makes READER a virtual environment of the Python at `program`."""
    root.text(f"{READER}/pyvenv.cfg", f"home = {os.path.dirname(program)}\ninclude-system-site-packages = false\n")
    for name in {"python", "python3", os.path.basename(program)}:
        (root.folder / READER.lstrip("/") / "bin" / name).symlink_to(program)


def _compile(root: Root, program: str, folders: list) -> None:
    command = [program, "-m", "compileall", "-q", "-s", root.folder, "-p", "/", "--invalidation-mode", "unchecked-hash"]
    # Some packages bring templates that are no Python, which is no failure.
    command += [f"{root.folder}{folder}" for folder in folders]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def _system(root: Root) -> None:
    """A shell and its tools, users, where names are looked up, places to write."""
    root.programs(PROGRAMS)
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    for name in OPENED:
        if found := re.search(rf"^\s{re.escape(name)} \(.*x86-64.*\) => (\S+)", listed, re.MULTILINE):
            root.copy(found.group(1))
    users = [f"{user}:x:{uid}:{gid}::{home}:/bin/bash\n" for user, (uid, gid, home) in USERS.items()]
    root.text("/etc/passwd", "".join(users))
    root.text("/etc/group", "root:x:0:\nusers:x:100:\n")
    root.text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    for path in [home for _, _, home in USERS.values()] + ["/proc", "/sys", "/dev", "/run", "/var/log"]:
        root.folder_of(path, 0o755)
    for path in ("/tmp", "/var/tmp"):
        root.folder_of(path, 0o1777)
