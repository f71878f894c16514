"""Run the HTTP service in this process: bind, serve, and stop without losing anything."""

from __future__ import annotations

import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from consilience.errors import MissingExtraError, UsageError
from consilience.service import Bounds
from consilience.service.door import Door, check_exposure
from consilience.service.jobs import Queue
from consilience.service.journal import KEEP_SECONDS, Journal
from consilience.service.web import Desk, application
from consilience.service.work import Work


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service listens, and who may call."""

    host: str = "127.0.0.1"
    port: int = 8321
    """0 takes any that is free."""
    token: str | None = field(default=None, repr=False)
    hosts: tuple[str, ...] = ()
    """More names by which clients call this machine."""

    def names(self) -> frozenset[str]:
        """List the names that a Host header may have."""
        return frozenset({"localhost", self.host.lower(), *map(str.lower, self.hosts)})


@dataclass(frozen=True, slots=True)
class Habits:
    """How the service works."""

    jobs: Path
    """The file that keeps jobs and results."""
    bounds: Bounds = field(default_factory=Bounds)
    asking: int = 2
    """Jobs at once that ask the model."""
    quick: int = 2
    """Jobs at once that do not."""
    agents: bool = False
    """Serve MCP at /mcp as well."""
    grace: float = 10.0
    """Seconds for what runs to end when the service is stopped."""
    keep_seconds: float = KEEP_SECONDS


@dataclass(frozen=True, slots=True)
class Ended:
    """How the service ended."""

    left: int
    """Jobs that go on at the next start."""
    interrupted: bool
    """By Ctrl-C, not by SIGTERM."""


def serve(
    work: Work,
    address: Address,
    habits: Habits,
    *,
    ready: Callable[[str, int], None] = lambda url, resumed: None,
) -> Ended:
    """Serve until a signal ends it.

    Args:
        work: what carries out orders.
        address: where to listen.
        habits: limits, lanes and the journal.
        ready: called with the URL and the number of resumed jobs once clients may come.

    Raises:
        UsageError: the address is taken, or open to others without a token.
        StoreError: the journal cannot be used.
    """
    check_exposure(address.host, address.token)
    with ExitStack() as stack:
        bound = stack.enter_context(bind(address.host, address.port))
        journal = Journal(habits.jobs, keep_seconds=habits.keep_seconds)
        stack.callback(journal.close)
        queue = Queue(work.do, journal, habits.bounds, asking=habits.asking, quick=habits.quick)
        ending = threading.Event()
        desk = Desk(queue, habits.bounds, work.check, ending.is_set)
        app = application(desk, *_agents(desk)) if habits.agents else application(desk)
        door = Door(app, address.token, address.names())
        server = _Server(_config(door), ending)
        interrupted = False
        try:
            with _terminable():
                ready(url_of(bound), sum(queue.counts()))
                server.run(sockets=[bound])
        except KeyboardInterrupt:
            interrupted = True
        finally:
            left = queue.close(habits.grace)
    return Ended(left, interrupted)


def url_of(bound: socket.socket) -> str:
    """Write the address of a socket as clients use it."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def bind(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at an address.

    Raises:
        UsageError: it is taken, not this machine's, or not allowed.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.create_server(where[:2], family=family, backlog=512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        message = f"Cannot listen at {host}:{port}: {why}."
        hint = "Name another --host or --port."
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            hint = "Another server is there: end it, or name another --port (0: any)."
        raise UsageError(message, hint=hint) from None
    with bound:
        yield bound


class _Server(uvicorn.Server):
    """Tells the routes at once that the end has come, so that nobody is kept waiting."""

    def __init__(self, config: uvicorn.Config, ending: threading.Event) -> None:
        super().__init__(config)
        self._ending = ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._ending.set()
        super().handle_exit(sig, frame)


def _agents(desk: Desk) -> tuple[Any, Any]:
    try:
        from consilience.service.agents import over_http  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("mcp", "mcp") from None
    return over_http(desk.queue, desk.bounds, desk.check)


def _config(door: Door) -> uvicorn.Config:
    return uvicorn.Config(
        door,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
    )


class _Terminated(BaseException):
    """SIGTERM came; uvicorn raises it again once it has stopped serving."""


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM unwind what is open instead of ending the process on the spot."""

    def unwind(*_: Any) -> None:
        raise _Terminated

    try:
        before = signal.signal(signal.SIGTERM, unwind)
    except ValueError:  # not in the main thread, as in tests: nobody sends signals there
        yield
        return
    try:
        yield
    except _Terminated:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
