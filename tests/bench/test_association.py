import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from consilience.bench.association import (
    auc,
    best,
    defined,
    estimate,
    held_out,
    ranks,
    spearman,
)

pairs = st.integers(2, 20).flatmap(
    lambda n: st.tuples(
        *[st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=n, max_size=n)] * 2
    )
)


@given(pairs)
def test_rho_and_auc_are_those_of_scipy_and_scikit_learn(sides):
    scores, truth = map(np.array, sides)
    if np.ptp(scores) and np.ptp(truth):
        assert spearman(scores, truth) == pytest.approx(spearmanr(scores, truth).statistic)
    else:
        assert defined(spearman(scores, truth)) is None
    positive = truth >= 1
    if positive.any() and not positive.all():
        assert auc(scores, truth) == pytest.approx(roc_auc_score(positive, scores))
    else:
        assert defined(auc(scores, truth)) is None


def test_rounding_makes_no_order():
    assert ranks(np.array([0.3, 0.1 + 0.2, 0.1])).tolist() == [2.5, 2.5, 1]


def test_rows_at_once_equal_rows_one_by_one():
    rng = np.random.default_rng(0)
    scores, truth = rng.integers(0, 4, (6, 9)) / 3, rng.integers(0, 3, 9) / 2
    assert spearman(scores, truth).tolist() == [spearman(row, truth) for row in scores]
    assert auc(scores, truth).tolist() == [auc(row, truth) for row in scores]


def test_the_interval_holds_the_value_and_depends_on_the_seed_alone():
    rng = np.random.default_rng(0)
    truth = rng.random(100)
    scores = truth + rng.normal(size=100)
    found = estimate(spearman, scores, truth)
    assert found.low < found.value < found.high
    assert found == estimate(spearman, scores, truth)


def test_an_undefined_statistic_has_no_interval():
    assert estimate(auc, np.arange(5.0), np.zeros(5)).value is None


def test_a_column_that_is_best_everywhere_is_chosen_in_every_fold():
    truth = np.linspace(0, 1, 30)
    table = np.stack([-truth, truth, np.ones(30)], axis=1)
    assert best(table, truth, spearman) == 1
    choice = held_out(table, truth)
    assert set(choice.columns) == {1}
    assert spearman(choice.scores, truth) == pytest.approx(1.0)


def test_choosing_on_noise_is_worth_nothing_when_held_out():
    rng = np.random.default_rng(1)
    truth, table = rng.random(60), rng.random((60, 200))
    assert spearman(table[:, best(table, truth, spearman)], truth) > 0.25
    assert spearman(held_out(table, truth).scores, truth) < 0.25
