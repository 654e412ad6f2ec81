"""The program that is tested."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]


def program() -> pathlib.Path:
    """$TPUWH_PROGRAM, else that of build/ci or build/dev; the operators' is beside it."""
    given = os.environ.get("TPUWH_PROGRAM")
    places = [pathlib.Path(given)] if given else [ROOT / "build" / name / "server" / "tpu-webhook" for name in ("ci", "dev")]
    found = next((place for place in places if place.exists()), None)
    if not found:
        raise RuntimeError(f"no program to test: {', '.join(map(str, places))}")
    return found
