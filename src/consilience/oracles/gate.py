"""The gate of CoTT: believe induction where it is confident, else transduction (Eq. 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from consilience.oracles import Oracle, Prediction, decide
from consilience.task import TestInput
from consilience.votes import Votes


class Voting(Protocol):
    """An oracle whose votes can be had before it decides."""

    def votes(self, inputs: Sequence[TestInput]) -> list[Votes]:
        """Count the votes on each input."""
        ...


class Gate:
    """Compose a cheap oracle and a dear one by the confidence of the cheap one."""

    def __init__(self, inductive: Voting, transductive: Oracle, tau: float) -> None:
        self._inductive = inductive
        self._transductive = transductive
        self._tau = tau

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict each input by exactly one route; the dear one sees only the doubtful ones."""
        counted = self._inductive.votes(inputs)
        doubtful = [
            item
            for item, votes in zip(inputs, counted, strict=True)
            if is_open(votes, self._tau)
        ]
        second = iter(self._transductive.predict(doubtful))
        return [
            choose(votes, next(second)) if is_open(votes, self._tau) else keep(votes)
            for votes in counted
        ]


def is_open(votes: Votes, tau: float) -> bool:
    """Tell whether induction is in doubt: c(x) < tau, or no single output leads."""
    return votes.winner is None or not votes.reaches(tau)


def keep(votes: Votes) -> Prediction:
    """Believe induction."""
    return Prediction(votes.winner, "inductive", votes, inductive=votes)


def choose(inductive: Votes, transductive: Prediction) -> Prediction:
    """Believe transduction; where it abstains, fall back to induction and say so.

    Where induction has no winner either, the input is given up: a tie never wins.
    """
    if transductive.value is not None:
        return Prediction(
            transductive.value, "transductive", transductive.votes, inductive=inductive
        )
    fallback = decide(inductive, "inductive")
    reason = "; ".join(filter(None, (fallback.reason, transductive.reason)))
    return Prediction(
        fallback.value,
        "inductive",
        inductive,
        reliable=False,
        reason=reason,
        inductive=inductive,
    )
