"""Select inputs: half by how much the programs disagree on them, half for their variety.

Inputs chosen by disagreement alone were measured to hurt the ranking: hard inputs make most
candidates fail alike (Bottom-1 fell from 94 to 79). The mode "disagreement" is the paper's way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from consilience.sandbox import Outcome
from consilience.task import Probe, Session, Stdin
from consilience.values import identity
from consilience.votes import count_votes

Mode = Literal["half", "disagreement"]


@dataclass(frozen=True, slots=True)
class Selection:
    """Places of the inputs selected, the most disputed first, and of those dropped."""

    kept: tuple[int, ...]
    dropped: tuple[tuple[int, str], ...]
    """Places of the inputs on which most programs fail, each with the reason."""
    entropies: tuple[float, ...]
    """Bits of disagreement, one an input, dropped ones included."""


def select(
    inputs: Sequence[Probe],
    outcomes: Sequence[Sequence[Outcome]],
    *,
    keep: int,
    mode: Mode = "half",
    seed: int = 0,
    drop_failing: bool = True,
) -> Selection:
    """Select *keep* of *inputs* by the *outcomes* of programs on them.

    *outcomes* has one row a program and one column an input, as `Sandbox.run` returns it. The
    selection depends neither on the order of the programs nor on that of the inputs.
    """
    columns: list[Sequence[Outcome]] = list(zip(*outcomes, strict=True)) or [() for _ in inputs]
    dropped = failing(columns) if drop_failing else {}
    entropies = tuple(count_votes(column).entropy() for column in columns)
    places = [place for place in range(len(inputs)) if place not in dropped]
    shuffled = sorted(places, key=lambda place: identity.shuffled_place(inputs[place], seed))
    disputed = sorted(shuffled, key=lambda place: -entropies[place])
    chosen = disputed[: keep if mode == "disagreement" else math.ceil(keep / 2)]
    rest = [place for place in shuffled if place not in set(chosen)]
    chosen += varied([inputs[place] for place in rest], rest)[: keep - len(chosen)]
    return Selection(tuple(chosen), tuple(dropped.items()), entropies)


def varied(inputs: Sequence[Probe], places: Sequence[int]) -> list[int]:
    """Order *places* so that each round takes one input of every profile (sizes, signs)."""
    rounds: dict[str, int] = {}
    ranked: list[tuple[int, int, int]] = []
    for probe, place in zip(inputs, places, strict=True):
        profile = repr([_profile(value) for value in _parts(probe)])
        rounds[profile] = rounds.get(profile, -1) + 1
        ranked.append((rounds[profile], len(ranked), place))
    return [place for _, _, place in sorted(ranked)]


def failing(columns: Sequence[Sequence[Outcome]]) -> dict[int, str]:
    """Return the places of the inputs on which most programs fail, each with the reason.

    Programs that return nothing on any input are no evidence against this one: left out.
    """
    alive = {row for column in columns for row, outcome in enumerate(column) if outcome.ok}
    found = {}
    for place, column in enumerate(columns):
        ran = [column[row] for row in sorted(alive) if column[row].status != "infrastructure"]
        failed = [outcome.error or outcome.status for outcome in ran if not outcome.ok]
        if 2 * len(failed) > len(ran):
            commonest = max(sorted(set(failed)), key=failed.count)
            found[place] = f"{len(failed)} of {len(ran)} programs fail, most with {commonest}"
    return found


def _parts(probe: Probe) -> tuple[Any, ...]:
    """Return what a probe is made of: arguments, lines, or a text and its first tokens."""
    if isinstance(probe, Session):
        return probe.steps
    if isinstance(probe, Stdin):
        return (probe.text, *probe.text.partition("\n")[0].split())
    return probe


def _profile(value: Any) -> tuple[str, int]:
    """Return the kind and the magnitude: of the size, or of the number and its sign."""
    kind = type(value).__name__
    if isinstance(value, (str, bytes, list, tuple, set, frozenset, dict)):
        return kind, len(value).bit_length()
    if isinstance(value, int):
        return kind, int(math.copysign(value.bit_length(), value))
    if isinstance(value, float) and math.isfinite(value):
        return kind, int(math.copysign(int(abs(value)).bit_length() + 1, value))
    return kind, 0
