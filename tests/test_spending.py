"""Judging for less: levers and budgets in the whole cascade, with the real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.judge import Judge
from consilience.models import Ledger
from consilience.models.budget import Budget
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import LEAN, preset
from consilience.store import Store
from consilience.task import Candidate, Example, Task

TASK = Task(
    "floor",
    'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n',
    "find",
    (Example((7, 2), 3),),
)
RIGHT = "def find(a, b):\n    return a // b"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
NEGATES = "def find(a, b):\n    return -(a // b)"
SETTINGS = replace(preset("economy"), inputs=6, n_inductive=6, n_transductive=5)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def divided(prompt: str, index: int) -> str:
    """Play a model of which a third of the general programs truncate."""
    if "assert" in prompt:
        calls = [(10, -2), (9, 2), (-7, 2), (1, 3), (8, 3)]
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in calls)
    if "exact input" in prompt:
        return f"```python\n{RIGHT}\n```"
    return f"```python\n{TRUNCATES if index % 3 == 0 else RIGHT}\n```"


def united(prompt: str, index: int) -> str:
    """Play a model whose programs are all right."""
    return divided(prompt, 1)


def candidates(*codes: str) -> list[Candidate]:
    return [Candidate(TASK.id, code, place, f"{place}.py") for place, code in enumerate(codes)]


def spent(judge: Judge) -> int:
    total = judge.ledger.total() + judge.ledger.total(replayed=True)
    return total.prompt_tokens + total.completion_tokens


def test_lean_comes_to_the_same_order_for_less(sandbox: ForkServer, store: Store):
    judged = {}
    for name, levers in (("plain", {}), ("lean", LEAN)):
        model = ScriptedModel(divided)
        judging = Judge(model, sandbox, store, replace(SETTINGS, **levers), Ledger())
        verdict = judging.judge(TASK, candidates(TRUNCATES, RIGHT, NEGATES))
        judged[name] = (verdict.ranking.ranks, spent(judging))
    assert judged["lean"][0] == judged["plain"][0]
    assert judged["lean"][1] < judged["plain"][1]


def test_candidates_that_agree_cost_no_transduction(sandbox: ForkServer, store: Store):
    settings = replace(SETTINGS, settle="differ")
    judging = Judge(ScriptedModel(divided), sandbox, store, settings)
    verdict = judging.judge(TASK, candidates(RIGHT, RIGHT + "\n"))
    assert "transduction" not in verdict.usage
    judging.tests(TASK)  # with nobody to rank, every doubtful input is asked
    assert "transduction" in judging.ledger.by_stage()


def test_few_general_programs_do_where_they_agree(sandbox: ForkServer, store: Store):
    settings = replace(SETTINGS, first_inductive=4, doubt=0.2)
    drawn = {}
    for name, play in (("united", united), ("divided", divided)):
        model = ScriptedModel(play, name=name)
        suite = Judge(model, sandbox, store, settings).tests(TASK)
        drawn[name] = max(t.total for t in suite.tests if t.inductive_confidence is not None)
        asked = [n for prompt, n, _ in model.requests if "efficient" in prompt]
        assert asked == ([4] if name == "united" else [4, 2])
    assert drawn["united"] == 4


def test_a_budget_ends_in_the_best_answer_so_far(sandbox: ForkServer, store: Store):
    settings = replace(SETTINGS, method="tt", in_flight=1)
    whole = Judge(ScriptedModel(divided), sandbox, store, settings)
    whole.judge(TASK, candidates(TRUNCATES, RIGHT, NEGATES))
    total, usage = spent(whole), whole.ledger.by_stage()["transduction"]
    one = (usage.prompt_tokens + usage.completion_tokens) / usage.calls
    opening = total - usage.calls * one
    for limit, more in ((0, 0.0), (1, opening), (round(opening + 2.5 * one), 0.6 * one)):
        ledger = Ledger(budget=Budget(tokens=limit))
        judging = Judge(ScriptedModel(divided), sandbox, store, settings, ledger)
        verdict = judging.judge(TASK, candidates(TRUNCATES, RIGHT, NEGATES))
        assert verdict.suite.partial == f"the budget of {limit:,} tokens is spent"
        assert verdict.suite.tests  # the given one at least
        assert limit * (limit > 1) <= spent(judging) <= limit + more
    routes = [test.route for test in verdict.suite.tests]
    assert routes.count("transductive") == 3
    assert any("no program was asked for" in why for _, why in verdict.suite.dropped)


def test_a_method_without_an_answer_midway_leaves_it_to_the_majority(
    sandbox: ForkServer, store: Store
):
    settings = replace(SETTINGS, method="sol-ver")
    plain = Judge(ScriptedModel(united), sandbox, store, replace(SETTINGS, method="rstar"))
    plain.tests(TASK)
    ledger = Ledger(budget=Budget(tokens=spent(plain)))
    suite = Judge(ScriptedModel(united), sandbox, store, settings, ledger).tests(TASK)
    assert {test.route for test in suite.tests} == {"given", "inductive"}
    assert "is spent" in suite.partial


def test_a_budget_that_suffices_changes_nothing(sandbox: ForkServer, store: Store):
    plain = Judge(ScriptedModel(divided), sandbox, store, SETTINGS)
    ample = Judge(
        ScriptedModel(divided), sandbox, store, SETTINGS, Ledger(budget=Budget(10**6, 1e6, 1e6))
    )
    one, two = (judging.tests(TASK) for judging in (plain, ample))
    assert one == two
    assert two.partial == ""


def test_time_that_is_over_asks_nothing(sandbox: ForkServer, store: Store):
    model = ScriptedModel(divided)
    ledger = Ledger(budget=Budget(seconds=0.0))
    verdict = Judge(model, sandbox, store, SETTINGS, ledger).judge(
        TASK, candidates(NEGATES, RIGHT)
    )
    assert model.requests == []
    assert verdict.winner is not None  # by the task's own example
    assert verdict.winner.label == "1.py"
    assert verdict.suite.partial == "the time of 0 s is over"
