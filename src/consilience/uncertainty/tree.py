"""Minimum spanning trees of distance matrices, by Prim's method.

Dense, so that zero distances stay edges: scipy's sparse tree drops them, and samples repeat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.uncertainty.distance import Floats

Indices = npt.NDArray[np.intp]

_FEW = 48  # items up to which plain Python is faster than numpy's calls on short rows

_ROWS = 64  # rows looked through at a time, so that no second matrix is made


@dataclass(frozen=True, slots=True)
class Trees:
    """Spanning trees of T tasks with m items each, edges sorted by weight."""

    weights: Floats
    """(T, m - 1), ascending."""
    ends: Indices
    """(T, m - 1, 2), the two items of each edge, smaller first."""


def spanning_trees(distances: Floats) -> Trees:
    """Build the trees of *distances* (T, m, m).

    Whatever the way, items join in the same order: the nearest first, of equals the first.
    """
    if len(distances) != 1:
        return _in_step(distances)
    weights, ends = (
        _of_few(distances[0]) if len(distances[0]) <= _FEW else _of_many(distances[0])
    )
    order = np.argsort(weights, kind="stable")
    return Trees(weights[order][None], ends[order][None])


def _of_few(distances: Floats) -> tuple[Floats, Indices]:
    """Join the items of one small task."""
    rows = distances.tolist()
    outside = list(range(1, len(rows)))
    nearest = rows[0] if rows else []
    parent = [0] * len(rows)
    weights, ends = [], []
    while outside:
        child = min(outside, key=nearest.__getitem__)
        outside.remove(child)
        weights.append(nearest[child])
        ends.append((parent[child], child) if parent[child] < child else (child, parent[child]))
        row = rows[child]
        for item in outside:
            if row[item] < nearest[item]:
                nearest[item] = row[item]
                parent[item] = child
    return np.array(weights, dtype=np.float64), np.array(ends, dtype=np.intp).reshape(-1, 2)


def _of_many(distances: Floats) -> tuple[Floats, Indices]:
    """Join the items of one task, each step on whole rows."""
    items = len(distances)
    nearest, inside = distances[0].copy(), np.full(items, -np.inf)
    nearest[0] = inside[0] = np.inf
    row = np.empty(items)
    order, weights = np.zeros(items, dtype=np.intp), np.zeros(items)
    for step in range(1, items):
        child = order[step] = nearest.argmin()
        weights[child] = nearest[child]
        nearest[child] = inside[child] = np.inf
        np.maximum(distances[child], inside, out=row)
        np.minimum(nearest, row, out=nearest)
    # An item hangs on the first, in the order of joining, that is as near as its weight says.
    near = weights[:, None]
    found = np.concatenate([
        (distances[rows].take(order, axis=1) == near[rows]).argmax(axis=1)
        for rows in (slice(start, start + _ROWS) for start in range(0, items, _ROWS))
    ])
    children = order[1:]
    ends = np.stack([order[found[children]], children], axis=1)
    return weights[children], np.sort(ends, axis=1)


def _in_step(distances: Floats) -> Trees:
    """Join the items of many tasks, all tasks in step."""
    tasks, items = distances.shape[:2]
    weights = np.empty((tasks, max(items - 1, 0)))
    ends = np.empty((tasks, max(items - 1, 0), 2), dtype=np.intp)
    every = np.arange(tasks)
    nearest = distances[:, 0, :].copy() if items else np.empty((tasks, 0))
    nearest[:, :1] = np.inf  # infinity marks what is inside the tree
    parent = np.zeros((tasks, items), dtype=np.intp)
    for step in range(items - 1):
        child = nearest.argmin(axis=1)
        weights[:, step] = nearest[every, child]
        ends[:, step, 0], ends[:, step, 1] = parent[every, child], child
        row = distances[every, child]
        closer = (row < nearest) & (nearest < np.inf)
        np.copyto(nearest, row, where=closer)
        np.copyto(parent, child[:, None], where=closer)
        nearest[every, child] = np.inf
    ends.sort(axis=2)
    order = np.argsort(weights, axis=1, kind="stable")
    return Trees(
        np.take_along_axis(weights, order, axis=1),
        np.take_along_axis(ends, order[:, :, None], axis=1),
    )
