"""Any model, with a store before it: nothing is paid twice.

A reply is kept under the model, the parameters, the prompt and the number of the sample, as
soon as it arrives. What is there is not asked for again: a killed run resumes, and twenty
samples after ten cost ten. Empty replies are given to the caller but not kept. A reply that the
token limit cut off is kept with that mark.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import msgspec

from consilience.errors import BadReplyError
from consilience.models import ChatModel, Ledger, Reply, Sampling, Usage
from consilience.models.ask import Ask
from consilience.models.budget import BudgetError
from consilience.store import Store, digest

KIND = "reply"


@runtime_checkable
class Piecemeal(Protocol):
    """A model that hands over samples as they come in, and may begin at a later one."""

    def batches(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        first: int = 0,
    ) -> Iterator[list[Reply]]:
        """Yield samples number *first* to *first* + *n* - 1, in order."""
        ...


class StoredModel:
    """Answers from the store where it can, and pays only for what is missing."""

    def __init__(
        self, model: ChatModel, store: Store, ledger: Ledger | None = None, stage: str = "model"
    ) -> None:
        self.name = model.name
        self.ledger = Ledger() if ledger is None else ledger
        self.stage = stage
        self._model = model
        self._store = store
        self._flights = _Flights()
        self._counted: set[str] = set()

    def at(self, stage: str) -> StoredModel:
        """Return the same model with its cost counted under *stage*."""
        other = StoredModel(self._model, self._store, self.ledger, stage)
        other._flights = self._flights
        other._counted = self._counted
        return other

    def complete(
        self,
        prompt: str,
        *,
        n: int = 1,
        sampling: Sampling | None = None,
        seed: int | None = None,
        stage: str | None = None,
    ) -> list[Reply]:
        """Return samples number 0 to *n* - 1: the same ones whenever they are asked for."""
        ask = Ask(prompt, sampling or Sampling(), seed)
        stage = stage or self.stage
        with self._flights.alone(ask.key(self.name, 0)):
            replies = self._known(ask, n)
            self._check_budget(ask, replies, n)
            self._record(stage, ask, replies, replayed=True)
            for first, count in _runs([i for i in range(n) if i not in replies]):
                for batch in self._draw(ask, first, count):
                    self._keep(ask, batch)
                    self._record(stage, ask, batch)
                    replies |= batch
                    self._check_budget(ask, replies, n)
        return _complete(replies, n)

    def _check_budget(self, ask: Ask, replies: Mapping[int, Reply], n: int) -> None:
        """Send no further request once the budget is spent.

        A sample of the store that has not counted yet would be spent now, as much as a new one.

        Raises:
            BudgetError: with those samples from the first that count already.
        """
        spent = self.ledger.refusal()
        counted = {i: r for i, r in replies.items() if ask.key(self.name, i) in self._counted}
        if not spent or len(counted) == n:
            return
        self.ledger.refused = spent
        unbroken = itertools.takewhile(counted.__contains__, itertools.count())
        message = f"{spent[0].upper()}{spent[1:]}."
        raise BudgetError(message, [counted[number] for number in unbroken])

    def _known(self, ask: Ask, n: int) -> dict[int, Reply]:
        keys = {ask.key(self.name, number): number for number in range(n)}
        found = self._store.get_many(KIND, keys)
        replies = {keys[key]: _decoded(value) for key, value in found.items()}
        return {number: reply for number, reply in replies.items() if reply is not None}

    def _draw(self, ask: Ask, first: int, count: int) -> Iterator[dict[int, Reply]]:
        """Yield numbered replies as they come in."""
        if isinstance(self._model, Piecemeal):
            batches = self._model.batches(
                ask.prompt, n=count, sampling=ask.sampling, seed=ask.seed, first=first
            )
        else:
            seed = _later(ask.seed, first)
            batches = iter([
                self._model.complete(ask.prompt, n=count, sampling=ask.sampling, seed=seed)
            ])
        place = first
        for batch in batches:
            yield dict(enumerate((reply.sound() for reply in batch), place))
            place += len(batch)

    def _keep(self, ask: Ask, replies: Mapping[int, Reply]) -> None:
        good = {number: reply for number, reply in replies.items() if reply.text.strip()}
        encoded = {
            ask.key(self.name, number): msgspec.json.encode(reply)
            for number, reply in good.items()
        }
        self._store.put_many(KIND, encoded)

    def _record(
        self, stage: str, ask: Ask, replies: Mapping[int, Reply], *, replayed: bool = False
    ) -> None:
        """Count all that was paid, and of the store's replies each once a run."""
        keys = {ask.key(self.name, number): reply for number, reply in replies.items()}
        fresh = [
            reply.usage
            for key, reply in keys.items()
            if not (replayed and key in self._counted)
        ]
        self._counted |= keys.keys()
        if fresh:
            self.ledger.record(stage, sum(fresh, Usage()), replayed=replayed)


class _Flights:
    """Let one request of a kind be on its way at a time: the second finds it in the store."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        with self._lock:
            turn, count = self._waiting.get(key, (threading.Lock(), 0))
            self._waiting[key] = (turn, count + 1)
        try:
            with turn:
                yield
        finally:
            self._leave(key)

    def _leave(self, key: str) -> None:
        with self._lock:
            turn, count = self._waiting.pop(key)
            if count > 1:
                self._waiting[key] = (turn, count - 1)


def _decoded(value: bytes) -> Reply | None:
    """Read a kept reply; a damaged one is as good as none."""
    try:
        return msgspec.json.decode(value, type=Reply)
    except msgspec.DecodeError:
        return None


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Split ascending *numbers* into unbroken runs: (first, count)."""
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield numbers[start], place - start
            start = place


def _later(seed: int | None, first: int) -> int | None:
    """Vary the seed for samples after the first, lest they repeat the earlier ones."""
    if seed is None or first == 0:
        return seed
    return int(digest(str(seed), str(first))[:8], 16)


def _complete(replies: Mapping[int, Reply], n: int) -> list[Reply]:
    missing = [number for number in range(n) if number not in replies]
    if missing:
        message = f"The model gave {len(replies)} samples where {n} were asked for."
        raise BadReplyError(message, hint="What came is stored; run again for the rest.")
    return [replies[number] for number in range(n)]
