"""Repair a program by the tests that it fails: the choices, the attempts and the result.

Only expectations that can be relied on count, for the model's instruction and for the verdict
alike. The loop is in `workshop`, one round is judged in `trial`, the words are in `failures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from consilience.judge import Verdict
from consilience.models import Usage
from consilience.task import Candidate, TestCase, TestSuite

STAGE = "repair"
QUORUM = 2
"""Voters below which an inductive expectation is not relied on: one agrees with itself."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to try."""

    rounds: int = 3
    n: int = 5
    """Repairs drawn in a round."""
    shown: int = 3
    """Failing tests that the model sees in a round, shortest first."""
    tau: float | None = None
    """Confidence from which an inductive expectation is relied on; the settings' where None."""
    tokens: int | None = None
    """No round is begun once the repairs have cost this much; no limit where None."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One repair, and what it did on the reliable tests."""

    round: int
    candidate: Candidate
    fixed: tuple[int, ...]
    """Reliable tests that the program shown to the model fails and this one passes."""
    lost: tuple[int, ...]
    """Reliable tests that only the program shown to the model passes."""
    taken: bool = False

    @property
    def gain(self) -> int:
        """How many more reliable tests it passes."""
        return len(self.fixed) - len(self.lost)


@dataclass(frozen=True, slots=True)
class Improvement:
    """What came of repairing one program."""

    original: Candidate
    best: Candidate
    """The best repair; the original where none passes more reliable tests."""
    trusted: tuple[int, ...]
    """Places in the suite of the tests that could be relied on."""
    verdict: Verdict
    """The original and, where there is one, the best repair on the whole suite."""
    attempts: tuple[Attempt, ...]
    reason: str
    """Why it ended."""
    rounds: int = 0
    """Rounds that were begun."""
    unread: int = 0
    """Replies that held no program."""

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Tokens and calls by stage: the repairs and, where it was written now, the suite."""
        return self.verdict.usage

    @property
    def improved(self) -> bool:
        """Tell whether a repair is better than the original."""
        return self.best is not self.original

    @property
    def fixed(self) -> tuple[int, ...]:
        """Reliable tests that changed from failing to passing."""
        return self._changed(before=False, after=True)

    @property
    def lost(self) -> tuple[int, ...]:
        """Reliable tests that changed from passing to failing: always fewer."""
        return self._changed(before=True, after=False)

    def passed(self, row: int) -> int:
        """Count the reliable tests that the original (0) or the best (-1) passes."""
        return sum(self.verdict.matrix.passes[row][place] is True for place in self.trusted)

    def _changed(self, *, before: bool, after: bool) -> tuple[int, ...]:
        first, last = self.verdict.matrix.passes[0], self.verdict.matrix.passes[-1]
        return tuple(p for p in self.trusted if first[p] is before and last[p] is after)


def trusted(suite: TestSuite, tau: float) -> tuple[int, ...]:
    """Return the places of the tests whose expectation can be relied on."""
    return tuple(place for place, test in enumerate(suite.tests) if reliable(test, tau))


def reliable(test: TestCase, tau: float) -> bool:
    """Tell whether a program that fails *test* is to be blamed, not the test.

    Given by the task, or believed by induction with a confidence of at least *tau* among at
    least two voters; never by transduction, which is asked only where induction was unsure.
    """
    if test.route in {"given", "reference"}:
        return True
    if test.route != "inductive" or not test.reliable or test.total < QUORUM:
        return False
    return Fraction(test.votes, test.total) >= Fraction(str(tau))
