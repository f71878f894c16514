"""Ranking by what candidates do, without tests."""

from __future__ import annotations

from consilience.ranking import rank_by_agreement
from consilience.task import Candidate


def ranked(deeds, passed=None, alive=None):
    programs = [Candidate("t", f"{place}", place) for place in range(len(deeds))]
    count = len(deeds)
    return rank_by_agreement(programs, deeds, passed or [1.0] * count, alive or [True] * count)


def test_whoever_most_agree_with_leads() -> None:
    assert ranked([[0, 0], [0, 0], [0, 1]]).leaders == (0, 1)


def test_odd_inputs_do_not_part_those_who_agree_on_the_others() -> None:
    deeds = [[0, 0, 0], [0, 0, 1], [0, 1, 2], [1, 2, 3]]
    assert set(ranked(deeds).leaders) == {0, 1}


def test_among_equals_the_larger_kind_leads() -> None:
    assert ranked([[0, 0], [0, 0], [0, 1], [1, 1]]).leaders == (0, 1)


def test_examples_come_before_agreement() -> None:
    assert ranked([[0], [0], [1]], [0.5, 0.5, 1.0]).leaders == (2,)


def test_giving_nothing_agrees_with_nobody() -> None:
    ranking = ranked([[None, None], [None, None], [0, 0]], alive=[False, False, True])
    assert ranking.leaders == (2,)
    assert ranking.ranks == (None, None, 1.0)


def test_without_inputs_the_examples_decide() -> None:
    assert ranked([[], [], []], [1.0, 0.0, 1.0]).leaders == (0, 2)


def test_the_order_of_candidates_changes_nothing() -> None:
    deeds = [[0, 1], [0, 0], [1, 1], [0, 1]]
    scores = ranked(deeds).scores
    assert ranked(deeds[::-1]).scores == scores[::-1]
