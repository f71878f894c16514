"""Mutants keep the types of their seeds, reach the edges, and depend on the seed alone."""

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.code import signature
from consilience.inputs.mutation import mutate
from consilience.values import identity

POOL = [([1, 2, 3], "abc def", 2), ([], "x", 0), ([7], "hello", 5)]


def scalars(value):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from scalars(key)
            yield from scalars(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from scalars(item)
    else:
        yield value


def test_mutants_are_new_distinct_and_as_many_as_asked():
    made = mutate(POOL, count=100, seed=0)
    keys = {identity.key(args) for args in made}
    assert len(made) == len(keys) == 100
    assert keys.isdisjoint(identity.key(args) for args in POOL)


def test_arity_and_types_are_frozen_by_place():
    for numbers, text, number in mutate(POOL, count=300, seed=1):
        assert type(numbers) is list
        assert all(type(item) is int for item in numbers)
        assert type(text) is str
        assert type(number) is int


def test_bool_is_not_taken_for_int():
    made = mutate([(True, [False, True]), (False, [])], count=30, seed=2)
    assert all(type(leaf) is bool for args in made for leaf in scalars(args))


def test_annotations_hold_where_seeds_are_silent():
    found = signature("def f(x: list[str], y: Optional[int] = None):\n    pass\n", "f")
    made = mutate([([], 1)], count=60, seed=3, signature=found)
    assert {type(leaf) for x, _ in made for leaf in x} == {str}
    assert {type(y) for _, y in made} == {int, type(None)}


def test_a_tuple_of_fixed_length_keeps_its_length_and_the_types_of_its_places():
    for (pair,) in mutate([((1, "a"),), ((5, "zz"),)], count=40, seed=4):
        assert [type(item) for item in pair] == [int, str]


def test_single_characters_stay_single():
    assert {len(c) for _, c in mutate([("banana", "a"), ("kiwi", "k")], count=40, seed=5)} == {
        1
    }


def test_one_short_text_does_not_say_that_all_are_short_or_made_of_its_letter():
    made = {text for (text,) in mutate([("a",)], count=40, seed=5)}
    assert "" in made
    assert max(map(len, made)) > 1
    assert len(set("".join(made))) > 5


def test_letters_that_were_not_seen_are_drawn_where_all_that_were_are_in_the_pool():
    made = mutate([("a",), ("b",)], count=20, seed=5)
    assert {len(letter) for (letter,) in made} == {1}
    assert len(made) == 20


def test_edges_and_growth_are_reached():
    made = mutate(POOL, count=400, seed=6)
    assert {0, 1, -1} <= {number for _, _, number in made}
    assert max(number for _, _, number in made) >= 50
    assert [] in [numbers for numbers, _, _ in made]
    assert max(len(numbers) for numbers, _, _ in made) > 6
    assert "" in [text for _, text, _ in made]


def test_nan_is_never_made_though_infinities_meet():
    pool = [([math.inf, -math.inf, math.nan, 1.0],), ([0.0],)]
    for args in mutate(pool, count=200, seed=7):
        assert not any(math.isnan(leaf) for leaf in scalars(args))


def test_mutants_share_no_part_with_the_pool_or_each_other():
    pool = [([[1, 2], [3]],)]
    made = mutate(pool, count=20, seed=8)
    before = [identity.key(args) for args in made[1:]]
    for row in made[0][0]:
        row.append(99)
    made[0][0].append([0])
    assert [identity.key(args) for args in made[1:]] == before
    assert pool == [([[1, 2], [3]],)]


@pytest.mark.parametrize("pool", [[()], [(None,)], [(True,), (False,)], []])
def test_it_ends_where_the_types_leave_nothing_new(pool):
    assert mutate(pool, count=50, seed=9) == []


def test_the_same_seed_gives_the_same_mutants_under_any_hash_seed():
    program = (
        "from consilience.inputs.mutation import mutate\n"
        "pool = [({'a', 'b', 'cc'}, {'k': {1, 2}}), ({'z'}, {})]\n"
        "from consilience.values.identity import key\n"
        "print([key(args) for args in mutate(pool, count=40, seed=10)])\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
    assert mutate(POOL, count=40, seed=10) != mutate(POOL, count=40, seed=11)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.frozensets(st.integers() | st.text(max_size=3), max_size=3)
    ),
    max_leaves=8,
)


@given(st.lists(st.tuples(plain, plain), min_size=1, max_size=4), st.integers())
def test_any_plain_data_can_be_mutated(pool, seed):
    before = [identity.key(args) for args in pool]
    for args in mutate(pool, count=10, seed=seed):
        assert len(args) == 2
        assert {type(args[0])} <= {type(a) for a, _ in pool}
    assert [identity.key(args) for args in pool] == before
