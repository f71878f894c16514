"""Scores of confidence in a majority, and how well each tells right from wrong (App. G)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from consilience.bench.cott import TaskRow
from consilience.bench.cott.analysis import is_right
from consilience.bench.cott.methods import PLAIN, Rule, inductive
from consilience.bench.intervals import wilson
from consilience.bench.reliability import area, brier, calibration_error, diagram
from consilience.votes import Votes


def confidences(rows: Sequence[TaskRow], rule: Rule = PLAIN) -> dict[str, Any]:
    """Compare scores of confidence in the inductive winner (App. G): AUC, ECE, Brier, bins.

    An input without a winner has confidence 0 and no right label; inputs that are invalid for
    the reference are left out.
    """
    seen = [
        (inductive(task, row, rule), row)
        for task in rows
        for row in task.inputs
        if row.truth is not None
    ]
    right = np.array([is_right(row, votes) for votes, row in seen], dtype=np.float64)
    found = {}
    for name, score in CONFIDENCES.items():
        given = np.array([score(votes) for votes, _ in seen], dtype=np.float64)
        found[name] = {
            "auc": area(given, right) if seen else None,
            "brier": brier(given, right),
            "ece": calibration_error(given, right),
            "bins": diagram(given, right),
        }
    return {
        "inputs": len(seen),
        "right": float(right.mean()) if seen else None,
        "scores": found,
    }


def _share(votes: Votes) -> float:
    """c(x), failures in the denominator (Eq. 2 as this tool has it)."""
    return votes.confidence if votes.winner is not None else 0.0


def _share_of_outputs(votes: Votes) -> float:
    """c(x) with failures left out (Eq. 2 to the letter)."""
    given = votes.total - votes.failures
    return votes.count / given if votes.winner is not None and given > 0 else 0.0


def _margin(votes: Votes) -> float:
    """The lead over the second output, as a share of all."""
    second = max((other.count for other in votes.alternatives), default=0)
    return (
        (votes.count - second) / votes.total
        if votes.winner is not None and votes.total
        else 0.0
    )


def _certainty(votes: Votes) -> float:
    """1 - entropy of the outcomes / its most for so many programs."""
    most = math.log2(votes.total) if votes.total > 1 else 1.0
    return 1 - votes.entropy() / most if votes.winner is not None else 0.0


def _lower_bound(votes: Votes) -> float:
    """Return the lower end of Wilson's interval of c(x), one-sided, 90 %."""
    return wilson(votes.count, votes.total, 1.2816)[0] if votes.winner is not None else 0.0


def _posterior(votes: Votes) -> float:
    """The chance that the winner is likelier than the second output (uniform prior)."""
    if votes.winner is None:
        return 0.0
    second = max((other.count for other in votes.alternatives), default=0)
    return _beta_above_half(votes.count + 1, second + 1)


def _beta_above_half(a: int, b: int) -> float:
    """P(Beta(a, b) > 1/2) for whole a and b: a binomial tail."""
    n = a + b - 1
    return float(sum(math.comb(n, k) for k in range(a)) / 2**n)


CONFIDENCES: Mapping[str, Callable[[Votes], float]] = {
    "majority ratio": _share,
    "majority ratio, failures ignored": _share_of_outputs,
    "margin": _margin,
    "1 - entropy": _certainty,
    "lower bound": _lower_bound,
    "posterior": _posterior,
}
