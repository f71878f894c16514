"""B4 (Chen et al. 2024, arXiv 2409.08692): a posterior over sets of right solutions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking, order

ALPHA = 1e3
"""Prior belief that solutions and tests are mostly right."""
BETA = 1e4
"""Prior belief that a wrong solution seldom passes a wrong test; the paper tries 1e4 to 1e6."""


def rank_by_posterior(
    matrix: PassMatrix, *, alpha: float = ALPHA, beta: float = BETA
) -> Ranking:
    """Score each group that passes the same tests by the log posterior of being the right one.

    With x the group, y the tests it passes, and B the beta function, the score is
    ln B(|y|+a, m-|y|+1) + ln B(|x|+a, n-|x|+1) + ln B(of others on y) + ln B(of others off y).
    """
    scores = [0.0] * len(matrix.candidates)
    for group in matrix.groups():
        score = _log_posterior(matrix, group, alpha, beta)
        for candidate in group:
            scores[candidate] = score
    return order(matrix.candidates, scores)


def _log_posterior(
    matrix: PassMatrix, group: Sequence[int], alpha: float, beta: float
) -> float:
    right = [cell is True for cell in matrix.passes[group[0]]]
    members = set(group)
    others = [row for i, row in enumerate(matrix.passes) if i not in members]
    on = [cell is True for row in others for cell, r in zip(row, right, strict=True) if r]
    off = [cell is True for row in others for cell, r in zip(row, right, strict=True) if not r]
    return (
        _evidence(sum(right), len(right), alpha, 1.0)
        + _evidence(len(group), len(matrix.passes), alpha, 1.0)
        + _evidence(sum(on), len(on), 1.0, 1.0)
        + _evidence(sum(off), len(off), 1.0, beta)
    )


def _evidence(hits: int, trials: int, alpha: float, beta: float) -> float:
    return log_beta(hits + alpha, trials - hits + beta)


def log_beta(a: float, b: float) -> float:
    """Return ln B(a, b), where B is Euler's beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
