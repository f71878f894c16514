"""The verb `improve`: repair programs by the reliable tests that they fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from consilience.backends.local import Threads
from consilience.cli import app
from consilience.cli.options import Engine, Positive, Selection
from consilience.cli.progress import Meter
from consilience.errors import UsageError
from consilience.formats import load_candidates
from consilience.formats.belonging import beside
from consilience.formats.jsonl import dump_row
from consilience.formats.samples import sample_rows
from consilience.formats.suite_jsonl import read_suites
from consilience.improve import Improvement, Plan
from consilience.improve.workshop import improve as repair
from consilience.judge import Judge
from consilience.report.improvement import record, summary, text
from consilience.task import Candidate, Task, TestSuite


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Trying:
    """How much to try."""

    rounds: Positive = 3
    """Rounds at most; a round that brings nothing better is the last."""
    repairs: Annotated[Positive, Parameter(name=("--repairs", "-n"))] = 5
    """Repairs to draw in a round."""
    shown: int = 3
    """Failing tests that the model sees in a round."""
    trust: float | None = None
    """Confidence from which an expectation is relied on; default: that of --tau."""
    repair_tokens: int | None = None
    """Tokens for the repairs of one program; no round is begun beyond them."""

    def plan(self) -> Plan:
        """Return what was asked for."""
        return Plan(self.rounds, self.repairs, self.shown, self.trust, self.repair_tokens)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Telling:
    """What to write, and where."""

    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None
    """Write the best programs here: x.py for a single one, else samples JSONL."""
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False
    """Print each result as one line of JSON."""
    quiet: Annotated[bool, Parameter(name=("--quiet", "-q"), negative=())] = False
    """Do not tell how far the run has come."""


DEFAULT_PLAN = Trying()
ALL, DEFAULT_ENGINE, TELL = Selection(), Engine(), Telling()


@app.command
def improve(  # noqa: PLR0913 - all but the files are groups of flags
    tasks: Path,
    candidate: Path,
    /,
    *more: Path,
    tests: Path | None = None,
    select: Selection = ALL,
    engine: Engine = DEFAULT_ENGINE,
    plan: Trying = DEFAULT_PLAN,
    tell: Telling = TELL,
) -> int:
    """Repair programs by the reliable tests that they fail; nothing gets worse by these tests.

    Parameters
    ----------
    tasks
        The tasks, as for `judge`.
    candidate
        The programs to repair, as for `judge`.
    more
        Further .py files.
    tests
        A suite written by `consilience tests -o suite.jsonl`; by default one is written now.
    """
    chosen = select.tasks(tasks)
    given = load_candidates((candidate, *more) if more else candidate, chosen)
    pairs = [(task, each) for task in chosen for each in given.get(task.id, ())]
    _check(pairs, tell.output)
    suites = {suite.task.id: suite for suite in read_suites(tests)} if tests else {}
    with engine.judge() as judging, _meter(judging, len(pairs), tell.quiet) as meter:

        def one(pair: tuple[Task, Candidate]) -> Improvement:
            task, program = pair
            suite = _suite(suites, task, tests)
            found = repair(judging, task, program, plan=plan.plan(), suite=suite)
            meter.finished(task.id, summary(found))
            return found

        results = []
        for found in Threads(engine.workers).map(one, pairs):
            told = json.dumps(record(found), ensure_ascii=False) if tell.as_json else None
            print(told or text(found) + "\n", flush=True)
            results.append(found)
    _save([found.best for found in results], tell.output)
    return 0


def _check(pairs: Sequence[tuple[Task, Candidate]], output: Path | None) -> None:
    if not pairs:
        raise UsageError("None of the chosen tasks has a candidate among these programs.")
    if output is not None and output.suffix == ".py" and len(pairs) != 1:
        message = f"A .py file holds one program, and {len(pairs)} are to be repaired."
        raise UsageError(message, hint="Name one candidate, or write a .jsonl.")


def _suite(suites: dict[str, TestSuite], task: Task, tests: Path | None) -> TestSuite | None:
    if tests is not None and task.id not in suites:
        message = f"{tests} has no tests for {task.id}."
        raise UsageError(message, hint="Leave --tests out to have some written.")
    return beside(suites[task.id], task) if tests else None


def _meter(judging: Judge, count: int, quiet: bool) -> Meter:
    meter = Meter(count, quiet=quiet, ledger=judging.ledger)
    judging.progress = meter.stage
    return meter


def _save(best: Sequence[Candidate], output: Path | None) -> None:
    if output is None:
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    if output.suffix == ".py":
        output.write_text(best[0].code, encoding="utf-8")
        return
    rows = [dump_row(row) + "\n" for row in sample_rows(best)]
    output.write_text("".join(rows), encoding="utf-8")
