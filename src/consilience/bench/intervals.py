"""Confidence intervals and paired comparisons by bootstrap over tasks.

Tasks are the independent units, so tasks are resampled, never candidates or inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience.errors import UsageError

RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over tasks with its percentile interval."""

    mean: float | None
    low: float | None
    high: float | None
    tasks: int
    """How many tasks had a defined figure (in both methods, for a difference)."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One method minus another on the same tasks."""

    interval: Interval
    wins: int
    losses: int
    ties: int
    p_value: float | None
    """Two-sided, by random exchange of the two methods within each task."""

    @property
    def settled(self) -> bool:
        """Tell whether the interval leaves out zero."""
        low, high = self.interval.low, self.interval.high
        return low is not None and high is not None and (low > 0 or high < 0)


def bootstrap(
    values: Sequence[float | None],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Return the mean of the defined *values*, one a task, with its bootstrap interval."""
    defined = np.asarray([v for v in values if v is not None], dtype=np.float64)
    if not len(defined):
        return Interval(None, None, None, 0)
    means = _resampled_means(defined, resamples, seed)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(defined.mean()), float(low), float(high), len(defined))


def paired(
    one: Sequence[float | None],
    other: Sequence[float | None],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Difference:
    """Compare two methods on the tasks where both have a figure."""
    if len(one) != len(other):
        message = f"{len(one)} and {len(other)} tasks cannot be paired."
        raise UsageError(message)
    pairs = zip(one, other, strict=True)
    gaps = [a - b for a, b in pairs if a is not None and b is not None]
    return Difference(
        bootstrap(gaps, level=level, resamples=resamples, seed=seed),
        sum(gap > 0 for gap in gaps),
        sum(gap < 0 for gap in gaps),
        sum(gap == 0 for gap in gaps),
        _exchange_test(gaps, resamples, seed),
    )


def wilson(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval of a share; *z* is the normal quantile of its ends."""
    share = hits / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    spread = z * math.sqrt(share * (1 - share) / total + (z / (2 * total)) ** 2)
    spread /= 1 + z * z / total
    return max(0.0, centre - spread), min(1.0, centre + spread)


def _resampled_means(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    means = np.empty(resamples)
    # In slices: 10,000 resamples of 500 tasks at once would hold 40 MB of indices.
    for start in range(0, resamples, 1_000):
        stop = min(start + 1_000, resamples)
        picks = rng.integers(0, len(values), size=(stop - start, len(values)))
        means[start:stop] = values[picks].mean(axis=1)
    return means


def _exchange_test(gaps: Sequence[float], resamples: int, seed: int) -> float | None:
    if not gaps:
        return None
    array = np.asarray(gaps, dtype=np.float64)
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(resamples):
        signs = rng.integers(0, 2, size=len(array)) * 2 - 1
        # The small allowance keeps sums equal on paper from differing by rounding.
        hits += abs(float(signs @ array)) >= abs(float(array.sum())) - 1e-12
    return (hits + 1) / (resamples + 1)
