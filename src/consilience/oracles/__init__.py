"""Predict the expected output of an input: the protocol and the prediction.

Implementations: `inductive` (general programs vote), `transductive` (programs written for the
very input vote), `gate` (CoTT: the first, and the second only where the first is unsure).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from consilience.task import Route, TestInput
from consilience.values import Value
from consilience.votes import Votes


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an oracle expects of one input, with the votes behind it."""

    value: Value | None
    """None where the oracle abstains; then `reason` says why."""
    route: Route
    votes: Votes
    """The votes of the route that decided: the two routes are never mixed."""
    reliable: bool = True
    reason: str = ""
    inductive: Votes | None = None
    """The votes that the gate read, where there was a gate."""


class Oracle(Protocol):
    """Anything that predicts expected outputs."""

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Return one prediction an input, in order."""
        ...


def decide(votes: Votes, route: Route) -> Prediction:
    """Believe the winner of one route's votes; without a winner, abstain."""
    if votes.winner is not None:
        return Prediction(votes.winner, route, votes)
    reason = f"{route} votes tie" if votes.tie else f"no {route} program returned a value"
    return Prediction(None, route, votes, reliable=False, reason=reason)
