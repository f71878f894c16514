"""Run the experiment over many tasks: several at once, rows kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.backends.local import Threads
from consilience.bench.cott import TaskRow, read_rows, write_rows
from consilience.bench.cott.experiment import PARTS, Experiment, InputSource
from consilience.bench.ranking_tasks import RankingTask
from consilience.judge import Judge


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run of the experiment."""

    parts: tuple[str, ...] = PARTS
    source: InputSource = "model"
    voters: Mapping[str, Sequence[str]] | None = None
    """General programs by task, drawn before; None: the model draws them."""
    workers: int = 4
    """Tasks at once."""


def run(
    judge: Judge,
    tasks: Sequence[RankingTask],
    output: Path,
    plan: Plan,
    done: Callable[[TaskRow, int, int], None] = lambda row, done, total: None,
) -> list[TaskRow]:
    """Run what *output* does not hold yet, and keep it there task by task.

    A task that was broken off replays from the store what it had paid for.
    """
    known = read_rows(output) if output.exists() else []
    rows = {(row.dataset, row.task_id): row for row in known}
    left = [posed for posed in tasks if _key(posed) not in rows]

    def one(posed: RankingTask) -> TaskRow:
        voters = None if plan.voters is None else plan.voters[posed.task.id]
        return Experiment(judge, posed, plan.parts, voters, plan.source).row()

    for row in Threads(plan.workers).map(one, left):
        rows[row.dataset, row.task_id] = row
        write_rows(output, list(rows.values()))
        done(row, len(rows), len(tasks))
    return list(rows.values())


def _key(posed: RankingTask) -> tuple[str, str]:
    return posed.task.metadata.get("file", "").split(".")[0], posed.task.id
