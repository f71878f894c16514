"""One worker process, as the judge sees it: start it, prove it, give it jobs, end it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from consilience.errors import SandboxError
from consilience.sandbox import Limits, Status
from consilience.sandbox.inside import bridge
from consilience.sandbox.nursery import lasting

BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inside import worker; del sys.path[0]; "
    "worker.main(int(sys.argv[2]))"
)
START_SECONDS = 60.0
END_SECONDS = 10.0
LOOK_SECONDS = 0.25
GRACE_SECONDS = 1.0


class WorkerDiedError(Exception):
    """The worker is gone or does not answer; another one has to take the job."""


class HarnessError(Exception):
    """A child could not be made ready: a fault of the sandbox, before the program was read."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended."""

    status: int
    """As from waitpid."""
    cpu_seconds: float
    peak_memory: int
    """Bytes."""
    killed: Status | None = None
    """Why the judge had it killed, where it did."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How a worker is to be started."""

    layers: tuple[str, ...]
    packages: tuple[str, ...] = ()
    """Folders that programs may import from, besides the standard library."""
    roots: tuple[str, ...] = ()
    """Folders of the user's own that programs may import from, before all others."""
    visible: tuple[str, ...] = ()
    """What in the roots may be read."""
    state: str = ""
    """Tells what is visible from what it was before a change."""
    preload: tuple[str, ...] = ()
    hash_seed: int = 0
    scratch_mb: int = 0
    """Size of a writable /tmp, emptied after every program; 0 for none."""
    python: str = ""
    """The interpreter to run programs in; the one that runs the judge where empty."""
    container: tuple[str, ...] = ()
    """The command that starts a worker in a container; empty for one on this machine."""

    def with_layers(self, layers: tuple[str, ...]) -> Setup:
        """Return the same set-up with other layers."""
        return replace(self, layers=layers)


class Reader(Protocol):
    """Takes what a child says."""

    @property
    def fault(self) -> Status | None:
        """Why the child must be stopped, or None."""
        ...

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        ...


