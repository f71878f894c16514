"""Draw a sample set as the FASE paper draws its own: n programs a task, by a workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.backends.local import Threads
from consilience.interfaces.lines import STOPS
from consilience.models import ChatModel, Sampling
from consilience.sampling import Workflow, account, sample
from consilience.store import digest
from consilience.task import Task

PAPER = Sampling(temperature=0.5, top_p=0.95, max_tokens=400, stop=STOPS)
"""Temperature and nucleus of the paper; 400 tokens suffice for a function."""


def pick(tasks: Sequence[Task], count: int, seed: int = 0) -> list[Task]:
    """Choose *count* tasks at random; more tasks keep the ones that fewer had."""
    return sorted(tasks, key=lambda task: digest(str(seed), task.id))[:count]


@dataclass(frozen=True, slots=True)
class Draw:
    """How to draw."""

    workflow: Workflow = "coder"
    n: int = 10
    sampling: Sampling = PAPER
    seed: int = 0
    workers: int = 4

    def rows(
        self,
        tasks: Sequence[Task],
        model: ChatModel,
        done: Callable[[str], None] = lambda task_id: None,
    ) -> Iterator[dict[str, Any]]:
        """Yield a row for each sample, with the analyst's account on a task's first one.

        The model's store is what makes a broken run go on where it stopped.
        """

        def one(task: Task) -> list[dict[str, Any]]:
            found = self._task(task, model)
            done(task.id)
            return found

        for rows in Threads(self.workers).map(one, tasks):
            yield from rows

    def _task(self, task: Task, model: ChatModel) -> list[dict[str, Any]]:
        drawn = sample(
            task,
            model,
            n=self.n,
            sampling=self.sampling,
            seed=self.seed,
            workflow=self.workflow,
        )
        rows: list[dict[str, Any]] = [
            {"task_id": task.id, "solution": each.code, "label": each.label} for each in drawn
        ]
        if self.workflow == "analyst":
            rows[0]["account"] = account(task, model, sampling=self.sampling, seed=self.seed)
        return rows
