"""How good probabilities are: calibration error, Brier score, risk at a coverage.

All functions take one probability and one truth (0 or 1) a case. Intervals resample tasks,
since cases of one task are no independent evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from consilience.bench.association import Floats, auc, defined
from consilience.bench.intervals import wilson

BINS = 10
Metric = Callable[[Floats, Floats], float | None]


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases of nearly equal probability."""

    count: int
    mean: float
    """Mean probability."""
    right: float
    """Share that was right."""


def brier(chances: Floats, truth: Floats) -> float | None:
    """Return the mean of (p - y)^2; None without cases."""
    return float(((chances - truth) ** 2).mean()) if len(truth) else None


def calibration_error(chances: Floats, truth: Floats) -> float | None:
    """Return ECE: the mean over cases of |mean p - share right| in ten bins of equal width."""
    if not len(truth):
        return None
    found = bins(chances, truth)
    return float(sum(b.count * abs(b.mean - b.right) for b in found) / len(truth))


def bins(chances: Floats, truth: Floats) -> list[Bin]:
    """Sort cases into ten bins of equal width; empty ones are left out."""
    places = np.minimum((chances * BINS).astype(int), BINS - 1)
    return [
        Bin(int(inside.sum()), float(chances[inside].mean()), float(truth[inside].mean()))
        for place in range(BINS)
        if (inside := places == place).any()
    ]


def diagram(chances: Floats, truth: Floats) -> list[dict[str, Any]]:
    """Return the bins as data for a reliability diagram, each share with its 95 % interval."""
    return [
        {**asdict(found), "interval": wilson(round(found.right * found.count), found.count)}
        for found in bins(chances, truth)
    ]


def area(chances: Floats, truth: Floats) -> float | None:
    """Return the AUC; None where all cases are of one kind."""
    return defined(auc(chances, truth))


def risk_coverage(chances: Floats, truth: Floats) -> list[tuple[float, float]]:
    """Return (coverage, risk) at every distinct probability, the surest cases first.

    Risk is the share of wrong ones among the cases whose probability is at least so high; cases
    of one probability are taken together, so that no order among them matters.
    """
    order = np.argsort(-chances, kind="stable")
    ordered, wrong = chances[order], np.cumsum(1 - truth[order])
    last = np.append(np.diff(ordered) != 0, True).nonzero()[0]
    coverage, risk = (last + 1) / len(truth), wrong[last] / (last + 1)
    return list(zip(coverage.tolist(), risk.tolist(), strict=True))


def area_under_risk(chances: Floats, truth: Floats) -> float | None:
    """Return the mean risk over all coverages (AURC): lower is better.

    Within a group of one probability the risk moves in a straight line to that of the group.
    """
    if not len(truth):
        return None
    coverage, risk = np.array(risk_coverage(chances, truth)).T
    before = np.concatenate([risk[:1], risk[:-1]])
    return float((np.diff(coverage, prepend=0.0) * (before + risk) / 2).sum())


def intervals(
    metric: Metric,
    chances: Floats,
    truth: Floats,
    tasks: Sequence[str],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> dict[str, float | None]:
    """Return the metric with a 95 % percentile interval over resampled tasks."""
    found = [
        value
        for rows in resampled(tasks, resamples, seed)
        if (value := metric(chances[rows], truth[rows])) is not None
    ]
    low, high = np.percentile(found, [2.5, 97.5]) if found else (None, None)
    return {"value": _plain(metric(chances, truth)), "low": _plain(low), "high": _plain(high)}


def resampled(tasks: Sequence[str], resamples: int, seed: int) -> list[np.ndarray]:
    """Draw tasks with replacement; return the rows of each draw."""
    names = sorted(set(tasks))
    rows: dict[str, list[int]] = {name: [] for name in names}
    for row, name in enumerate(tasks):
        rows[name].append(row)
    groups = [np.array(rows[name]) for name in names]
    rng = np.random.default_rng(seed)
    return [
        np.concatenate([groups[i] for i in rng.integers(len(groups), size=len(groups))])
        for _ in range(resamples)
    ]


def _plain(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
