"""Count what programs answered on one input.

    p(y | x) = n(y; x) / sum over y' of n(y'; x)        (CoTT, Eq. 1)
    c(x) = max over y of p(y | x)                       (CoTT, Eq. 2)

Nothing here depends on the order of the programs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from consilience.sandbox import Outcome
from consilience.task import Alternative
from consilience.values import DEFAULT_TOLERANCE, Level, Tolerance, Value, classes

DELIBERATE = frozenset({
    "AssertionError", "Exception", "NotImplementedError", "RuntimeError", "ValueError",
})  # fmt: skip
"""Exceptions that say "this input is refused"; the others are accidents and never an answer."""


@dataclass(frozen=True, slots=True)
class Votes:
    """The count of one input's outcomes."""

    winner: Value | None
    """What more programs gave than anything else; null in a tie or where nothing was given."""
    count: int
    """Programs that gave the winner, or each of the leaders of a tie."""
    total: int
    """The denominator of the confidence."""
    tie: bool = False
    alternatives: tuple[Alternative, ...] = ()
    """The other outcomes, most votes first; in a tie, all of them."""
    failures: int = 0
    """Programs that gave nothing to vote for: crashed, timed out, opaque."""

    @property
    def confidence(self) -> float:
        """c(x): the share of the leading outcome, 0 where there is none."""
        return self.count / self.total if self.total else 0.0

    @property
    def leader(self) -> Value | None:
        """The winner; in a tie, always the same one of the leaders."""
        if self.winner is None and self.alternatives:
            return self.alternatives[0].value
        return self.winner

    @property
    def mostly_failed(self) -> bool:
        """Tell whether most programs failed: the input is probably not a valid one."""
        given = self.count * (self.winner is not None) + sum(a.count for a in self.alternatives)
        return self.failures > given

    def reaches(self, tau: float, *, quorum: int = 2) -> bool:
        """Tell whether c(x) >= tau, exactly, among at least *quorum* voters.

        One program always agrees with itself, so a single voter reaches nothing by default.
        """
        if self.winner is None or self.total < quorum:
            return False
        # Through text: 0.8 means eight tenths, and the float 0.8 is a little more than that.
        return Fraction(self.count, self.total) >= Fraction(str(tau))

    def entropy(self) -> float:
        """Shannon entropy of the outcomes in bits, all failures being one outcome."""
        counts = [self.count] if self.winner is not None else []
        counts += [alternative.count for alternative in self.alternatives]
        counts += [self.failures] if self.failures else []
        total = sum(counts)
        # fsum of sorted terms: the same bits in any order of the programs.
        return math.fsum(sorted(n / total * math.log2(total / n) for n in counts))


def count_votes(
    outcomes: Sequence[Outcome],
    *,
    failures: Literal["count", "ignore"] = "count",
    exceptions: Literal["failure", "outcome"] = "failure",
    level: Level = "py",
    tolerance: Tolerance = DEFAULT_TOLERANCE,
) -> Votes:
    """Count the outcomes of several programs on one input.

    A failure never wins. It stays in the denominator, unless *failures* is "ignore" (Eq. 1 to
    the letter). With *exceptions* as "outcome", raising deliberately is an answer like any
    other. Infrastructure faults say nothing about a program and are not counted at all.
    """
    ran = [outcome for outcome in outcomes if outcome.status != "infrastructure"]
    answers = [_answer(outcome, exceptions) for outcome in ran]
    given = [answer for answer in answers if answer is not None]
    ranked = _rank(given, level, tolerance)
    failed = len(ran) - len(given)
    total = len(ran) if failures == "count" else len(given)
    if not ranked:
        return Votes(None, 0, total, failures=failed)
    first, rest = ranked[0], ranked[1:]
    if rest and rest[0].count == first.count:
        return Votes(None, first.count, total, True, tuple(ranked), failed)
    return Votes(first.value, first.count, total, False, tuple(rest), failed)


def _answer(outcome: Outcome, exceptions: str) -> Value | None:
    if outcome.ok and outcome.value is not None:
        return None if outcome.value.opaque else outcome.value
    if outcome.status == "raised" and exceptions == "outcome" and outcome.error in DELIBERATE:
        return Value.raised(outcome.error)
    return None


def _rank(given: Sequence[Value], level: Level, tolerance: Tolerance) -> list[Alternative]:
    members: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for value, label in zip(given, classes(given, level, tolerance), strict=True):
        members[label][value.payload] += 1
    ranked = [Alternative(_spokesman(counts), counts.total()) for counts in members.values()]
    return sorted(ranked, key=lambda group: (-group.count, group.value.payload))


def _spokesman(counts: Counter[str]) -> Value:
    """Choose the form that most programs gave: 1 or 1.0, 0.3 or 0.30000000000000004."""
    return Value(min(counts, key=lambda payload: (-counts[payload], payload)))
