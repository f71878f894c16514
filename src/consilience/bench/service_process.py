"""`consilience serve` in a process of its own, to be loaded, looked at and killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Self

import httpx2

from consilience.bench.soak import below, holdings
from consilience.errors import ConsilienceError

PATIENCE = 30.0
"""Seconds in which what a killed service had started must be gone."""

_RUN = "import sys; from consilience.cli import main; sys.exit(main(sys.argv[1:]))"
_TICKS = os.sysconf("SC_CLK_TCK")


class Service:
    """Starts the service on a free port with its files in a folder; ends it in the end."""

    def __init__(self, folder: Path, base_url: str, *options: str) -> None:
        """Start it, with the model at *base_url*.

        Raises:
            ConsilienceError: it did not come up; the message is what it said.
        """
        words = ["serve", "--port", "0", "--model", "stub", "--base-url", base_url, *options]
        words += ["--store", str(folder / "store.sqlite")]
        self._process = subprocess.Popen(  # noqa: S603  # our own command
            [sys.executable, "-c", _RUN, *words], stderr=subprocess.PIPE, text=True
        )
        self._said: list[str] = []
        self._up = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._up.wait()
        found = re.search(r"http://\S+:\d+", "".join(self._said))
        if found is None:
            message = f"The service did not start: {''.join(self._said).strip()[-500:]}"
            raise ConsilienceError(message)
        self.url = found[0]

    @property
    def said(self) -> str:
        """What it wrote on stderr so far."""
        return "".join(self._said)

    def client(self) -> httpx2.Client:
        """Make a client of the service."""
        return httpx2.Client(base_url=self.url, timeout=120.0)

    def holdings(self) -> dict[str, int]:
        """Count what the service and its workers hold."""
        found = holdings(self._process.pid)
        return {name: found[name] for name in ("processes", "descriptors", "resident_kib")}

    def cpu_seconds(self) -> float:
        """Add up the CPU time of the service, its workers, and the programs they have run."""
        return sum(_used(pid) for pid in (self._process.pid, *below(self._process.pid)))

    def kill(self) -> int:
        """Kill it with signal 9, as a machine that runs out of memory does.

        Returns how many of the processes that it had started are left some seconds later.
        """
        started = list(below(self._process.pid))
        self._process.kill()
        self._process.wait()
        deadline = time.monotonic() + PATIENCE
        while (left := sum(map(_lives, started))) and time.monotonic() < deadline:
            time.sleep(0.05)
        return left

    def stop(self) -> int:
        """Stop it as an init system does; return its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(60)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()
        self._reader.join(10)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _read(self) -> None:
        """Collect stderr; the line that tells how to stop is the last one of a start."""
        for line in self._process.stderr or ():
            self._said.append(line)
            if "Stop with" in line:
                self._up.set()
        self._up.set()


def _used(pid: int) -> float:
    """Return the CPU seconds of a process and of those of its children that have ended."""
    return sum(map(int, _state(pid)[11:15])) / _TICKS


def _lives(pid: int) -> bool:
    return _state(pid)[:1] not in ([], ["Z"])


def _state(pid: int) -> list[str]:
    """Read what the kernel says of a process after its name; nothing where it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
