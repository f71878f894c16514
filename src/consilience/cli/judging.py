"""The verbs that judge: judge, sample, tests, rank."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from consilience.backends.local import Threads
from consilience.cli import app
from consilience.cli.options import Engine, Selection
from consilience.cli.progress import Meter
from consilience.errors import UsageError
from consilience.formats import load_candidates
from consilience.formats.pytest_file import pytest_source
from consilience.formats.samples import write_samples
from consilience.formats.suite_jsonl import read_suites, write_suites
from consilience.judge import Judge, Verdict, weigh
from consilience.models.stored import StoredModel
from consilience.report.page import page
from consilience.report.record import record
from consilience.report.text import text
from consilience.sampling import sample as draw
from consilience.task import Candidate, Task, TestSuite

Out = Annotated[Path | None, Parameter(name=("--output", "-o"))]
Json = Annotated[bool, Parameter(name="--json", negative=())]
Quiet = Annotated[bool, Parameter(name=("--quiet", "-q"), negative=())]
Count = Annotated[int, Parameter(name=("-n", "--samples-per-task"))]
DEFAULT_ENGINE = Engine()
ALL = Selection()
STDOUT = Path("/dev/stdout")


@app.command
def judge(
    tasks: Path,
    samples: Path | None = None,
    /,
    *,
    select: Selection = ALL,
    engine: Engine = DEFAULT_ENGINE,
    n: Count = 5,
    html: Path | None = None,
    pytest: Path | None = None,
    all_tests: Annotated[bool, Parameter(negative=())] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Say which candidate of each task to trust, how far, and why.

    Parameters
    ----------
    tasks
        HumanEval or EvalPlus JSONL, a .py file with a documented function, or a .md/.txt prompt.
    samples
        Candidates: samples JSONL, a folder, or .py files. Without it the model draws them.
    n
        Candidates to draw for each task where none are given.
    html
        Write the report here (one task), or one file a task into this folder.
    pytest
        Write the synthesised tests as a pytest file here (one task), or into this folder.
    all_tests
        List every test, not only those that decided.
    """
    chosen = select.tasks(tasks)
    given = None if samples is None else load_candidates(samples, chosen)
    with engine.judge() as judging, _meter(judging, chosen, quiet) as meter:

        def one(task: Task) -> Verdict:
            candidates = given[task.id] if given is not None else _draw(judging, task, n)
            verdict = judging.judge(task, candidates)
            meter.finished(task.id, verdict.winner.label if verdict.winner else "no winner")
            return verdict

        wanted = [task for task in chosen if given is None or given.get(task.id)]
        for verdict in Threads(engine.workers).map(one, wanted):
            _write(html, verdict, page(verdict), ".html", len(wanted))
            _write(pytest, verdict, pytest_source(verdict.suite), ".py", len(wanted))
            _show(record(verdict), lambda v=verdict: text(v, all_tests=all_tests), as_json)
    return 0


@app.command
def sample(
    tasks: Path,
    /,
    *,
    output: Out = None,
    select: Selection = ALL,
    engine: Engine = DEFAULT_ENGINE,
    n: Count = 10,
    quiet: Quiet = False,
) -> int:
    """Draw candidate programs from the model, as samples JSONL.

    Parameters
    ----------
    tasks
        The tasks, as for `judge`.
    output
        Where to write; a run that was broken off goes on where it stopped. Default: stdout.
    n
        Candidates to draw for each task.
    """
    chosen = select.tasks(tasks)
    with engine.judge() as judging, _meter(judging, chosen, quiet) as meter:

        def one(task: Task) -> Sequence[Candidate]:
            candidates = _draw(judging, task, n)
            meter.finished(task.id, f"{len(candidates)} samples")
            return candidates

        drawn = [c for group in Threads(engine.workers).map(one, chosen) for c in group]
    write_samples(output or STDOUT, drawn)
    return 0


@app.command
def tests(
    tasks: Path,
    /,
    *,
    output: Out = None,
    select: Selection = ALL,
    engine: Engine = DEFAULT_ENGINE,
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
    with engine.judge() as judging, _meter(judging, chosen, quiet) as meter:

        def one(task: Task) -> TestSuite:
            suite = judging.tests(task)
            meter.finished(task.id, f"{len(suite.tests)} tests")
            return suite

        suites = list(Threads(engine.workers).map(one, chosen))
    if output is not None and output.suffix == ".py":
        output.write_text(pytest_source(suites[0]), encoding="utf-8")
    else:
        write_suites(output or STDOUT, suites)
    return 0


@app.command
def rank(
    tasks: Path,
    samples: Path,
    /,
    *,
    tests: Path,
    select: Selection = ALL,
    engine: Engine = DEFAULT_ENGINE,
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
    chosen = select.tasks(tasks)
    given = load_candidates(samples, chosen)
    suites = {suite.task.id: suite for suite in read_suites(tests)}
    with engine.sandbox() as sandbox:
        for task in chosen:
            if task.id in suites and given.get(task.id):
                verdict = weigh(suites[task.id], given[task.id], sandbox, engine.settings())
                _show(record(verdict), lambda v=verdict: text(v), as_json)
    return 0


def _meter(judging: Judge, tasks: Sequence[Task], quiet: bool) -> Meter:
    meter = Meter(len(tasks), quiet=quiet, ledger=judging.ledger)
    judging.progress = meter.stage
    return meter


def _draw(judging: Judge, task: Task, n: int) -> Sequence[Candidate]:
    """Draw candidates apart from the voters: another stage and another seed."""
    model = StoredModel(judging.model, judging.store, judging.ledger, "candidates")
    return draw(task, model, n=n, seed=judging.settings.seed + 1_000_003)


def _show(data: dict[str, Any], as_text: Callable[[], str], as_json: bool) -> None:
    print(json.dumps(data, ensure_ascii=False) if as_json else as_text() + "\n", flush=True)


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
