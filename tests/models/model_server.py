"""A stand-in for a model server: answers from a list and remembers what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import httpx2

Reaction = httpx2.Response | Exception | Callable[[dict[str, Any]], httpx2.Response]


class Server:
    """Hand `transport` to an `Endpoint`."""

    def __init__(self, *reactions: Reaction, always: Reaction | None = None) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.requests: list[httpx2.Request] = []
        self.transport = httpx2.MockTransport(self._react)
        self._reactions = list(reactions)
        self._always = always
        self._lock = threading.Lock()

    def _react(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content or b"{}")
        with self._lock:
            self.requests.append(request)
            self.bodies.append(body)
            reaction = self._reactions.pop(0) if self._reactions else self._always
        assert reaction is not None, "asked once too often"
        if isinstance(reaction, Exception):
            raise reaction
        return reaction if isinstance(reaction, httpx2.Response) else reaction(body)


def chat(
    *texts: str, usage: object = "counted", finish: str | None = "stop"
) -> httpx2.Response:
    """Answer with these samples."""
    choices = [
        {"index": i, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        for i, text in enumerate(texts)
    ]
    counted = {"prompt_tokens": 10, "completion_tokens": 5 * len(texts)}
    given = counted if usage == "counted" else usage
    return httpx2.Response(200, json={"choices": choices} | ({"usage": given} if given else {}))


def error(status: int, message: str, **headers: str) -> httpx2.Response:
    """Refuse in OpenAI's form."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, json={"error": {"message": message}}, headers=named)
