"""Induction: general programs vote on the output of an input (CoTT, Eq. 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.oracles import Prediction, decide
from consilience.sandbox import Outcome
from consilience.settings import Settings
from consilience.task import TestInput
from consilience.voters import Voters
from consilience.votes import Votes, count_votes


class Inductive:
    """The majority of general programs: also the rStar-Coder baseline, when it stands alone."""

    def __init__(self, voters: Voters, settings: Settings) -> None:
        self._voters = voters
        self._settings = settings

    def votes(self, inputs: Sequence[TestInput]) -> list[Votes]:
        """Count the votes on each input: p_ind and, as its confidence, c(x)."""
        return [
            count_votes(
                column, failures=self._settings.failures, exceptions=self._settings.exceptions
            )
            for column in self.columns(inputs)
        ]

    def columns(self, inputs: Sequence[TestInput]) -> list[list[Outcome]]:
        """Return what each program did, a column an input."""
        return self._voters.outcomes(item.probe for item in inputs)

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict argmax p_ind for every input, whatever its confidence."""
        return [decide(votes, "inductive") for votes in self.votes(inputs)]
