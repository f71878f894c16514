import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics.pairwise import cosine_distances as reference

from consilience.errors import InputError
from consilience.uncertainty.distance import cleaned, cosine_distances, published_distances

rows = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.integers(-3, 3)
)


@given(rows)
def test_distances_are_those_of_scikit_learn(vectors):
    expected = reference(vectors)
    empty = ~vectors.any(axis=1)
    expected[np.ix_(empty, empty)] = 0  # scikit-learn puts two zero vectors at 1
    np.testing.assert_allclose(cosine_distances(vectors), expected, atol=1e-6)


@given(rows, st.sampled_from([np.float32, np.float64]))
def test_distances_are_a_symmetric_matrix_in_bounds_with_equal_rows_at_zero(vectors, kind):
    distances = cosine_distances(np.concatenate([vectors, vectors]).astype(kind))
    assert (distances == distances.T).all()
    assert (distances >= 0).all()
    assert (distances <= 2).all()
    assert (np.diagonal(distances, offset=len(vectors)) == 0).all()


def test_zero_vectors_equal_each_other_and_are_at_one_from_the_rest():
    distances = cosine_distances([[0, 0], [1, 0], [0, 0]])
    assert distances.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


def test_many_tasks_at_once_equal_one_by_one():
    vectors = np.random.default_rng(0).normal(size=(5, 4, 7))
    together = cosine_distances(vectors)
    for task, distances in zip(vectors, together, strict=True):
        np.testing.assert_allclose(cosine_distances(task), distances, atol=1e-15)


def test_cleaning_clips_symmetrises_and_leaves_its_input_alone():
    given_matrix = np.array([[0.5, -1e-7, 3.0], [-1e-7, 0, 0.2], [1.0, 0.4, 0]])
    before = given_matrix.copy()
    matrix = cleaned(given_matrix)
    assert (given_matrix == before).all()
    np.testing.assert_allclose(matrix, [[0, 0, 2], [0, 0, 0.3], [2, 0.3, 0]])


@pytest.mark.parametrize("bad", [[[0, 1]], [[0, np.nan], [np.nan, 0]], [1, 2]])
def test_a_matrix_that_is_none_is_refused(bad):
    with pytest.raises(InputError):
        cleaned(bad)


@pytest.mark.parametrize("bad", [[1, 2], [[np.nan, 1]], [[np.inf, 1]]])
def test_vectors_that_are_none_are_refused(bad):
    with pytest.raises(InputError):
        cosine_distances(bad)


def test_published_distances_keep_a_floor_under_duplicates():
    assert published_distances([[1, 0], [1, 0]]).tolist() == [[0, 1e-6], [1e-6, 0]]
