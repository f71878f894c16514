"""Minimum spanning trees of many distance matrices at once, and the mode of their weights.

Dense, so that zero distances stay edges: scipy's sparse tree drops them, and samples repeat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.uncertainty.distance import Floats

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Trees:
    """Spanning trees of T tasks with m items each, edges sorted by weight."""

    weights: Floats
    """(T, m - 1), ascending."""
    ends: Indices
    """(T, m - 1, 2), the two items of each edge, smaller first."""


def spanning_trees(distances: Floats) -> Trees:
    """Build the trees of *distances* (T, m, m) by Prim's method, all tasks in step."""
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
    return _sorted(weights, ends)


def _sorted(weights: Floats, ends: Indices) -> Trees:
    order = np.argsort(weights, axis=1, kind="stable")
    return Trees(
        np.take_along_axis(weights, order, axis=1),
        np.take_along_axis(ends, order[:, :, None], axis=1),
    )


GRID = 1000
"""Points at which the density is evaluated, as in the published code."""
_CHUNK = 250_000  # kernel values held at once: about the second-level cache


@dataclass(frozen=True, slots=True)
class Modes:
    """Where the density of T tasks' weights peaks, each (T,)."""

    highest: Floats
    """The maximiser of the density: Mo(w) of FASE, Eq. 2."""
    leftmost: Floats
    rightmost: Floats
    """Outer interior peaks where there are two or more; else the maximiser."""


def modes(weights: Floats) -> Modes:
    """Find the mode of each row of *weights* (T, k) by a Gaussian kernel density.

    Scott's bandwidth, k^(-1/5) times the sample deviation, on 1,000 equally spaced points from
    the least to the greatest weight. Rows that are constant up to rounding (or have one weight)
    have their mean as the mode: their kernel would be a needle on numerical dust.
    """
    low, high = weights.min(axis=1), weights.max(axis=1)
    constant = high - low <= 1e-9 * np.maximum(high, 1e-9)
    highest = weights.mean(axis=1)
    result = Modes(highest, highest.copy(), highest.copy())
    rows = np.flatnonzero(~constant)
    size = max(1, _CHUNK // (GRID * weights.shape[1]))
    for start in range(0, len(rows), size):
        _peaks(weights, rows[start : start + size], result)
    return result


def _peaks(weights: Floats, rows: Indices, into: Modes) -> None:
    chosen = weights[rows]
    steps = np.arange(GRID) / (GRID - 1)
    low, high = chosen.min(axis=1)[:, None], chosen.max(axis=1)[:, None]
    points = low + steps * (high - low)
    points[:, -1] = high[:, 0]
    density = kernel_density(chosen, points)
    into.highest[rows] = points[np.arange(len(rows)), density.argmax(axis=1)]
    for row, values, places in zip(rows, density, points, strict=True):
        peaks = interior_peaks(values)
        outer = (peaks[0], peaks[-1]) if len(peaks) > 1 else (int(values.argmax()),) * 2
        into.leftmost[row], into.rightmost[row] = places[outer[0]], places[outer[1]]


def kernel_density(weights: Floats, points: Floats) -> Floats:
    """Return the density, up to a factor, of *weights* (T, k) at *points* (T, p)."""
    count = weights.shape[1]
    width = weights.std(axis=1, ddof=1) * count ** (-0.2)
    density = np.zeros_like(points)
    scaled = points / (width[:, None] * np.sqrt(2.0))
    centres = weights / (width[:, None] * np.sqrt(2.0))
    for column in range(count):
        gap = scaled - centres[:, column : column + 1]
        density += np.exp(-gap * gap)
    return density


def interior_peaks(values: Floats) -> Indices:
    """List the strict local maxima of a curve; the middle of a flat top counts, ends do not."""
    change = np.flatnonzero(np.diff(values))
    if len(change) < 2:
        return np.empty(0, dtype=np.intp)
    rising = np.diff(values)[change] > 0
    tops = np.flatnonzero(rising[:-1] & ~rising[1:])
    left, right = change[tops] + 1, change[tops + 1]
    return np.asarray((left + right) // 2, dtype=np.intp)
