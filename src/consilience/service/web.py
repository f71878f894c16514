"""The HTTP interface: orders in, answers and jobs out.

Errors have the shape of `refusals.fault`. Nothing that takes time runs in the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Lifespan

from consilience import __version__
from consilience.errors import ConsilienceError
from consilience.service import ASKING, OVER, Bounds, Kind
from consilience.service.answers import status
from consilience.service.jobs import Queue
from consilience.service.journal import Entry
from consilience.service.lanes import Job
from consilience.service.openapi import PATHS, document
from consilience.service.orders import Order, read
from consilience.service.refusals import (
    CancelledError,
    NoSuchThingError,
    ServiceError,
    TooLargeError,
    TooSlowError,
    UnfinishedError,
    WrongMethodError,
    WrongTypeError,
    fault,
    status_of,
)
from consilience.service.waiting import until_over

BODY_SECONDS = 60.0
"""In which a body must have come."""
ONCE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Desk:
    """What the routes work with."""

    queue: Queue
    bounds: Bounds
    check: Callable[[Order], None]
    """Finds what is wrong with an order before anything is promised."""
    closing: Callable[[], bool] = lambda: False

    async def order(self, kind: Kind, request: Request) -> Response:
        """Take an order: answer it where the client waits for it, else promise it as a job."""
        body = await _body(request, self.bounds.body_bytes)
        once = _once(request)
        wait = self._patience(request, 0.0 if kind in ASKING else self.bounds.wait_seconds)
        keep = kind in ASKING or wait == 0 or once is not None
        job = await run_in_threadpool(self._accept, kind, body, once, keep)
        await until_over(job, wait, self.closing)
        if not job.kept and not job.over.done():
            await run_in_threadpool(self.queue.keep, job)
        if not job.kept:
            return _json(await asyncio.wrap_future(job.over))
        entry = await self._entry(job.entry.id)
        found = self._outcome if entry.state in OVER else self._told
        response = await found(entry)
        response.headers["Location"] = f"/v1/jobs/{entry.id}"
        return response

    async def status(self, request: Request) -> Response:
        """Say how a job stands; with ?wait=SECONDS once it is over, or after that time."""
        job_id = request.path_params["id"]
        job = self.queue.alive(job_id)
        if job is not None:
            await until_over(job, self._patience(request, 0.0), self.closing)
        return await self._told(await self._entry(job_id), 200)

    async def result(self, request: Request) -> Response:
        """Return what came of a job."""
        entry = await self._entry(request.path_params["id"])
        if entry.state not in OVER:
            message = f"The job is {entry.state}: there is no result yet."
            hint = f"GET /v1/jobs/{entry.id}?wait=30 answers when it is over."
            raise UnfinishedError(message, hint=hint)
        return await self._outcome(entry)

    async def cancel(self, request: Request) -> Response:
        """Call a job off; one that is over stays as it is."""
        entry = await self._entry(request.path_params["id"])
        await run_in_threadpool(self.queue.cancel, entry.id)
        return await self._told(await self._entry(entry.id), 200)

    async def health(self, request: Request) -> Response:
        """Say that the server is up, and how busy."""
        waiting, running = self.queue.counts()
        return _json({"status": "ok", "waiting": waiting, "running": running})

    async def index(self, request: Request) -> Response:
        """Say what there is here."""
        return _json({"name": "consilience", "version": __version__, "paths": PATHS})

    async def openapi(self, request: Request) -> Response:
        """Describe this interface for programs."""
        return _json(await run_in_threadpool(document))

    def _accept(self, kind: Kind, body: bytes, once: str | None, keep: bool) -> Job:
        order = read(kind, body, self.bounds)
        self.check(order)
        return self.queue.submit(kind, order, once=once, keep=keep)

    def _patience(self, request: Request, default: float) -> float:
        """Read how long the client wants to wait: ?wait=, or `Prefer: respond-async`."""
        if "respond-async" in request.headers.get("prefer", ""):
            return 0.0
        given = request.query_params.get("wait")
        if given is None:
            return default
        try:
            seconds = float(given)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds < float("inf"):
            hint = "Such as ?wait=20; 0 answers at once."
            message = f"wait={given[:40]!r} is no number of seconds."
            raise ServiceError(message, hint=hint)
        return min(seconds, self.bounds.wait_seconds)

    async def _entry(self, job_id: str) -> Entry:
        entry = await run_in_threadpool(self.queue.find, job_id)
        if entry is None:
            message = f"There is no job {job_id[:40]!r}."
            raise NoSuchThingError(message, hint="Results are kept for a day, then forgotten.")
        return entry

    async def _outcome(self, entry: Entry) -> Response:
        if entry.state == "cancelled":
            raise CancelledError("The job was cancelled, so it has no result.")
        if entry.state == "failed":
            return _json(entry.fault or b"null", entry.status or 500)
        return _json(await run_in_threadpool(self.queue.result, entry.id) or b"null")

    async def _told(self, entry: Entry, code: int = 202) -> Response:
        told = status(entry, self.queue.ahead(entry.id))
        headers = {} if entry.state in OVER else {"Retry-After": "1"}
        return _json(told, code, headers)


def application(
    desk: Desk, agents: ASGIApp | None = None, lifespan: Lifespan[Starlette] | None = None
) -> Starlette:
    """Put the routes together; *agents* answers at /mcp, as long as *lifespan* lasts."""
    kinds: tuple[Kind, ...] = ("judge", "tests", "rank", "entropy")
    routes = [
        Route(f"/v1/{kind}", partial(desk.order, kind), methods=["POST"]) for kind in kinds
    ]
    routes += [
        Route("/v1/jobs/{id}", desk.status, methods=["GET"]),
        Route("/v1/jobs/{id}", desk.cancel, methods=["DELETE"]),
        Route("/v1/jobs/{id}/result", desk.result, methods=["GET"]),
        Route("/openapi.json", desk.openapi, methods=["GET"]),
        Route("/healthz", desk.health, methods=["GET"]),
        Route("/", desk.index, methods=["GET"]),
    ]
    if agents is not None:
        routes.append(Route("/mcp", agents))
    handlers = {HTTPException: _lost, ConsilienceError: _sorry, Exception: _sorry}
    return Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)


async def _body(request: Request, most: int) -> bytes:
    """Read the body, but no more than *most* bytes of it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        message = f"The body is said to be {kind[:80] or 'of no type'!r}."
        raise WrongTypeError(message)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _at_most(most, request)
    except TimeoutError:
        message = f"The body did not come within {BODY_SECONDS:g} s."
        raise TooSlowError(message, hint="Send it at once, or send less.") from None


