"""Do the same work for many tasks, here or on a Ray cluster.

Work is a function of a `Judge` and an item. Here, threads share one judge. On a cluster each
worker has a sandbox of its own, and its judge asks the model, and keeps replies, through the
process that began the run: nothing is lost or paid twice when a worker dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import tee
from typing import Any, Generic, Protocol, TypeVar

from consilience.backends.local import Threads
from consilience.backends.ray import Ray
from consilience.judge import Judge
from consilience.models import Ledger
from consilience.models.relayed import RelayedModel, answering
from consilience.models.stored import StoredModel
from consilience.sandbox import Level
from consilience.sandbox.pool import ForkServer
from consilience.store import Store

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Judge, Item], Result]

STAYS = frozenset({"model", "sandbox", "store", "ledger", "progress"})
"""Fields of a judge that are bound to their process; the others go along."""
MEMORY = ":memory:"


class Crew(Protocol):
    """Whoever does the work."""

    def map(
        self,
        work: Work[Item, Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = ...,
    ) -> Iterator[Result]:
        """Yield the result of each item in order; tell *done* of each, in any order."""
        ...


@dataclass(frozen=True, slots=True)
class LocalCrew:
    """Threads of this process, which share one judge."""

    judge: Judge
    workers: int = 2

    def map(
        self,
        work: Work[Item, Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = lambda item, result: None,
    ) -> Iterator[Result]:
        """Yield the result of each item in order; tell *done* as soon as each is there."""

        def one(item: Item) -> Result:
            result = work(self.judge, item)
            done(item, result)
            return result

        return Threads(self.workers).map(one, items)


@dataclass(frozen=True, slots=True)
class RayCrew:
    """Workers of a cluster, each with a judge like *judge* and a sandbox of its own."""

    judge: Judge
    ray: Ray

    def map(
        self,
        work: Work[Item, Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = lambda item, result: None,
    ) -> Iterator[Result]:
        """Yield the result of each item in order; *work* must be a function of a module.

        A reply is paid, kept and counted here, in this judge's store and ledger.
        """
        judge = self.judge
        model = StoredModel(judge.model, judge.store, judge.ledger)
        relayed = RelayedModel(model.name, self.ray.home(answering(model)))
        given = {f.name: getattr(judge, f.name) for f in fields(judge) if f.name not in STAYS}
        away = Away(work, relayed, judge.sandbox.level, given)
        begun, awaited = tee(items)
        for item, result in zip(awaited, self.ray.map(away, begun), strict=True):
            done(item, result)
            yield result


@dataclass(frozen=True, slots=True)
class Away(Generic[Item, Result]):
    """The work of one item in another process."""

    work: Work[Item, Result]
    model: RelayedModel
    level: Level
    given: dict[str, Any]

    def __call__(self, item: Item) -> Result:
        """Do *item* with a judge that remembers for as long as this takes."""
        with Store(MEMORY) as store:
            ledger = Ledger(budget=self.model)
            judge = Judge(self.model, _sandbox(self.level), store, ledger=ledger, **self.given)
            return self.work(judge, item)


@cache
def _sandbox(level: Level) -> ForkServer:
    """Start this process's sandbox when it is first needed; it ends with the process.

    One program at a time: the cluster counts this process as one core.
    """
    return ForkServer(workers=1, level=level)
