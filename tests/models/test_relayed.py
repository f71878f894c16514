"""A model whose questions are answered elsewhere, from one store."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest

from consilience.models import ChatModel, Ledger, Sampling
from consilience.models.ask import Ask
from consilience.models.budget import Budget, BudgetError
from consilience.models.relayed import RelayedModel, Wanted, answering
from consilience.models.scripted import ScriptedModel
from consilience.models.stored import StoredModel
from consilience.store import Store


def test_later_samples_are_the_ones_that_a_local_run_would_draw(tmp_path: Path):
    scripted = ScriptedModel(lambda prompt, index: f"{prompt} {index}")
    with Store(tmp_path / "s.sqlite") as store:
        answer = answering(StoredModel(scripted, store))
        relayed: ChatModel = RelayedModel("scripted", answer)
        first = [reply.text for reply in relayed.complete("a", n=2, seed=7)]
        [more] = RelayedModel("scripted", answer).batches("a", n=3, first=2, seed=7)
    assert first == ["a 0", "a 1"]
    assert [reply.text for reply in more] == ["a 2", "a 3", "a 4"]
    assert scripted.requests == [("a", 2, 7), ("a", 3, 7)]


def test_a_question_asked_twice_at_once_is_sent_once(tmp_path: Path):
    release = threading.Event()

    def slowly(prompt: str, index: int) -> str:
        release.wait(10)
        return prompt

    scripted = ScriptedModel(slowly)
    with Store(tmp_path / "s.sqlite") as store:
        answer = answering(StoredModel(scripted, store))
        wanted = Wanted(Ask("a", Sampling()), 0, 2)
        threads = [threading.Thread(target=answer, args=(wanted,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        release.set()
        for thread in threads:
            thread.join()
    assert scripted.requests == [("a", 2, None)]


def test_a_question_is_data():
    wanted = Wanted(Ask("a", Sampling(stop=("x",)), 3), 1, 2)
    assert pickle.loads(pickle.dumps(wanted)) == wanted


def test_a_budget_that_is_spent_there_makes_the_answer_partial_here(tmp_path: Path):
    scripted = ScriptedModel(lambda prompt, index: f"{prompt} {index}")
    with Store(tmp_path / "there.sqlite") as store, Store(":memory:") as memory:
        there = StoredModel(scripted, store, Ledger(budget=Budget(tokens=4)))
        relayed = RelayedModel("scripted", answering(there))
        ledger = Ledger(budget=relayed)
        here = StoredModel(relayed, memory, ledger)
        assert [reply.text for reply in here.complete("a", n=2)] == ["a 0", "a 1"]
        with pytest.raises(BudgetError, match="4 tokens is spent") as caught:
            here.complete("a", n=3)
    assert [reply.text for reply in caught.value.replies] == ["a 0", "a 1"]
    assert ledger.refused == "the budget of 4 tokens is spent"
    assert scripted.requests == [("a", 2, None)]
