"""Pose reranking tasks: from a pool of samples, a Scoring-Verifiers file, or a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from consilience.bench.cott import TaskRow
from consilience.bench.ranking_tasks import FEWEST, RankingTask, five_of_spread
from consilience.errors import InputError
from consilience.formats import load_tasks
from consilience.formats.jsonl import read_rows
from consilience.formats.samples import program_of
from consilience.formats.scoring_verifiers import read_ranked
from consilience.sandbox import Sandbox
from consilience.task import Candidate, Task


@dataclass(frozen=True, slots=True)
class Parted:
    """A pool of samples, parted into those that vote and those that may be candidates."""

    voters: dict[str, list[str]]
    candidates: dict[str, tuple[Candidate, ...]]


def part(pool: Path, tasks: Sequence[Task], model: str, most: int) -> Parted:
    """Let the first *most* samples of *model* vote; all other models' are candidates.

    Candidates must not be voters: they would agree with themselves.
    """
    by_id = {task.id: task for task in tasks}
    voters: dict[str, list[str]] = {}
    others: dict[str, list[Candidate]] = {}
    for row in read_rows(pool, forgive_torn_end=True):
        task = by_id.get(row.text("task_id"))
        if task is None:
            continue
        code, name = program_of(row.text("solution"), task), row.text("model")
        if name == model:
            voters.setdefault(task.id, []).append(code)
        else:
            mine = others.setdefault(task.id, [])
            mine.append(Candidate(task.id, code, len(mine), f"{name} {len(mine)}"))
    return Parted(
        {task: drawn[:most] for task, drawn in voters.items()},
        {task: tuple(drawn) for task, drawn in others.items()},
    )


def pose(
    tasks: Sequence[Task],
    parted: Parted,
    sandbox: Sandbox,
    count: int | None = None,
    *,
    most_samples: int = 16,
) -> list[RankingTask]:
    """Pose every task that has voters, the canonical solution and at least one wrong program.

    With *count*, the first so many. At most *most_samples* samples a task are measured, evenly
    spaced over the pool.
    """
    posed = []
    for task in tasks:
        pool = parted.candidates.get(task.id, ())
        if task.id not in parted.voters or not pool:
            continue
        step = max(1, len(pool) // most_samples)
        found = five_of_spread(task, pool[::step], sandbox, cap=60, canonical=True)
        if len(found.candidates) >= FEWEST:
            posed.append(found)
        if len(posed) == count:
            break
    return posed


def read(path: Path) -> list[RankingTask]:
    """Read HE-R, HE-R+, MBPP-R or MBPP-R+ from a file of the user's own.

    The truth is the file's: its ranks, and its scores where they agree with them.
    """
    tasks = {task.id: task for task in load_tasks(path)}
    posed = []
    for row in read_rows(path):
        task, ranked = tasks[row.text("task_id")], read_ranked(row)
        posed.append(
            RankingTask(
                task,
                tuple(each.candidate for each in ranked),
                tuple(Fraction(str(each.score)) for each in ranked),
                len(task.reference.inputs) if task.reference else 0,
                len(task.reference.inputs) if task.reference else 0,
            )
        )
    return posed


def again(
    rows: Sequence[TaskRow], tasks: Sequence[Task], samples: Mapping[str, Sequence[Candidate]]
) -> list[RankingTask]:
    """Pose the tasks of a record again, with its candidates and its truth: no program is run.

    Raises:
        InputError: the tasks or the samples are not those of the record.
    """
    by_id = {task.id: task for task in tasks}
    return [_same(row, by_id.get(row.task_id), samples.get(row.task_id, ())) for row in rows]


def _same(row: TaskRow, task: Task | None, samples: Sequence[Candidate]) -> RankingTask:
    named = {candidate.label: candidate.code for candidate in samples}
    if task is not None and task.reference is not None:
        named["canonical"] = task.reference.solution
    missing = [label for label in row.candidates if label not in named]
    if task is None or missing:
        what = f'has no candidate "{missing[0]}"' if missing and task else "is not there"
        message = f"{row.task_id} of the record {what}."
        raise InputError(message, hint="Give the tasks and the samples that it was made from.")
    return RankingTask(
        task,
        tuple(
            Candidate(task.id, named[label], place, label)
            for place, label in enumerate(row.candidates)
        ),
        tuple(Fraction(str(share)) for share in row.truth),
        row.truth_inputs,
        row.truth_inputs,
    )
