"""Newton's method finds what scikit-learn finds; missing figures have their own weight."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from consilience.errors import UsageError
from consilience.trust.logistic import Logistic, Term, fit, sigmoid, solve


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(20, 120), st.integers(1, 5))
def test_the_fit_is_that_of_scikit_learn(seed: int, count: int, width: int):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(count, width))
    right = rng.random(count) < 1 / (1 + np.exp(-2 * table[:, 0]))
    right[:2] = [True, False]
    weight = rng.uniform(0.2, 2.0, size=count)
    design = np.hstack([np.ones((count, 1)), table])
    ours = solve(design, right.astype(float), weight, 1.0)
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000)
    theirs.fit(table, right, sample_weight=weight)
    assert ours[0] == pytest.approx(theirs.intercept_[0], abs=1e-4)
    assert ours[1:] == pytest.approx(theirs.coef_[0], abs=1e-4)


def test_separable_data_has_a_finite_fit():
    rows = [{"x": float(value)} for value in range(10)]
    model = fit(rows, [value >= 5 for value in range(10)], ["x"])
    assert math.isfinite(model.intercept)
    assert model.probability({"x": 0.0}) < 0.5 < model.probability({"x": 9.0})


def test_a_missing_figure_counts_by_its_own_weight_and_not_as_zero():
    rows = [{"x": 1.0}, {"x": 0.0}, {"x": None}, {"x": None}] * 10
    right = [True, False, True, True] * 10
    model = fit(rows, right, ["x"])
    assert model.probability({"x": None}) == model.probability({})
    assert model.probability({}) > 0.8
    assert model.probability({"x": 0.0}) < 0.3


def test_a_figure_that_comes_out_the_wrong_way_round_is_left_out():
    rows = [{"good": float(i % 2), "bad": float(i % 3)} for i in range(60)]
    right = [i % 2 == 1 and i % 3 != 2 for i in range(60)]
    free = fit(rows, right, ["good", "bad"])
    assert {term.name: term.weight > 0 for term in free.terms} == {"good": True, "bad": False}
    held = fit(rows, right, ["good", "bad"], directions={"good": 1, "bad": 1})
    assert [term.name for term in held.terms] == ["good"]


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(3)
    rows = [{"x": float(x)} for x in rng.normal(size=50)]
    right = [row["x"] + rng.normal() > 0 for row in rows]
    again = list(rng.permutation(50))
    assert fit(rows, right, ["x"]) == fit(
        [rows[i] for i in again], [right[i] for i in again], ["x"]
    )


def test_candidates_of_one_kind_alone_cannot_be_fitted():
    with pytest.raises(UsageError, match="right and wrong"):
        fit([{"x": 1.0}, {"x": 2.0}], [True, True], ["x"])


def test_contributions_add_up_to_the_log_odds():
    model = Logistic(0.3, (Term("a", 1.0, 2.0, 0.8), Term("b", 0.0, 1.0, -1.0, missing=0.4)))
    moved = model.contributions({"a": 3.0})
    assert [each.logit for each in moved] == [pytest.approx(0.8), 0.4]
    total = 0.3 + sum(each.logit for each in moved)
    assert model.probability({"a": 3.0}) == pytest.approx(sigmoid(total))


@pytest.mark.parametrize("logit", [-1000.0, 0.0, 1000.0])
def test_no_logit_overflows(logit: float):
    assert 0.0 <= sigmoid(logit) <= 1.0
