"""Exchange with the Scoring-Verifiers evaluation: one row a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.bench.cott import TaskRow
from consilience.bench.cott.methods import METHODS, matrix
from consilience.bench.cott.summary import scores
from consilience.errors import UsageError
from consilience.ranking import average_ranks

DATASETS = {"HumanEvalPlus": "HE_plus", "HumanEval": "HE_base", "MbppPlus": "MBPP_plus"}
"""The names under which that evaluation knows the benchmarks; it skips others silently."""


def evaluation_rows(rows: Sequence[TaskRow], method: str) -> list[dict[str, Any]]:
    """Return what the evaluation script reads: the true rank and score, and *method*'s score.

    Raises:
        UsageError: there is no such method.
    """
    if method not in METHODS:
        message = f"There is no method named {method!r}."
        raise UsageError(message, hint=f"Choose one of: {', '.join(METHODS)}.")
    return [
        {
            "dataset": DATASETS.get(row.dataset, row.dataset),
            "task_id": row.task_id,
            "rank": rank,
            "ground_average_test_score": truth,
            "average_test_score": score,
        }
        for row in rows
        for rank, truth, score in zip(
            average_ranks(row.truth), row.truth, scores(matrix(method, row)), strict=True
        )
    ]
