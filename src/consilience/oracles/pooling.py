"""Put the votes of two routes into one count."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from consilience.task import Alternative
from consilience.values import Value, classes
from consilience.votes import Votes


def pool(one: Votes, other: Votes, weight: float = 1.0) -> Votes:
    """Add up two counts; a vote of *other* counts *weight* times one of *one*.

    Counts stay whole: with a weight of a half, two and one stand for a vote of either.
    """
    share = Fraction(str(weight))
    terms = ((one, share.denominator), (other, share.numerator))
    named = [(value, scale * count) for votes, scale in terms for value, count in _cast(votes)]
    counts: dict[int, int] = {}
    spokesmen: dict[int, Value] = {}
    for label, (value, count) in zip(classes([v for v, _ in named]), named, strict=True):
        counts[label] = counts.get(label, 0) + count
        spokesmen.setdefault(label, value)
    ranked = sorted(
        (Alternative(spokesmen[label], count) for label, count in counts.items() if count),
        key=lambda group: (-group.count, group.value.payload),
    )
    total = sum(scale * votes.total for votes, scale in terms)
    failures = sum(scale * votes.failures for votes, scale in terms)
    return _votes(ranked, total, failures)


def _cast(votes: Votes) -> Iterator[tuple[Value, int]]:
    if votes.winner is not None:
        yield votes.winner, votes.count
    yield from ((alternative.value, alternative.count) for alternative in votes.alternatives)


def _votes(ranked: list[Alternative], total: int, failures: int) -> Votes:
    if not ranked:
        return Votes(None, 0, total, failures=failures)
    first, rest = ranked[0], ranked[1:]
    if rest and rest[0].count == first.count:
        return Votes(None, first.count, total, True, tuple(ranked), failures)
    return Votes(first.value, first.count, total, False, tuple(rest), failures)
