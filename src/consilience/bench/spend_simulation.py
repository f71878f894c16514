"""A SIMULATION with known truth: is the chance of error that the stops state the true one?

No figure here comes from a model. Votes are drawn from known probabilities, and the decision at
the stop is compared with that of all draws. Labels of inputs are drawn from the chances that
the stakes state, or are all those of one voter, and the order at the stop is compared with the
one in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.oracles.stakes import Aim, Open, risk, standing, worth
from consilience.oracles.stopping import is_settled, stages
from consilience.task import Alternative
from consilience.values import Value
from consilience.votes import Votes

DOUBTS = (0.01, 0.05, 0.1, 0.2)
RISKS = (0.0, 0.05, 0.2)
SHARES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "uniform over three outcomes (the prior)": lambda rng: rng.dirichlet([1, 1, 1]),
    "two outcomes, near even": lambda rng: np.array([0.55, 0.45, 0.0]),
    "one clear leader": lambda rng: np.array([0.8, 0.1, 0.1]),
    "many outcomes": lambda rng: rng.dirichlet([0.5] * 6),
}


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much to simulate."""

    votes: int = 4_000
    orders: int = 300


def run(sizes: Sizes, seed: int = 0) -> dict[str, Any]:
    """Simulate both stops; the same seed gives the same figures."""
    return {
        "what": "simulation: votes and labels drawn from known chances, no model involved",
        "seed": seed,
        "votes": [
            votes_row(name, doubt, total, sizes.votes, seed)
            for name in SHARES
            for total in (5, 10)
            for doubt in DOUBTS
        ],
        "orders": [
            order_row(aim, limit, together, sizes.orders, seed)
            for aim in ("order", "top1")
            for limit in RISKS
            for together in (False, True)
        ],
    }


def votes_row(name: str, doubt: float, total: int, count: int, seed: int) -> dict[str, Any]:
    """Draw *count* votes of *total* programs; compare each stop with the whole vote."""
    rng = np.random.default_rng(seed)
    stopped = wrong = drawn = 0
    for _ in range(count):
        share = SHARES[name](rng)
        sequence = rng.choice(len(share), size=total, p=share)
        at = _stop(sequence, doubt)
        drawn += at
        if at < total:
            stopped += 1
            early, late = _votes(sequence[:at]).winner, _votes(sequence).winner
            wrong += early != late
    return {
        "votes": name,
        "programs": total,
        "doubt": doubt,
        "stopped": stopped,
        "changed_of_stopped": round(wrong / stopped, 4) if stopped else None,
        "changed": round(wrong / count, 4),
        "drawn_of_all": round(drawn / (count * total), 4),
        "simulated": count,
    }


def _stop(sequence: np.ndarray, doubt: float) -> int:
    total = len(sequence)
    for drawn in stages(total, 2, 1):
        if is_settled(_votes(sequence[:drawn]), total - drawn, doubt):
            return drawn
    return total


def _votes(sequence: np.ndarray) -> Votes:
    outcomes, counts = np.unique(sequence, return_counts=True)
    ranked = sorted(zip(-counts, outcomes, strict=True))
    groups = [Alternative(Value.of(int(name)), int(-less)) for less, name in ranked]
    first, rest = groups[0], groups[1:]
    if rest and rest[0].count == first.count:
        return Votes(None, first.count, len(sequence), True, tuple(groups))
    return Votes(first.value, first.count, len(sequence), False, tuple(rest))


def order_row(aim: Aim, limit: float, together: bool, count: int, seed: int) -> dict[str, Any]:
    """Rank candidates on *count* made-up tasks; stop when the risk is small enough."""
    rng = np.random.default_rng(seed)
    stopped = changed = asked = inputs = 0
    for _ in range(count):
        scores, opens, labels = _case(rng, together)
        paid, at_stop = _until_settled(scores, opens, labels, aim, limit)
        asked, inputs = asked + len(paid), inputs + len(opens)
        if len(paid) < len(opens):
            stopped += 1
            final = _added(scores, labels, range(len(opens)))
            changed += standing(final, aim) != standing(at_stop, aim)
    return {
        "aim": aim,
        "risk": limit,
        "labels": "all of one voter" if together else "independent",
        "stopped": stopped,
        "changed_of_stopped": round(changed / stopped, 4) if stopped else None,
        "changed": round(changed / count, 4),
        "asked_of_all": round(asked / inputs, 4),
        "simulated": count,
    }


Labels = Sequence[tuple[bool, ...]]


def _case(rng: np.random.Generator, together: bool) -> tuple[list[int], list[Open], Labels]:
    """Make up five candidates, ten voters and six open inputs with three outputs each."""
    scores = [int(score) for score in rng.integers(0, 8, size=5)]
    opens, labels, story = [], [], int(rng.integers(0, 10))
    for _ in range(6):
        outputs = rng.integers(0, 3, size=5)
        votes = rng.choice(3, size=10, p=rng.dirichlet([2, 1, 1]))
        rows = [tuple(bool(output == label) for output in outputs) for label in range(3)]
        chances = (np.bincount(votes, minlength=3) + 1) / 13
        most = int(np.argmax(np.bincount(votes, minlength=3)))
        opens.append(
            Open(
                tuple(zip(map(float, chances), rows, strict=True)),
                (*(rows[int(vote)] for vote in votes), rows[most]),
            )
        )
        label = int(votes[story]) if together else int(rng.choice(3, p=chances))
        labels.append(rows[label])
    return scores, opens, labels


def _until_settled(
    scores: list[int], opens: list[Open], labels: Labels, aim: Aim, limit: float
) -> tuple[list[int], list[int]]:
    """Pay for one input after the other; return those paid for, and the scores at the stop."""
    paid: list[int] = []
    while len(paid) < len(opens):
        left = [place for place in range(len(opens)) if place not in paid]
        now = _added(scores, labels, paid)
        undecided = [opens[place] for place in left]
        if risk(now, undecided, aim) <= limit:
            break
        worths = worth(now, undecided, aim)
        paid.append(left[max(range(len(left)), key=lambda i: (worths[i], -i))])
    return paid, _added(scores, labels, paid)


def _added(scores: Sequence[int], labels: Labels, places: Sequence[int]) -> list[int]:
    return [
        score + sum(labels[place][candidate] for place in places)
        for candidate, score in enumerate(scores)
    ]
