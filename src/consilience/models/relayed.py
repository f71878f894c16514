"""A model for work that runs elsewhere: its questions are answered by the process that sent it.

The answering side asks one `StoredModel`, so a reply is kept the moment it arrives: whoever
asked may die, and when the work is done again elsewhere the reply is there and is not paid
again. The same question on its way twice is sent once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from consilience.models import Reply, Sampling, Usage
from consilience.models.ask import Ask
from consilience.models.budget import BudgetError
from consilience.models.stored import StoredModel


@dataclass(frozen=True, slots=True)
class Wanted:
    """Samples number *first* to *first* + *n* - 1 of an answer."""

    ask: Ask
    first: int
    n: int


class RelayedModel:
    """Asks whoever answers `Wanted`; picklable where that function is.

    It is a `Limit` for the ledger on this side, too: the budget is kept on the other side, and
    once that has refused a sample, what is done here is partial.
    """

    def __init__(self, name: str, answer: Callable[[Wanted], list[Reply]]) -> None:
        self.name = name
        self._answer = answer
        self._refusal = ""

    def reached(self, usage: Usage) -> str:
        """Say why the other side refused a sample; nothing while it did not."""
        return self._refusal

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
    ) -> list[Reply]:
        """Draw *n* samples of the answer to *prompt*."""
        return self._answer(Wanted(Ask(prompt, sampling or Sampling(), seed), 0, n))

    def batches(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        first: int = 0,
    ) -> Iterator[list[Reply]]:
        """Yield samples number *first* to *first* + *n* - 1, or those the budget allows."""
        try:
            yield self._answer(Wanted(Ask(prompt, sampling or Sampling(), seed), first, n))
        except BudgetError as error:
            told = str(error).rstrip(".")
            self._refusal = told[:1].lower() + told[1:]
            yield list(error.replies[first:])


def answering(model: StoredModel) -> Callable[[Wanted], list[Reply]]:
    """Return the function that answers for *model*; the samples before are in its store."""

    def answer(wanted: Wanted) -> list[Reply]:
        ask, total = wanted.ask, wanted.first + wanted.n
        replies = model.complete(ask.prompt, n=total, sampling=ask.sampling, seed=ask.seed)
        return replies[wanted.first :]

    return answer