async def _at_most(most: int, request: Request) -> bytes:
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > most:
            message = f"The body is larger than this server takes ({most:,} bytes)."
            raise TooLargeError(message, hint="Send fewer or shorter programs.")
    return bytes(found)


def _once(request: Request) -> str | None:
    once = request.headers.get("idempotency-key")
    if once is not None and not 0 < len(once) <= ONCE_LENGTH:
        message = f"An Idempotency-Key has 1 to {ONCE_LENGTH} characters."
        raise ServiceError(message, hint="Such as a UUID of your own.")
    return once


def _json(thing: Any, code: int = 200, headers: dict[str, str] | None = None) -> Response:
    body = thing if isinstance(thing, bytes) else msgspec.json.encode(thing)
    told = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(body, code, told | (headers or {}), "application/json")


async def _sorry(request: Request, error: Exception) -> Response:
    """Say what went wrong, in the shape that all errors have."""
    wait = getattr(error, "retry_after", None)
    headers = {} if wait is None else {"Retry-After": str(wait)}
    return _json(fault(error), status_of(error), headers)


async def _lost(request: Request, error: Exception) -> Response:
    """Say so where there is no such path, or not with that method."""
    code = getattr(error, "status_code", 404)
    allowed = ", ".join(PATHS)
    if code == 405:
        message = f"{request.url.path[:80]} is not for {request.method}."
        return await _sorry(request, WrongMethodError(message, hint=f"There is: {allowed}."))
    message = f"There is no {request.url.path[:80]} here."
    return await _sorry(request, NoSuchThingError(message, hint=f"There is: {allowed}."))
