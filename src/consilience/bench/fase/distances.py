"""RQ1: do distances and tree edges tell right samples from wrong ones?

Ratios as in the paper's figures 4 and 5: the mean distance (or tree edge) between two right
samples, two wrong ones, and a right and a wrong one, over the mean of all; and the mean tree
edge over the mean distance, by class of pass@1. On all samples, as the paper has it, and on
distinct programs alone, since equal programs are at distance 0 whatever they are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.bench.association import auc, estimate
from consilience.bench.intervals import bootstrap
from consilience.bench.pools import PoolTask
from consilience.uncertainty.distance import Floats, cosine_distances
from consilience.uncertainty.embedding import Embedded
from consilience.uncertainty.text import plain
from consilience.uncertainty.tree import spanning_trees

Right = npt.NDArray[np.bool_]
KINDS = ("pass-pass", "fail-fail", "pass-fail")
CLASSES = ("pass@1 = 0", "0 < pass@1 < 1", "pass@1 = 1")


@dataclass(frozen=True, slots=True)
class Geometry:
    """What the distances of one task's samples look like."""

    task_id: str
    pass_at_1: float
    mean_distance: float
    """Of two different samples."""
    mean_edge: float
    """Of the minimum spanning tree."""
    distances: tuple[float | None, ...]
    """By kind, over the mean distance; None where there is no such pair."""
    edges: tuple[float | None, ...]
    """By kind, over the mean edge."""

    @property
    def ratio(self) -> float | None:
        """Mean tree edge over mean distance; None where all samples are at distance 0."""
        return self.mean_edge / self.mean_distance if self.mean_distance > 0 else None

    @property
    def place(self) -> str:
        """The class of its pass@1."""
        return CLASSES[0 if self.pass_at_1 == 0 else 2 if self.pass_at_1 == 1 else 1]


def geometry(task: PoolTask, found: Embedded, *, distinct: bool = False) -> Geometry | None:
    """Measure one task; None where fewer than two samples are left."""
    pairs = [
        (plain(text), right) for text, right in zip(task.samples, task.passed, strict=True)
    ]
    if distinct:
        pairs = list(dict.fromkeys(pairs))
    if len(pairs) < 2:
        return None
    right = np.array([each for _, each in pairs])
    matrix = cosine_distances(found.rows([text for text, _ in pairs]))
    trees = spanning_trees(matrix[None])
    first, second = np.triu_indices(len(pairs), 1)
    ends = np.asarray(trees.ends[0])
    weights = np.asarray(trees.weights[0])
    return Geometry(
        task.id,
        task.pass_at_1,
        float(matrix[first, second].mean()),
        float(weights.mean()),
        _by_kind(matrix[first, second], right[first], right[second]),
        _by_kind(weights, right[ends[:, 0]], right[ends[:, 1]]),
    )


def _by_kind(lengths: Floats, first: Right, second: Right) -> tuple[float | None, ...]:
    mean = lengths.mean()
    masks = (first & second, ~first & ~second, first != second)
    return tuple(
        float(lengths[mask].mean() / mean) if mask.any() and mean > 0 else None
        for mask in masks
    )


def summary(tasks: Sequence[PoolTask], found: Embedded, *, distinct: bool) -> dict[str, Any]:
    """Summarise all tasks of a set, with 95 % intervals over tasks."""
    measured = [geometry(task, found, distinct=distinct) for task in tasks]
    known = [each for each in measured if each is not None]
    between = [each for each in known if each.place == CLASSES[1]]
    return {
        "tasks": len(known),
        "tasks_between": len(between),
        "distance_ratios": _kinds([each.distances for each in between]),
        "edge_ratios": _kinds([each.edges for each in between]),
        "tree_to_distance": {
            place: _spread([each.ratio for each in known if each.place == place])
            for place in CLASSES
        },
        "mean_distance": {
            place: _spread([each.mean_distance for each in known if each.place == place])
            for place in CLASSES
        },
        "ratio_tells_right": _tells(known),
    }


def _kinds(rows: Sequence[Sequence[float | None]]) -> dict[str, Any]:
    return {kind: _spread([row[place] for row in rows]) for place, kind in enumerate(KINDS)}


def _spread(values: Sequence[float | None]) -> dict[str, Any]:
    """Return the mean with its interval, and percentiles for a box."""
    given = [value for value in values if value is not None]
    marks = np.percentile(given, [5, 25, 50, 75, 95]).tolist() if given else []
    return asdict(bootstrap(values, resamples=2000)) | {"percentiles": marks}


def _tells(known: Sequence[Geometry]) -> dict[str, Any]:
    """Say how well a low ratio tells all-right tasks from all-wrong ones: AUC, .5 is chance."""
    ends = [each for each in known if each.place != CLASSES[1] and each.ratio is not None]
    scores = np.array([-(each.ratio or 0.0) for each in ends])
    truth = np.array([each.pass_at_1 for each in ends])
    if not ends or len(set(truth.tolist())) < 2:
        return {"value": None, "low": None, "high": None, "tasks": len(ends)}
    return asdict(estimate(auc, scores, truth)) | {"tasks": len(ends)}
