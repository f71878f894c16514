"""The metrics are scipy's and scikit-learn's where those are defined, and None where not."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import r2_score, roc_auc_score

from consilience.bench import metrics
from consilience.bench.metrics import Figure, Group
from consilience.errors import UsageError

# Few distinct values, so that nearly every group has ties.
tied = st.lists(
    st.tuples(st.integers(0, 5).map(lambda n: n / 5), st.integers(0, 5).map(lambda n: n / 5)),
    max_size=8,
)


def reference(function, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = float(function(x, y)[0]) if len(x) > 1 else math.nan
    return None if math.isnan(value) else pytest.approx(value, abs=1e-12)


@settings(max_examples=1000)
@given(tied)
def test_spearman_and_kendall_are_scipys(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    assert metrics.spearman(x, y).value == reference(stats.spearmanr, x, y)
    assert metrics.kendall(x, y).value == reference(stats.kendalltau, x, y)


@settings(max_examples=1000)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=12))
def test_auc_is_scikit_learns(pairs):
    scores, positive = [s for s, _ in pairs], [p for _, p in pairs]
    found = metrics.roc_auc(scores, positive)
    if len(set(positive)) == 2:
        assert found.value == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)
    else:
        assert found == Figure(None, "one class only")


@settings(max_examples=300)
@given(tied.filter(lambda pairs: len(pairs) > 1))
def test_r_squared_is_scikit_learns(pairs):
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    found = metrics.r_squared(x, y)
    if len(set(y)) > 1:
        assert found.value == pytest.approx(r2_score(y, x), abs=1e-9)
    else:
        assert found == Figure(None, "constant")
        assert metrics.r_squared(x, y, compat=True) == Figure(1.0)


@given(st.lists(st.floats(allow_nan=False), max_size=12))
def test_average_ranks_are_scipys(values):
    assert list(metrics.average_ranks(values)) == list(stats.rankdata(values))


@given(st.integers(1, 30), st.data())
def test_pass_at_k_is_the_share_of_choices_with_a_right_one(samples, data):
    right = data.draw(st.integers(0, samples))
    k = data.draw(st.integers(1, samples))
    exact = 1 - math.comb(samples - right, k) / math.comb(samples, k)
    assert metrics.pass_at_k(samples, right, k).value == pytest.approx(exact, abs=1e-12)


def test_pass_at_k_of_too_few_samples_is_undefined():
    assert metrics.pass_at_k(2, 0, 5) == Figure(None, "only 2 samples")
    assert metrics.pass_at_k(0, 0, 1).value is None
    with pytest.raises(UsageError):
        metrics.pass_at_k(2, 3, 1)


def test_constant_scores_have_no_correlation_and_say_so():
    assert metrics.spearman([0.4, 0.4, 0.4], [1, 2, 3]) == Figure(None, "constant")
    assert metrics.kendall([1, 2], [3, 3]) == Figure(None, "constant")
    assert metrics.spearman([1], [1]) == Figure(None, "fewer than two candidates")


@pytest.mark.parametrize(
    ("scores", "top", "bottom"),
    [
        ([1.0, 0.5, 0.0], 1.0, 1.0),
        ([1.0, 1.0, 0.0], 0.5, 1.0),
        ([0.0, 0.5, 0.5], 0.0, 0.0),
        ([0.5, 0.5, 0.5], 1 / 3, 1 / 3),
        ([1.0, 0.2, 0.2], 1.0, 0.5),
    ],
)
def test_ties_share_the_credit(scores, top, bottom):
    truth = [1.0, 0.6, 0.1]
    assert metrics.top1(scores, truth).value == pytest.approx(top)
    assert metrics.bottom1(scores, truth).value == pytest.approx(bottom)


def test_undefined_figures_leave_the_mean_and_are_counted():
    groups = [Group((1.0, 0.0), (1.0, 0.2)), Group((0.5, 0.5), (1.0, 0.2))]
    found = metrics.ranking_metrics(groups)
    assert (found.spearman.value, found.spearman.defined, found.spearman.undefined) == (1, 1, 1)
    assert found.spearman.values == (1.0, None)
    assert found.top1.value == 0.75
    assert found.mae == pytest.approx((0 + 0.2 + 0.5 + 0.3) / 4)


def test_compat_counts_an_undefined_correlation_as_zero():
    groups = [Group((1.0, 0.0), (1.0, 0.2)), Group((0.5, 0.5), (1.0, 0.2))]
    found = metrics.ranking_metrics(groups, compat=True)
    assert (found.spearman.value, found.spearman.undefined) == (0.5, 0)


def test_nothing_at_all_is_undefined_throughout():
    found = metrics.ranking_metrics([])
    assert (found.top1.value, found.kendall.value, found.mae, found.r2) == (None,) * 4


def test_nan_and_unequal_lengths_are_refused():
    with pytest.raises(UsageError):
        metrics.spearman([math.nan, 1], [1, 2])
    with pytest.raises(UsageError):
        metrics.top1([1], [1, 2])


def test_extreme_floats_neither_overflow_nor_vanish():
    assert metrics.kendall([1e308, -1e308, 0], [3, 1, 2]).value == 1.0
    assert metrics.kendall([5e-324, 0.0], [2, 1]).value == 1.0
    assert metrics.spearman([np.inf, 1, -np.inf], [3, 2, 1]).value == 1.0
