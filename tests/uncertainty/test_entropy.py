import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as reference

from consilience.uncertainty import Edge, Partition
from consilience.uncertainty.entropy import bits, corrected_bits, normalised, summarise

sizes = st.lists(st.integers(1, 50), min_size=1, max_size=20)


@given(sizes)
def test_bits_are_scipys_and_do_not_depend_on_order(counts):
    assert math.isclose(bits(counts), reference(counts, base=2), abs_tol=1e-12)
    assert bits(counts) == bits(sorted(counts))


@given(sizes)
def test_normalised_entropy_is_between_nought_and_one(counts):
    assert 0.0 <= normalised(counts) <= 1.0


@pytest.mark.parametrize("counts", [[1], [5], [3, 0], [1.0, 0.0, 0.0]])
def test_one_class_has_entropy_plus_zero(counts):
    assert math.copysign(1, bits(counts)) == 1
    assert bits(counts) == 0
    assert math.copysign(1, normalised(counts)) == 1
    assert normalised(counts) == 0


def test_all_different_is_one():
    assert normalised([1] * 10) == pytest.approx(1.0)


@given(sizes)
def test_corrections_never_lower_the_entropy(counts):
    assert corrected_bits(counts, "miller-madow") >= bits(counts)
    assert corrected_bits(counts, "none") == bits(counts)
    assert corrected_bits(counts, "chao-shen") >= 0


@pytest.mark.parametrize("correction", ["miller-madow", "chao-shen"])
def test_corrections_come_nearer_to_the_truth_on_small_samples(correction):
    rng = np.random.default_rng(0)
    truth = np.array([0.4, 0.2, 0.1, 0.1, 0.05, 0.05, 0.04, 0.03, 0.03])
    exact = reference(truth, base=2)
    draws = [np.bincount(rng.choice(len(truth), size=10, p=truth)).tolist() for _ in range(400)]
    plain = np.mean([bits(draw) for draw in draws])
    better = np.mean([corrected_bits(draw, correction) for draw in draws])
    assert abs(better - exact) < abs(plain - exact)


def test_a_summary_names_classes_representatives_shares_and_the_bridge():
    partition = Partition(
        "fase",
        (0, 0, 1, 1, 2),
        radius=0.1,
        edges=(Edge(0, 1, 0.05), Edge(2, 3, 0.06), Edge(1, 4, 0.2), Edge(0, 2, 0.3)),
        centrality=(0.2, 0.1, 0.1, 0.1, 0.0),
    )
    found = summarise(partition, ["a", "b", "c = 1", "d", "e"])
    assert [each.members for each in found.classes] == [(0, 1), (2, 3), (4,)]
    assert [each.representative for each in found.classes] == [1, 2, 4]
    assert found.shares == (0.4, 0.4, 0.4, 0.4, 0.2)
    assert found.normalised == pytest.approx(found.bits / math.log2(5))
    bridge = found.bridge  # joining the two pairs would save more than joining the single one
    assert bridge is not None
    assert (bridge.first, bridge.second, bridge.distance) == (0, 2, 0.3)
    assert "+c = 1" in bridge.diff
    assert "-a" in bridge.diff


def test_without_a_tree_the_bridge_joins_the_two_largest_classes():
    found = summarise(Partition("textual", (0, 1, 1, 2, 2, 2)), list("abbccc"))
    assert found.bridge is not None
    assert (found.bridge.first, found.bridge.second, found.bridge.distance) == (1, 3, None)


def test_one_sample_is_noted_and_has_no_bridge():
    found = summarise(Partition("textual", (0,)), ["a"])
    assert found.bits == found.normalised == 0.0
    assert found.bridge is None
    assert "one sample" in found.notes[0]