class WorkerProcess:
    """A confined interpreter that forks a child a job. Not thread-safe: one job at a time."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.jobs = 0
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if setup.container:
            self._process = _spawn_container(setup, theirs)
        else:
            self._process = _spawn(setup, theirs)
            theirs.close()
        self.reports: list[tuple[str, bool, str]] = []
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def run(
        self,
        message: bytes,
        transcript: Reader,
        limits: Limits,
        end: float,
        opened: Callable[[socket.socket], None] = lambda ours: None,
        streams: Sequence[int] = (),
    ) -> Ending:
        """Have a child do the job in *message*; feed what it says to *transcript*.

        The child is killed when it makes no progress, breaks the form, or at *end* (monotonic).
        What is sent on the socket that *opened* is given reaches the child after its job; the
        descriptors in *streams* become its standard input and output.
        Raises WorkerDiedError where the worker itself is gone.
        """
        self.jobs += 1
        ours, theirs = socket.socketpair()
        with ours:
            try:
                socket.send_fds(self._control, [b"J"], [theirs.fileno(), *streams])
            except OSError as error:
                raise WorkerDiedError(str(error)) from error
            finally:
                theirs.close()
            ours.settimeout(LOOK_SECONDS)
            send(ours, message, end)
            opened(ours)
            killed = self._listen(ours, transcript, _Patience(limits, end))
            return self._ending(killed)

    def close(self) -> None:
        """End the worker and whatever it runs."""
        self._control.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _listen(
        self, ours: socket.socket, transcript: Reader, patience: _Patience
    ) -> Status | None:
        killed: Status | None = None
        while True:
            try:
                data = ours.recv(1 << 18)
            except TimeoutError:
                data = None
            except OSError:
                data = b""
            if data == b"":
                return killed
            if data:
                transcript.feed(data)
                patience.progress()
            reason = transcript.fault or patience.over(self._cpu_seconds)
            if reason and not killed:
                killed = reason
                self._send(b"K")

    def _cpu_seconds(self) -> float:
        self._send(b"C")
        while True:
            words = self._receive(END_SECONDS).split()
            if words[0] == b"C":
                return float(words[1])
            self._ended = words
            return 0.0

    def _ending(self, killed: Status | None) -> Ending:
        words = self._ended or []
        self._ended = None
        if not words:
            try:
                words = self._await_end(1.0)
            except TimeoutError:
                # It hung up but lives on.
                killed = killed or "timeout"
                self._send(b"K")
                words = self._await_end(END_SECONDS)
        return Ending(int(words[1]), float(words[2]), int(words[3]) << 10, killed)

    _ended: list[bytes] | None = None

    def _await_end(self, seconds: float) -> list[bytes]:
        while True:
            words = self._receive(seconds).split()
            if words[0] == b"H":
                raise HarnessError(b" ".join(words[1:]).decode("ascii", "replace"))
            if words[0] == b"X":
                return words

    def _receive(self, seconds: float) -> bytes:
        self._control.settimeout(seconds)
        try:
            message = self._control.recv(1 << 16)
        except TimeoutError:
            raise
        except OSError as error:
            raise WorkerDiedError(str(error)) from error
        if not message:
            raise WorkerDiedError("the worker ended")
        return message

    def _send(self, message: bytes) -> None:
        try:
            self._control.send(message)
        except OSError as error:
            raise WorkerDiedError(str(error)) from error

    def _greet(self) -> None:
        settings = {
            "layers": self.setup.layers,
            "packages": self.setup.packages,
            "roots": self.setup.roots,
            "visible": self.setup.visible,
            "preload": self.setup.preload,
            "scratch_mb": self.setup.scratch_mb,
        }
        self._send(json.dumps(settings).encode())
        try:
            hello = json.loads(self._receive(START_SECONDS))
        except (TimeoutError, WorkerDiedError, ValueError) as error:
            where = f" in {self.setup.python}" if self.setup.python else ""
            message = f"The sandbox's worker did not start{where}: {error}."
            raise SandboxError(message) from error
        self.reports = [(name, granted, detail) for name, granted, detail in hello["reports"]]


class _Patience:
    """Decides when a silent child has had its time."""

    def __init__(self, limits: Limits, end: float) -> None:
        self._limits, self._end = limits, end
        self._since = time.monotonic()
        self._cpu_then: float | None = None

    def progress(self) -> None:
        self._since = time.monotonic()
        self._cpu_then = None

    def over(self, cpu_seconds: Callable[[], float]) -> Status | None:
        """Tell why the child must go, or None.

        The child's own timers end a call in time; this is for one that disarmed them.
        """
        now = time.monotonic()
        silent = now - self._since
        if now > self._end or silent > self._limits.wall_seconds + GRACE_SECONDS:
            return "timeout"
        if silent < self._limits.cpu_seconds + GRACE_SECONDS:
            return None
        used = cpu_seconds()
        if self._cpu_then is None:
            self._cpu_then = used
        return "timeout" if used - self._cpu_then > self._limits.cpu_seconds else None


def _spawn(setup: Setup, control: socket.socket) -> subprocess.Popen[bytes]:
    arguments = ["-S", "-s", "-P", "-B", "-X", "utf8", "-c", BOOT, str(Path(__file__).parent)]
    return lasting(
        lambda: subprocess.Popen(  # noqa: S603 - our own worker
            [setup.python or interpreter(), *arguments, str(control.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("ZDEBUG") else subprocess.DEVNULL,
            env={"PYTHONHASHSEED": str(setup.hash_seed), "LC_ALL": "C.UTF-8"},
            pass_fds=[control.fileno()],
            start_new_session=True,
        )
    )


def _spawn_container(setup: Setup, control: socket.socket) -> subprocess.Popen[bytes]:
    """Start a container and a thread that carries the worker's sockets over its pipes."""
    process = subprocess.Popen(  # noqa: S603 - our own worker
        setup.container,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    threading.Thread(target=_carry, args=(process, control), daemon=True).start()
    return process


def _carry(process: subprocess.Popen[bytes], control: socket.socket) -> None:
    if process.stdin and process.stdout:
        with process.stdin, process.stdout:
            bridge.Bridge(control, process.stdout.fileno(), process.stdin.fileno()).run()


def send(ours: socket.socket, message: bytes, end: float) -> None:
    """Send all of *message*, however slowly it is read, until *end* (monotonic).

    A child that dies before it has read it is told by its ending.
    """
    data = memoryview(message)
    with contextlib.suppress(OSError):
        while data and time.monotonic() < end:
            # The socket's time is up sooner than a busy machine may need to start the child.
            with contextlib.suppress(TimeoutError):
                data = data[ours.send(data) :]


def interpreter() -> str:
    """Return the interpreter under any virtual environment, with only the standard library."""
    base: str = getattr(sys, "_base_executable", sys.executable)
    return base if os.access(base, os.X_OK) else sys.executable
