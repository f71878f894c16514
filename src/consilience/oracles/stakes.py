"""What is at stake: how far the labels of undecided inputs can still change the ranking.

An expected output matters by which candidates pass it. Before any is paid for, the candidates
are run on all inputs; the general programs' votes say how likely each output is. Were labels
independent, the gap between two candidates would move by a sum of independent steps, whose
distribution is computed exactly, and the chances of all pairs are added up. But a program that
is right on one input tends to be right on the others. So each voter is also taken at its word
on all of them at once, and the larger of the two chances counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from consilience.oracles import Prediction
from consilience.sandbox import Outcome
from consilience.task import TestInput
from consilience.values import Value, classes, equal, identity
from consilience.votes import Votes

Aim = Literal["order", "top1"]
Passes = tuple[bool, ...]
"""Whether each candidate passes, under one label."""


@dataclass(frozen=True, slots=True)
class Open:
    """An input whose label is not known yet."""

    chances: tuple[tuple[float, Passes], ...]
    """What the label may be: how likely, and who passes then."""
    voters: tuple[Passes, ...] = ()
    """Who passes if this or that voter is right, in the order of the voters; the last is the
    label that the input gets if it is not paid for."""

    @property
    def divides(self) -> bool:
        """Tell whether some label ranks the candidates apart."""
        return any(len(set(passes)) > 1 for _, passes in self.chances)


class Stakes:
    """What every candidate did on every input, and how many given tests it passes."""

    def __init__(
        self,
        inputs: Sequence[TestInput],
        columns: Sequence[Sequence[Outcome]],
        given: Sequence[int],
    ) -> None:
        """Take a column of outcomes, one a candidate, for each input."""
        self.given = tuple(given)
        keys = [identity.key(item.probe) for item in inputs]
        self._columns: Mapping[str, Sequence[Outcome]] = dict(zip(keys, columns, strict=True))

    def scores(self, inputs: Sequence[TestInput], made: Mapping[int, Prediction]) -> list[int]:
        """Count the tests that each candidate passes, of those decided so far."""
        rows = [self.passes(inputs[place], found.value) for place, found in made.items()]
        return [sum(column) for column in zip(self.given, *rows, strict=True)]

    def passes(self, item: TestInput, label: Value | None) -> Passes:
        """Tell which candidates give *label* on *item*; none does where there is no label."""
        column = self._columns[identity.key(item.probe)]
        return tuple(_gives(outcome, label) for outcome in column)

    def open(self, item: TestInput, votes: Votes, voters: Sequence[Outcome]) -> Open:
        """Say what the label of *item* may be, from the general programs' *votes*.

        Each output that a program or a candidate gave has its votes and one more, and so has
        an output that nobody gave.
        """
        outputs = self._outputs(item, votes)
        total = sum(count for _, count in outputs) + len(outputs) + 1
        chances = [((count + 1) / total, self.passes(item, value)) for value, count in outputs]
        nobody = tuple(False for _ in self.given)
        said = [self.passes(item, outcome.value if outcome.ok else None) for outcome in voters]
        return Open((*chances, (1 / total, nobody)), (*said, self.passes(item, votes.winner)))

    def _outputs(self, item: TestInput, votes: Votes) -> list[tuple[Value, int]]:
        voted = [] if votes.winner is None else [(votes.winner, votes.count)]
        voted += [(other.value, other.count) for other in votes.alternatives]
        column = self._columns[identity.key(item.probe)]
        given = [(o.value, 0) for o in column if o.ok and o.value is not None]
        found: dict[int, tuple[Value, int]] = {}
        everything = voted + given
        for label, pair in zip(classes([v for v, _ in everything]), everything, strict=True):
            found.setdefault(label, pair)
        return list(found.values())


def risk(scores: Sequence[int], undecided: Sequence[Open], aim: Aim) -> float:
    """Bound the chance that the labels of *undecided* change what *aim* asks for.

    *scores* are the tests passed so far, one a candidate. 0 means that no label can.
    """
    alone = sum(_change(scores, undecided, pair) for pair in pairs(scores, aim))
    return min(1.0, max(alone, _together(scores, undecided, aim)))


def worth(scores: Sequence[int], undecided: Sequence[Open], aim: Aim) -> list[float]:
    """Say of each input how likely it moves two candidates whose order is not settled."""
    unsettled = [pair for pair in pairs(scores, aim) if _change(scores, undecided, pair) > 0]
    return [sum(_apart(one, first, second) for first, second in unsettled) for one in undecided]


def pairs(scores: Sequence[int], aim: Aim) -> Iterator[tuple[int, int]]:
    """Yield the pairs of candidates whose order matters: (higher or equal, other)."""
    places = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    if aim == "top1":
        yield from ((places[0], other) for other in places[1:])
    else:
        yield from itertools.combinations(places, 2)


def _change(scores: Sequence[int], undecided: Sequence[Open], pair: tuple[int, int]) -> float:
    """Return the chance that the order of two candidates, or their tie, will not last."""
    lead = scores[pair[0]] - scores[pair[1]]
    gaps = {0: 1.0}
    for one in undecided:
        gaps = _convolved(gaps, _steps(one, pair))
    if lead == 0:
        return sum(chance for gap, chance in gaps.items() if gap != 0)
    return sum(chance for gap, chance in gaps.items() if lead + gap <= 0)


def _steps(one: Open, pair: tuple[int, int]) -> dict[int, float]:
    steps: dict[int, float] = {}
    for chance, passes in one.chances:
        step = passes[pair[0]] - passes[pair[1]]
        steps[step] = steps.get(step, 0.0) + chance
    return steps


def _convolved(gaps: Mapping[int, float], steps: Mapping[int, float]) -> dict[int, float]:
    found: dict[int, float] = {}
    for (gap, chance), (step, likely) in itertools.product(gaps.items(), steps.items()):
        found[gap + step] = found.get(gap + step, 0.0) + chance * likely
    return found


def _together(scores: Sequence[int], undecided: Sequence[Open], aim: Aim) -> float:
    """Return the share of the voters whose outputs, all taken as labels, change the aim.

    The labels that the inputs get if none is paid for must not: else it is certain.
    """
    stories = list(zip(*(one.voters for one in undecided), strict=True))
    if not stories:
        return 0.0
    now = standing(scores, aim)
    changed = [standing(_added(scores, story), aim) != now for story in stories]
    return 1.0 if changed[-1] else sum(changed[:-1]) / max(1, len(changed) - 1)


def standing(scores: Sequence[int], aim: Aim) -> tuple[int, ...]:
    """Return what *aim* asks for: who leads, or the rank of each."""
    if aim == "top1":
        return tuple(place for place, score in enumerate(scores) if score == max(scores))
    return tuple(sum(other > score for other in scores) for score in scores)


def _added(scores: Sequence[int], story: Sequence[Passes]) -> list[int]:
    return [score + sum(gains) for score, *gains in zip(scores, *story, strict=True)]


def _apart(one: Open, first: int, second: int) -> float:
    return sum(chance for chance, passes in one.chances if passes[first] != passes[second])


def _gives(outcome: Outcome, label: Value | None) -> bool:
    if label is None:
        return False
    if outcome.status == "raised" and outcome.error is not None:
        return equal(Value.raised(outcome.error), label)
    return outcome.ok and outcome.value is not None and equal(outcome.value, label)
