"""The verbs that judge: judge, sample, tests, rank."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

from consilience.cli import app
from consilience.cli.options import Engine, Placed, Positive, Selection
from consilience.cli.progress import Meter
from consilience.cli.trusting import UNJUDGED, Demand
from consilience.errors import UsageError
from consilience.formats import load_candidates
from consilience.formats.belonging import beside
from consilience.formats.jsonl import dump_row
from consilience.formats.pytest_file import pytest_source
from consilience.formats.samples import sample_rows
from consilience.formats.suite_jsonl import read_suites, suite_rows
from consilience.judge import Judge, Verdict, weigh
from consilience.models import Sampling
from consilience.models.budget import BudgetError
from consilience.models.scripted import ScriptedModel
from consilience.models.stored import StoredModel
from consilience.oracles.experience import warning
from consilience.report.page import agreement, page
from consilience.report.record import record
from consilience.report.text import text
from consilience.sampling import Workflow
from consilience.sampling import sample as draw
from consilience.store import Store
from consilience.task import Candidate, Task, TestSuite

Out = Annotated[Path | None, Parameter(name=("--output", "-o"))]
Json = Annotated[
    bool,
    Parameter(
        name="--json", negative=(), show_default=False, help="Print JSON, one line a task."
    ),
]
Quiet = Annotated[
    bool,
    Parameter(
        name=("--quiet", "-q"),
        negative=(),
        show_default=False,
        help="Do not tell how far the run has come.",
    ),
]
Count = Annotated[Positive, Parameter(name=("-n", "--samples-per-task"))]


@Parameter(name="*", group=Group("What to write", sort_key=3))
@dataclass(frozen=True, slots=True)
class Show:
    """What to write of a verdict, and where."""

    html: Path | None = None
    """Write the report here (one task), or a file for each task into this folder."""
    pytest: Path | None = None
    """Write the tests as a pytest file here (one task), or one for each into this folder."""
    all_tests: Annotated[bool, Parameter(negative=(), show_default=False)] = False
    """List every test, not only those that decided."""
    as_json: Json = False
    """Print each verdict as one line of JSON."""
    quiet: Quiet = False
    """Do not tell how far the run has come."""

    def verdict(self, verdict: Verdict, count: int) -> None:
        """Print the verdict on one of *count* tasks, and write its files."""
        if self.html is not None:
            entropy = agreement([candidate.code for candidate in verdict.candidates])
            _write(self.html, verdict, page(verdict, entropy=entropy), ".html", count)
        _write(self.pytest, verdict, pytest_source(verdict.suite), ".py", count)
        if self.as_json:
            print(dump_row(record(verdict)), flush=True)
        else:
            print(text(verdict, all_tests=self.all_tests) + "\n", flush=True)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Drawing:
    """How to draw candidates."""

    n: Count = 10
    """Candidates to draw for each task."""
    workflow: Workflow = "coder"
    """coder: from the task alone. analyst: the model first writes an account of the task's data
    and control flow, once, and every candidate is written from that."""
    temperature: float = 0.8
    """0 for the likeliest answer; the FASE paper draws at .5."""
    top_p: float = 0.95
    """Draw from the likeliest tokens of this weight."""
    max_tokens: int = 768
    """Longest answer."""

    def draw(self, judging: Judge, task: Task) -> Sequence[Candidate]:
        """Draw candidates apart from the voters: another stage and another seed."""
        model = StoredModel(judging.model, judging.store, judging.ledger, "candidates")
        sampling = Sampling(self.temperature, self.top_p, self.max_tokens)
        seed = judging.settings.seed + 1_000_003
        return draw(task, model, n=self.n, sampling=sampling, seed=seed, workflow=self.workflow)


Posed = tuple[Task, Sequence[Candidate] | None]
"""A task and its candidates; None where they are to be drawn."""
DEFAULT_ENGINE = Engine()
PLACED = Placed()
DEMAND = Demand()
DRAWING = Drawing()
ALL = Selection()
SHOW = Show()


@app.command
def judge(
    tasks: Path,
    /,
    *samples: Path,
    select: Selection = ALL,
    engine: Placed = PLACED,
    demand: Demand = DEMAND,
    n: Count = 5,
    show: Show = SHOW,
) -> int:
    """Say which candidate of each task to trust, how far, and why.

    Parameters
    ----------
    tasks
        JSONL (HumanEval, EvalPlus, LiveCodeBench, ClassEval, ...), a .py file with the function or
        class to write, a statement in .md or .txt.
    samples
        Candidates: samples JSONL, a folder, or .py files. Without any the model draws them.
    n
        Candidates to draw for each task where none are given.
    """
    known = select.known(tasks)
    chosen = select.among(known, tasks)
    given = _given(samples, known) if samples else None
    wanted = chosen if given is None else _with_candidates(chosen, given)
    posed = [(task, None if given is None else given[task.id]) for task in wanted]
    verdicts = []
    with (
        demand.open(engine, draws=given is None) as judging,
        _meter(judging, wanted, show.quiet) as meter,
        engine.crew(judging) as crew,
    ):
        _warn(judging, show.quiet)

        def done(posed: Posed, found: Verdict | str) -> None:
            meter.finished(posed[0].id, found if isinstance(found, str) else _winner(found))

        work = partial(_judged, drawing=Drawing(n), demand=demand)
        for found in crew.map(work, posed, done):
            if isinstance(found, Verdict):
                show.verdict(found, len(wanted))
                verdicts.append(found)
    return demand.exit_code(verdicts)


@app.command
def sample(
    tasks: Path,
    /,
    *,
    output: Out = None,
    select: Selection = ALL,
    engine: Placed = PLACED,
    drawing: Drawing = DRAWING,
    quiet: Quiet = False,
) -> int:
    """Draw candidate programs from the model, as samples JSONL.

    Parameters
    ----------
    tasks
        The tasks, as for `judge`.
    output
        Where to write; a run that was broken off goes on where it stopped. Default: stdout.
    """
    chosen = select.tasks(tasks)
    with (
        engine.judge() as judging,
        _meter(judging, chosen, quiet) as meter,
        engine.crew(judging) as crew,
    ):

        def done(task: Task, drawn: Sequence[Candidate]) -> None:
            meter.finished(task.id, f"{len(drawn)} samples")

        groups = crew.map(drawing.draw, chosen, done)
        drawn = [candidate for group in groups for candidate in group]
    _emit(sample_rows(drawn), output)
    return 0


@app.command(name="tests")
def write_tests(
    tasks: Path,
    /,
    *,
    output: Out = None,
    select: Selection = ALL,
    engine: Placed = PLACED,
    quiet: Quiet = False,
) -> int:
    """Write tests with reliable expected outputs.

    Parameters
    ----------
    tasks
        The tasks, as for `judge`.
    output
        suite.jsonl for a suite that `rank` reads; test_name.py for pytest (one task).
        Default: JSONL on stdout.
    """
    chosen = select.tasks(tasks)
    if output is not None and output.suffix == ".py" and len(chosen) != 1:
        message = f"A pytest file holds the tests of one task, and {len(chosen)} are chosen."
        raise UsageError(message, hint="Choose one with --only ID, or write a .jsonl.")
    with (
        engine.judge() as judging,
        _meter(judging, chosen, quiet) as meter,
        engine.crew(judging) as crew,
    ):

        def done(task: Task, suite: TestSuite) -> None:
            meter.finished(task.id, f"{len(suite.tests)} tests")

        suites = list(crew.map(Judge.tests, chosen, done))
    if output is not None and output.suffix == ".py":
        output.write_text(pytest_source(suites[0]), encoding="utf-8")
    else:
        _emit((row for suite in suites for row in suite_rows(suite)), output)
    return 0


@app.command
def rank(
    tasks: Path,
    samples: Path,
    /,
    *,
    tests: Path,
    select: Selection = ALL,
    engine: Placed = PLACED,
    as_json: Json = False,
) -> int:
    """Rank candidates by tests that are there already: no model is asked.

    Parameters
    ----------
    tasks
        The tasks, as for `judge`.
    samples
        Candidates, as for `judge`.
    tests
        A suite written by `consilience tests -o suite.jsonl`.
    """
    known = select.known(tasks)
    chosen = select.among(known, tasks)
    given = load_candidates(samples, known)
    suites = {suite.task.id: suite for suite in read_suites(tests)}
    posed = []
    for task in _with_candidates(chosen, given):
        if task.id in suites:
            posed.append((beside(suites[task.id], task), given[task.id]))
        else:
            print(f"{tests} has no tests for {task.id}: skipped.", file=sys.stderr)
    with engine.sandbox() as sandbox, Store(":memory:") as store:
        judging = Judge(ScriptedModel(()), sandbox, store, engine.settings())
        with engine.crew(judging) as crew:
            verdicts = list(crew.map(_weighed, posed))
            for verdict in verdicts:
                Show(as_json=as_json).verdict(verdict, 1)
    return UNJUDGED if verdicts and not any(each.judged for each in verdicts) else 0


def _judged(judging: Judge, posed: Posed, drawing: Drawing, demand: Demand) -> Verdict | str:
    """Judge the candidates that are given, or drawn; else say why there are none."""
    task, given = posed
    try:
        candidates = drawing.draw(judging, task) if given is None else given
    except BudgetError as error:
        return f"not judged: {error}"
    return demand.cascade(judging)(task, candidates)


def _weighed(judging: Judge, posed: tuple[TestSuite, Sequence[Candidate]]) -> Verdict:
    suite, candidates = posed
    return weigh(suite, candidates, judging.sandbox, judging.settings)


def _winner(verdict: Verdict) -> str:
    return verdict.winner.label if verdict.winner else "no winner"


def _given(samples: Sequence[Path], tasks: Sequence[Task]) -> Mapping[str, Sequence[Candidate]]:
    return load_candidates(samples[0] if len(samples) == 1 else samples, tasks)


def _with_candidates(
    tasks: Sequence[Task], given: Mapping[str, Sequence[Candidate]]
) -> list[Task]:
    """Keep the tasks that have candidates; say how many have none."""
    wanted = [task for task in tasks if given.get(task.id)]
    if not wanted:
        message = "None of the chosen tasks has a candidate in the samples."
        raise UsageError(message, hint="Choose others with --only, or leave the samples out.")
    if len(wanted) < len(tasks):
        told = f"{len(tasks) - len(wanted)} of {len(tasks)} tasks have no candidates: skipped."
        print(told, file=sys.stderr)
    return wanted


def _emit(rows: Iterable[Mapping[str, Any]], output: Path | None) -> None:
    """Write rows to stdout, or to a file that is whole or not there."""
    lines = "".join(dump_row(dict(row)) + "\n" for row in rows)
    if output is None:
        sys.stdout.write(lines)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh = output.with_name(output.name + ".part")
    fresh.write_text(lines, encoding="utf-8")
    fresh.replace(output)


def _meter(judging: Judge, tasks: Sequence[Task], quiet: bool) -> Meter:
    meter = Meter(len(tasks), quiet=quiet, ledger=judging.ledger)
    judging.progress = meter.stage
    return meter


def _warn(judging: Judge, quiet: bool) -> None:
    """Say so where what is about to be paid for is known not to pay."""
    told = "" if quiet else warning(judging.model.name, judging.settings)
    if told:
        print(f"consilience: {told}", file=sys.stderr, flush=True)


def _write(
    target: Path | None, verdict: Verdict, content: str, ending: str, count: int
) -> None:
    """Write one task's file at *target*, or one of several into the folder *target*."""
    if target is None:
        return
    if count > 1 or target.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        stem = verdict.task.id.replace("/", "_")
        target /= (f"test_{stem}" if ending == ".py" else stem) + ending
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content, encoding="utf-8")
    print(f"wrote {target}", file=sys.stderr)
