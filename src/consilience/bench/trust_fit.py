"""Fit trust on cases, and let it choose: what both the bench and `calibrate` do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from consilience.bench.association import Floats
from consilience.bench.trust_cases import Case
from consilience.trust import Evidence, Stage
from consilience.trust.evidence import BEHAVIOUR, TESTS, TEXT
from consilience.trust.logistic import Logistic, fit

FIGURES: Mapping[Stage, tuple[str, ...]] = {
    "text": tuple(TEXT),
    "behaviour": (*TEXT, *BEHAVIOUR),
    "tests": (*TEXT, *BEHAVIOUR, *TESTS),
}
"""What a stage's model reads: all evidence up to that stage."""
DIRECTIONS = {**TEXT, **BEHAVIOUR, **TESTS, "union entropy": -1}


@dataclass(frozen=True, slots=True)
class Picks:
    """What a model chose in each case, with what probability, and whether it was right."""

    places: tuple[int, ...]
    chances: Floats
    truth: Floats
    tasks: tuple[str, ...]


def fitted(cases: Iterable[Case], names: Sequence[str]) -> Logistic:
    """Fit the figures called *names*; every case weighs the same, however many candidates."""
    rows: list[Evidence] = []
    right: list[bool] = []
    weights: list[float] = []
    for case in cases:
        judged = [place for place, truth in enumerate(case.right) if truth is not None]
        rows += [case.evidence[place] for place in judged]
        right += [bool(case.right[place]) for place in judged]
        weights += [1 / max(1, len(judged))] * len(judged)
    return fit(rows, right, names, weights=weights, directions=DIRECTIONS)


def choose(model: Logistic, case: Case) -> tuple[int, float]:
    """Return the likeliest candidate and its probability.

    Among equals the program that `observations` met first: no order that tells of quality.
    """
    chances = [round(model.probability(each), 9) for each in case.evidence]
    top = max(chances)
    leaders = [place for place, chance in enumerate(chances) if chance == top]
    return min(leaders, key=lambda place: case.places[place]), top


def picks(model: Logistic, cases: Sequence[Case], chosen: Picks | None = None) -> Picks:
    """Let *model* choose in every case, or judge what was *chosen* already.

    Cases whose choice has no truth are left out.
    """
    places = [choose(model, case)[0] for case in cases] if chosen is None else chosen.places
    judged = [
        (place, model.probability(case.evidence[place]), case.right[place], case.task_id)
        for place, case in zip(places, cases, strict=True)
        if case.right[place] is not None
    ]
    return Picks(
        tuple(place for place, *_ in judged),
        np.array([chance for _, chance, *_ in judged]),
        np.array([float(bool(right)) for *_, right, _ in judged]),
        tuple(task for *_, task in judged),
    )


def decided(cases: Sequence[Case], model: Logistic) -> list[Case]:
    """Keep the cases in which the choice of *model* has a truth."""
    return [case for case in cases if case.right[choose(model, case)[0]] is not None]
