"""Rank by what candidates do: the examples they pass, then whom they agree with.

On 98 LiveCodeBench methods, and as many scripts, this chose better than trust as it was fitted
on other benchmarks, which did worse than drawing lots among those that pass the examples
(docs/shapes.md). Agreement input by input did better than the largest class of those that agree
on every input: programs that are right part on odd inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from consilience.ranking.order import Ranking, order
from consilience.task import Candidate

Deeds = Sequence[Sequence[int | None]]
"""A row a candidate, a column an input: equal numbers mean equal outputs, None none."""


def rank_by_agreement(
    candidates: Sequence[Candidate],
    deeds: Deeds,
    passed: Sequence[Fraction | float | None],
    alive: Sequence[bool],
) -> Ranking:
    """Score twice the share of examples *passed*, plus the share of peers who agree.

    Peers are those that pass the most examples. An input on which a candidate gives nothing
    counts 0, one on which it stands alone counts 1 of all peers. Among equals more peers that
    do the same on every input decide. Who is not *alive* gave nothing back on any probe, and
    has no score where anybody else did.
    """
    shares = [Fraction(share or 0).limit_denominator(1000) for share in passed]
    most = max(shares, default=Fraction(0))
    peers = [place for place, share in enumerate(shares) if share == most]
    scores = [
        2 * shares[place] + agreement if alive[place] or not any(alive) else None
        for place, agreement in enumerate(_agreement(deeds, peers))
    ]
    return order(candidates, scores)


def told_apart(ranking: Ranking, deeds: Deeds) -> Ranking:
    """Order the leaders of *ranking* by what they alone did on more inputs; no one else moves.

    *deeds* has a row a leader. An input on which none of them gives anything tells nothing.
    """
    counts = [Counter(column) for column in zip(*deeds, strict=True)]
    gained = [
        sum(counts[x][label] for x, label in enumerate(row) if label is not None)
        for row in deeds
    ]
    top = max(gained, default=0)
    step = _step(ranking)
    scores = list(ranking.scores)
    for place, gain in zip(ranking.leaders, gained, strict=True):
        scores[place] = (scores[place] or 0) - step * Fraction(top - gain, top or 1)
    return order(ranking.candidates, scores)


def _step(ranking: Ranking) -> Fraction:
    """Return half of what lies between the leaders and whoever comes next."""
    known = sorted({Fraction(score) for score in ranking.scores if score is not None})
    return (known[-1] - known[-2]) / 2 if len(known) > 1 else Fraction(1, 2)


def _agreement(deeds: Deeds, peers: Sequence[int]) -> list[Fraction]:
    """Return for each candidate the mean share of *peers* that give its output."""
    columns = list(zip(*deeds, strict=True))
    counts = [Counter(column[place] for place in peers) for column in columns]
    whole = len(columns) * len(peers)
    if not whole:
        return [Fraction(0)] * len(deeds)
    alike = Counter(tuple(deeds[place]) for place in peers)
    return [
        Fraction(
            sum(
                counts[x][label] + (place not in peers)
                for x, label in enumerate(row)
                if label is not None
            )
            + Fraction(max(0, alike[tuple(row)] - 1), len(peers)),
            whole,
        )
        for place, row in enumerate(deeds)
    ]
