"""How well a score goes with correctness: rank correlation, AUC, and their intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float | None]


def ranks(values: Floats) -> Floats:
    """Return average ranks from 1; values that differ by rounding alone are tied."""
    rounded = np.round(values, 10)
    _, inverse, counts = np.unique(rounded, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse], dtype=np.float64)


def spearman(scores: Floats, truth: Floats) -> float | None:
    """Return Spearman's rho; None where one side is constant."""
    a, b = ranks(scores), ranks(truth)
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > 1e-9 else None


def auc(scores: Floats, truth: Floats) -> float | None:
    """Return the chance that a task with truth 1 scores above another one, ties counting half.

    None where all tasks are of one kind.
    """
    positive = truth >= 1.0
    above, below = int(positive.sum()), int((~positive).sum())
    if not above or not below:
        return None
    total = float(ranks(scores)[positive].sum())
    return (total - above * (above + 1) / 2) / (above * below)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its bootstrap interval."""

    value: float | None
    low: float | None = None
    high: float | None = None


def estimate(
    statistic: Statistic, scores: Floats, truth: Floats, *, resamples: int = 1000, seed: int = 0
) -> Estimate:
    """Return the statistic with a 95 % percentile interval over resampled tasks."""
    value = statistic(scores, truth)
    if value is None:
        return Estimate(None)
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(scores), size=(resamples, len(scores)))
    found = [statistic(scores[draw], truth[draw]) for draw in draws]
    given = [each for each in found if each is not None]
    low, high = np.percentile(given, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


@dataclass(frozen=True, slots=True)
class Choice:
    """A column of a sweep that was chosen by its rank correlation."""

    scores: Floats
    """One score a task, each from the column chosen without that task."""
    columns: tuple[int, ...]
    """The column chosen in each fold."""


def held_out(table: Floats, truth: Floats, *, folds: int = 10, seed: int = 0) -> Choice:
    """Choose the best column on all folds but one and score that one with it.

    *table* is (tasks, columns): a score a task for each value of alpha.
    """
    order = np.random.default_rng(seed).permutation(len(truth))
    scores = np.empty(len(truth))
    columns = []
    for fold in np.array_split(order, min(folds, len(truth))):
        rest = np.setdiff1d(order, fold)
        columns.append(best(table[rest], truth[rest], spearman))
        scores[fold] = table[fold, columns[-1]]
    return Choice(scores, tuple(columns))


def best(table: Floats, truth: Floats, statistic: Statistic) -> int:
    """Return the column with the largest statistic, the first of equals, else 0."""
    found = [statistic(column, truth) for column in table.T]
    return int(np.argmax([-2.0 if each is None else each for each in found]))
