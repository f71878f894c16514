"""The verbs that serve others: serve (HTTP) and mcp (agents)."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from consilience.cli import app
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.errors import InputError, MissingExtraError
from consilience.models import Ledger
from consilience.service import Bounds
from consilience.store import cache_folder

if TYPE_CHECKING:
    from consilience.service.host import Address
    from consilience.service.work import Work

NoModel = Annotated[bool, Parameter(name="--no-model", negative=())]
_BOUNDS = Bounds()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Listen:
    """Where to listen, and to whom."""

    host: str = "127.0.0.1"
    """The address to listen at; anything but this machine's own needs a token."""
    port: int = 8321
    """0 takes any that is free."""
    token_file: Path | None = None
    """A file with the token that clients must send. Default: CONSILIENCE_TOKEN, else none."""
    allow_host: Annotated[tuple[str, ...], Parameter(negative=())] = ()
    """A name by which clients call this machine, besides localhost and its addresses."""

    def token(self) -> str | None:
        """Read the token.

        Raises:
            InputError: the file cannot be read, or is empty.
        """
        if self.token_file is None:
            return os.environ.get("CONSILIENCE_TOKEN") or None
        try:
            token = self.token_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            message = f"{self.token_file}: the token cannot be read ({error})."
            raise InputError(message, hint="Name a file that holds the token alone.") from None
        if not token:
            message = f"{self.token_file}: is empty."
            raise InputError(message, hint="Put the token in it.")
        return token


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Limit:
    """What clients may ask for."""

    max_body_mb: float = _BOUNDS.body_bytes / (1 << 20)
    """Megabytes of one request."""
    max_candidates: int = _BOUNDS.candidates
    """Candidates of one order."""
    queue: int = _BOUNDS.queue
    """Jobs that may wait in each lane; more are told to come back later."""
    wait: float = _BOUNDS.wait_seconds
    """Seconds a request may wait for its answer."""
    grace: float = 10.0
    """Seconds that running jobs have to end when the server is stopped."""
    keep_hours: float = 24.0
    """How long results are kept."""

    def bounds(self) -> Bounds:
        """Return the limits as the service takes them."""
        return Bounds(
            body_bytes=int(self.max_body_mb * (1 << 20)),
            candidates=self.max_candidates,
            queue=self.queue,
            wait_seconds=self.wait,
        )


_LISTEN = Listen()
_LIMIT = Limit()


@app.command
def serve(
    *,
    listen: Listen = _LISTEN,
    limit: Limit = _LIMIT,
    jobs: Path | None = None,
    agents: Annotated[bool, Parameter(name="--mcp", negative=())] = False,
    no_model: NoModel = False,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Serve judge, tests, rank and entropy over HTTP, until Ctrl-C or SIGTERM.

    What there is: GET / and GET /openapi.json. Long orders are jobs, which survive the server.
    Limits of tokens, cost and time hold for each order.

    Parameters
    ----------
    jobs
        The file that keeps jobs and results. Default: jobs.sqlite beside the store.
    agents
        Serve agents too, by the Model Context Protocol at /mcp.
    no_model
        Serve rank and entropy alone, which ask no model.
    """
    try:
        from consilience.service.host import Address, Habits  # noqa: PLC0415  # an extra
        from consilience.service.host import serve as run  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("starlette with uvicorn", "serve") from None
    address = Address(listen.host, listen.port, listen.token(), listen.allow_host)
    folder = engine.store.parent if engine.store else cache_folder()
    habits = Habits(
        jobs=jobs or folder / "jobs.sqlite",
        bounds=limit.bounds(),
        asking=max(1, engine.workers),
        agents=agents,
        grace=limit.grace,
        keep_seconds=limit.keep_hours * 3600,
    )
    with _logged(), opened(engine, no_model) as work:
        ended = run(work, address, habits, ready=partial(_ready, work, address, agents))
    left = f" {_jobs(ended.left)} left, to go on at the next start." if ended.left else ""
    print(f"Stopped.{left}", file=sys.stderr)
    return 130 if ended.interrupted else 0


@app.command
def mcp(*, no_model: NoModel = False, engine: Engine = DEFAULT_ENGINE) -> int:
    """Serve an agent over stdin and stdout by the Model Context Protocol.

    For the agent's configuration: command "consilience", arguments ["mcp"]. Tools:
    judge_candidates, entropy_of_drafts, write_tests, rank_candidates.

    Parameters
    ----------
    no_model
        Offer entropy_of_drafts and rank_candidates alone, which ask no model.
    """
    try:
        from consilience.service.agents import serve_stdio  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("mcp", "mcp") from None
    # A thread that reads stdin cannot be interrupted, and there is nothing here to be saved.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with _logged(), opened(engine, no_model) as work:
        serve_stdio(work, _BOUNDS, asking=max(1, engine.workers))
    return 0


@contextmanager
def opened(engine: Engine, no_model: bool) -> Iterator[Work]:
    """Open what all orders share; close it in the end."""
    from consilience.models.choice import open_model  # noqa: PLC0415  # only when asked for
    from consilience.service.work import Work  # noqa: PLC0415  # only when asked for

    with ExitStack() as stack:
        sandbox = stack.enter_context(engine.sandbox())
        store = stack.enter_context(engine.open_store())
        model = None if no_model else open_model(engine.model, engine.base_url)
        stack.callback(getattr(model, "close", lambda: None))
        yield Work(model, sandbox, store, engine.settings(), Ledger(), budget=engine.budget)


def _ready(work: Work, address: Address, agents: bool, url: str, resumed: int) -> None:
    model = "no model" if work.model is None else f"model {work.model.name}"
    guard = "token required" if address.token else "no token needed"
    print(f"Consilience serves on {url} ({model}, {guard}).", file=sys.stderr)
    if resumed:
        print(f"{_jobs(resumed)} of the last run go on.", file=sys.stderr)
    told = f"What there is: {url}/openapi.json{', and for agents /mcp' if agents else ''}."
    print(f"{told} Stop with Ctrl-C.", file=sys.stderr, flush=True)


def _jobs(count: int) -> str:
    return f"{count} job{'' if count == 1 else 's'}"


@contextmanager
def _logged() -> Iterator[None]:
    """Write a line on stderr for each job that ends, and a traceback for each surprise."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("consilience.service")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
