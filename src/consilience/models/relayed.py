"""A model for work that runs elsewhere: its questions are answered by the process that sent it.

The answering side asks one `StoredModel`, so a reply is kept the moment it arrives: whoever
asked may die, and when the work is done again elsewhere the reply is there and is not paid
again. The same question on its way twice is sent once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from consilience.models import Reply, Sampling
from consilience.models.ask import Ask
from consilience.models.stored import StoredModel


@dataclass(frozen=True, slots=True)
class Wanted:
    """Samples number *first* to *first* + *n* - 1 of an answer."""

    ask: Ask
    first: int
    n: int


class RelayedModel:
    """Asks whoever answers `Wanted`; picklable where that function is."""

    def __init__(self, name: str, answer: Callable[[Wanted], list[Reply]]) -> None:
        self.name = name
        self._answer = answer

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
        """Yield samples number *first* to *first* + *n* - 1 at once."""
        yield self._answer(Wanted(Ask(prompt, sampling or Sampling(), seed), first, n))


def answering(model: StoredModel) -> Callable[[Wanted], list[Reply]]:
    """Return the function that answers for *model*; the samples before are in its store."""

    def answer(wanted: Wanted) -> list[Reply]:
        ask, total = wanted.ask, wanted.first + wanted.n
        replies = model.complete(ask.prompt, n=total, sampling=ask.sampling, seed=ask.seed)
        return replies[wanted.first :]

    return answer
