"""Weigh programs on the suite and tell which of them is better than the one they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from consilience.improve import Attempt
from consilience.judge import Judge, weigh
from consilience.sandbox import Outcome
from consilience.task import Candidate, TestSuite


@dataclass(frozen=True, slots=True)
class Standing:
    """A program with what it did on the suite."""

    candidate: Candidate
    passes: tuple[bool | None, ...]
    outcomes: tuple[Outcome, ...]
    company: int = 1
    """How many of the programs weighed with it gave the same outputs on every test."""

    def failing(self, trusted: Sequence[int]) -> list[int]:
        """Return the places among *trusted* of the tests that it fails."""
        return [place for place in trusted if self.passes[place] is False]


def stand(judge: Judge, suite: TestSuite, candidates: Sequence[Candidate]) -> list[Standing]:
    """Run every candidate on every test of *suite*."""
    if not candidates:
        return []
    found = weigh(suite, candidates, judge.sandbox, judge.settings)
    company = {row: len(group) for group in found.matrix.alike() for row in group}
    return [
        Standing(candidate, found.matrix.passes[row], found.outcomes[row], company[row])
        for row, candidate in enumerate(candidates)
    ]


def compare(
    before: Standing,
    repairs: Sequence[Standing],
    suite: TestSuite,
    trusted: Sequence[int],
    number: int = 1,
) -> list[Attempt]:
    """Tell what each repair won and lost against *before*, and mark the one to take, if any.

    It passes more reliable tests, loses none that the task itself states, and has the largest
    gain; among equals the one whose outputs most repairs share, then the first, is taken.
    """
    attempts = [_attempt(before, repair, trusted, number) for repair in repairs]
    merit = {
        place: (attempts[place].gain, repairs[place].company)
        for place in range(len(attempts))
        if _fair(attempts[place], suite)
    }
    if merit:
        chosen = max(merit, key=merit.__getitem__)
        attempts[chosen] = replace(attempts[chosen], taken=True)
    return attempts


def _attempt(before: Standing, after: Standing, trusted: Sequence[int], number: int) -> Attempt:
    # A call that a fault of the sandbox left unjudged is neither won nor passed.
    pairs = {place: (before.passes[place], after.passes[place]) for place in trusted}
    fixed = tuple(p for p, (was, now) in pairs.items() if was is False and now is True)
    lost = tuple(p for p, (was, now) in pairs.items() if was is True and now is not True)
    return Attempt(number, after.candidate, fixed, lost)


def _fair(attempt: Attempt, suite: TestSuite) -> bool:
    kept = all(suite.tests[place].route != "given" for place in attempt.lost)
    return attempt.gain > 0 and kept
