"""Intervals cover what they promise, and paired comparisons use the pairing."""

import numpy as np
import pytest
from scipy import stats

from consilience.bench.intervals import Interval, bootstrap, paired
from consilience.errors import UsageError


def test_the_interval_is_the_percentile_bootstrap_of_scipy():
    values = np.random.default_rng(1).random(60).tolist()
    ours = bootstrap(values)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(2),
    ).confidence_interval
    assert ours.mean == pytest.approx(np.mean(values))
    assert ours.low == pytest.approx(theirs.low, abs=0.005)
    assert ours.high == pytest.approx(theirs.high, abs=0.005)


def test_undefined_tasks_are_left_out_and_the_rest_counted():
    assert bootstrap([1.0, None, 1.0]) == Interval(1.0, 1.0, 1.0, 2)
    assert bootstrap([None]) == Interval(None, None, None, 0)


def test_the_same_seed_gives_the_same_interval():
    values = [0.0, 1.0, 0.5, 1.0, 0.0]
    assert bootstrap(values, seed=3) == bootstrap(values, seed=3)


def test_pairing_settles_what_two_intervals_cannot():
    rng = np.random.default_rng(4)
    hard = rng.random(80)
    one, other = (hard + 0.05).tolist(), hard.tolist()
    assert bootstrap(one).low < bootstrap(other).high
    difference = paired(one, other)
    assert difference.settled
    assert (difference.wins, difference.losses, difference.ties) == (80, 0, 0)
    assert difference.p_value < 0.001


def test_no_difference_is_not_settled():
    difference = paired([1.0, 0.0, 1.0, None], [1.0, 0.0, 1.0, 1.0], resamples=200)
    assert not difference.settled
    assert (difference.interval.tasks, difference.ties, difference.p_value) == (3, 3, 1.0)


def test_the_exchange_test_agrees_with_the_exact_sign_flips():
    gaps = [1.0, 1.0, 1.0, 1.0, -1.0]
    # |sum| >= 3 in 12 of 32 sign patterns.
    found = paired(gaps, [0.0] * 5).p_value
    assert found == pytest.approx(12 / 32, abs=0.02)


def test_tasks_must_pair_up():
    with pytest.raises(UsageError):
        paired([1.0], [])
    assert paired([], []).p_value is None
