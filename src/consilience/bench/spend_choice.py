"""Choose how to label on some tasks, and certify the harm on others.

Harm is how much smaller a task's share of right labels is than by the majority of the general
programs alone, 0 where it is not. After Learn then Test (Angelopoulos et al. 2021): each choice
gets a p-value for "its mean harm is above epsilon" from the bound of Hoeffding and Bentkus. The
order in which choices are tested is fixed beforehand, and testing stops at the first that is
not rejected: with probability 1 - delta no certified choice harms more than epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.bench.intervals import bootstrap

DELTA = 0.1
ORDER = (
    "induction alone",
    "rule: supported",
    "rule: pooled, weight .5",
    "rule: pooled",
    "tau .5",
    "tau .6",
    "tau .7",
    "plain cott",
    "tau .9",
)
"""From the least transduction believed to the most."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What can be said of one choice from the tasks at hand."""

    name: str
    harm: float
    """Mean over tasks of max(0, right by induction - right by this), as shares of labels."""
    p_value: float
    epsilon: float
    """The harm that the tasks rule out, with probability 1 - delta, for this choice alone."""


def p_value(losses: Sequence[float], epsilon: float) -> float:
    """Bound the chance of so small a mean loss, were the true one above *epsilon*.

    Losses lie in [0, 1] and are independent, one a task.
    """
    n, mean = len(losses), math.fsum(losses) / len(losses)
    if mean >= epsilon:
        return 1.0
    hoeffding = math.exp(-n * _divergence(mean, epsilon))
    return min(1.0, hoeffding, math.e * _binomial(math.ceil(n * mean), n, epsilon))


def certified(losses: Sequence[float], delta: float = DELTA) -> float:
    """Return the smallest epsilon, to a thousandth, that the losses certify."""
    low, high = 0, 1000  # the p-value falls as epsilon grows
    while high - low > 1:
        middle = (low + high) // 2
        if p_value(losses, middle / 1000) <= delta:
            high = middle
        else:
            low = middle
    return high / 1000


def choose(
    rows: Mapping[str, Sequence[Mapping[str, Any]]], epsilon: float, delta: float = DELTA
) -> tuple[str, list[Certificate]]:
    """Return the best choice whose harm is certified to be at most *epsilon*, and all evidence.

    Best is whose labels are right most often; induction alone harms nothing by definition.
    """
    base = [_share(row) for row in rows[ORDER[0]]]
    names = [name for name in ORDER[1:] if name in rows]
    evidence = [_evidence(name, rows[name], base, epsilon, delta) for name in names]
    safe = [ORDER[0]]
    for found in evidence:
        if found.p_value > delta:
            break
        safe.append(found.name)
    return max(safe, key=lambda name: _mean(rows[name])), evidence


def held_out(
    rows: Mapping[str, Sequence[Mapping[str, Any]]], epsilon: float, delta: float = DELTA
) -> dict[str, Any]:
    """Choose for each task on all others, and score the choices where they were not made."""
    count = len(rows[ORDER[0]])
    picks = []
    for place in range(count):
        others = {
            name: [row for other, row in enumerate(each) if other != place]
            for name, each in rows.items()
            if name in ORDER
        }
        picks.append(choose(others, epsilon, delta)[0])
    chosen = [rows[name][place] for place, name in enumerate(picks)]
    return {
        "epsilon": epsilon,
        "delta": delta,
        "picks": {name: picks.count(name) for name in ORDER if name in picks},
        "top1": _interval([row["top1"] for row in chosen]),
        "rho": _interval([row["rho"] for row in chosen]),
        "label_accuracy": _interval([_share(row) for row in chosen]),
        "tokens_per_task": round(sum(_tokens(row) for row in chosen) / count),
    }


def _evidence(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    base: Sequence[float | None],
    epsilon: float,
    delta: float,
) -> Certificate:
    pairs = zip(map(_share, rows), base, strict=True)
    losses = [max(0.0, b - a) for a, b in pairs if a is not None and b is not None]
    if not losses:
        return Certificate(name, 0.0, 1.0, 1.0)
    harm = math.fsum(losses) / len(losses)
    return Certificate(name, round(harm, 6), p_value(losses, epsilon), certified(losses, delta))


def _share(row: Mapping[str, Any]) -> float | None:
    made = [counts for route, counts in row["labels"].items() if route != "given"]
    total = sum(counts["tests"] for counts in made)
    return sum(counts["right"] for counts in made) / total if total else None


def _mean(rows: Sequence[Mapping[str, Any]]) -> float:
    shares = [share for share in map(_share, rows) if share is not None]
    return math.fsum(shares) / len(shares) if shares else 0.0


def _tokens(row: Mapping[str, Any]) -> int:
    return sum(sum(counts) for counts in row["tokens"].values())


def _interval(values: Sequence[float | None]) -> dict[str, Any]:
    found = bootstrap(values, resamples=2_000)
    return {"mean": found.mean, "low": found.low, "high": found.high, "tasks": found.tasks}


def _divergence(a: float, b: float) -> float:
    """Return the divergence of two coins in nats: a log(a/b) + (1-a) log((1-a)/(1-b))."""
    first = a * math.log(a / b) if a else 0.0
    return first + ((1 - a) * math.log((1 - a) / (1 - b)) if a < 1 else 0.0)


def _binomial(most: int, n: int, p: float) -> float:
    """Return the chance of at most *most* hits in *n*."""
    return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(most + 1))
