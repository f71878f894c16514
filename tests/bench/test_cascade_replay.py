"""The cascade is replayed from a store: what it does not hold is left out, never paid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from consilience.bench import cascade
from consilience.bench.observations import Column, Observed, Sample
from consilience.bench.replay import Replay
from consilience.errors import ModelUnavailableError
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store
from consilience.task import Candidate, Example, Task

TASK = Task("humaneval/0", "def f(n: int) -> int:\n    ...", "f", (Example((3,), 9),))
RIGHT, WRONG = "def f(n):\n    return n * n", "def f(n):\n    return n + n"
SETTINGS = replace(preset("economy"), inputs=4, n_inductive=3, n_transductive=2)


def answer(prompt: str, index: int) -> str:
    return (
        "assert f(4) == 0\nassert f(5) == 0\nassert f(-2) == 0" if "assert" in prompt else RIGHT
    )


def test_tasks_are_posed_replayed_and_compared(tmp_path: Path):
    own = [Candidate(TASK.id, code, n, f"sample {n}") for n, code in enumerate([WRONG, RIGHT])]
    row = {"task_id": TASK.id, "candidates": ["sample 1", "sample 0"], "truth": [1.0, 0.2]}
    samples = tuple(Sample("pool", "ChatGPT", None, n % 2) for n in range(3))
    seen = Observed("humaneval", TASK.id, (RIGHT, WRONG), (True, False), samples, (), 1)
    record = {"tasks": [{**row, "seconds": 9.0}]}
    posed = list(cascade.pose(record, {TASK.id: TASK}, {TASK.id: own}, {TASK.id: seen}))
    assert [each.kind for each in posed] == [cascade.SPREAD, "chatgpt"]
    assert posed[0].right == (True, False)
    with ForkServer(workers=1) as sandbox, Store(tmp_path / "store.sqlite") as store:
        paying = ScriptedModel(answer)
        Judge(paying, sandbox, store, SETTINGS).judge(TASK, posed[0].candidates)
        judge = Judge(Replay(paying.name), sandbox, store, SETTINGS)
        found = cascade.run(posed, judge, source="made up")
        other = replace(judge, settings=replace(SETTINGS, seed=1))
        lost = cascade.run(posed[:1], other)
    assert lost["not in the store"] == [f"{TASK.id} {cascade.SPREAD}"]
    assert lost["summary"] == {}
    summary = found["summary"]["chatgpt"]
    assert summary["tasks"] == 1
    assert summary["cott"]["tokens"] > 0
    assert set(summary["choices"]) == set(cascade.CHOICES)
    assert found["choices"]["tests"]["minus tests"]["mean"] == 0
    assert all(row["cott"]["top1"] == row["choices"]["tests"] for row in found["tasks"])
    for level in map(str, cascade.LEVELS):
        assert sum(summary[level]["stopped"].values()) == pytest.approx(1)
        assert summary[level]["top1 minus cott"]["losses"] in {0, 1}
        early = summary[level]["settled early"]["mean"]
        assert summary[level]["tokens saved"] == early


def test_trust_is_fitted_on_datasets_that_the_tasks_are_not_of():
    models = ("ChatGPT", "GPT4")  # one writes the tests of the other
    samples = tuple(Sample("pool", model, None, n % 2) for model in models for n in range(3))
    mine = Observed("mbpp+", "Mbpp/1", (RIGHT, WRONG), (True, False), samples, (), 1)
    assert cascade.held_out([mine], ["Mbpp/1"]) is None
    other = replace(
        mine, dataset="humaneval", task_id="HumanEval/1",
        columns=(Column("(3,)", "seed", (0, 1), (0,)),),
    )  # fmt: skip
    found = cascade.held_out([mine, other], ["Mbpp/1"])
    assert found.record == "the sources of humaneval"


def test_a_replay_never_asks():
    with pytest.raises(ModelUnavailableError):
        Replay("m").complete("anything", n=2)
