"""Ask a language model: the protocol, the reply, and what it cost.

Implementations are in `endpoint` (any OpenAI-compatible server), `local` (in this process),
`scripted` (tests) and `stored` (any of them, with a store so that nothing is paid twice).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from consilience.code.reply import sound

FinishReason = Literal["stop", "length", "content_filter", "unknown"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to draw samples."""

    temperature: float | None = 0.8
    """None leaves it to the server, as some models demand."""
    top_p: float | None = 0.95
    max_tokens: int = 768
    stop: tuple[str, ...] = ()
    logprobs: int = 0
    """How many alternatives a token to report; 0 for none."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more replies."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    estimated: bool = False
    """True where the server reported no usage and the tokens were counted from the text."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.calls + other.calls,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A sampled token with the log-probabilities of its rivals."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()

    def sound(self) -> TokenLogprob:
        """Return it as a file can hold it."""
        return TokenLogprob(
            sound(self.token), self.logprob, tuple((sound(t), p) for t, p in self.top)
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """One sample of a model's answer."""

    text: str
    finish_reason: FinishReason = "stop"
    usage: Usage = Usage()
    """Its share: of a request with n samples the prompt is counted on the first one only."""
    logprobs: tuple[TokenLogprob, ...] = ()

    @property
    def truncated(self) -> bool:
        """Tell whether the answer was cut off by the token limit."""
        return self.finish_reason == "length"

    def sound(self) -> Reply:
        """Return it as a file can hold it."""
        tokens = tuple(token.sound() for token in self.logprobs)
        return replace(self, text=sound(self.text), logprobs=tokens)


class ChatModel(Protocol):
    """Anything that answers a prompt n times."""

    @property
    def name(self) -> str:
        """What identifies the model in the store and in results."""
        ...

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Draw *n* samples of the answer to *prompt*, exactly n, or raise a `ModelError`."""
        ...


class Limit(Protocol):
    """Anything that can say that enough was spent; see `budget`."""

    def reached(self, usage: Usage) -> str:
        """Say which limit *usage* has reached; nothing while there is room."""
        ...


@dataclass(slots=True)
class Ledger:
    """Tokens and calls by stage: paid in this run, and given by the store for nothing."""

    paid: dict[str, Usage] = field(default_factory=dict)
    replayed: dict[str, Usage] = field(default_factory=dict)
    parent: Ledger | None = None
    """A ledger that counts the same again, such as that of the whole run."""
    budget: Limit | None = None
    """What may be spent on this ledger at most."""
    refused: str = ""
    """Why a request was not sent: the answer is then partial."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def record(self, stage: str, usage: Usage, *, replayed: bool = False) -> None:
        """Add *usage* to *stage*."""
        book = self.replayed if replayed else self.paid
        with self._lock:
            book[stage] = book.get(stage, Usage()) + usage
        if self.parent is not None:
            self.parent.record(stage, usage, replayed=replayed)

    def total(self, *, replayed: bool = False) -> Usage:
        """Sum the stages of one of the two books."""
        return sum((self.replayed if replayed else self.paid).values(), Usage())

    def refusal(self) -> str:
        """Say which budget is spent, this ledger's or one above it; nothing if none is."""
        spent = (
            self.budget.reached(self.total() + self.total(replayed=True)) if self.budget else ""
        )
        return spent or (self.parent.refusal() if self.parent is not None else "")

    def by_stage(self) -> dict[str, Usage]:
        """Sum the two books by stage: what the evidence costs, whoever paid for it and when."""
        stages = sorted({*self.paid, *self.replayed})
        return {
            stage: self.paid.get(stage, Usage()) + self.replayed.get(stage, Usage())
            for stage in stages
        }
