"""Choose a setting, such as alpha, by nested cross-validation, and say how it does.

The paper picks alpha on the very tasks it reports. Here each outer fold is scored with the
setting that does best, on average, on the inner folds of the other tasks; the hindsight figure
stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.bench.association import (
    Estimate,
    Floats,
    Statistic,
    auc,
    best,
    defined,
    estimate,
    spearman,
)

OUTER, INNER, REPETITIONS = 10, 3, 5


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Scores of tasks by settings that were chosen without them."""

    scores: Floats
    """One a task."""
    columns: tuple[int, ...]
    """The setting chosen for each outer fold."""


def nested(table: Floats, truth: Floats, *, seed: int = 0) -> HeldOut:
    """Score every task with the column that the inner folds of the other tasks prefer.

    *table* is (tasks, settings): larger is surer.
    """
    order = np.random.default_rng(seed).permutation(len(truth))
    scores = np.empty(len(truth))
    columns = []
    for fold in np.array_split(order, min(OUTER, len(truth))):
        rest = order[~np.isin(order, fold)]
        columns.append(_preferred(table, truth, rest))
        scores[fold] = table[fold, columns[-1]]
    return HeldOut(scores, tuple(columns))


def _preferred(table: Floats, truth: Floats, places: npt.NDArray[np.int64]) -> int:
    """Return the column with the best mean rho over inner folds; the first of equals."""
    found = np.zeros(table.shape[1])
    folds = [fold for fold in np.array_split(places, INNER) if len(fold) > 1]
    for fold in folds:
        rho = spearman(np.ascontiguousarray(table[fold].T), truth[fold])
        found += np.nan_to_num(rho)
    return int(np.argmax(np.round(found, 9)))


def repetitions(table: Floats, truth: Floats) -> list[Floats]:
    """Return a confidence a task for each repetition; one only where there is one setting."""
    if table.shape[1] == 1:
        return [table[:, 0]]
    return [nested(table, truth, seed=seed).scores for seed in range(REPETITIONS)]


def difference(one: Sequence[Floats], other: Sequence[Floats], truth: Floats) -> dict[str, Any]:
    """Return by how much the mean rho of *one* exceeds that of *other*, on the same tasks.

    With a 95 % percentile interval over resampled tasks.
    """
    left, right = _averaged(spearman, one, truth), _averaged(spearman, other, truth)
    if left["value"] is None or right["value"] is None:
        return {"value": None, "low": None, "high": None}
    gaps = _resampled(spearman, one, truth) - _resampled(spearman, other, truth)
    low, high = np.nanpercentile(gaps, [2.5, 97.5]).tolist()
    return {"value": left["value"] - right["value"], "low": low, "high": high}


def judged(
    table: Floats, settings: Sequence[float], truth: Floats, *, banded: bool = True
) -> dict[str, Any]:
    """Score confidences against pass@1: in hindsight and, of several settings, held out.

    *table* is (tasks, settings). Intervals are 95 % bootstrap intervals over tasks; *banded*
    gives the curve over settings its own.
    """
    by_rho, by_auc = best(table, truth, spearman), best(table, truth, auc)
    found: dict[str, Any] = {
        "rho": asdict(estimate(spearman, table[:, by_rho], truth)),
        "auc": asdict(estimate(auc, table[:, by_auc], truth)),
    }
    if len(settings) > 1:
        found["rho_setting"] = settings[by_rho]
        found["auc_setting"] = settings[by_auc]
        found["held_out"] = held_out(table, settings, truth)
        found["curve"] = curve(table, settings, truth, banded=banded)
    return found


def held_out(table: Floats, settings: Sequence[float], truth: Floats) -> dict[str, Any]:
    """Repeat the nested choice, and average over the repetitions."""
    choices = [nested(table, truth, seed=seed) for seed in range(REPETITIONS)]
    chosen = np.array([settings[c] for each in choices for c in each.columns])
    marks = np.percentile(chosen, [0, 25, 50, 75, 100], method="nearest").tolist()
    scores = [each.scores for each in choices]
    names = ("least", "first", "median", "third", "most")
    return {
        "rho": _averaged(spearman, scores, truth),
        "auc": _averaged(auc, scores, truth),
        "settings": dict(zip(names, marks, strict=True)),
    }


def _averaged(
    statistic: Statistic, scores: Sequence[Floats], truth: Floats
) -> dict[str, float | None]:
    """Return the mean over repetitions, its 95 % interval over tasks, and their spread."""
    values = [statistic(each, truth) for each in scores]
    given = [float(value) for value in values if not np.isnan(value)]
    if not given:
        return {"value": None, "low": None, "high": None, "spread": None}
    low, high = np.nanpercentile(_resampled(statistic, scores, truth), [2.5, 97.5]).tolist()
    spread = float(np.std(given))
    return {"value": float(np.mean(given)), "low": low, "high": high, "spread": spread}


def _resampled(statistic: Statistic, scores: Sequence[Floats], truth: Floats) -> Floats:
    """Return the mean over repetitions on each of 400 resamples of the tasks."""
    draws = np.random.default_rng(0).integers(len(truth), size=(400, len(truth)))
    drawn = np.stack([statistic(each[draws], truth[draws]) for each in scores])
    known = (~np.isnan(drawn)).sum(axis=0)
    means = np.full(len(draws), np.nan)
    np.divide(np.nansum(drawn, axis=0), known, out=means, where=known > 0)
    return means


def curve(
    table: Floats, settings: Sequence[float], truth: Floats, *, banded: bool = True
) -> list[list[float | None]]:
    """Return (setting, rho, low, high) for every setting; the ends only where *banded*."""
    points = [
        estimate(spearman, column, truth, resamples=200)
        if banded
        else Estimate(defined(spearman(column, truth)))
        for column in table.T
    ]
    return [
        [setting, point.value, point.low, point.high]
        for setting, point in zip(settings, points, strict=True)
    ]
