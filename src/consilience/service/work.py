"""Carry out orders with one model, one sandbox and one store for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from threading import Semaphore
from typing import Any, assert_never

from consilience.cascade import Cascade
from consilience.formats.pytest_file import pytest_source
from consilience.formats.suite_jsonl import suite_rows
from consilience.judge import Judge, weigh
from consilience.models import ChatModel, Ledger
from consilience.models.budget import Budget
from consilience.report.record import record
from consilience.sandbox import Sandbox
from consilience.service.orders import (
    EntropyOrder,
    JudgeOrder,
    Order,
    RankOrder,
    TestsOrder,
    programs,
)
from consilience.service.refusals import ClosingError
from consilience.service.watch import CORES, Watch, WatchedSandbox
from consilience.settings import Settings
from consilience.store import Store, digest
from consilience.uncertainty.semantic import semantic_entropy

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Work:
    """What all orders share; safe to use from several threads."""

    model: ChatModel | None
    """None: tests cannot be written here, so only rank and entropy are served."""
    sandbox: Sandbox
    store: Store
    settings: Settings
    ledger: Ledger
    """What all orders cost together."""
    turns: Semaphore = field(default_factory=lambda: Semaphore(CORES))
    """How many programs run at once, of all orders together."""
    budget: Callable[[], Budget | None] = lambda: None
    """Makes what one order may spend; its time begins now."""

    def do(self, order: Order, watch: Watch) -> Answer:
        """Carry out *order*; its answer is JSON-ready.

        Raises:
            ConsilienceError: what is wrong, with a hint.
            StoppedError: *watch* called it off.
        """
        if isinstance(order, JudgeOrder):
            return self._judge(order, watch)
        if isinstance(order, TestsOrder):
            return self._tests(order, watch)
        if isinstance(order, RankOrder):
            return self._rank(order, watch)
        if isinstance(order, EntropyOrder):
            return self._entropy(order)
        assert_never(order)

    def check(self, order: Order) -> None:
        """Find what is wrong with *order* before anything is promised.

        Raises:
            InputError: the task or the tests cannot be read.
            ClosingError: it needs a model, and this server has none.
        """
        if isinstance(order, JudgeOrder | TestsOrder):
            if self.model is None:
                hint = "Start it without --no-model, or send the tests yourself, to rank."
                raise ClosingError("This server has no model to write tests.", hint=hint)
            order.task.task()
        if isinstance(order, RankOrder):
            order.suited()

    def _judge(self, order: JudgeOrder, watch: Watch) -> Answer:
        task = order.task.task()
        judge = self._judging(order, watch)
        cascade = Cascade(judge.sandbox, judge.settings, judge)
        return record(cascade(task, programs(order.candidates, task)))

    def _tests(self, order: TestsOrder, watch: Watch) -> Answer:
        judge = self._judging(order, watch)
        suite = judge.tests(order.task.task())
        usage = {stage: asdict(each) for stage, each in judge.ledger.by_stage().items()}
        return {
            "schema": "consilience.tests/1",
            "task": suite.task.id,
            "entry_point": suite.task.entry_point,
            "model": judge.model.name,
            "suite": list(suite_rows(suite)),
            "pytest": pytest_source(suite),
            "usage": usage,
        }

    def _rank(self, order: RankOrder, watch: Watch) -> Answer:
        suite = order.suited()
        candidates = programs(order.candidates, suite.task)
        watch.stage(suite.task.id, "candidates", 0, len(candidates))
        sandbox = WatchedSandbox(self.sandbox, watch, self.turns)
        return record(weigh(suite, candidates, sandbox, self.settings))

    def _entropy(self, order: EntropyOrder) -> Answer:
        found = [
            semantic_entropy(
                order.samples,
                measure=name,
                rule=order.rule,
                alpha=order.alpha,
                store=self.store,
            )
            for name in order.measures
        ]
        return {
            "entropies": [
                {"schema": "consilience.entropy/1", **asdict(entropy)} for entropy in found
            ]
        }

    def _judging(self, order: JudgeOrder | TestsOrder, watch: Watch) -> Judge:
        if self.model is None:
            raise ClosingError("This server has no model to write tests.")
        return Judge(
            model=self.model,
            sandbox=WatchedSandbox(self.sandbox, watch, self.turns),
            store=self.store,
            settings=order.choices.settings(self.settings),
            ledger=Ledger(parent=self.ledger, budget=order.choices.budget(self.budget())),
            progress=watch.stage,
        )


def shared_prompts(order: Order) -> str | None:
    """Name what two orders must not ask a model for at the same time, or None.

    The later of two such orders finds the replies in the store; side by side both would pay.
    """
    if isinstance(order, JudgeOrder | TestsOrder):
        return digest(order.task.prompt, order.task.entry_point or "")
    return None
