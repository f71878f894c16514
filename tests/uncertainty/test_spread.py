import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.uncertainty.entropy import normalised
from consilience.uncertainty.hashed import HashedEncoder
from consilience.uncertainty.spread import (
    Closeness,
    Graded,
    TextualCloseness,
    graded_entropy,
)

SAMPLES = ["def f(x):\n    return x", "def f(x):\n    return x + 1", "import os"]
ALL = [Closeness(), Closeness(HashedEncoder()), TextualCloseness(), Graded()]


@pytest.mark.parametrize("score", ALL)
def test_equal_samples_are_wholly_sure_and_different_ones_less(score):
    assert score.confidence(SAMPLES[:1] * 3).value == pytest.approx(1.0)
    found = score.confidence(SAMPLES)
    assert 0 <= found.value < 1
    assert len(found.samples) == 3


@pytest.mark.parametrize("score", ALL)
def test_one_sample_is_undefined_with_a_reason(score):
    found = score.confidence(SAMPLES[:1])
    assert found.value is None
    assert found.notes


@pytest.mark.parametrize("score", ALL)
def test_the_odd_one_out_has_the_least_support(score):
    found = score.confidence([SAMPLES[0], SAMPLES[0], SAMPLES[2]])
    assert min(found.samples) == found.samples[2]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12))
def test_graded_entropy_is_shannons_where_samples_are_equal_or_far_apart(labels):
    likeness = np.equal.outer(labels, labels).astype(float)
    counts = [labels.count(label) for label in set(labels)]
    assert graded_entropy(likeness.mean(axis=1)) == pytest.approx(normalised(counts), abs=1e-12)
