"""The root of an image's file system, filled with files of this machine, each at its own place."""

import os
import pathlib
import re
import shutil
import subprocess

LINKS = ("bin", "sbin", "lib", "lib64")  # of the root, which lead into /usr on Debian


class Root:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        folder.mkdir()
        for name in LINKS:
            if os.path.islink(f"/{name}"):
                target = folder / os.path.realpath(f"/{name}").lstrip("/")
                target.mkdir(parents=True, exist_ok=True)
                (folder / name).symlink_to(target.relative_to(folder))

    def at(self, path) -> pathlib.Path:
        """Where a file of this machine is in the image."""
        path = pathlib.Path(path)
        return self.folder / os.path.realpath(path.parent).lstrip("/") / path.name

    def copy(self, source) -> None:
        """A file; what a link leads to under the link's name. Everybody may read it."""
        target = self.at(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)

    def tree(self, source, target, without) -> None:
        """A folder of this machine as the image's folder `target`, but for what `without(path in it)` names."""
        source, target = pathlib.Path(source), self.folder / str(target).lstrip("/")
        for folder, folders, files in os.walk(source):
            inside = pathlib.Path(folder).relative_to(source)
            folders[:] = [name for name in folders if not without(inside / name)]
            (target / inside).mkdir(parents=True, exist_ok=True)
            for name in files:
                if not without(inside / name):
                    made = target / inside / name
                    shutil.copyfile(f"{folder}/{name}", made)
                    made.chmod(0o755 if os.access(f"{folder}/{name}", os.X_OK) else 0o644)

    def programs(self, names) -> None:
        found = {name: shutil.which(name) for name in names}
        if missing := [name for name, path in found.items() if not path]:
            raise RuntimeError(f"the image needs {', '.join(missing)}, which this machine has not: apt-get install")
        for path in found.values():
            self.copy(path)

    def text(self, path: str, text: str, executable: bool = False) -> None:
        target = self.folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        target.chmod(0o755 if executable else 0o644)

    def folder_of(self, path: str, mode: int) -> None:
        target = self.folder / path.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        target.chmod(mode)

    def strip(self, folders: list) -> None:
        """Leave out of programs and libraries what only debuggers and linkers read."""
        files = [file for folder in folders for file in self._binaries(folder)]
        subprocess.run(["strip", "--strip-unneeded", *files], check=True)

    def libraries(self) -> None:
        """What the loader needs for all that is here so far, itself among them."""
        printed = subprocess.run(["ldd", *self._binaries("/")], capture_output=True, text=True, check=False).stdout
        if missing := sorted(set(re.findall(r"(\S+) => not found", printed))):
            raise RuntimeError(f"libraries that this machine has not: {', '.join(missing)}")
        for path in sorted(set(re.findall(r"(/\S+) \(0x", printed))):
            if not path.startswith(f"{self.folder}/"):
                self.copy(path)

    def _binaries(self, folder) -> list:
        inside = self.folder / str(folder).lstrip("/")
        files = [path for path in inside.rglob("*") if path.is_file() and not path.is_symlink()]
        return [path for path in files if _begins(path, b"\x7fELF")]


def _begins(path: pathlib.Path, with_bytes: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(len(with_bytes)) == with_bytes
