"""A run of verdicts beside the truth, for tasks that bring a reference solution along.

The truth is for looking back only: the verdicts are done, and nothing here changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from consilience.bench.intervals import bootstrap
from consilience.bench.metrics import spearman
from consilience.bench.ranking_tasks import label
from consilience.bench.reliability import diagram
from consilience.errors import UsageError
from consilience.formats import accepts
from consilience.ranking import PassMatrix
from consilience.report.shapes import Shown
from consilience.sandbox import Sandbox
from consilience.task import Candidate, Reference, Task, TestCase
from consilience.values import Value

CAP = 100
"""Reference inputs that the truth about one task rests on, at most."""
PATIENCE = 120.0
"""Seconds for one program on all inputs: each candidate matters here, slow ones too."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, and the true pass rate of each of its candidates."""

    verdict: Shown
    truth: tuple[Fraction | None, ...]
    """By place; None where a program could not be measured on every input."""


def measure(verdict: Shown, task: Task, sandbox: Sandbox, *, cap: int = CAP) -> Judged:
    """Run the candidates of *verdict* on the inputs of the task's reference.

    Raises:
        UsageError: the task has no reference, or the verdict holds no programs.
    """
    reference = task.reference
    if reference is None or not verdict.candidates:
        message = f"{task.id}: there is no reference solution, or no program in the verdict."
        raise UsageError(message, hint="Take tasks such as HumanEval+, and a new --json.")
    suite, limits = label(task, reference, sandbox, cap)
    limits = replace(limits, total_seconds=PATIENCE)
    candidates = [
        Candidate(task.id, each.code, place, each.label)
        for place, each in enumerate(verdict.candidates)
    ]
    inputs = [test.input.args for test in suite.tests]
    rows = sandbox.run([each.code for each in candidates], task.entry_point, inputs, limits)
    matrix = PassMatrix.build(candidates, rows, suite, _Rule(reference))
    whole = [matrix.judged(place) == matrix.test_count for place in range(len(candidates))]
    return Judged(
        verdict,
        tuple(
            Fraction(matrix.passed(place), matrix.test_count) if known else None
            for place, known in enumerate(whole)
        ),
    )


def beside(found: Sequence[Judged]) -> dict[str, Any]:
    """Sum up how the verdicts compare with the truth: intervals over tasks, and reliability.

    Who is chosen is right where it passes everything; of several that lead alike one is drawn
    by lot. Where trust was asked for, its bins say how often a candidate of that trust is
    right; those of the tests say the same of the share that a candidate passes.
    """
    shares = {
        "the chosen one is right": [_right(each, _leaders(each)) for each in found],
        "one drawn at random is right": [
            _right(each, range(len(each.truth))) for each in found
        ],
        "any one is right": [_any_right(each) for each in found],
    }
    return {
        "tasks": len(found),
        **{name: asdict(bootstrap(shown)) for name, shown in shares.items()},
        "rho": asdict(bootstrap([_rho(each) for each in found])),
        **_bins("trust", [pair for each in found for pair in _trusted(each)]),
        **_bins("share of tests passed", [pair for each in found for pair in _passed(each)]),
    }


@dataclass(frozen=True, slots=True)
class _Rule:
    """Compares outputs as the dataset has it for the task."""

    reference: Reference

    def __call__(self, test: TestCase, output: Value) -> bool:
        return accepts(self.reference, test.input.args, output, test.expected)


def _leaders(each: Judged) -> list[int]:
    ranked = {row.index: row.rank for row in each.verdict.ranking if row.rank is not None}
    return [place for place, rank in ranked.items() if rank == min(ranked.values())]


def _right(each: Judged, places: Iterable[int]) -> float | None:
    """Return the share of *places* that pass everything; None where none could be measured."""
    known = [true == 1 for place in places if (true := each.truth[place]) is not None]
    return sum(known) / len(known) if known else None


def _any_right(each: Judged) -> float | None:
    share = _right(each, range(len(each.truth)))
    return None if share is None else float(share > 0)


def _rho(each: Judged) -> float | None:
    scores = {row.index: row.score for row in each.verdict.ranking}
    known = [p for p, t in enumerate(each.truth) if t is not None and scores[p] is not None]
    if len(known) < 2:
        return None
    return spearman(
        [float(scores[p] or 0) for p in known], [float(each.truth[p] or 0) for p in known]
    ).value


def _trusted(each: Judged) -> Iterator[tuple[float, float]]:
    if each.verdict.trust is not None:
        for chance, true in zip(each.verdict.trust.probabilities, each.truth, strict=True):
            if true is not None:
                yield chance, float(true == 1)


def _passed(each: Judged) -> Iterator[tuple[float, float]]:
    for row in each.verdict.ranking:
        true = each.truth[row.index]
        if row.tests and true is not None:
            yield row.passed / row.tests, float(true == 1)


def _bins(name: str, pairs: Sequence[tuple[float, float]]) -> Mapping[str, Any]:
    if not pairs:
        return {}
    stated, right = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    return {name: {"cases": len(pairs), "bins": diagram(stated, right)}}
