"""Budgets: what is spent, when asking stops, and what is handed back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.models import Ledger, Usage
from consilience.models.budget import Budget, BudgetError
from consilience.models.scripted import ScriptedModel
from consilience.models.stored import StoredModel
from consilience.store import Store

WORDS = "one two three four five six seven eight nine ten"  # 10 tokens


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def model(store: Store, budget: Budget | None) -> StoredModel:
    return StoredModel(ScriptedModel(lambda *_: WORDS), store, Ledger(budget=budget))


def spent(asked: StoredModel) -> int:
    total = asked.ledger.total() + asked.ledger.total(replayed=True)
    return total.prompt_tokens + total.completion_tokens


def test_no_request_is_sent_once_the_budget_is_spent(store: Store):
    asked = model(store, Budget(tokens=25))
    asked.complete("a", n=1)
    asked.complete("b", n=2)  # on its way when the budget was not yet reached
    with pytest.raises(BudgetError, match="The budget of 25 tokens is spent"):
        asked.complete("c", n=1)
    assert spent(asked) == 32
    assert "25" in asked.ledger.refused


def test_what_came_before_is_handed_back(store: Store):
    asked = model(store, Budget(tokens=20))
    asked.complete("a", n=2)
    with pytest.raises(BudgetError) as caught:
        asked.complete("a", n=5)
    assert [reply.text for reply in caught.value.replies] == [WORDS] * 2


def test_what_was_had_already_is_had_again(store: Store):
    asked = model(store, Budget(tokens=20))
    first = asked.complete("a", n=2)
    assert asked.complete("a", n=2) == first
    assert asked.complete("a", n=1) == first[:1]
    assert asked.ledger.refused == ""


def test_replies_of_the_store_count_as_much_as_new_ones(store: Store):
    model(store, None).complete("a", n=2)
    model(store, None).complete("b", n=2)
    again = model(store, Budget(tokens=20))
    again.complete("a", n=2)
    with pytest.raises(BudgetError):
        again.complete("b", n=2)
    assert again.ledger.total() == Usage()
    assert spent(again) == 21


def test_a_budget_above_holds_below(store: Store):
    whole = Ledger(budget=Budget(tokens=5))
    asked = StoredModel(ScriptedModel(lambda *_: WORDS), store, Ledger(parent=whole))
    asked.complete("a")
    with pytest.raises(BudgetError):
        asked.complete("b")
    assert whole.refused == ""


def test_money_is_tokens_at_a_price():
    budget = Budget(dollars=0.001, price=10.0)  # 100 tokens
    assert budget.reached(Usage(50, 49)) == ""
    assert budget.reached(Usage(50, 50)) == "the budget of $0.001 is spent"


def test_time_is_counted_from_the_beginning():
    assert Budget(seconds=0.0).reached(Usage()) == "the time of 0 s is over"
    assert Budget(seconds=1000.0).reached(Usage()) == ""
