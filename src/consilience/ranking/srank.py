"""SRank (To et al. 2023, arXiv 2311.03366): clusters of outputs that support each other."""

from __future__ import annotations

from fractions import Fraction

from consilience.ranking.matrix import PassMatrix
from consilience.ranking.mbr import agreement
from consilience.ranking.order import Ranking, order


def rank_by_overlap(matrix: PassMatrix) -> Ranking:
    """Score cluster i by the sum over clusters j of A[i, j] * V[j].

    A[i, j] is the share of tests on which both return the same (1 for i = j), V[j] is the
    cluster's share of the candidates times its pass rate. Clusters that return nothing score 0.
    """
    clusters = matrix.alike()
    rows = [matrix.classes[cluster[0]] for cluster in clusters]
    valid = [any(name is not None for name in row) for row in rows]
    population = sum(len(c) for c, ok in zip(clusters, valid, strict=True) if ok)
    worth = [
        Fraction(len(cluster) * matrix.passed(cluster[0]), population * matrix.test_count)
        if ok
        else Fraction(0)
        for cluster, ok in zip(clusters, valid, strict=True)
    ]
    scores = [Fraction(0)] * len(matrix.candidates)
    for i, cluster in enumerate(clusters):
        for candidate in cluster if valid[i] else ():
            scores[candidate] = sum(
                (
                    worth[j] * (1 if i == j else Fraction(agreement(rows[i], row), len(row)))
                    for j, row in enumerate(rows)
                ),
                Fraction(0),
            )
    return order(matrix.candidates, scores)
