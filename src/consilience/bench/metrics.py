"""How good a ranking or a score is, against the truth; nothing undefined becomes a number.

The group metrics are those of the Scoring-Verifiers evaluation: Top-1, Bottom-1, Spearman,
Kendall, MAE, R2, over groups of candidates, one a task. An undefined figure is None with a
reason, left out of the mean and counted; `compat=True` gives that evaluation's 0.0 instead.
Confidence intervals are in `intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.errors import UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, or None with the reason why there is none."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of the defined figures, and how many there were and were not."""

    value: float | None
    defined: int
    undefined: int = 0
    values: tuple[float | None, ...] = ()
    """One a task, in order: what intervals and paired comparisons need."""


@dataclass(frozen=True, slots=True)
class Group:
    """The candidates of one task: what a method scored, and the truth."""

    scores: tuple[float, ...]
    truth: tuple[float, ...]
    """True scores; larger is better."""


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Means over tasks, in the order of the Scoring-Verifiers table."""

    top1: Mean
    bottom1: Mean
    spearman: Mean
    kendall: Mean
    mae: float | None
    r2: float | None


def ranking_metrics(groups: Sequence[Group], *, compat: bool = False) -> RankingMetrics:
    """Evaluate the *groups*; MAE is over all candidates, R2 pooled over all candidates."""
    scores = [score for group in groups for score in group.scores]
    truth = [score for group in groups for score in group.truth]
    return RankingMetrics(
        mean([top1(g.scores, g.truth) for g in groups], compat=compat),
        mean([bottom1(g.scores, g.truth) for g in groups], compat=compat),
        mean([spearman(g.scores, g.truth) for g in groups], compat=compat),
        mean([kendall(g.scores, g.truth) for g in groups], compat=compat),
        mean_absolute_error(scores, truth).value,
        r_squared(scores, truth, compat=compat).value,
    )


def mean(figures: Sequence[Figure], *, compat: bool = False) -> Mean:
    """Average the defined figures; with *compat* the undefined ones count as 0.0."""
    values = tuple(0.0 if compat and f.value is None else f.value for f in figures)
    defined = [value for value in values if value is not None]
    average = math.fsum(defined) / len(defined) if defined else None
    return Mean(average, len(defined), len(values) - len(defined), values)


def top1(scores: Sequence[float], truth: Sequence[float]) -> Figure:
    """Give 1/k where k candidates share the best score and a truly best one is among them."""
    return _credit(scores, truth, max)


def bottom1(scores: Sequence[float], truth: Sequence[float]) -> Figure:
    """Give 1/k where k candidates share the worst score and a truly worst one is among them."""
    return _credit(scores, truth, min)


def _credit(
    scores: Sequence[float], truth: Sequence[float], extreme: Callable[[Sequence[float]], float]
) -> Figure:
    _check_pairs(scores, truth)
    if not scores:
        return Figure(None, "no candidates")
    chosen = [place for place, score in enumerate(scores) if score == extreme(scores)]
    right = any(truth[place] == extreme(truth) for place in chosen)
    return Figure(1 / len(chosen) if right else 0.0)


def spearman(x: Sequence[float], y: Sequence[float]) -> Figure:
    """Return Spearman's rho: Pearson's correlation of the average ranks."""
    _check_pairs(x, y)
    reason = _not_orderable(x, y)
    if reason:
        return Figure(None, reason)
    a, b = _centred(average_ranks(x)), _centred(average_ranks(y))
    rho = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    return Figure(max(-1.0, min(1.0, rho)))


def kendall(x: Sequence[float], y: Sequence[float]) -> Figure:
    """Return Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * in y)."""
    _check_pairs(x, y)
    reason = _not_orderable(x, y)
    if reason:
        return Figure(None, reason)
    a, b = _signs(x), _signs(y)
    untied = math.sqrt(float(np.abs(a).sum()) * float(np.abs(b).sum()))
    return Figure(max(-1.0, min(1.0, float((a * b).sum()) / untied)))


def mean_absolute_error(x: Sequence[float], y: Sequence[float]) -> Figure:
    """Return the mean of |x - y|."""
    _check_pairs(x, y)
    if not x:
        return Figure(None, "no candidates")
    return Figure(math.fsum(abs(a - b) for a, b in zip(x, y, strict=True)) / len(x))


def r_squared(
    scores: Sequence[float], truth: Sequence[float], *, compat: bool = False
) -> Figure:
    """Return 1 - residual / total sum of squares; with *compat* 1.0 for a constant truth."""
    _check_pairs(scores, truth)
    if not truth:
        return Figure(None, "no candidates")
    centre = math.fsum(truth) / len(truth)
    total = math.fsum((t - centre) ** 2 for t in truth)
    if min(truth) == max(truth) or total == 0:
        return Figure(1.0) if compat else Figure(None, "constant")
    residual = math.fsum((t - s) ** 2 for s, t in zip(scores, truth, strict=True))
    return Figure(1 - residual / total)


def roc_auc(scores: Sequence[float], positive: Sequence[bool]) -> Figure:
    """Return the chance that a positive scores above a negative, ties counting half."""
    _check_pairs(scores, positive)
    hits = sum(map(bool, positive))
    misses = len(positive) - hits
    if not hits or not misses:
        return Figure(None, "one class only")
    ranks = average_ranks(scores)
    won = float(ranks[np.asarray(positive, dtype=bool)].sum()) - hits * (hits + 1) / 2
    return Figure(won / (hits * misses))


def pass_at_k(samples: int, right: int, k: int) -> Figure:
    """Return the chance that one of *k* of the *samples* is right: 1 - C(n-c, k) / C(n, k).

    Undefined for fewer than k samples: the usual shortcut then reports 1.0 even where none is
    right.
    """
    if not 0 <= right <= samples or k < 1:
        message = f"pass@{k} of {samples} samples with {right} right makes no sense."
        raise UsageError(message)
    if samples < k:
        return Figure(None, f"only {samples} samples")
    missed = math.prod((1 - k / i for i in range(samples - right + 1, samples + 1)), start=1.0)
    return Figure(1.0 if samples - right < k else 1 - missed)


def average_ranks(values: Sequence[float]) -> Floats:
    """Return ranks from 1 for the smallest, ties sharing their average."""
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    averages: Floats = (last - (counts - 1) / 2)[inverse]
    return averages


def _centred(ranks: Floats) -> Floats:
    # The mean of ranks is exact in this form, so constant ranks give exact zeros.
    centred: Floats = ranks - (len(ranks) + 1) / 2
    return centred


def _signs(values: Sequence[float]) -> Floats:
    # Ranks first: a difference of large or tiny floats may overflow or vanish.
    ranks = average_ranks(values)
    signs: Floats = np.sign(ranks[:, None] - ranks[None, :])
    return signs


def _not_orderable(x: Sequence[float], y: Sequence[float]) -> str:
    if len(x) < 2:
        return "fewer than two candidates"
    return "constant" if min(x) == max(x) or min(y) == max(y) else ""


def _check_pairs(x: Sequence[float], y: Sequence[float]) -> None:
    if len(x) != len(y):
        message = f"{len(x)} and {len(y)} values cannot be paired."
        raise UsageError(message)
    if any(math.isnan(value) for value in (*x, *y)):
        raise UsageError("NaN is no score: leave the candidate out or say why it has none.")
