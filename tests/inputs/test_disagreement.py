"""Inputs are selected by disagreement and variety, and failing ones are dropped."""

import random

from hypothesis import given
from hypothesis import strategies as st

from consilience.inputs.disagreement import select, varied
from consilience.sandbox import Outcome
from consilience.values import Value

FAILED = Outcome("raised", error="ValueError")


def matrix(*columns):
    """Write outcomes input by input; None is a failure."""
    made = [[FAILED if v is None else Outcome("ok", Value.of(v)) for v in c] for c in columns]
    return [list(row) for row in zip(*made, strict=True)]


INPUTS = [(1,), (2,), (3,), (4,), (5,), (6,)]
OUTCOMES = matrix(
    [0, 0, 0, 0],
    [0, 1, 2, 3],
    [0, 0, 1, 1],
    [None, None, None, 1],
    [None, None, 1, 1],
    [7, 7, 7, 7],
)


def test_the_paper_mode_keeps_the_most_disputed_first():
    assert select(INPUTS, OUTCOMES, keep=2, mode="disagreement").kept[0] == 1
    assert set(select(INPUTS, OUTCOMES, keep=3, mode="disagreement").kept) == {1, 2, 4}


def test_an_input_on_which_most_programs_fail_is_dropped_with_the_reason():
    assert select(INPUTS, OUTCOMES, keep=6).dropped == (
        (3, "3 of 4 programs fail, most with ValueError"),
    )
    assert select(INPUTS, OUTCOMES, keep=6, drop_failing=False).dropped == ()


def test_an_infrastructure_fault_is_no_failure_of_a_program():
    fault = Outcome("infrastructure")
    rows = [[fault], [fault], [FAILED], [Outcome("ok", Value.of(1))]]
    assert select([(1,)], rows, keep=1).kept == (0,)


def test_the_half_mode_takes_half_by_disagreement_and_half_without():
    inputs = [(n,) for n in range(40)]
    outcomes = matrix(*[[n, 0, 1, 2] if n < 20 else [0, 0, 0, 0] for n in range(40)])
    kept = select(inputs, outcomes, keep=20, mode="half").kept
    assert len(set(kept)) == 20
    assert all(place < 20 for place in kept[:10])
    assert any(place >= 20 for place in kept[10:])


def test_entropy_is_reported_for_every_input():
    assert select(INPUTS, OUTCOMES, keep=1).entropies[:3] == (0.0, 2.0, 1.0)


def test_variety_takes_one_of_every_profile_before_a_second():
    inputs = [([1],), ([2],), ([],), ([1, 2, 3, 4],), ([3],)]
    assert varied(inputs, [0, 1, 2, 3, 4]) == [0, 2, 3, 1, 4]


def test_fewer_inputs_than_asked_are_all_kept_once():
    assert sorted(select(INPUTS, OUTCOMES, keep=50).kept) == [0, 1, 2, 4, 5]
    assert select([], [], keep=5).kept == ()


@given(st.randoms(use_true_random=False), st.integers(1, 6), st.integers())
def test_the_order_of_programs_and_inputs_does_not_matter(rng: random.Random, keep, seed):
    order = rng.sample(range(6), 6)
    rows = rng.sample(OUTCOMES, 4)
    there = select(INPUTS, OUTCOMES, keep=keep, seed=seed).kept
    shuffled = [[row[place] for place in order] for row in rows]
    here = select([INPUTS[place] for place in order], shuffled, keep=keep, seed=seed).kept
    assert [order[place] for place in here] == list(there)


def test_a_program_that_fails_everywhere_is_no_evidence_against_an_input():
    dead = [[FAILED, FAILED], [FAILED, FAILED]]
    alive = [[Outcome("ok", Value.of(1)), Outcome("ok", Value.of(2))]]
    assert select([(1,), (2,)], dead + alive, keep=2).dropped == ()
