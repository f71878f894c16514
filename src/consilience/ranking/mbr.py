"""MBR-exec (Shi et al. 2022, arXiv 2204.11454): minimum Bayes risk by execution."""

from __future__ import annotations

from fractions import Fraction

from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking, order


def rank_by_bayes_risk(matrix: PassMatrix) -> Ranking:
    """Score by how many candidates give the same outputs on every test.

    This is the published loss, max over inputs of 0/1 disagreement, turned round. A candidate
    that returns nothing on any test has no outputs to agree on: its score is 0.
    """
    scores = [0] * len(matrix.candidates)
    for cluster in matrix.alike():
        valid = any(name is not None for name in matrix.classes[cluster[0]])
        for candidate in cluster:
            scores[candidate] = len(cluster) if valid else 0
    return order(matrix.candidates, scores)


def rank_by_medoid(matrix: PassMatrix) -> Ranking:
    """Score by the mean share of tests on which the other candidates give the same output.

    The softer loss, mean over inputs instead of maximum; a failure agrees with nothing.
    """
    rows = matrix.classes
    pairs = max(1, matrix.test_count * (len(rows) - 1))
    scores = [
        Fraction(sum(agreement(row, other) for j, other in enumerate(rows) if j != i), pairs)
        for i, row in enumerate(rows)
    ]
    return order(matrix.candidates, scores)


def agreement(one: tuple[int | None, ...], other: tuple[int | None, ...]) -> int:
    """Count the tests on which two candidates return, and return the same."""
    return sum(a is not None and a == b for a, b in zip(one, other, strict=True))
