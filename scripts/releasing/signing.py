"""cosign with a key. Its signing config names no service: nothing is written into a public log, nobody is asked.

A signature says: whoever has the key published these bytes. COSIGN_PASSWORD opens the key, as cosign has it.
"""

from __future__ import annotations

import pathlib
import tempfile

from .words import run

SUFFIX = ".sigstore.json"


class Signer:
    """A cosign, and the key that it signs with."""

    def __init__(self, cosign: str, key: pathlib.Path):
        self._cosign, self._key = cosign, key
        self._folder = tempfile.TemporaryDirectory()
        self._config = pathlib.Path(self._folder.name) / "signing-config.json"
        run(cosign, "signing-config", "create", "--out", self._config)

    def public_key(self) -> bytes:
        return run(self._cosign, "public-key", "--key", self._key).encode()

    def file(self, path: pathlib.Path) -> pathlib.Path:
        """Signs a file; the signature stands beside it."""
        bundle = path.with_name(path.name + SUFFIX)
        run(self._cosign, "sign-blob", "--yes", "--key", self._key, "--signing-config", self._config, "--bundle", bundle, path)
        return bundle

    def image(self, name: str, *, plain: bool) -> None:
        """Signs what a registry has under NAME@DIGEST; of an index all that it lists, too."""
        run(self._cosign, "sign", "--yes", "--recursive", "--key", self._key, "--signing-config", self._config,
            *(["--allow-http-registry"] if plain else []), name)
