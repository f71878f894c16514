"""Pose one task to every rule: what each makes of the candidates, and what that cost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from consilience.bench.shapes import Found, Scores, ShapeRow
from consilience.bench.shapes.metered import Metered
from consilience.cascade import Cascade
from consilience.errors import ConsilienceError
from consilience.interfaces.registry import interface
from consilience.judge import Judge, Verdict
from consilience.models import Usage
from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import ForkServer
from consilience.settings import Settings
from consilience.task import Candidate, Task
from consilience.trust import Stage
from consilience.trust.evidence import classes_of, share_of_examples
from consilience.voters import Voters

Rows = Sequence[Sequence[Outcome]]


@dataclass(frozen=True, slots=True)
class Trial:
    """How tasks are judged: without a model, and with one where *judge* is given."""

    server: ForkServer
    settings: Settings
    judge: Judge | None = None

    def row(
        self, task: Task, candidates: Sequence[Candidate], right: Sequence[bool]
    ) -> ShapeRow:
        """Judge *candidates* by all rules; *right* is only written down."""
        passed = self._passed(task, candidates)
        best = [place for place, share in enumerate(passed) if share == 1.0]
        found, rows = self._found(task, candidates, best or range(len(candidates)))
        return ShapeRow(
            task.id,
            task.shape,
            task.metadata.get("difficulty", ""),
            tuple(right),
            len(task.examples),
            passed,
            majority(rows) if rows else (0.0,) * len(candidates),
            found,
        )

    def _found(
        self, task: Task, candidates: Sequence[Candidate], best: Sequence[int]
    ) -> tuple[dict[str, Found], Rows]:
        """Walk through the stages; return what each said, and what was seen without a model.

        A probe is usable where most of the *best* candidates, those that pass the examples,
        answered.
        """
        found: dict[str, Found] = {}
        rows: Rows = ()
        meter = _Meter(Metered(self.server))
        cascade = self._cascade(meter.sandbox)
        stages = cascade.stages(task, candidates)
        for stage in ("text", "behaviour", "tests")[: 3 if self.judge else 2]:
            try:
                verdict = next(stages)
            except StopIteration:
                break
            except ConsilienceError as error:
                found[stage] = meter.read(Found(False, type(error).__name__))
                break
            if stage != "text":
                found[stage] = meter.read(said(verdict, best))
            if stage == "behaviour":
                rows = seen(verdict)
        return found, rows

    def _cascade(self, sandbox: Metered) -> Cascade:
        until: Stage = "tests" if self.judge else "behaviour"
        judge = replace(self.judge, sandbox=sandbox) if self.judge else None
        return Cascade(sandbox, self.settings, judge, until=until)

    def _passed(self, task: Task, candidates: Sequence[Candidate]) -> Scores:
        target = interface(task).target(task)
        limits = Limits(cpu_seconds=self.settings.cpu_seconds)
        voters = Voters([each.code for each in candidates], target, self.server, limits)
        return tuple(share_of_examples(voters, task))


def said(verdict: Verdict, best: Sequence[int]) -> Found:
    """Write down what a verdict says; the *best* candidates tell which probes are usable."""
    rows = seen(verdict)
    usable = sum(
        _answered([column[place] for place in best]) for column in zip(*rows, strict=True)
    )
    spent = sum(verdict.usage.values(), Usage())
    everything = [outcome for row in (*verdict.outcomes, *verdict.undecided) for outcome in row]
    judged = verdict.judged and bool(verdict.ranking.leaders)
    return Found(
        judged,
        "" if judged else _commonest(everything),
        tuple(None if score is None else float(score) for score in verdict.ranking.scores),
        verdict.trust.probabilities if verdict.trust else (),
        probes=len(rows[0]) if rows else 0,
        usable=usable,
        tokens=(spent.prompt_tokens, spent.completion_tokens),
    )


def seen(verdict: Verdict) -> Rows:
    """Return what each candidate did on every probe that the task does not state itself."""
    made = [n for n, test in enumerate(verdict.suite.tests) if test.route != "given"]
    undecided = verdict.undecided or [()] * len(verdict.candidates)
    return [
        [*(row[place] for place in made), *more]
        for row, more in zip(verdict.outcomes, undecided, strict=True)
    ]


def majority(rows: Rows) -> Scores:
    """Return the share of candidates that do the same on all probes, 0 for those that fail."""
    table = classes_of(list(zip(*rows, strict=True)), len(rows))
    sizes = Counter(map(tuple, table))
    return tuple(
        sizes[tuple(row)] / len(table) if any(each is not None for each in row) else 0.0
        for row in table
    )


def _answered(column: Sequence[Outcome]) -> bool:
    return 2 * sum(outcome.ok for outcome in column) > len(column)


def _commonest(outcomes: Sequence[Outcome]) -> str:
    """Name the commonest failure by its status and class alone: no text of a program."""
    failures = Counter(f"{each.status} {each.error or ''}".strip() for each in outcomes)
    return min(failures, key=lambda name: (-failures[name], name)) if failures else "no probe"


class _Meter:
    """Clocks that are read once a stage."""

    def __init__(self, sandbox: Metered) -> None:
        self.sandbox = sandbox
        self._last = self._now()

    def read(self, found: Found) -> Found:
        """Add what passed since the last reading."""
        now = self._now()
        wall, own, cpu, calls = (a - b for a, b in zip(now, self._last, strict=True))
        self._last = now
        return msgspec.structs.replace(
            found,
            seconds=round(wall, 3),
            own_cpu=round(own, 3),
            program_cpu=round(cpu, 3),
            calls=round(calls),
        )

    def _now(self) -> tuple[float, float, float, int]:
        meter = self.sandbox
        return time.monotonic(), time.process_time(), meter.cpu_seconds, meter.calls
