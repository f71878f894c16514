import numpy as np
import pytest

from consilience.errors import InputError, UsageError
from consilience.uncertainty.distance import cosine_distances
from consilience.uncertainty.fase import Fase
from consilience.uncertainty.given import Given
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.radius import RULES

SAMPLES = [
    "def f(x):\n    return x",
    "def f(y):\n    return y",
    "def f(:",
    "import os",
    "def f(x):\n    return x * x",
    "import os",
    "while True:\n    pass",
]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("alpha", [0.3, 1.0, 3.0])
def test_given_vectors_and_distances_group_as_the_encoder_that_made_them(name, alpha):
    vectors = HashedEncoder().encode(SAMPLES)
    rule = RULES[name]
    expected = Fase(HashedEncoder(), rule, alpha).partition(SAMPLES)
    by_vectors = Given(vectors=vectors, rule=rule, alpha=alpha).partition(SAMPLES)
    by_distances = Given(distances=cosine_distances(vectors), rule=rule, alpha=alpha)
    assert by_vectors.labels == expected.labels
    assert by_vectors.unparsable == expected.unparsable
    assert by_distances.partition(SAMPLES).labels == expected.labels


def test_rows_at_distance_nought_are_one_item():
    found = Given(vectors=[[1, 0], [0, 1], [1, 0]]).partition(["a = 1", "b = 2", "c = 3"])
    assert found.labels == (0, 1, 0)


def test_unparsable_samples_alone_need_no_rows_of_use():
    vectors = np.zeros((2, 3))
    assert Given(vectors=vectors).partition(["def f(:", "x = 1"]).labels == (0, 1)


def test_rows_must_match_the_samples():
    with pytest.raises(InputError):
        Given(vectors=[[1.0, 0.0]]).partition(["a", "b"])
    with pytest.raises(UsageError):
        Given().partition(["a"])
    with pytest.raises(UsageError):
        Given(vectors=[[1.0]], distances=[[0.0]]).partition(["a"])
