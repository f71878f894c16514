"""Every reranker under the name that tables and the command line use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from consilience.errors import UsageError
from consilience.ranking.aces import rank_by_consistency
from consilience.ranking.b4 import rank_by_posterior
from consilience.ranking.chance import rank_by_lot
from consilience.ranking.codet import rank_by_dual_agreement
from consilience.ranking.matrix import PassMatrix
from consilience.ranking.mbr import rank_by_bayes_risk, rank_by_medoid
from consilience.ranking.order import Ranking
from consilience.ranking.pass_rate import rank_by_confidence, rank_by_pass_rate
from consilience.ranking.srank import rank_by_overlap

RERANKERS: Mapping[str, Callable[[PassMatrix], Ranking]] = {
    "pass-rate": rank_by_pass_rate,
    "confidence": rank_by_confidence,
    "aces": rank_by_consistency,
    "codet": rank_by_dual_agreement,
    "mbr-exec": rank_by_bayes_risk,
    "medoid": rank_by_medoid,
    "srank": rank_by_overlap,
    "b4": rank_by_posterior,
    "random": rank_by_lot,
}


def rerank(name: str, matrix: PassMatrix) -> Ranking:
    """Rank by the reranker of that *name*."""
    if name not in RERANKERS:
        message = f"There is no reranker named {name!r}."
        raise UsageError(message, hint=f"Choose one of: {', '.join(RERANKERS)}.")
    return RERANKERS[name](matrix)
