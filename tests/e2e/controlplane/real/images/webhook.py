"""localhost/tpu-webhook:VERSION, a program as scripts/image packs it; one archive per content of the program.

VERSION is the chart's appVersion, which its Deployment asks for where values name no tag. As root.
"""

import hashlib
import os
import pathlib
import re
import subprocess

CHECKOUT = pathlib.Path(__file__).resolve().parents[5]
PACKERS = [CHECKOUT / "scripts" / name for name in ("image", "image-root")]


def name() -> str:
    chart = (CHECKOUT / "charts" / "tpu-webhook" / "Chart.yaml").read_text(encoding="utf-8")
    return "localhost/tpu-webhook:" + re.search(r"^appVersion: \"?([^\s\"]+)", chart, re.MULTILINE).group(1)


def file(program: pathlib.Path) -> str:
    digest = hashlib.sha256(name().encode())
    for path in [program, *PACKERS]:
        digest.update(path.read_bytes())
    return f"tpu-webhook-{digest.hexdigest()[:12]}.tar"


def make(program: pathlib.Path, work: pathlib.Path, path: pathlib.Path) -> None:
    packed = work / "packed"
    subprocess.run([PACKERS[0], "--program", program.resolve(), "--tag", name(), "--output", packed], check=True)
    os.replace(packed / "tpu-webhook.tar", path)
