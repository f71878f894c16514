import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.uncertainty.structure import Structural, published_shape, structural_distances

PROGRAMS = [
    "",
    "def f(:",
    "def f(x):\n    return x + 1\n",
    "def g(v):\n    return v + 1\n",
    "print(1)",
]


def test_unparsable_samples_join_their_equal_texts_and_are_flagged():
    found = Structural().partition(["def f(:", "def f(:", "def f(x): return x", "return ]"])
    assert found.labels == (0, 0, 1, 2)
    assert found.unparsable == (0, 1, 3)


def test_a_fence_does_not_count():
    assert Structural().partition(["```python\nx = 1\n```", "x = 1"]).labels == (0, 0)


@given(st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=6))
def test_distances_are_symmetric_in_bounds_and_zero_between_equal_texts(samples):
    distances = structural_distances(samples)
    assert (distances == distances.T).all()
    assert (distances >= 0).all()
    assert (distances <= 1).all()
    for i, first in enumerate(samples):
        assert all(distances[i, j] == 0 for j, second in enumerate(samples) if first == second)


def test_distance_is_nought_for_renamed_one_for_unparsable_and_between_otherwise():
    near = "def f(x):\n    return x + 2\n"
    distances = structural_distances([PROGRAMS[2], PROGRAMS[3], near, "def f(:"])
    assert distances[0, 1] == 0
    assert 0 < distances[0, 2] < 1
    assert np.all(distances[3, :3] == 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("def f(x):\n    return max(x)", "def f(x):\n    return min(x)"),
        ("def f(x):\n    return x + 1", "def f(x):\n    return x + 2"),
        ("def f(a, b):\n    return a - b", "def f(a, b):\n    return b - a"),
    ],
)
def test_the_published_equality_is_blind_to_names_constants_and_order(first, second):
    assert published_shape(first) == published_shape(second) is not None
    assert Structural().partition([first, second]).labels == (0, 1)


def test_the_published_equality_sees_a_docstring():
    bare, documented = "def f(x):\n    return x", "def f(x):\n    'Say.'\n    return x"
    assert published_shape(bare) != published_shape(documented)


@pytest.mark.parametrize("text", ["", "def f(x):\n    print(x)", "f = lambda x: x", "def f(:"])
def test_programs_that_the_published_metric_tells_from_themselves_stand_alone(text):
    assert published_shape(text) is None
    assert Structural("authors").partition([text, text]).labels == (0, 1)
