"""Rank by the share of tests passed, all alike or weighted by how far each can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from consilience.errors import UsageError
from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking, order

CHANCE = Fraction(1, 5)
"""Confidence that counts for nothing: weights max(0, c - 0.2) were measured to do no harm."""


def rank_by_pass_rate(
    matrix: PassMatrix, weights: Sequence[Fraction | float] | None = None
) -> Ranking:
    """Score each candidate by its pass rate, an exact fraction, over tests it was judged on.

    With *weights*, one a test and none negative, by the share of the weight. A candidate judged
    on nothing has no score, and where no candidate passes anything none of them wins.
    """
    exact = _exact(weights, matrix.test_count)
    scores = [_rate(row, exact) for row in matrix.passes]
    nothing = not any(scores) and any(score is not None for score in scores)
    reason = "no candidate passes any test" if nothing else ""
    return order(matrix.candidates, scores, reason=reason)


def rank_by_confidence(matrix: PassMatrix) -> Ranking:
    """Rank by pass rate, each test weighted by max(0, confidence - 0.2)."""
    weights = [max(Fraction(0), _share(t.confidence) - CHANCE) for t in matrix.tests]
    return rank_by_pass_rate(matrix, weights if any(weights) else None)


def _share(confidence: float) -> Fraction:
    # A share of some thousand votes at most: this gives back 7/10 for the float 0.7.
    return Fraction(confidence).limit_denominator(10_000)


def _exact(weights: Sequence[Fraction | float] | None, count: int) -> list[Fraction]:
    if weights is None:
        return [Fraction(1)] * count
    if len(weights) != count:
        message = f"{len(weights)} weights for {count} tests."
        raise UsageError(message)
    exact = [Fraction(weight) for weight in weights]
    if min(exact, default=0) < 0:
        raise UsageError("A weight is negative.")
    return exact


def _rate(row: Sequence[bool | None], weights: Sequence[Fraction]) -> Fraction | None:
    cells = [(cell, w) for cell, w in zip(row, weights, strict=True) if cell is not None]
    total = sum((w for _, w in cells), Fraction(0))
    passed = sum((w for cell, w in cells if cell), Fraction(0))
    return passed / total if total else None
