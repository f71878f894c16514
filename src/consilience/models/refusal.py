"""Read from a server's answer what went wrong, and whether waiting helps."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import msgspec

from consilience.errors import (
    AuthenticationError,
    ModelError,
    ModelNotFoundError,
    ModelUnavailableError,
    QuotaError,
    RateLimitError,
)

LONGEST_WAIT = 120.0
"""Seconds; a server that asks for more is reported instead of waited for."""

_PASSING = {408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529}
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing|credit balance|out of credit", re.IGNORECASE
)
_NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,120}?(not found|not exist|not a valid|not available)",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LONG = re.compile(r"context.{0,20}(size|length|window|exceed)", re.IGNORECASE)
_LATER = "Try again later: what is done is stored and not paid again."
_BASE_URL = "Check --base-url or OPENAI_BASE_URL; most end in /v1."


class RefusedError(ModelError):
    """The server will not do what was asked, and asking again will not change that."""


class TooLongError(RefusedError):
    """The prompt does not fit into the model's context."""

    hint = "Shorten the task, or use a model with more context (LocalModel: context=...)."


class PassingError(Exception):
    """Something that may be over when asked again; *error* is what to say when it is not."""

    def __init__(self, error: ModelError, *, tries: int = 8, wait: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.tries = tries
        """How often to ask in all."""
        self.wait = wait
        """Seconds that the server asked for; null where it named none."""


def unreachable(address: str, error: httpx2.RequestError) -> PassingError:
    """Say why no answer came."""
    message = f"{address} does not answer: {str(error) or type(error).__name__}."
    hint = "Is the server running, and is --base-url (or OPENAI_BASE_URL) its address?"
    # Nothing listens: most often a person has mistyped the address, and waits for this.
    absent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
    slow = isinstance(error, httpx2.ReadTimeout)
    tries = 4 if absent else 2 if slow else 8
    return PassingError(ModelUnavailableError(message, hint=hint), tries=tries)


def refusal(
    address: str, response: httpx2.Response, answer: dict[str, Any], key: str | None
) -> ModelError | PassingError:
    """Say what the server refused and why, with a retry where that may help."""
    status, said = _status(response, answer), _said(answer, key)
    text = f"{address} refused with {status}" + (f": {said}" if said else ".")
    if status == 402 or (status in {400, 403, 429} and _NO_CREDIT.search(said)):
        return QuotaError(text)
    if status in {401, 403}:
        return AuthenticationError(text)
    if status == 429:
        return _rate_limit(text, _retry_after(response))
    if status in _PASSING:
        unavailable = ModelUnavailableError(text, hint=_LATER)
        return PassingError(unavailable, wait=_short(_retry_after(response)))
    return _permanent(status, text, said)


def _status(response: httpx2.Response, answer: dict[str, Any]) -> int:
    """Take the code of an error that came with status 200 for the status."""
    error = answer.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if response.is_error:
        return response.status_code
    return code if isinstance(code, int) and code >= 400 else 502


def _said(answer: dict[str, Any], key: str | None) -> str:
    """Find what the server says about the error, without the key should it repeat that."""
    found = answer.get("error") or answer.get("message") or answer.get("detail") or ""
    if isinstance(found, dict):
        parts = [found.get("message"), found.get("code"), found.get("type")]
        found = " ".join(dict.fromkeys(part for part in parts if isinstance(part, str)))
    said = found if isinstance(found, str) else msgspec.json.encode(found).decode()
    return (said.replace(key, "***") if key else said)[:400]


def _rate_limit(text: str, wait: float | None) -> ModelError | PassingError:
    if wait is None or wait <= LONGEST_WAIT:
        return PassingError(RateLimitError(text), wait=wait)
    hint = f"It asks to wait {wait:.0f} s. {_LATER}"
    return RateLimitError(text, hint=hint)


def _short(wait: float | None) -> float | None:
    return None if wait is None else min(wait, LONGEST_WAIT)


def _retry_after(response: httpx2.Response) -> float | None:
    """Read Retry-After: seconds, or a date."""
    given = response.headers.get("retry-after")
    if given is None:
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None


def _permanent(status: int, text: str, said: str) -> ModelError:
    if _NO_MODEL.search(said):
        return ModelNotFoundError(text, hint="Name a model that the server has with --model.")
    if status == 404:
        return ModelUnavailableError(text, hint=_BASE_URL)
    return TooLongError(text) if _TOO_LONG.search(said) else RefusedError(text)
