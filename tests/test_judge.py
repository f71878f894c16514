"""The whole cascade, with a scripted model, the real sandbox and a real store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.judge import Judge, Verdict
from consilience.models import Ledger
from consilience.models.scripted import ScriptedModel
from consilience.report.page import page
from consilience.report.record import record
from consilience.report.text import text
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
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
SETTINGS = replace(
    preset("economy"), inputs=8, n_inductive=6, n_transductive=3, cpu_seconds=1.0
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as server:
        yield server


def answer(prompt: str, index: int) -> str:
    """Play a model: asserts as inputs, a third of the general programs wrong, exact right."""
    if "assert" in prompt:
        return "\n".join(
            f"assert find({a}, {b}) == 0"
            for a, b in [(10, -2), (9, 2), (-7, 2), (1, 3), (8, 3)]
        )
    if "exact input" in prompt:
        return f"```python\n{RIGHT}\n```"
    return f"```python\n{TRUNCATES if index % 3 == 0 else RIGHT}\n```"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def candidates(*codes: str) -> list[Candidate]:
    return [Candidate(TASK.id, code, place, f"{place}.py") for place, code in enumerate(codes)]


def judge(sandbox: ForkServer, store: Store, **changes: object) -> Judge:
    model = ScriptedModel(answer)
    return Judge(model, sandbox, store, replace(SETTINGS, **changes))


@pytest.fixture
def verdict(sandbox: ForkServer, store: Store) -> Verdict:
    return judge(sandbox, store).judge(TASK, candidates(TRUNCATES, RIGHT, NEGATES))


def test_the_right_program_is_trusted_and_the_deciding_input_named(verdict: Verdict):
    assert verdict.winner is not None
    assert verdict.winner.label == "1.py"
    data = record(verdict)
    against = {rival["rival"]: rival["tests"] for rival in data["deciding"]}
    calls = [data["tests"][place]["call"] for place in against["0.py"]]
    assert "find(-7, 2)" in calls
    assert all(data["tests"][place]["route"] == "transductive" for place in against["0.py"])


def test_the_verdict_says_what_the_lead_rests_on(verdict: Verdict):
    data = record(verdict)
    assert data["lead"]["rival"] == "0.py"
    assert data["lead"]["for"] - data["lead"]["against"] >= 1
    assert 0 < data["lead"]["confidence"] <= 1
    assert "rests on" in data["reason"]


def test_every_test_carries_its_evidence(verdict: Verdict):
    for test in verdict.suite.tests:
        if test.route == "given":
            continue
        assert 0 < test.votes <= test.total
        assert test.confidence == test.votes / test.total
        assert test.inductive_confidence is not None


def test_candidates_that_lead_alike_have_no_winner(sandbox: ForkServer, store: Store):
    verdict = judge(sandbox, store).judge(TASK, candidates(RIGHT, RIGHT + "\n"))
    assert verdict.winner is None
    assert "2 candidates tie" in record(verdict)["reason"]
    assert "any of them will do" in record(verdict)["reason"]


def test_leaders_that_differ_are_not_said_to_be_alike(sandbox: ForkServer, store: Store):
    shifted = "def find(a, b):\n    return a // b if b == 2 and a > 0 else None"
    other = "def find(a, b):\n    return a // b if b == 3 and a > 0 else None"
    judging = judge(sandbox, store, method="rstar", examples=False, inputs=5)
    verdict = judging.judge(TASK, candidates(shifted, other))
    told = record(verdict)["reason"]
    assert "any of them will do" not in told


def test_a_second_run_pays_nothing_and_says_the_same(sandbox: ForkServer, store: Store):
    first = judge(sandbox, store)
    again = judge(sandbox, store)
    one = record(first.judge(TASK, candidates(TRUNCATES, RIGHT)))
    two = record(again.judge(TASK, candidates(TRUNCATES, RIGHT)))
    assert json.dumps(one) == json.dumps(two)
    assert first.ledger.total().completion_tokens > 0
    assert again.ledger.total().completion_tokens == 0
    assert again.ledger.total(replayed=True) == first.ledger.total()


def test_a_sample_is_counted_once_however_often_it_is_asked_for(
    sandbox: ForkServer, store: Store
):
    judging = judge(sandbox, store, method="tt", sequential=True)
    judging.judge(TASK, candidates(RIGHT))
    assert judging.ledger.total(replayed=True).completion_tokens == 0


def test_induction_alone_asks_for_no_transductive_program(sandbox: ForkServer, store: Store):
    judging = judge(sandbox, store, method="rstar")
    verdict = judging.judge(TASK, candidates(TRUNCATES, RIGHT))
    assert {test.route for test in verdict.suite.tests} == {"given", "inductive"}
    assert "transduction" not in verdict.usage


def test_programs_that_fail_the_tasks_own_example_do_not_vote(
    sandbox: ForkServer, store: Store
):
    def mostly_wrong(prompt: str, index: int) -> str:
        if "assert" in prompt or "exact input" in prompt:
            return answer(prompt, index)
        return f"```python\n{RIGHT if index < 2 else NEGATES}\n```"

    judging = Judge(
        ScriptedModel(mostly_wrong), sandbox, store, replace(SETTINGS, method="rstar")
    )
    suite = judging.tests(TASK)
    assert {test.total for test in suite.tests if test.route == "inductive"} == {2}
    judging.settings = replace(judging.settings, examples=False)
    assert {test.total for test in judging.tests(TASK).tests} == {6}


def test_the_page_shows_hostile_text_as_text(sandbox: ForkServer, store: Store):
    hostile = "def find(a, b):\n    return '<script>alert(1)</script>'"
    verdict = judge(sandbox, store).judge(TASK, candidates(hostile, RIGHT))
    html = page(verdict)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "default-src 'none'" in html


def test_the_text_names_winner_cost_and_isolation(verdict: Verdict):
    shown = text(verdict, all_tests=True)
    assert "Trust 1.py." in shown
    assert "tokens" in shown
    assert "sandbox strict" in shown


def test_no_more_inputs_are_tested_than_were_asked_for(sandbox: ForkServer, store: Store):
    verdict = judge(sandbox, store, inputs=2).judge(TASK, candidates(TRUNCATES, RIGHT))
    made = [test for test in verdict.suite.tests if test.route != "given"]
    assert 1 <= len(made) <= 2 < SETTINGS.seeds_kept


def test_a_model_that_writes_nonsense_leaves_the_examples_to_judge_by(
    sandbox: ForkServer, store: Store
):
    judging = Judge(ScriptedModel(lambda *_: "I cannot."), sandbox, store, SETTINGS)
    verdict = judging.judge(TASK, candidates(NEGATES, RIGHT))
    assert verdict.winner is not None
    assert verdict.winner.label == "1.py"
    assert {test.route for test in verdict.suite.tests} == {"given"}


def test_without_any_test_nothing_is_claimed(sandbox: ForkServer, store: Store):
    judging = Judge(ScriptedModel(lambda *_: "no"), sandbox, store, SETTINGS)
    verdict = judging.judge(replace(TASK, examples=()), candidates(NEGATES, RIGHT))
    assert verdict.winner is None
    data = record(verdict)
    assert all(row["score"] is None for row in data["ranking"])
    assert "nothing is known" in data["reason"]


def test_the_whole_run_adds_up_in_one_ledger(sandbox: ForkServer, store: Store):
    judging = judge(sandbox, store)
    judging.ledger = Ledger()
    verdict = judging.judge(TASK, candidates(RIGHT, NEGATES))
    assert verdict.usage == judging.ledger.by_stage()
