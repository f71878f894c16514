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

from consilience.bench.association import Floats, auc, best, defined, estimate, spearman

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


def _preferred(table: Floats, truth: Floats, places: Floats) -> int:
    """Return the column with the best mean rho over inner folds; the first of equals."""
    found = np.zeros(table.shape[1])
    for fold in np.array_split(places, INNER):
        rho = spearman(np.ascontiguousarray(table[fold].T), truth[fold])
        found += np.nan_to_num(rho)
    return int(np.argmax(np.round(found, 9)))


def confidences(table: Floats, truth: Floats) -> Floats:
    """Return one confidence a task: held out where there are several settings."""
    return table[:, 0] if table.shape[1] == 1 else nested(table, truth).scores


def difference(one: Floats, other: Floats, truth: Floats, seed: int = 0) -> dict[str, Any]:
    """Return by how much the rho of *one* exceeds that of *other*, on the same tasks.

    With a 95 % percentile interval over 1,000 resamples of the tasks.
    """
    value = defined(spearman(one, truth) - spearman(other, truth))
    if value is None:
        return {"value": None, "low": None, "high": None}
    draws = np.random.default_rng(seed).integers(len(truth), size=(1000, len(truth)))
    gaps = spearman(one[draws], truth[draws]) - spearman(other[draws], truth[draws])
    low, high = np.nanpercentile(gaps, [2.5, 97.5]).tolist()
    return {"value": value, "low": low, "high": high}


def judged(table: Floats, settings: Sequence[float], truth: Floats) -> dict[str, Any]:
    """Score confidences against pass@1: in hindsight and, of several settings, held out.

    *table* is (tasks, settings). Intervals are 95 % bootstrap intervals over tasks.
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
        found["curve"] = curve(table, settings, truth)
    return found


def held_out(table: Floats, settings: Sequence[float], truth: Floats) -> dict[str, Any]:
    """Repeat the nested choice; the interval is that of the first repetition."""
    choices = [nested(table, truth, seed=seed) for seed in range(REPETITIONS)]
    rhos = [defined(spearman(each.scores, truth)) for each in choices]
    aucs = [defined(auc(each.scores, truth)) for each in choices]
    chosen = np.array([settings[c] for each in choices for c in each.columns])
    marks = np.percentile(chosen, [0, 25, 50, 75, 100], method="nearest").tolist()
    return {
        "rho": _over_repetitions(rhos) | _ends(estimate(spearman, choices[0].scores, truth)),
        "auc": _over_repetitions(aucs) | _ends(estimate(auc, choices[0].scores, truth)),
        "settings": dict(
            zip(("least", "first", "median", "third", "most"), marks, strict=True)
        ),
    }


def _over_repetitions(values: Sequence[float | None]) -> dict[str, float | None]:
    given = [value for value in values if value is not None]
    if not given:
        return {"value": None, "spread": None}
    return {"value": float(np.mean(given)), "spread": float(np.std(given))}


def _ends(found: Any) -> dict[str, float | None]:
    return {"low": found.low, "high": found.high}


def curve(table: Floats, settings: Sequence[float], truth: Floats) -> list[list[float | None]]:
    """Return (setting, rho, low, high) for every setting."""
    points = [estimate(spearman, column, truth, resamples=200) for column in table.T]
    return [
        [setting, point.value, point.low, point.high]
        for setting, point in zip(settings, points, strict=True)
    ]
