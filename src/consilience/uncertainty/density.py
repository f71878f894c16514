"""The mode of a tree's edge weights: where their Gaussian kernel density peaks."""

from __future__ import annotations

import math
from collections import Counter
from itertools import islice
from typing import Literal

import numpy as np
import numpy.typing as npt

from consilience.uncertainty.distance import Floats

Peak = Literal["highest", "left", "right"]
"""The maximiser of the density, Mo(w) of FASE, Eq. 2; or its outermost interior peaks."""

GRID = 1000
"""Points at which the density is evaluated, as in the published code."""
_STEPS = np.arange(GRID) / (GRID - 1)
_BLOCK = 32  # weights at a time: their kernels on the grid fill the second-level cache


def modes(weights: Floats, peak: Peak = "highest") -> Floats:
    """Find the mode of each row of *weights* (T, k), ascending, by a Gaussian kernel density.

    Scott's bandwidth, k^(-1/5) times the sample deviation, on 1,000 equally spaced points from
    the least to the greatest weight. Where there are fewer than two interior peaks, the
    outermost ones are the maximiser. Rows that are constant up to rounding (or have one weight)
    have their mean as the mode: their kernel would be a needle on numerical dust.
    """
    result: Floats = np.add.reduce(weights, axis=1) / weights.shape[1]
    ends = zip(weights[:, 0].tolist(), weights[:, -1].tolist(), strict=True)
    for row, (low, high) in enumerate(ends):
        if high - low > 1e-9 * max(high, 1e-9):
            result[row] = _mode(weights[row], low, high, peak)
    return result


def _mode(weights: Floats, low: float, high: float, peak: Peak) -> float:
    points = low + _STEPS * (high - low)
    points[-1] = high
    density = kernel_density(weights, points)
    if peak != "highest":
        peaks = interior_peaks(density)
        if len(peaks) > 1:
            return float(points[peaks[0 if peak == "left" else -1]])
    return float(points[density.argmax()])


def kernel_density(weights: Floats, points: Floats) -> Floats:
    """Return the density, up to a factor, of *weights* (k,), ascending, at *points* (p,)."""
    count = len(weights)
    away = weights - np.add.reduce(weights) / count
    deviation = math.sqrt(np.add.reduce(away * away) / (count - 1))
    width = deviation * count ** (-0.2) * math.sqrt(2.0)
    repeats = Counter((weights / width).tolist())  # equal weights share their kernel
    centres = np.array(list(repeats))[:, None]
    scaled = points / width
    density = np.zeros_like(points)
    for start in range(0, len(centres), _BLOCK):
        gap = scaled - centres[start : start + _BLOCK]
        np.multiply(gap, gap, out=gap)
        np.negative(gap, out=gap)
        np.exp(gap, out=gap)
        for kernel, times in zip(gap, islice(repeats.values(), start, None), strict=False):
            for _ in range(times):
                density += kernel
    return density


def interior_peaks(values: Floats) -> npt.NDArray[np.intp]:
    """List the strict local maxima of a curve; the middle of a flat top counts, ends do not."""
    slope = values[1:] - values[:-1]
    change = None if slope.all() else np.flatnonzero(slope)
    rising = (slope if change is None else slope[change]) > 0
    tops = np.flatnonzero(rising[:-1] > rising[1:])
    if change is None:
        return tops + 1
    return (change[tops] + 1 + change[tops + 1]) // 2
