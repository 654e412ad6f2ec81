"""A headless Chromium, spoken to over a pipe: the DevTools protocol, one JSON message after the other
(--remote-debugging-pipe). Standard library only; Debian package `chromium`.
"""

import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--disable-default-apps", "--disable-dev-shm-usage", "--mute-audio", "--force-device-scale-factor=1",
         "--remote-debugging-pipe"]
PATIENCE = 30  # seconds for an answer; a page takes milliseconds, a first start seconds


def installed():
    return shutil.which("chromium")


class Browser:
    """One process with one page. `events` collects what the page did: (method, params)."""

    def __init__(self):
        self.events = []
        self._folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        self._number, self._session, self._rest = 0, None, b""
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        self._process = self._start(to_read, to_write)
        os.close(to_read)
        os.close(to_write)
        self._attach()

    def _start(self, to_read, to_write):
        # Chromium reads from descriptor 3 and writes to 4; the shell puts ours there.
        command = ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "chromium", "chromium", *FLAGS,
                   f"--user-data-dir={self._folder.name}", "about:blank"]
        return subprocess.Popen(command, pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                env={**os.environ, "HOME": self._folder.name})

    def _attach(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(each for each in targets if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda each: each.get("id") == self._number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait_for(self, method):
        return self._until(lambda each: each.get("method") == method)["params"]

    def _until(self, wanted):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            message = self._message(deadline)
            if "method" in message:
                self.events.append((message["method"], message.get("params", {})))
                if message["method"] == "Page.javascriptDialogOpening":  # it would block the page
                    self._send_only("Page.handleJavaScriptDialog", accept=True)
            if wanted(message):
                return message
        raise TimeoutError("Chromium does not answer")

    def _send_only(self, method, **params):
        self._number += 1
        os.write(self._write, json.dumps({"id": self._number, "method": method, "params": params,
                                          "sessionId": self._session}).encode() + b"\0")

    def _message(self, deadline):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self._read, 1 << 20) if ready else b""
            if not piece:
                raise TimeoutError(f"Chromium stopped or does not answer (exit code {self._process.poll()})")
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        """What an expression of JavaScript is worth; the page's policy does not touch this."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def size(self, width, height=800):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def scheme(self, name):
        """"light" or "dark", as a reader's system prefers it."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path, tallest=1600):
        """The page from its top."""
        height = self.evaluate("Math.ceil(document.documentElement.getBoundingClientRect().height)")
        width = self.evaluate("window.innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, tallest), "scale": 1}
        picture = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        with contextlib.suppress(OSError):
            os.close(self._write)
            os.close(self._read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
