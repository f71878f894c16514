"""Who may come in: the checks that every HTTP request passes first.

A page of the web that a browser shows can send requests to this machine. It is kept out thrice:
its Host header names its own host even where its name now points here (DNS rebinding), its
Origin is not ours, and no header allows it to read an answer (no CORS).
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import msgspec

from consilience.errors import UsageError
from consilience.service.refusals import (
    ForeignError,
    MisdirectedError,
    ServiceError,
    UnauthorizedError,
    fault,
)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = frozenset({"/", "/healthz", "/openapi.json"})
"""Paths that tell nothing of anyone's work and need no token."""
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Door:
    """An ASGI application before another one."""

    app: App
    token: str | None
    hosts: frozenset[str]
    """Names by which clients may call this server, besides any IP address."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            self.check(scope["path"], _texts(scope["headers"]))
        except ServiceError as error:
            await _refuse(error, send)
        else:
            await self.app(scope, receive, send)

    def check(self, path: str, headers: dict[str, str]) -> None:
        """Refuse a request for another host, of a web page, or without the token.

        Raises:
            ServiceError: the reason.
        """
        host = headers.get("host", "")
        if not self._is_ours(host):
            message = f"This server is not {host[:80]!r}."
            hint = "Call it by its address, or start it with --allow-host NAME."
            raise MisdirectedError(message, hint=hint)
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            message = f"Pages of {origin[:80]!r} may not use this server."
            raise ForeignError(message)
        if self.token is not None and path not in OPEN:
            self._authorise(headers.get("authorization", ""))

    def _is_ours(self, host: str) -> bool:
        name = _name_of(host)
        if name in self.hosts:
            return True
        try:  # an address in figures cannot be rebound: no name was looked up
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _authorise(self, header: str) -> None:
        scheme, _, given = header.partition(" ")
        if scheme.lower() != "bearer" or not given:
            raise UnauthorizedError("This server asks for a token.")
        expected = (self.token or "").encode()
        # In constant time: how long a refusal takes must not tell how much was right.
        if not hmac.compare_digest(given.strip().encode("utf-8", "surrogateescape"), expected):
            raise UnauthorizedError("The token is wrong.")


def check_exposure(host: str, token: str | None) -> None:
    """Refuse to be open to other machines without a token, or with one that can be guessed.

    Raises:
        UsageError: with the commands that make it right.
    """
    if token is not None and len(token) < SHORTEST_TOKEN:
        message = f"The token has {len(token)} characters; {SHORTEST_TOKEN} are the least."
        raise UsageError(message, hint=_HOW)
    if token is None and not is_loopback(host):
        message = f"On {host} other machines reach this server, so it needs a token."
        raise UsageError(message, hint=_HOW)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches *host*."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_HOW = (
    'Make one: python -c "import secrets; print(secrets.token_urlsafe(32))" > token; chmod 600'
    " token; then give --token-file token, or set CONSILIENCE_TOKEN."
)


def _texts(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def _name_of(host: str) -> str:
    """Take the port off a Host header, and the brackets off an IPv6 address."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower().removesuffix(".")


async def _refuse(error: ServiceError, send: Send) -> None:
    body = msgspec.json.encode(fault(error))
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if isinstance(error, UnauthorizedError):
        headers.append((b"www-authenticate", b'Bearer realm="consilience"'))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
