import numpy as np
import pytest
from distance_matrices import matrices
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.signal import find_peaks
from scipy.spatial.distance import squareform
from scipy.stats import gaussian_kde

from consilience.uncertainty.tree import (
    GRID,
    interior_peaks,
    kernel_density,
    modes,
    spanning_trees,
)


@given(matrices())
def test_weights_are_those_of_single_linkage(distances):
    tree = spanning_trees(distances[None])
    expected = linkage(squareform(distances), "single")[:, 2] if len(distances) > 1 else []
    np.testing.assert_allclose(tree.weights[0], expected, atol=1e-12)


@given(matrices())
def test_edges_join_all_items_and_weigh_what_the_matrix_says(distances):
    tree = spanning_trees(distances[None])
    reached = {0}
    edges = [tuple(edge) for edge in tree.ends[0].tolist()]
    for _ in edges:
        reached |= {i for edge in edges if reached & set(edge) for i in edge}
    assert reached == set(range(len(distances)))
    assert [distances[i, j] for i, j in edges] == tree.weights[0].tolist()
    assert all(i < j for i, j in edges)


@given(st.lists(matrices(4, smallest=4), min_size=1, max_size=4))
def test_tasks_in_step_equal_tasks_one_by_one(tasks):
    together = spanning_trees(np.stack(tasks))
    for index, task in enumerate(tasks):
        assert (spanning_trees(task[None]).weights[0] == together.weights[index]).all()


def test_a_thousand_items_with_duplicates_give_the_tree_of_single_linkage():
    points = np.random.default_rng(0).integers(0, 30, size=(1000, 2))
    distances = np.abs(points[:, None] - points[None]).sum(-1) / 60
    expected = linkage(squareform(distances), "single")[:, 2]
    np.testing.assert_allclose(spanning_trees(distances[None]).weights[0], expected)


weights = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=20).filter(
    lambda each: max(each) - min(each) > 1e-4
)


@given(weights)
def test_the_density_is_scipys_with_scotts_bandwidth(values):
    points = np.linspace(min(values), max(values), 50)
    ours = kernel_density(np.array([values]), points[None])[0]
    theirs = gaussian_kde(values)(points)
    np.testing.assert_allclose(ours / ours.max(), theirs / theirs.max(), rtol=1e-8, atol=1e-12)


@given(weights)
def test_the_mode_is_the_maximiser_and_the_outer_ones_are_scipys_outer_peaks(values):
    found = modes(np.array([values]))
    points = np.linspace(min(values), max(values), GRID)
    density = gaussian_kde(values)(points)
    step = points[1] - points[0]
    at = round((found.highest[0] - points[0]) / step)
    assert density[at] == pytest.approx(density.max(), rel=1e-9)
    peaks, _ = find_peaks(density)
    if len(peaks) >= 2 and _clear(density):
        assert found.leftmost[0] == pytest.approx(points[peaks[0]], abs=1.5 * step)
        assert found.rightmost[0] == pytest.approx(points[peaks[-1]], abs=1.5 * step)


def _clear(density):
    """Tell whether no rise or fall of the curve is mere rounding."""
    return np.abs(np.diff(density)).min() > 1e-12 * density.max()


@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, max_size=30))
def test_interior_peaks_are_scipys_plateaus_included(values):
    curve = np.array(values, dtype=float)
    assert interior_peaks(curve).tolist() == find_peaks(curve)[0].tolist()


@pytest.mark.parametrize("weight", [0.0, 0.1, 0.123457, 1e-6])
@pytest.mark.parametrize("count", [1, 3, 9])
def test_constant_weights_are_their_own_mode(weight, count):
    found = modes(np.full((2, count), weight))
    for mode in (found.highest, found.leftmost, found.rightmost):
        np.testing.assert_allclose(mode, weight, rtol=1e-12)
