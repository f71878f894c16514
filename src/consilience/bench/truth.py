"""A run of verdicts beside the truth, for tasks that bring a reference solution along.

The truth is for looking back only: the verdicts are done, and nothing here changes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from consilience.bench.intervals import bootstrap
from consilience.bench.metrics import bottom1, spearman, top1
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

    Where trust was asked for, its bins say how often a winner of that trust is right; the bins
    of the score say the same of a candidate's share of passed tests, read as a probability.
    """
    trusted = [pair for each in found for pair in _trusted(each)]
    scored = [pair for each in found for pair in _scored(each)]
    return {
        "tasks": len(found),
        "winner is right": asdict(bootstrap([_winner_right(each) for each in found])),
        **{name: asdict(bootstrap(_figures(found, name))) for name in _METRICS},
        **_bins("trust in the winner", trusted),
        **_bins("share of tests passed", scored),
    }


@dataclass(frozen=True, slots=True)
class _Rule:
    """Compares outputs as the dataset has it for the task."""

    reference: Reference

    def __call__(self, test: TestCase, output: Value) -> bool:
        return accepts(self.reference, test.input.args, output, test.expected)


_METRICS = {"Top-1": top1, "Bottom-1": bottom1, "rho": spearman}


def _figures(found: Sequence[Judged], name: str) -> list[float | None]:
    figures: list[float | None] = []
    for each in found:
        scores = {row.index: row.score for row in each.verdict.ranking}
        known = [p for p, t in enumerate(each.truth) if t is not None and scores[p] is not None]
        pairs = [(float(scores[p] or 0), float(each.truth[p] or 0)) for p in known]
        if len(pairs) < 2:
            figures.append(None)
            continue
        figures.append(_METRICS[name](*map(list, zip(*pairs, strict=True))).value)
    return figures


def _winner_right(each: Judged) -> float | None:
    """Tell whether the winner passes everything; None without a winner or a truth."""
    winner = each.verdict.winner
    true = None if winner is None else each.truth[winner.index]
    return None if true is None else float(true == 1)


def _trusted(each: Judged) -> Iterator[tuple[float, float]]:
    right, trust = _winner_right(each), each.verdict.trust
    if right is not None and trust is not None and trust.value is not None:
        yield trust.value, right


def _scored(each: Judged) -> Iterator[tuple[float, float]]:
    for row in each.verdict.ranking:
        true = each.truth[row.index]
        if row.score is not None and true is not None:
            yield row.score, float(true == 1)


def _bins(name: str, pairs: Sequence[tuple[float, float]]) -> Mapping[str, Any]:
    if not pairs:
        return {}
    stated, right = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    return {name: {"cases": len(pairs), "bins": diagram(stated, right)}}
