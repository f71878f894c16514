"""SYNTRA on examples worked out by hand: which input is asked about, and what survives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.models.scripted import ScriptedModel
from consilience.oracles.syntra import Syntra, eliminate, most_telling, picked
from consilience.sandbox import Limits
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.task import Task, TestInput
from consilience.values import Value
from consilience.voters import Voters

ROWS = st.lists(
    st.tuples(*[st.sampled_from([0, 1, 2, None])] * 3), min_size=1, max_size=8, unique=True
)


def test_the_input_is_asked_whose_largest_group_is_smallest():
    # First input: groups of 3 and 1; second: 2 and 2; third: all alike.
    rows = [(0, 0, 7), (0, 0, 7), (0, 1, 7), (1, 1, 7)]
    assert most_telling(rows, set()) == 1
    assert most_telling(rows, {1}) == 0
    assert most_telling(rows, {0, 1}) is None


def test_two_queries_find_one_of_four_hypotheses():
    rows = {(0, 0): 1, (0, 1): 1, (1, 0): 3, (1, 1): 1}
    left, queries = eliminate(rows, lambda place, options: (0, 1)[place])
    assert left == {(0, 1): 1}
    assert [query.place for query in queries] == [0, 1]


def test_an_answer_that_names_no_option_eliminates_nothing():
    rows = {(0,): 2, (1,): 5}
    left, queries = eliminate(rows, lambda place, options: None)
    assert left == rows
    assert len(queries) == 1


def test_a_crash_is_no_option_but_is_eliminated_by_an_answer():
    left, [query] = eliminate({(None,): 4, (0,): 1, (1,): 1}, lambda place, options: 1)
    assert query.options == (0, 1)
    assert left == {(1,): 1}


@given(ROWS)
def test_whatever_is_answered_somebody_survives_and_no_input_is_asked_twice(rows):
    left, queries = eliminate(dict.fromkeys(rows, 1), lambda place, options: options[0])
    assert left
    assert len({query.place for query in queries}) == len(queries)
    for row in left:
        assert all(row[query.place] == query.picked for query in queries)


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("Answer: 2", 11),
        ("Because.\nAnswer: [1]", 10),
        ("Answer: 3", None),
        ("Answer: 0", None),
        ("none", None),
    ],
)
def test_an_option_is_named_by_its_number_or_its_text(reply: str, option: int | None):
    assert picked(reply, (10, 11), ["[1]", "[2]"]) == option


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def test_a_minority_wins_where_the_model_says_so(sandbox: ForkServer):
    task = Task("sq", 'def sq(n: int) -> int:\n    """Return n squared."""\n', "sq")
    twice, square = "def sq(n):\n    return 2 * n", "def sq(n):\n    return n * n"
    voters = Voters([twice, twice, twice, square], "sq", sandbox, Limits())
    model = ScriptedModel(["3 * 3 is 9.\nAnswer: 9"])
    oracle = Syntra(task, model, voters, preset("economy"))
    found = oracle.predict([TestInput((2,)), TestInput((3,)), TestInput((5,))])
    assert [prediction.value for prediction in found] == [Value.of(n) for n in (4, 9, 25)]
    assert [query.place for query in oracle.queries] == [1]  # one query settles all inputs
    assert found[2].votes.count == 1
    assert [other.count for other in found[2].votes.alternatives] == [3]
