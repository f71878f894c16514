"""What can still change a ranking: exactly, and with the chance that is stated for it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.oracles.stakes import Aim, Open, Stakes, risk, standing, worth
from consilience.sandbox import Outcome
from consilience.task import TestInput
from consilience.values import Value
from consilience.votes import count_votes

CANDIDATES = 3
PASSES = st.tuples(*[st.booleans()] * CANDIDATES)
OPENS = st.lists(
    st.lists(PASSES, min_size=1, max_size=3).map(
        lambda rows: Open(tuple((1 / len(rows), row) for row in rows))
    ),
    max_size=3,
)
SCORES = st.lists(st.integers(0, 4), min_size=CANDIDATES, max_size=CANDIDATES)
AIMS = st.sampled_from(["order", "top1"])


def added(scores: list[int], labels: tuple[tuple[bool, ...], ...]) -> list[int]:
    return [score + sum(gained) for score, *gained in zip(scores, *labels, strict=True)]


@given(SCORES, OPENS, AIMS)
def test_no_risk_means_that_no_labels_change_anything(
    scores: list[int], opens: list[Open], aim: Aim
):
    stories = itertools.product(*[[p for _, p in one.chances] for one in opens])
    changed = [standing(added(scores, s), aim) != standing(scores, aim) for s in stories]
    assert (risk(scores, opens, aim) == 0) == (not any(changed))


@given(SCORES, OPENS, AIMS)
def test_the_risk_bounds_the_chance_of_a_change(scores: list[int], opens: list[Open], aim: Aim):
    chance = 0.0
    for story in itertools.product(*[one.chances for one in opens]):
        labels = tuple(passes for _, passes in story)
        if standing(added(scores, labels), aim) != standing(scores, aim):
            chance += float(np.prod([likely for likely, _ in story]))
    assert chance <= risk(scores, opens, aim) + 1e-9


@given(SCORES, OPENS, AIMS)
def test_where_there_is_risk_some_input_is_worth_asking(
    scores: list[int], opens: list[Open], aim: Aim
):
    if risk(scores, opens, aim) > 0:
        assert max(worth(scores, opens, aim)) > 0


def test_labels_that_move_together_count_together():
    # Each alone is unlikely to matter; but one voter in four says otherwise on all of them.
    ahead, behind = (True, False), (False, True)
    one = Open(((0.99, ahead), (0.01, behind)), (ahead, ahead, ahead, behind, ahead))
    assert risk([1, 0], [one, one], "order") == pytest.approx(0.25)


def test_the_labels_that_would_be_taken_must_not_change_the_order():
    ahead, behind = (True, False), (False, True)
    one = Open(((0.99, ahead), (0.01, behind)), (ahead, ahead, behind))
    assert risk([1, 0], [one, one], "order") == 1.0


def test_every_output_that_was_seen_may_be_the_label_and_so_may_none():
    item = TestInput((1,))
    column = [Outcome("ok", Value.of(0)), Outcome("ok", Value.of(7)), Outcome("timeout")]
    votes = count_votes([Outcome("ok", Value.of(n)) for n in (0, 0, 1)])
    found = Stakes([item], [column], [0, 0, 0]).open(item, votes, [column[0]])
    assert found.chances == (
        (3 / 7, (True, False, False)),
        (2 / 7, (False, False, False)),
        (1 / 7, (False, True, False)),
        (1 / 7, (False, False, False)),
    )
    assert found.divides
    assert found.voters == ((True, False, False), (True, False, False))


def test_who_raises_what_is_expected_passes():
    item = TestInput((1,))
    column = [Outcome("raised", error="ValueError"), Outcome("raised", error="KeyError")]
    stakes = Stakes([item], [column], [0, 0])
    assert stakes.passes(item, Value.raised("ValueError")) == (True, False)
