"""How well a score goes with correctness: rank correlation, AUC, and their intervals.

All functions work on the last axis, tasks, and take any number of rows at once; where a
statistic is undefined it is NaN in an array and None in a result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Statistic = Callable[[Floats, Floats], Floats]


def ranks(values: Floats) -> Floats:
    """Return average ranks from 1 along the last axis.

    Values that differ by rounding alone are tied. By counting, so that a thousand resamples of
    the same tasks cost little more than one.
    """
    rows = np.atleast_2d(np.round(values, 10))
    distinct, codes = np.unique(rows, return_inverse=True)
    size = len(distinct)
    codes = codes.reshape(rows.shape)
    flat = (codes + size * np.arange(len(rows))[:, None]).ravel()
    counts = np.bincount(flat, minlength=size * len(rows)).reshape(len(rows), size)
    average = counts.cumsum(axis=1) - (counts - 1) / 2
    return np.asarray(np.take_along_axis(average, codes, axis=1).reshape(values.shape))


def spearman(scores: Floats, truth: Floats) -> Floats:
    """Return Spearman's rho of each row; NaN where one side is constant."""
    a, b = ranks(scores), ranks(truth)
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return _ratio((a * b).sum(axis=-1), scale)


def auc(scores: Floats, truth: Floats) -> Floats:
    """Return the chance that a task with truth 1 scores above another one, ties counting half.

    NaN where all tasks are of one kind.
    """
    positive = truth >= 1.0
    above = positive.sum(axis=-1)
    total = (ranks(scores) * positive).sum(axis=-1)
    pairs = above * (truth.shape[-1] - above)
    return _ratio(total - above * (above + 1) / 2, pairs)


def _ratio(above: Floats, below: Floats) -> Floats:
    undefined = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=undefined, where=np.asarray(below) > 1e-9)
    return undefined


def defined(value: float | Floats) -> float | None:
    """Turn a NaN into None."""
    return None if np.isnan(value) else float(value)


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
    value = defined(statistic(scores, truth))
    if value is None:
        return Estimate(None)
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(scores), size=(resamples, len(scores)))
    low, high = np.nanpercentile(statistic(scores[draws], truth[draws]), [2.5, 97.5])
    return Estimate(value, float(low), float(high))


@dataclass(frozen=True, slots=True)
class Choice:
    """What a sweep gives where each task's column was chosen without that task."""

    scores: Floats
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
    found = statistic(np.ascontiguousarray(table.T), truth)
    return int(np.argmax(np.where(np.isnan(found), -2.0, found)))
