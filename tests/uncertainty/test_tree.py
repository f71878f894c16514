import numpy as np
import pytest
from distance_matrices import matrices
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from consilience.uncertainty.tree import spanning_trees


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


@pytest.mark.parametrize("count", [2, 3, 20, 48, 49, 80])
def test_the_ways_for_few_and_many_items_and_many_tasks_agree_to_the_bit(count):
    points = np.random.default_rng(count).integers(0, 9, size=(3, count, 2))
    tasks = np.abs(points[:, :, None] - points[:, None]).sum(-1) / 18
    together = spanning_trees(tasks)
    for index, task in enumerate(tasks):
        alone = spanning_trees(task[None])
        assert (alone.weights[0] == together.weights[index]).all()
        assert (alone.ends[0] == together.ends[index]).all()
