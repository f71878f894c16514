"""Calibration error, Brier score and risk, by hand and beside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from consilience.bench.reliability import (
    area_under_risk,
    bins,
    brier,
    calibration_error,
    intervals,
    resampled,
    risk_coverage,
)


def test_brier_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    p, y = rng.random(50), (rng.random(50) < 0.5).astype(float)
    assert brier(p, y) == pytest.approx(brier_score_loss(y, p))


def test_calibration_error_by_hand():
    p = np.array([0.95, 0.95, 0.15, 0.15])
    y = np.array([1.0, 0.0, 0.0, 0.0])
    assert [b.count for b in bins(p, y)] == [2, 2]
    assert calibration_error(p, y) == pytest.approx((2 * 0.45 + 2 * 0.15) / 4)
    assert calibration_error(np.array([1.0]), np.array([1.0])) == 0.0


def test_undefined_stays_undefined():
    nothing = np.array([])
    assert brier(nothing, nothing) is None
    assert calibration_error(nothing, nothing) is None
    assert area_under_risk(nothing, nothing) is None


def test_risk_takes_equal_probabilities_together():
    p = np.array([0.9, 0.5, 0.5, 0.1])
    y = np.array([1.0, 0.0, 1.0, 0.0])
    assert risk_coverage(p, y) == [(0.25, 0.0), (0.75, pytest.approx(1 / 3)), (1.0, 0.5)]
    assert risk_coverage(p[::-1], y[::-1]) == risk_coverage(p, y)


def test_a_perfect_order_has_less_area_under_risk_than_the_reverse():
    p = np.array([0.9, 0.8, 0.2, 0.1])
    y = np.array([1.0, 1.0, 0.0, 0.0])
    assert area_under_risk(p, y) < area_under_risk(1 - p, y)


def test_tasks_are_resampled_whole():
    tasks = ["a", "a", "b"]
    for rows in resampled(tasks, 20, 0):
        assert list(rows).count(0) == list(rows).count(1)
    found = intervals(brier, np.array([1.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0]), tasks)
    assert found["low"] <= found["value"] <= found["high"]
