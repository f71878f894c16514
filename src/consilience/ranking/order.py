"""Scores into a ranking: ties share a rank and have no winner, the undefined says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from consilience.errors import UsageError
from consilience.task import Candidate

Score = Fraction | float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """An order of candidates with the scores it rests on; all tuples follow the candidates."""

    candidates: tuple[Candidate, ...]
    scores: tuple[Score, ...]
    """Larger is better; None where nothing was judged, which is neither 0 nor 1."""
    ranks: tuple[float | None, ...]
    """1 is best; ties share the average of their ranks; None where the score is undefined."""
    leaders: tuple[int, ...]
    """Places of all candidates that share the best score."""
    best: int | None
    """The place of the one leader; None where several tie or nothing can be said."""
    reason: str = ""
    """Why there is no best; empty where there is one."""

    @property
    def places(self) -> tuple[int, ...]:
        """The candidates' places, best first; equal ones in the order given, undefined last."""
        defined = [place for place, rank in enumerate(self.ranks) if rank is not None]
        undefined = [place for place, rank in enumerate(self.ranks) if rank is None]
        return (*sorted(defined, key=lambda place: self.ranks[place] or 0.0), *undefined)

    @property
    def undefined(self) -> tuple[int, ...]:
        """The places of candidates without a score."""
        return tuple(place for place, score in enumerate(self.scores) if score is None)


def order(
    candidates: Sequence[Candidate], scores: Sequence[Score | int], *, reason: str = ""
) -> Ranking:
    """Rank *candidates* by *scores*; a given *reason* says why none of them may win."""
    if len(candidates) != len(scores):
        message = f"{len(candidates)} candidates, but {len(scores)} scores."
        raise UsageError(message)
    defined = [score for score in scores if score is not None]
    top = max(defined, default=None)
    leaders = tuple(p for p, score in enumerate(scores) if score is not None and score == top)
    reason = reason or _why_no_best(leaders)
    return Ranking(
        tuple(candidates),
        tuple(scores),
        average_ranks(scores),
        leaders,
        None if reason else leaders[0],
        reason,
    )


def average_ranks(scores: Sequence[Score | int]) -> tuple[float | None, ...]:
    """Return the rank of each score, 1 for the largest, ties sharing their average rank."""
    defined = [score for score in scores if score is not None]
    found: dict[Fraction | float, float] = {}
    above = 0
    for score in sorted(set(defined), reverse=True):
        count = defined.count(score)
        found[score] = above + (count + 1) / 2
        above += count
    return tuple(None if score is None else found[score] for score in scores)


def _why_no_best(leaders: tuple[int, ...]) -> str:
    if not leaders:
        return "no candidate has a score"
    return f"{len(leaders)} candidates tie" if len(leaders) > 1 else ""
