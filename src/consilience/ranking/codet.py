"""CodeT (Chen et al. 2022, arXiv 2207.10397): agreement of solutions and tests."""

from __future__ import annotations

from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking, order


def rank_by_dual_agreement(matrix: PassMatrix) -> Ranking:
    """Score the group that passes the same tests by sqrt(solutions) * tests.

    The score reported is its square, solutions * tests^2: the same order, in integers, so that
    rounding neither makes nor breaks a tie.
    """
    scores = [0] * len(matrix.candidates)
    for group in matrix.groups():
        for candidate in group:
            scores[candidate] = len(group) * matrix.passed(group[0]) ** 2
    return order(matrix.candidates, scores)
