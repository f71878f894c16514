"""The floor under every reranker: an order by lot."""

from __future__ import annotations

import hashlib

from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking, order


def rank_by_lot(matrix: PassMatrix, *, seed: int = 0) -> Ranking:
    """Draw a score for each candidate from *seed*, its task, its code and its index."""
    scores = []
    for candidate in matrix.candidates:
        text = f"{seed}|{candidate.task_id}|{candidate.index}|{candidate.code}"
        scores.append(int(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), 16))
    return order(matrix.candidates, scores)
