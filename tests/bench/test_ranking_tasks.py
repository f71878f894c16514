"""Candidates are spread in true quality, and the truth is measured as the dataset says."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.bench.ranking_tasks import build, capped, five_of_spread, spread
from consilience.errors import InputError
from consilience.sandbox.pool import ForkServer
from consilience.task import Candidate, Reference, Task

RIGHT = "def f(n):\n    return n * n\n"


def up_to(limit):
    """Write a program that is right for arguments below *limit* only."""
    return f"def f(n):\n    return n * n if n < {limit} else -1\n"


@pytest.fixture(scope="module")
def sandbox():
    with ForkServer(workers=1) as server:
        yield server


def make_task(count=20, **reference):
    inputs = tuple((n,) for n in range(count))
    return Task("t", "", "f", reference=Reference(RIGHT, inputs, 2, **reference))


def candidates(*programs):
    return [Candidate("t", program, n, f"sample {n}") for n, program in enumerate(programs)]


def test_five_are_chosen_evenly_and_their_truth_is_exact(sandbox):
    samples = candidates(
        *(up_to(limit) for limit in range(21)), RIGHT, "def f(n):\n  raise 0\n"
    )
    made = five_of_spread(make_task(), samples, sandbox)
    # 0.05 is the smallest score above 0 and below 0.1.
    assert sorted(made.truth, reverse=True) == [
        Fraction(1),
        Fraction(3, 4),
        Fraction(1, 2),
        Fraction(1, 4),
        Fraction(1, 20),
    ]
    assert sorted(made.ranks) == [1, 2, 3, 4, 5]
    assert made.left_out == {"fails on every input": 1, "not needed for the spread": 17}
    assert (made.inputs, made.inputs_available) == (20, 20)


def test_candidates_keep_their_label_and_their_place_tells_nothing(sandbox):
    samples = candidates(up_to(5), RIGHT, up_to(10))
    forward = five_of_spread(make_task(), samples, sandbox)
    backward = five_of_spread(make_task(), samples[::-1], sandbox)
    assert forward == backward
    assert [candidate.index for candidate in forward.candidates] == [0, 1, 2]
    assert {candidate.label for candidate in forward.candidates} == {
        "sample 0",
        "sample 1",
        "sample 2",
    }


def test_with_the_canonical_solution_no_other_is_wholly_right(sandbox):
    samples = candidates("def f(n):\n    return n ** 2\n", up_to(5), up_to(10))
    made = five_of_spread(make_task(), samples, sandbox, canonical=True)
    best = made.truth.index(1)
    assert made.truth.count(1) == 1
    assert (made.candidates[best].label, made.candidates[best].code) == ("canonical", RIGHT)


def test_equal_programs_run_and_count_once(sandbox):
    samples = candidates(RIGHT, RIGHT + "# again\n", up_to(3))
    made = five_of_spread(make_task(), samples, sandbox)
    assert made.left_out == {"the same program as another": 1}


def test_the_datasets_rule_and_tolerance_compare_the_outputs(sandbox):
    nearly = candidates("def f(n):\n    return n * n + 0.01\n")
    assert five_of_spread(make_task(tolerance=0.1), nearly, sandbox).truth == (Fraction(1),)
    assert five_of_spread(make_task(), nearly, sandbox).truth == (Fraction(0),)
    some = Task(
        "t",
        "",
        "f",
        reference=Reference("def f(n):\n    return [n, 1]\n", ((3,),), 1, 0.0, "equal"),
    )
    other = candidates("def f(n):\n    return [1, n]\n")
    assert five_of_spread(some, other, sandbox).truth == (Fraction(0),)
    sets = Task(
        "t",
        "",
        "f",
        reference=Reference("def f(n):\n    return [n, 1]\n", ((3,),), 1, 0.0, "same_members"),
    )
    assert five_of_spread(sets, other, sandbox).truth == (Fraction(1),)


def test_a_task_that_cannot_be_measured_is_refused_with_the_reason(sandbox):
    with pytest.raises(InputError, match="no reference"):
        five_of_spread(Task("t", "", "f"), candidates(RIGHT), sandbox)
    broken = Task(
        "t", "", "f", reference=Reference("def f(n):\n    raise ValueError\n", ((1,),))
    )
    with pytest.raises(InputError, match="no output"):
        five_of_spread(broken, candidates(RIGHT), sandbox)


def test_a_task_without_two_distinct_candidates_is_not_built(sandbox):
    lonely = candidates("def f(n):\n    return n ** 2\n")
    assert build([make_task()], {"t": lonely}, sandbox) == []
    assert len(build([make_task()], {"t": [*lonely, *candidates(up_to(5))]}, sandbox)) == 1
    assert build([make_task()], {}, sandbox) == []


def test_a_row_has_the_published_form(sandbox):
    made = five_of_spread(make_task(), candidates(up_to(10), RIGHT), sandbox)
    solutions = made.row()["all_solutions"]
    assert [s["rank"] for s in solutions] == [1, 2]
    assert [s["average_test_score"] for s in solutions] == [1.0, 0.5]
    assert solutions[0]["solution"]["canonical_solution"] == RIGHT


def test_the_cap_takes_base_inputs_first_and_spaces_the_rest():
    reference = Reference("", tuple((n,) for n in range(12)), 2)
    assert capped(reference, 7) == [(n,) for n in (0, 1, 2, 4, 6, 8, 10)]
    assert capped(reference, 1) == [(0,)]
    assert len(capped(reference, 99)) == 12


@given(
    st.dictionaries(st.integers(0, 40), st.fractions(0, 1, max_denominator=100), max_size=30),
    st.booleans(),
)
def test_the_spread_is_at_most_five_distinct_scores_with_the_best_in(scores, canonical):
    chosen = spread(scores, canonical=canonical)
    rounded = [round(scores[place], 2) for place in chosen]
    assert len(set(rounded)) == len(chosen) <= 5 - canonical
    if canonical:
        assert 1 not in rounded
    elif scores:
        assert max(round(score, 2) for score in scores.values()) in rounded
