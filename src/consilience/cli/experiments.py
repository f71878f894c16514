"""The experiment of CoTT: run it, tabulate, plot, and exchange its tasks and results."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from consilience.bench import live
from consilience.bench.cott import TaskRow, read_rows
from consilience.bench.cott.exchange import evaluation_rows
from consilience.bench.cott.experiment import PARTS, InputSource
from consilience.bench.cott.page import tables
from consilience.bench.cott.posing import again, part, pose, read
from consilience.bench.cott.run import Plan, run
from consilience.bench.cott.tables import WRITERS
from consilience.bench.ranking_tasks import RankingTask, build
from consilience.bench.tables import label_table, live_table
from consilience.cli.benching import Record, bench, read_record
from consilience.cli.judging import DEFAULT_ENGINE
from consilience.cli.options import Engine
from consilience.errors import UsageError
from consilience.formats import load_candidates, load_tasks
from consilience.formats.jsonl import dump_row
from consilience.judge import Judge


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Scope:
    """What of the experiment to run."""

    pick: int | None = None
    """How many tasks, chosen at random by --seed; default: all that have candidates."""
    parts: Annotated[tuple[str, ...], Parameter(negative=(), consume_multiple=True)] = PARTS
    """Of transduction, cot, sol-ver, syntra: those to ask the model for; none: --parts ""."""
    inputs_from: InputSource = "model"
    """model: seeds and their mutants; examples: mutants of the task's own examples; reference:
    the benchmark's inputs, without their outputs. The last two ask no model."""
    voters: str | None = None
    """A model of the pool: its samples are the general programs, and the other models' samples
    the candidates. No program is drawn then."""
    like: Path | None = None
    """A record: pose its tasks with its candidates, so that the pool need not be measured."""

    def plan(self, voters: dict[str, list[str]] | None, workers: int) -> Plan:
        """Return what is to be run.

        Raises:
            UsageError: a part is not known.
        """
        parts = tuple(filter(None, self.parts))
        unknown = sorted(set(parts) - set(PARTS))
        if unknown:
            message = f"There is no part named {', '.join(unknown)}."
            raise UsageError(message, hint=f"Choose of: {', '.join(PARTS)}.")
        return Plan(parts, self.inputs_from, voters, workers)


WHOLE = Scope()


