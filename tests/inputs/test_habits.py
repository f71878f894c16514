"""What all seeds have in common is learned, and only from seeds that tell."""

import pytest

from consilience.inputs.habits import learn
from consilience.inputs.mutation import mutate


def keeps(pool, args):
    return all(habit(args) for habit in learn(pool))


@pytest.mark.parametrize(
    ("pool", "kept", "broken"),
    [
        ([(1,), (5,), (0,)], (7,), (-1,)),
        ([([1, 2],), ([0],), ([3],)], ([9],), ([-1],)),
        ([("a",), ("bb",), ("c",)], ("zz",), ("",)),
        ([([1, 2],), ([2, 1],), ([5, 6],)], ([3, 4],), ([3, 3],)),
        ([([1, 2, 3],), ([2, 2, 3],), ([5, 6, 7],)], ([3, 4, 4],), ([4, 3, 9],)),
        ([([[1], [2]],), ([[1, 2], [2, 3]],), ([[4], [4]],)], ([[7], [8]],), ([[7], [8, 9]],)),
        ([("ab", "cd"), ("a", "b"), ("abc", "xyz")], ("qq", "ww"), ("q", "ww")),
        ([([1, 2], 1), ([1, 2, 3], 3), ([5], 1)], ([7, 8], 2), ([7, 8], 3)),
        ([(1, 9), (3, 4), (2, 2)], (1, 1), (2, 1)),
        ([("one two one two",), ("two one two",), ("one two",)], ("two two",), ("one six",)),
        ([("(())()",), ("()()",), ("((()))",)], ("()",), ("(x)",)),
    ],
)
def test_a_common_property_is_learned(pool, kept, broken):
    assert keeps(pool, kept)
    assert not keeps(pool, broken)


@pytest.mark.parametrize(
    ("pool", "other"),
    [
        ([(1,), (5,)], (-1,)),  # too few seeds
        ([(1,), (-1,), (0,)], (-7,)),
        ([([],), ([1],), ([2],)], ([3, 1, 1],)),  # one item has no order
        ([(1,), (1, 2), (3,)], (-1,)),
        ([("a", [1]), ("b", [1]), ("c", [2])], ("a", [1, 2])),  # always one long: chance
        ([], ()),
    ],
)
def test_little_evidence_makes_no_habit(pool, other):
    assert keeps(pool, other)


def test_most_mutants_keep_the_habits_and_some_may_break_them():
    pool = [("ab", "cd"), ("a", "b"), ("abc", "xyz"), ("", "")]
    made = mutate(pool, count=100, seed=1)
    even = sum(len(a) == len(b) for a, b in made)
    assert 50 <= even < 100
