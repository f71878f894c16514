"""The adaptive radius of FASE: the paper's rule, the published code's, and ours.

Eq. 2 of the paper: eps = alpha Mo(w) (1 - mean(w) / d), w the weights of the spanning tree, Mo
the maximiser of their density, d the mean distance of two samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from consilience.errors import UsageError
from consilience.uncertainty.density import modes
from consilience.uncertainty.distance import Floats
from consilience.uncertainty.tree import Trees

Reference = Literal["pdm_mean", "mst_mean", "mst_median", "mst_mode", "mst_left_mode"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How the radius follows from the distances; all but `fixed` are multiplied by alpha."""

    reference: Reference = "mst_mode"
    """The length that is scaled: mean distance, or mean, median or mode of the tree's
    weights."""
    scaled: bool = True
    """Multiply the reference by 1 - mean(w) / d."""
    published: bool = False
    """The published code's habits: a factor of 2, the zero diagonal inside d, the outer peaks
    of the density instead of its maximiser, a floor of 1e-6 under distances, and .001 for a
    radius that comes out as 0 or less."""
    distinct: bool = False
    """One item for each distinct program, weighted by how often it came, instead of one a
    sample."""
    fixed: bool = False
    """alpha itself is the radius, the same for every task."""


RULES = {
    "consilience": Rule(distinct=True),
    "paper": Rule(),
    "authors": Rule(published=True),
}
"""The named rules; `variant` derives the rows of the paper's Table 2 from them."""

VARIANTS: dict[str, tuple[Reference, bool]] = {
    "pdm-mean": ("pdm_mean", False),
    "mst-mean": ("mst_mean", False),
    "scaled-pdm-mean": ("pdm_mean", True),
    "scaled-mst-mean": ("mst_mean", True),
    "scaled-mst-mode": ("mst_mode", True),
}
"""The rows of Table 2: reference length, and whether it is scaled."""

ALPHAS = (0.05, *(round(0.1 * step, 1) for step in range(1, 14)), 1.5, 1.7, 2.0, 2.5, 3.0)
"""The published code's 19 values."""

_SMALLEST = 0.001  # the published code's radius of last resort


def rule(name: str | Rule, variant: str | None = None) -> Rule:
    """Look a rule up by name, in one of the variants of Table 2 where one is given.

    Raises:
        UsageError: There is no such rule or variant.
    """
    found = RULES.get(name) if isinstance(name, str) else name
    if found is None:
        message = f"No rule {name!r}."
        raise UsageError(message, hint=f"Choose from: {', '.join(RULES)}.")
    if variant is None:
        return found
    if variant not in VARIANTS:
        message = f"No variant {variant!r}."
        raise UsageError(message, hint=f"Choose from: {', '.join(VARIANTS)}.")
    reference, scaled = VARIANTS[variant]
    return replace(found, reference=reference, scaled=scaled)


def unit_radii(distances: Floats, trees: Trees, chosen: Rule) -> Floats:
    """Return the radius at alpha = 1 of each of T tasks, (T,), from *distances* (T, m, m)."""
    tasks, items = distances.shape[:2]
    if chosen.fixed:
        return np.ones(tasks)
    if items < 2:
        return np.zeros(tasks)
    # The sums run over m m entries, the diagonal being 0.
    entries = items * items if chosen.published else items * (items - 1)
    means = [total / entries for total in distances.sum(axis=(1, 2)).tolist()]
    if chosen.published:
        means = [mean or 1e-6 for mean in means]
    radii = _references(means, trees.weights, chosen)
    if chosen.scaled:
        tree_means = np.add.reduce(trees.weights, axis=1) / (items - 1)
        loose = [
            _looseness(mean, of_tree, chosen)
            for mean, of_tree in zip(means, tree_means.tolist(), strict=True)
        ]
        radii = [radius * each for radius, each in zip(radii, loose, strict=True)]
    least = _SMALLEST if chosen.published else 0.0
    return np.array([radius if radius > 0 else least for radius in radii])


def _references(means: list[float], weights: Floats, chosen: Rule) -> list[float]:
    if chosen.reference == "pdm_mean":
        return means
    if chosen.reference == "mst_mean":
        found = weights.mean(axis=1)
    elif chosen.reference == "mst_median":
        found = np.median(weights, axis=1)
    elif chosen.reference == "mst_left_mode":
        found = modes(weights, "left")
    else:
        found = modes(weights, "right" if chosen.published else "highest")
    return list(found.tolist())


def _looseness(mean: float, of_tree: float, chosen: Rule) -> float:
    """Return 1 - mean(w) / d: how much shorter the tree's edges are than distances at large.

    0 where all distances are 0, and where rounding alone separates the two means.
    """
    loose = 1 - of_tree / mean if mean > 0 else 0.0
    if chosen.published:
        return 2 * loose
    return 0.0 if abs(loose) < 1e-12 else loose
