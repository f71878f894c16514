"""Exchange JSON with a model server, with patience where patience helps.

Tried again: no connection, 408, 429, 5xx, such an error that comes with status 200, and an
answer that makes no sense. Retry-After is obeyed. Not tried again: what would only fail again
(a refused key, no credit, a bad request). The key is sent in a header and appears nowhere else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import httpx2
import msgspec
import stamina

from consilience.errors import BadReplyError, ModelUnavailableError, UsageError
from consilience.models.refusal import PassingError, refusal, unreachable

ATTEMPTS = 8
"""At most; with the waits between them a little over a minute."""
BAD_REPLY_TRIES = 3
"""Fewer, for a nonsensical answer has likely been paid for."""

_CONNECT_SECONDS = 10.0
_WRONG_SERVER = "Check --base-url or OPENAI_BASE_URL: is that an OpenAI-compatible server?"

_log = logging.getLogger(__name__)

Answer = dict[str, Any]
Parsed = TypeVar("Parsed")


class Connection:
    """A server's address, the key for it, and the open sockets."""

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        timeout: float | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._key = key
        self._closed = False
        self._client = httpx2.Client(
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx2.Timeout(timeout, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None),
            transport=transport,
        )

    def __repr__(self) -> str:
        return f"Connection({self.base_url!r})"

    def post(self, path: str, body: Answer, parse: Callable[[Answer], Parsed]) -> Parsed:
        """Send *body* and return the answer as *parse* reads it.

        Raises:
            ModelError: its kind says what is wrong and its hint what helps.
        """
        retries = stamina.retry_context(
            _Patience(), attempts=ATTEMPTS, timeout=None, wait_initial=0.5, wait_max=30.0
        )
        try:
            for attempt in retries:
                with attempt:
                    return self._sensible(path, body, parse)
        except PassingError as passing:
            raise passing.error from passing.__cause__
        message = "Nothing was asked."
        raise BadReplyError(message)  # pragma: no cover  # one attempt is always made

    def get(self, path: str) -> Answer:
        """Ask once, without patience."""
        try:
            return self._exchange("GET", path, None)
        except PassingError as passing:
            raise passing.error from passing.__cause__

    def close(self) -> None:
        """Close the sockets; a request on its way fails."""
        self._closed = True
        self._client.close()

    def _sensible(self, path: str, body: Answer, parse: Callable[[Answer], Parsed]) -> Parsed:
        try:
            return parse(self._exchange("POST", path, body))
        except BadReplyError as error:
            raise PassingError(error, tries=BAD_REPLY_TRIES) from error

    def _exchange(self, method: str, path: str, body: Answer | None) -> Answer:
        if self._closed:
            raise self._gone()
        try:
            response = self._client.request(method, self.base_url + path, json=body)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            message = f"{self.base_url!r} is not an address: {str(error).rstrip('.')}."
            raise UsageError(
                message, hint="It should look like http://host:8000/v1."
            ) from error
        except httpx2.RequestError as error:
            if self._closed:
                raise self._gone() from error
            raise unreachable(self.base_url, error) from error
        answer = self._decoded(response)
        failed = answer.get("error") and not (answer.get("choices") or answer.get("data"))
        if response.is_error or failed:
            raise refusal(self.base_url, response, answer, self._key)
        return answer

    def _gone(self) -> ModelUnavailableError:
        return ModelUnavailableError(f"The connection to {self.base_url} was closed.")

    def _decoded(self, response: httpx2.Response) -> Answer:
        try:
            return msgspec.json.decode(response.content, type=Answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            if response.is_error:  # a proxy's page; the status says enough
                return {}
            message = f"{self.base_url} answered with something that is not a JSON object."
            raise BadReplyError(message, hint=_WRONG_SERVER) from error


class _Patience:
    """Decide after each failure of one request whether to try again, and when."""

    def __init__(self) -> None:
        self._failures = 0

    def __call__(self, error: Exception) -> bool | float:
        self._failures += 1
        if not isinstance(error, PassingError) or self._failures >= error.tries:
            return False
        _log.warning("%s Trying again.", error)
        return True if error.wait is None else error.wait
