"""A real browser, driven over two pipes: Chromium headless, by its own protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 45
"""Seconds to wait for a word of the browser: the machine may be busy."""
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-pipe",
)


class Pipe:
    """Two pipes to the browser: what is asked, what it answers, and what else it says."""

    def __init__(self, tell: Any, hear: Any) -> None:
        self.events: list[dict[str, Any]] = []
        self.session: dict[str, str] = {}
        self._tell, self._hear, self._left, self._count = tell, hear, b"", 0

    def ask(self, method: str, **about: Any) -> dict[str, Any]:
        """Ask, and wait for the answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": about} | self.session
        self._tell.write(json.dumps(message).encode() + b"\0")
        while (found := self._next()).get("id") != self._count:
            pass
        assert "error" not in found, (method, found)
        return dict(found["result"])

    def wait(self, event: str) -> None:
        """Wait until the browser tells of *event*, unless it has done so already."""
        while not any(each["method"] == event for each in self.events):
            self._next()

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._hear], [], [], PATIENCE)
            more = os.read(self._hear.fileno(), 1 << 16) if ready else b""
            assert more, "the browser does not answer"
            self._left += more
        line, _, self._left = self._left.partition(b"\0")
        found: dict[str, Any] = json.loads(line)
        if "method" in found:
            self.events.append(found)
        return found


class Tab:
    """A page in the browser, and everything it complained of."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self.ask = pipe.ask

    def open(self, path: Path, *, width: int = 1280, dark: bool = False) -> None:
        """Load a file at this width, in this colour scheme."""
        self._pipe.events.clear()
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=path.as_uri())
        self._pipe.wait("Page.loadEventFired")

    def eval(self, expression: str) -> Any:
        """Evaluate in the page (the protocol may; the page itself may not)."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Press and let go of a key."""
        named = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **named)

    def screenshot(self, target: Path) -> None:
        """Draw the whole page, not only what is in sight."""
        made = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        target.write_bytes(base64.b64decode(made["data"]))

    def pdf(self) -> bytes:
        """Print the page."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"])

    @property
    def complaints(self) -> list[str]:
        """What the browser logged: violations of the policy, errors, and requests for more."""
        said, asked, stopped = [], {}, set()
        for event in self._pipe.events:
            kind, about = event["method"], event["params"]
            if kind == "Log.entryAdded":
                said.append(about["entry"]["text"])
            if kind == "Runtime.exceptionThrown":
                said.append(str(about["exceptionDetails"]))
            if kind == "Network.requestWillBeSent":
                asked[about["requestId"]] = about["request"]["url"]
            if kind == "Network.loadingFailed" and about.get("blockedReason") == "csp":
                stopped.add(about["requestId"])
        for name, url in asked.items():
            if name not in stopped and not url.startswith("file:"):
                said.append(f"request: {url}")
        return said


@contextmanager
def chromium(folder: Path) -> Iterator[Tab]:
    """Start the browser with a profile in *folder*; end it in the end."""
    assert CHROMIUM is not None
    inward, outward = os.pipe(), os.pipe()
    # The browser reads commands from descriptor 3 and answers on 4.
    words = " ".join([CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"])
    script = f"exec {words} 3<&{inward[0]} 4>&{outward[1]}"
    process = subprocess.Popen(
        ["bash", "-c", script],
        pass_fds=(inward[0], outward[1]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(inward[0])
    os.close(outward[1])
    with os.fdopen(inward[1], "wb", 0) as tell, os.fdopen(outward[0], "rb", 0) as hear:
        try:
            yield _first_tab(Pipe(tell, hear))
        finally:
            process.terminate()
            process.wait(20)


def _first_tab(pipe: Pipe) -> Tab:
    made = pipe.ask("Target.createTarget", url="about:blank")
    attached = pipe.ask("Target.attachToTarget", targetId=made["targetId"], flatten=True)
    pipe.session = {"sessionId": attached["sessionId"]}
    for domain in ("Page", "Log", "Runtime", "Network"):
        pipe.ask(f"{domain}.enable")
    return Tab(pipe)
