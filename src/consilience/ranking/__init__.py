"""Order candidates by the tests they pass, and say what the order rests on.

`matrix` holds who passed what, `order` turns scores into a ranking where a tie has no winner,
and each reranker (`pass_rate`, `codet`, `mbr`, `srank`, `b4`, `aces`, `chance`) is one function
from the one to the other, under its name in `registry`.
"""

from consilience.ranking.agreement import rank_by_agreement, told_apart
from consilience.ranking.matrix import PassMatrix
from consilience.ranking.order import Ranking, average_ranks, order
from consilience.ranking.pass_rate import rank_by_confidence, rank_by_pass_rate
from consilience.ranking.registry import RERANKERS, rerank

__all__ = [
    "RERANKERS",
    "PassMatrix",
    "Ranking",
    "average_ranks",
    "order",
    "rank_by_agreement",
    "rank_by_confidence",
    "rank_by_pass_rate",
    "rerank",
    "told_apart",
]
