"""The measurements of programs of every shape: `bench shapes`, `bench shapes-table`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from consilience.bench.shapes import Found, ShapeRow, read_record
from consilience.bench.shapes.run import choose, head_of, posed, run
from consilience.bench.shapes.summary import summary
from consilience.bench.shapes.tables import reasons, tables
from consilience.bench.shapes.trial import Trial
from consilience.bench.shapes.truths import truths
from consilience.cli.benching import bench
from consilience.cli.options import Positive, Unasked
from consilience.errors import InputError
from consilience.formats import load_candidates, load_tasks


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Part:
    """Which tasks, and where truth is kept."""

    most: Positive | None = None
    """Only so many tasks, drawn at random by --seed."""
    mixed: Annotated[bool, Parameter(negative=(), show_default=False)] = False
    """Only tasks with right and wrong candidates: elsewhere there is nothing to choose."""
    truth: Path | None = None
    """Where the truth that tests find is kept (ClassEval). Default: beside the record."""


UNASKED = Unasked()
WHOLE = Part()


@bench.command
def shapes(
    tasks: Path,
    samples: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=("--output", "-o", "--out"))] = None,
    part: Part = WHOLE,
    engine: Unasked = UNASKED,
) -> int:
    """Judge programs of any shape whose truth is known, and score it; a stopped run goes on.

    One task at a time, so that what it takes is its own.

    Parameters
    ----------
    tasks
        LiveCodeBench, ClassEval or any other file of tasks.
    samples
        Candidates of these tasks, with "right" (true or false) in each row; or the tasks bring
        a module of unittest classes, which is run beside each candidate.
    output
        The record: a line a task, figures only. Default: shapes-TASKS.jsonl.
    """
    output = output or Path(f"shapes-{tasks.name.split('.')[0]}.jsonl")
    loaded = load_tasks(tasks)
    candidates = load_candidates(samples, loaded)
    told = _Told()
    with engine.sandbox() as server, engine.judge_if_named() as judging:
        trial = Trial(server, engine.settings(), judging)
        kept = part.truth or output.with_name(f"{output.name.split('.')[0]}.truth.jsonl")
        known = truths(loaded, candidates, samples, kept, server, left_out=told.leave_out)
        chosen, which = choose(
            posed(loaded, candidates, known), most=part.most, mixed=part.mixed, seed=engine.seed
        )
        if not chosen:
            message = f"{samples.name} has no candidates whose truth is known."
            raise InputError(message, hint='Its rows need a field "right": true or false.')
        head = head_of(trial, loaded, samples, which, told.left_out)
        rows = run(trial, chosen, head, output, told.row)
    print(f"{len(rows)} tasks in {output}", file=sys.stderr)
    _print(rows)
    return 0


@bench.command(name="shapes-table")
def shapes_table(record: Path, /) -> int:
    """Print a record of `bench shapes` as Markdown tables.

    Parameters
    ----------
    record
        What `bench shapes -o` wrote.
    """
    _print(read_record(record)[1])
    return 0


def _print(rows: list[ShapeRow]) -> None:
    found = summary(rows)
    for name, written in tables(found).items():
        print(f"{name}\n\n{written}\n")
    why = reasons(found["all"])
    if why:
        print(f"not judged: {why}")


@dataclass(slots=True)
class _Told:
    """Tell on stderr how far the run has come."""

    left_out: dict[str, str] = field(default_factory=dict)
    _begun: float = field(default_factory=time.monotonic)
    _rows: int = 0

    def leave_out(self, task_id: str, why: str) -> None:
        """Say that a task has no truth here."""
        self.left_out[task_id] = why
        self._say(f"{task_id} is left out: {why}")

    def row(self, row: ShapeRow, count: int, total: int) -> None:
        """Print one line a task."""
        self._rows += 1
        left = (time.monotonic() - self._begun) / self._rows * (total - count) / 60
        said = "; ".join(f"{verb} {_words(found)}" for verb, found in row.found.items())
        right = f"{sum(row.right)} of {len(row.right)} right"
        self._say(f"[{count}/{total}] {row.task_id}: {right}; {said}; {left:.0f} min left")

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


def _words(found: Found) -> str:
    if not found.judged:
        return f"not judged ({found.reason})"
    return f"{found.usable} of {found.probes} probes usable, {found.seconds:.1f} s"
