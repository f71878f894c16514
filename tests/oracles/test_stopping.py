"""When enough programs have voted, and that the chance stated for it is the true one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.oracles.stopping import change, is_settled, overtaken, stages
from consilience.sandbox import Outcome
from consilience.values import Value
from consilience.votes import Votes, count_votes

OUTCOMES = st.lists(st.sampled_from([0, 1, 2, None]), max_size=8)


def cast(results: list[int | None]) -> Votes:
    return count_votes([
        Outcome("raised", error="ValueError") if one is None else Outcome("ok", Value.of(one))
        for one in results
    ])


def test_programs_are_drawn_in_stages():
    assert list(stages(10, 3, 3)) == [3, 6, 9, 10]
    assert list(stages(5, 2, 0)) == [2, 5]
    assert list(stages(5, 5, 0)) == [5]
    assert list(stages(5, 9, 1)) == [5]
    assert list(stages(0, 4, 0)) == [0]


@given(OUTCOMES, st.integers(0, 6))
def test_without_doubt_a_stop_is_a_leader_that_cannot_be_overtaken(results, remaining):
    votes = cast(results)
    second = max((other.count for other in votes.alternatives), default=0)
    certain = votes.winner is not None and votes.count > second + remaining
    assert is_settled(votes, remaining) == certain
    assert (change(votes, remaining) == 0) == certain


@given(OUTCOMES, st.integers(0, 6))
def test_more_doubt_stops_no_later(results, remaining):
    votes = cast(results)
    stops = [is_settled(votes, remaining, doubt) for doubt in (0.0, 0.05, 0.2, 0.5)]
    assert stops == sorted(stops)


def test_two_of_two_leave_two_chances_in_thirty_five():
    # Three to come, one vote each beforehand: the rival has two and another one, or all three.
    assert overtaken(2, 0, 0, 3) == Fraction(3 * 2 * 1 + 6, 5 * 6 * 7)
    assert overtaken(2, 0, 0, 1) == 0


@pytest.mark.parametrize(("leader", "rival", "others"), [(2, 0, 0), (3, 1, 1), (2, 1, 4)])
def test_the_stated_chance_is_that_of_drawing_the_rest(leader, rival, others):
    # A simulation: probabilities from the posterior, then the draws that are left.
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([leader + 1, rival + 1, others + 1], size=40_000)
    rest = np.array([rng.multinomial(5, share) for share in shares])
    happened = float((rival + rest[:, 1] >= leader + rest[:, 0]).mean())
    assert abs(happened - float(overtaken(leader, rival, others, 5))) < 0.01


def test_failures_are_neither_leader_nor_rival():
    assert change(cast([None]), 1) == 1
    assert change(cast([1, 1, 1, None, None]), 4) == overtaken(3, 0, 2, 4)
