import math

import numpy as np
import pytest
from distance_matrices import matrices
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score

from consilience.errors import UsageError
from consilience.uncertainty import Partition
from consilience.uncertainty.clusters import cut, entropies_at, join, meet, numbered, steps
from consilience.uncertainty.entropy import bits
from consilience.uncertainty.tree import spanning_trees


def dbscan(distances, radius):
    """Label by scikit-learn, noise as classes of their own."""
    found = DBSCAN(eps=radius, min_samples=2, metric="precomputed").fit_predict(distances)
    return [-1 - i if label < 0 else label for i, label in enumerate(found.tolist())]


@given(matrices(), st.sampled_from([0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1.0]))
def test_the_cut_tree_is_dbscan_with_noise_alone(distances, radius):
    tree = spanning_trees(distances[None])
    labels = cut(tree.weights[0].tolist(), tree.ends[0].tolist(), radius)
    assert adjusted_rand_score(labels, dbscan(distances, radius)) == 1.0


def test_the_cut_tree_is_dbscan_for_a_thousand_items():
    rng = np.random.default_rng(1)
    points = rng.integers(0, 60, size=(1000, 2))
    distances = np.abs(points[:, None] - points[None]).sum(-1).astype(float)
    tree = spanning_trees(distances[None])
    for radius in (0.5, 1.0, 2.0):
        labels = cut(tree.weights[0].tolist(), tree.ends[0].tolist(), radius)
        assert adjusted_rand_score(labels, dbscan(distances, radius)) == 1.0


@given(matrices(), st.data())
def test_one_curve_gives_the_entropy_at_every_radius(distances, data):
    counts = data.draw(
        st.lists(st.integers(1, 4), min_size=len(distances), max_size=len(distances))
    )
    tree = spanning_trees(distances[None])
    weights, ends = tree.weights[0].tolist(), tree.ends[0].tolist()
    radii = [0.0, 0.1, 0.2, 0.3, 0.5, 2.0]
    found = entropies_at(weights, steps(ends, counts), radii)
    for radius, entropy in zip(radii, found, strict=True):
        sizes = {}
        for label, count in zip(cut(weights, ends, radius), counts, strict=True):
            sizes[label] = sizes.get(label, 0) + count
        assert math.isclose(entropy, bits(sizes.values()), abs_tol=1e-12)


labels = st.lists(st.integers(0, 3), min_size=1, max_size=8)


@given(labels, st.data())
def test_join_and_meet_are_the_nearest_coarser_and_finer_partitions(first, data):
    second = data.draw(st.lists(st.integers(0, 3), min_size=len(first), max_size=len(first)))
    left, right = Partition("a", numbered(first)), Partition("b", numbered(second))
    count = len(first)
    same = [
        [first[i] == first[j] or second[i] == second[j] for j in range(count)]
        for i in range(count)
    ]
    for middle in range(count):
        for i in range(count):
            for j in range(count):
                same[i][j] = same[i][j] or (same[i][middle] and same[middle][j])
    joined, met = join(left, right).labels, meet(left, right).labels
    for i in range(count):
        for j in range(count):
            assert (joined[i] == joined[j]) == same[i][j]
            assert (met[i] == met[j]) == (first[i] == first[j] and second[i] == second[j])


def test_the_union_is_aligned_by_sample():
    """The published code sorts both label lists first, and gets .75 of log2 4 here."""
    fase, structural = Partition("f", (0, 1, 1, 2)), Partition("s", (0, 1, 2, 0))
    assert join(fase, structural).labels == (0, 1, 1, 0)


def test_partitions_of_other_samples_cannot_be_joined():
    with pytest.raises(UsageError):
        join(Partition("a", (0,)), Partition("b", (0, 0)))
