"""Why a request is refused, and which HTTP status says so.

ConsilienceError
└── ServiceError            400
    ├── UnauthorizedError   401  the token is missing or wrong
    ├── ForeignError        403  the request comes from a web page of someone else
    ├── NoSuchThingError    404  no such path or job
    ├── WrongMethodError    405
    ├── TooSlowError        408  the body did not come in time
    ├── UnfinishedError     409  the result is not there yet
    ├── CancelledError      410  the job was cancelled: there will be no result
    ├── TooLargeError       413  over a limit of this server
    ├── WrongTypeError      415  not JSON
    ├── MisdirectedError    421  the Host header names another host
    ├── MismatchError       422  an idempotency key stands for another order already
    ├── QueueFullError      429  come back later
    └── ClosingError        503  the server is going down, or has no model

The body is that of `--json` on the command line: `error`, one sentence; `hint`; `kind`.
"""

from __future__ import annotations

from typing import TypedDict

from consilience import errors
from consilience.errors import ConsilienceError

_STATUSES: dict[type[ConsilienceError], int] = {
    errors.InputError: 400,
    errors.UsageError: 400,
    errors.ModelUnavailableError: 503,
    errors.RateLimitError: 503,
    errors.QuotaError: 503,
    errors.WeightsError: 503,
    errors.ModelError: 502,
}
"""By the nearest class; whatever is not here is 500."""


class Fault(TypedDict):
    """An error as clients read it."""

    error: str
    hint: str
    kind: str


class ServiceError(ConsilienceError):
    """A request that this server will not carry out."""

    status = 400
    retry_after: int | None = None
    """Seconds after which it is worth another try."""


class UnauthorizedError(ServiceError):
    """The token is missing or wrong."""

    status = 401
    hint = "Send the header `Authorization: Bearer TOKEN` with this server's token."


class ForeignError(ServiceError):
    """The request comes from a web page of someone else."""

    status = 403
    hint = "This server answers programs, not web pages: no other origin is allowed."


class NoSuchThingError(ServiceError):
    """There is no such path or job."""

    status = 404


class WrongMethodError(ServiceError):
    """The path knows other methods."""

    status = 405


class TooSlowError(ServiceError):
    """The body did not come in time."""

    status = 408


class UnfinishedError(ServiceError):
    """The result is not there yet."""

    status = 409
    retry_after = 1


class CancelledError(ServiceError):
    """The job was cancelled: there will be no result."""

    status = 410
    hint = "Send the order again if you want it after all; replies already paid are stored."


class TooLargeError(ServiceError):
    """It is over a limit of this server."""

    status = 413


class WrongTypeError(ServiceError):
    """The body is not JSON."""

    status = 415
    hint = "Send JSON, with the header `Content-Type: application/json`."


class MisdirectedError(ServiceError):
    """The Host header names a host that this server is not."""

    status = 421


class MismatchError(ServiceError):
    """An idempotency key stands for another order already."""

    status = 422
    hint = "Use a fresh Idempotency-Key for each order; repeat one only to repeat its order."


class QueueFullError(ServiceError):
    """As many jobs wait as this server will hold."""

    status = 429

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message, hint=f"Try again in {retry_after} s (Retry-After).")
        self.retry_after = retry_after


class ClosingError(ServiceError):
    """The server is going down, or lacks what the order needs."""

    status = 503


def fault(error: Exception) -> Fault:
    """Write *error* for a client; of an error that is not ours only its name is told."""
    if isinstance(error, ConsilienceError):
        return Fault(error=str(error), hint=error.hint, kind=type(error).__name__)
    return Fault(
        error=f"Something went wrong in the server ({type(error).__name__}).",
        hint="Its log has the traceback. If it happens again, please report it.",
        kind="InternalError",
    )


def status_of(error: Exception) -> int:
    """Return the HTTP status that says what *error* is."""
    if isinstance(error, ServiceError):
        return error.status
    return next((_STATUSES[kind] for kind in type(error).__mro__ if kind in _STATUSES), 500)
