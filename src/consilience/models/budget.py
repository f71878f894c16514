"""A limit on what a run may cost, and the error that says it is reached.

What counts is what the evidence costs, whether it was paid in this run or given by the store: a
run that resumes under the same limit ends with the same answer, and has never paid more.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from consilience.errors import ConsilienceError
from consilience.models import Reply, Usage

PRICE = 0.10
"""Dollars a million tokens, each way: the price that the CoTT paper reckons with."""


class BudgetError(ConsilienceError):
    """The budget is spent; `replies` are the samples that had come by then."""

    hint = "Raise the limit: what is stored is not paid again."

    def __init__(self, message: str, replies: Sequence[Reply] = ()) -> None:
        super().__init__(message)
        self.replies = tuple(replies)


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many tokens, dollars and seconds; None where there is no limit.

    No request is sent once one of them is reached, so it is exceeded by no more than the
    requests that were on their way.
    """

    tokens: int | None = None
    dollars: float | None = None
    seconds: float | None = None
    """Of wall time: the only limit whose effect depends on the machine."""
    price: float = PRICE
    """Dollars a million tokens."""
    begun: float = field(default_factory=time.monotonic)

    def reached(self, usage: Usage) -> str:
        """Say which limit *usage*, or the time, has reached; nothing while there is room."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        if self.tokens is not None and tokens >= self.tokens:
            return f"the budget of {self.tokens:,} tokens is spent"
        if self.dollars is not None and tokens * self.price >= self.dollars * 1e6:
            return f"the budget of ${self.dollars:g} is spent"
        if self.seconds is not None and time.monotonic() - self.begun >= self.seconds:
            return f"the time of {self.seconds:g} s is over"
        return ""