@bench.command
def cott(
    tasks: Path,
    samples: Path | None = None,
    /,
    *,
    output: Record,
    scope: Scope = WHOLE,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Run every method on the same inputs and record each vote; a stopped run goes on.

    Parameters
    ----------
    tasks
        Tasks with a reference solution and inputs (HumanEval+, MBPP+), or a Scoring-Verifiers
        file, which holds its candidates.
    samples
        The pool that candidates come from: five a task, spread in true quality.
    output
        The record: one line a task (.jsonl, or .jsonl.gz). Tasks there are not run again.
    """
    with engine.judge() as judging:
        posed, drawn = _posed(tasks, samples, judging, scope)
        plan = scope.plan(drawn, engine.workers)
        clock = _Clock(time.monotonic())
        rows = run(judging, posed, output, plan, done=clock.tell)
    paid, replayed = judging.ledger.total(), judging.ledger.total(replayed=True)
    told = f"{len(rows)} tasks in {output}; paid "
    told += f"{paid.prompt_tokens + paid.completion_tokens:,} tokens in this run, "
    told += f"{replayed.prompt_tokens + replayed.completion_tokens:,} came from the store"
    print(told, file=sys.stderr)
    return 0


@bench.command
def table(record: Path, /, *, form: Literal["markdown", "csv", "latex"] = "markdown") -> int:
    """Print a record of `bench cott` or `bench judge` as tables.

    Parameters
    ----------
    record
        What `bench cott -o` (.jsonl, .jsonl.gz) or `bench judge -o` (.json) wrote.
    form
        How to write the tables of `bench cott`.
    """
    if ".jsonl" in record.suffixes:
        for name, written in tables(read_rows(record), WRITERS[form]).items():
            print(f"{name}\n\n{written}\n")
        return 0
    found = read_record(record)
    print(live_table(found), label_table(found), sep="\n\n")
    return 0


@bench.command
def build_ranking(
    tasks: Path, samples: Path, /, *, output: Record, engine: Engine = DEFAULT_ENGINE
) -> int:
    """Build a reranking benchmark: the canonical solution and up to four wrong programs a task.

    Parameters
    ----------
    tasks
        Tasks with a reference solution and inputs.
    samples
        Any samples: they are scored on the reference inputs, one a distinct score is kept.
    output
        Where to write it, in the form of the Scoring-Verifiers files.
    """
    loaded = load_tasks(tasks)
    with engine.sandbox() as sandbox:
        built = build(loaded, load_candidates(samples, loaded), sandbox)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("".join(map(dump_row, (each.row() for each in built))), "utf-8")
    print(f"wrote {output}: {len(built)} of {len(loaded)} tasks", file=sys.stderr)
    return 0


@bench.command
def export(record: Path, /, *, output: Record, method: str = "cott") -> int:
    """Write the scores of one method as the Scoring-Verifiers evaluation script reads them.

    Parameters
    ----------
    record
        What `bench cott` wrote.
    output
        Where to write the rows: one a candidate.
    method
        Whose scores: cot, sol-ver, syntra, rstar, tt, cott, true or random.
    """
    rows = evaluation_rows(read_rows(record), method)
    output.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    print(f"wrote {output}: {len(rows)} candidates", file=sys.stderr)
    return 0


@bench.command
def plot(record: Path, /, *, output: Record) -> int:
    """Draw the figures of a record of `bench cott` as SVG.

    Parameters
    ----------
    record
        What `bench cott` wrote.
    output
        The folder that the figures go into.
    """
    from consilience.bench.cott.figures import figures  # noqa: PLC0415  # only when asked for

    output.mkdir(parents=True, exist_ok=True)
    for name, drawn in figures(read_rows(record)).items():
        place = output / f"{record.name.split('.')[0]}-{name}.svg"
        place.write_text(drawn, encoding="utf-8")
        print(f"wrote {place}", file=sys.stderr)
    return 0


def _posed(
    tasks: Path, samples: Path | None, judging: Judge, scope: Scope
) -> tuple[list[RankingTask], dict[str, list[str]] | None]:
    """Pose the tasks, and find the general programs where they were drawn before."""
    if samples is None:
        return read(tasks)[: scope.pick], None
    loaded = load_tasks(tasks)
    if scope.voters is not None:
        parted = part(samples, loaded, scope.voters, judging.settings.n_inductive)
        if not parted.voters:
            message = f'{samples} has no samples of a model named "{scope.voters}".'
            raise UsageError(message, hint='Its rows name their model in the field "model".')
        if scope.like is not None:
            return again(read_rows(scope.like), loaded, parted.candidates), parted.voters
        return pose(loaded, parted, judging.sandbox, scope.pick), parted.voters
    pool = load_candidates(samples, loaded)
    if scope.like is not None:
        return again(read_rows(scope.like), loaded, pool), None
    count = len(loaded) if scope.pick is None else scope.pick
    return live.pick(
        loaded, pool, judging.sandbox, count=count, seed=judging.settings.seed
    ), None


class _Clock:
    """Tell how far the run has come, and how long it may take."""

    def __init__(self, begun: float) -> None:
        self._begun = begun
        self._rows = 0

    def tell(self, row: TaskRow, done: int, total: int) -> None:
        """Print one line a task."""
        self._rows += 1
        each = (time.monotonic() - self._begun) / self._rows
        told = (
            f"[{done}/{total}] {row.task_id}: {len(row.inputs)} inputs, {row.queries} queries"
        )
        print(
            f"{told}; about {each * (total - done) / 60:.0f} min left",
            file=sys.stderr,
            flush=True,
        )
