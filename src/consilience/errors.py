"""Every way Consilience can fail, each with a hint and an exit code.

ConsilienceError                  1  anything below
├── InputError                    2  a file, a line or a field cannot be read
├── UsageError                    2  the call itself makes no sense
├── MissingExtraError             1  an optional dependency is not installed
├── WeightsError                  1  weights are absent, cut off or not what was pinned
├── StoreError                    1  the store cannot be read or written
├── SandboxError                  1  programs cannot be run safely here
└── ModelError                    1  a model gave no usable answer
    ├── ModelUnavailableError     1  nothing answers at that address
    ├── ModelNotFoundError        1  the server or the registry does not know that model
    ├── AuthenticationError       1  the key is missing or refused
    ├── RateLimitError            1  still refused after waiting as told
    ├── QuotaError                1  the account is out of credit: waiting will not help
    └── BadReplyError             1  the answer is not what the protocol promises

A candidate program that fails is not an error: it is an `Outcome`.
"""


class ConsilienceError(Exception):
    """Something went wrong, in one sentence; `hint` says what to do about it."""

    exit_code = 1
    hint = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint


class InputError(ConsilienceError):
    """A file, a line or a field cannot be read."""

    exit_code = 2


class UsageError(ConsilienceError):
    """The call itself makes no sense."""

    exit_code = 2


class MissingExtraError(ConsilienceError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"This needs {package}, which is not installed.",
            hint=f'Install it: pip install "consilience[{extra}]"',
        )


class WeightsError(ConsilienceError):
    """Weights are absent, cut off or not what was pinned."""


class StoreError(ConsilienceError):
    """The store cannot be read or written."""


class SandboxError(ConsilienceError):
    """Programs cannot be run safely here."""

    hint = "Run `consilience doctor` to see which layer failed and why."


class ClusterError(ConsilienceError):
    """The cluster cannot be used, or lost its workers."""


class ModelError(ConsilienceError):
    """A model gave no usable answer."""


class ModelUnavailableError(ModelError):
    """Nothing answers at that address."""


class ModelNotFoundError(ModelError):
    """The server or the registry does not know that model."""


class AuthenticationError(ModelError):
    """The key is missing or refused."""

    hint = "Set OPENAI_API_KEY (or CONSILIENCE_API_KEY) to a key this server accepts."


class RateLimitError(ModelError):
    """Still refused after waiting as told."""

    hint = "Lower --workers, or try again later: what is done is stored and not paid again."


class QuotaError(ModelError):
    """The account is out of credit: waiting will not help."""

    hint = "Top up the account or name another model; what is done is stored."


class BadReplyError(ModelError):
    """The answer is not what the protocol promises."""
