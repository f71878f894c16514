"""The stops err no more often than they say, where the truth is known."""

from __future__ import annotations

import pytest

from consilience.bench.spend_simulation import order_row, votes_row


@pytest.mark.parametrize("doubt", [0.05, 0.2])
def test_votes_change_no_more_often_than_stated(doubt: float):
    row = votes_row("uniform over three outcomes (the prior)", doubt, 5, 400, seed=0)
    assert row["stopped"] > 50
    assert row["changed_of_stopped"] <= doubt + 0.03
    assert row["drawn_of_all"] < 1


@pytest.mark.parametrize("together", [False, True])
def test_orders_change_no_more_often_than_stated(together: bool):
    certain = order_row("top1", 0.0, together, 20, seed=0)
    assert certain["changed"] == 0
    row = order_row("top1", 0.2, together, 30, seed=0)
    assert row["changed"] <= 0.2 + 0.1
    assert row["asked_of_all"] <= certain["asked_of_all"]
