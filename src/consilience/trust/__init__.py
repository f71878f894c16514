"""How likely it is that a candidate is right, from all the evidence gathered so far.

`evidence` turns what was seen (texts, behaviour, tests) into a few named figures a candidate,
any of which may be missing; `logistic` is the model that weighs them; `calibration` holds
fitted coefficients as data, with the record that made them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Stage = Literal["text", "behaviour", "tests"]
STAGES: tuple[Stage, ...] = ("text", "behaviour", "tests")
"""Cheapest first: reading the programs, running them, asking a model for tests."""

RankBy = Literal["tests", "trust"]
"""What ranks where tests were written: how many a candidate passes (CoTT), or all evidence."""
RankedBy = Literal["tests", "trust", "behaviour"]
"""What a ranking rests on; before there are tests, on what the candidates do."""

Evidence = Mapping[str, float | None]
"""What is known of one candidate, by name; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """How one figure moves the log-odds of a candidate from those of the average one."""

    name: str
    value: float | None
    logit: float


@dataclass(frozen=True, slots=True)
class Trust:
    """The probability that each candidate is right."""

    stage: Stage
    """The dearest evidence that was read."""
    probabilities: tuple[float, ...]
    """One a candidate, in their order."""
    leaders: tuple[int, ...]
    """Places of all candidates that share the largest probability."""
    contributions: tuple[Contribution, ...]
    """What moves the first leader, the largest first."""
    evidence: tuple[Evidence, ...]
    calibration: str
    """The record that the coefficients come from."""
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> int | None:
        """The place of the one leader; None where several share the largest probability."""
        return self.leaders[0] if len(self.leaders) == 1 else None

    @property
    def value(self) -> float | None:
        """The probability that whichever leader one takes is right; None without candidates."""
        return self.probabilities[self.leaders[0]] if self.leaders else None
