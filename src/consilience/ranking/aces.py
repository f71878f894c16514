"""ACES (Sun et al. 2026, arXiv 2604.03922): tests should rank, not merely count.

A test is worth what it agrees with the ranking that all other tests give (leave-one-out AUC).
Written from the published abstract and identity E[AUC_j] - 1/2 ~ c_j * delta_j; the closed form
below follows from it, the paper's iterative variant (ACES-O) is not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking
from consilience.ranking.pass_rate import rank_by_pass_rate


def rank_by_consistency(matrix: PassMatrix) -> Ranking:
    """Rank by pass rate under the weights of `consistency`; all alike where all are 0."""
    weights = consistency(matrix)
    return rank_by_pass_rate(matrix, weights if any(weights) else None)


def consistency(matrix: PassMatrix) -> list[Fraction]:
    """Weigh each test by max(0, AUC_j - 1/2) * p_j * (1 - p_j).

    AUC_j is the chance that a candidate passing test j beats one failing it on the other tests,
    ties counting half; p_j is the test's pass rate. The factor p (1 - p) turns the AUC back
    into a difference of pass rates between right and wrong programs: with pi the share of right
    ones, E[AUC_j] - 1/2 is proportional to delta_j * pi (1 - pi) / (p_j (1 - p_j)).
    """
    totals = [matrix.passed(candidate) for candidate in range(len(matrix.passes))]
    weights = []
    for column in zip(*matrix.passes, strict=True):
        winners = [
            total - 1 for total, cell in zip(totals, column, strict=True) if cell is True
        ]
        losers = [total for total, cell in zip(totals, column, strict=True) if cell is False]
        weights.append(_weight(winners, losers))
    return weights


def _weight(winners: Sequence[int], losers: Sequence[int]) -> Fraction:
    pairs = len(winners) * len(losers)
    if not pairs:
        return Fraction(0)  # a test that all pass or all fail tells no two candidates apart
    won = sum((w > x) - (w < x) for w in winners for x in losers)
    excess = max(Fraction(0), Fraction(won, 2 * pairs))
    return excess * Fraction(pairs, (len(winners) + len(losers)) ** 2)
