"""Logistic regression with missing values, small enough to read.

    log p/(1-p) = b0 + sum over figures of  b * (x - mean) / scale      where x is known
                                            m                           where it is missing

b0, b and m minimise the weighted log loss plus half of *ridge* times the squares of b and m, by
Newton's method (iteratively reweighted least squares).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.errors import UsageError
from consilience.trust import Contribution, Evidence

Floats = npt.NDArray[np.float64]

RIDGE = 1.0
STEPS = 100
DIGITS = 6
"""Coefficients are rounded, so that a refit on another machine gives the same bytes."""


@dataclass(frozen=True, slots=True)
class Term:
    """One figure of the evidence in the model."""

    name: str
    mean: float
    scale: float
    weight: float
    """Log-odds for one standard deviation."""
    missing: float = 0.0
    """Log-odds where the figure is not known."""

    def of(self, evidence: Evidence) -> Contribution:
        """Say how far *evidence* moves the log-odds."""
        value = evidence.get(self.name)
        if value is None:
            return Contribution(self.name, None, self.missing)
        return Contribution(self.name, value, self.weight * (value - self.mean) / self.scale)


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted model."""

    intercept: float
    terms: tuple[Term, ...]

    def contributions(self, evidence: Evidence) -> list[Contribution]:
        """Say how far each figure moves the log-odds, in the order of the terms."""
        return [term.of(evidence) for term in self.terms]

    def probability(self, evidence: Evidence) -> float:
        """Return p, in (0, 1)."""
        # fsum: the same bits whatever the order of the terms.
        return sigmoid(
            math.fsum([self.intercept, *(c.logit for c in self.contributions(evidence))])
        )


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + exp(-logit)) without overflow."""
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-logit))
    return math.exp(logit) / (1.0 + math.exp(logit))


def fit(
    rows: Sequence[Evidence],
    right: Sequence[bool],
    names: Sequence[str],
    *,
    weights: Sequence[float] | None = None,
    directions: Mapping[str, int] | None = None,
    ridge: float = RIDGE,
) -> Logistic:
    """Fit the figures called *names* to whether candidates were *right*.

    With *directions* (1 or -1 a name, 0 for either), a figure that comes out the wrong way
    round, as one of several that say the same may, is left out: the one with the largest such
    weight first, until there is none. So agreement never speaks against a candidate.

    Raises:
        UsageError: there are no rows, or all of them are right, or all are wrong.
    """
    if len(set(right)) < 2:
        raise UsageError(
            "Trust cannot be fitted: it needs right and wrong candidates.",
            hint="Give labelled candidates of both kinds.",
        )
    weight = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
    table = np.array([[_number(row.get(name)) for name in names] for row in rows])
    truth = np.asarray(right, dtype=np.float64)
    chosen = list(range(len(names)))
    while True:
        model = _fit(table[:, chosen], truth, [names[at] for at in chosen], weight, ridge)
        wrong = [t for t in model.terms if t.weight * (directions or {}).get(t.name, 0) < 0]
        if not wrong:
            return model
        worst = max(wrong, key=lambda term: (abs(term.weight), term.name)).name
        chosen.remove(names.index(worst))


def _fit(
    table: Floats, right: Floats, names: Sequence[str], weight: Floats, ridge: float
) -> Logistic:
    known, means, scales = _standardised(table, weight)
    absent = np.isnan(known)
    used = np.flatnonzero(absent.any(axis=0))
    design = np.hstack([
        np.ones((len(table), 1)),
        np.where(absent, 0.0, known),
        absent[:, used],
    ])
    found = solve(design, right, weight, ridge)
    return _model(found, names, means, scales, used.tolist())


def solve(design: Floats, right: Floats, weight: Floats, ridge: float) -> Floats:
    """Minimise the penalised log loss over the columns of *design*; the first is the intercept.

    Steps are halved while they make it worse, so separable data does no harm.
    """
    penalty = np.full(design.shape[1], ridge)
    penalty[0] = 0.0
    found = np.zeros(design.shape[1])
    loss = _loss(found, design, right, weight, penalty)
    for _ in range(STEPS):
        chance = _sigmoids(design @ found)
        slope = design.T @ (weight * (chance - right)) + penalty * found
        bend = (design.T * (weight * chance * (1 - chance))) @ design + np.diag(penalty + 1e-10)
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while (better := _loss(found - size * step, design, right, weight, penalty)) > loss:
            size /= 2
            if size < 1e-8:
                return found
        found, gain, loss = found - size * step, loss - better, better
        if gain < 1e-12 * max(1.0, abs(loss)):
            break
    return found


def _sigmoids(logits: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits, -500, 500))))


def _loss(
    found: Floats, design: Floats, right: Floats, weight: Floats, penalty: Floats
) -> float:
    logits = design @ found
    # log(1 + e^z) - y z, without overflow.
    each = np.logaddexp(0.0, logits) - right * logits
    return float(weight @ each + 0.5 * penalty @ (found * found))


def _standardised(table: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (rows, figures) with zero mean and unit deviation, NaN where missing."""
    mass = np.where(np.isnan(table), 0.0, weight[:, None])
    filled = np.where(np.isnan(table), 0.0, table)
    total = np.maximum(mass.sum(axis=0), 1e-12)
    means = (mass * filled).sum(axis=0) / total
    scales = np.sqrt((mass * (filled - means) ** 2).sum(axis=0) / total)
    means, scales = np.round(means, DIGITS), np.round(scales, DIGITS)
    scales = np.where(scales < 1e-6, 1.0, scales)
    return (table - means) / scales, means, scales


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _model(
    found: Floats, names: Sequence[str], means: Floats, scales: Floats, used: Sequence[int]
) -> Logistic:
    absent = dict(zip(used, found[1 + len(names) :].tolist(), strict=True))
    terms = tuple(
        Term(
            name,
            float(means[place]),
            float(scales[place]),
            _rounded(found[1 + place]),
            _rounded(absent.get(place, 0.0)),
        )
        for place, name in enumerate(names)
    )
    return Logistic(_rounded(found[0]), terms)


def _rounded(value: float) -> float:
    return round(float(value), DIGITS) + 0.0  # never -0.0
