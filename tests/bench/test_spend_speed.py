"""What a run does besides waiting for the model, measured on made-up times and a real run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from consilience.bench.ranking_tasks import RankingTask
from consilience.bench.spend_speed import Request, flight, run, shared
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store
from consilience.task import Candidate, Task

CODE = "def find(a, b):\n    return a // b"
TASK = Task("floor", 'def find(a: int, b: int) -> int:\n    """Divide."""\n', "find")
POSED = RankingTask(TASK, (Candidate("floor", CODE),), (), 1, 1)


def request(prompt: str, n: int, begun: float, ended: float) -> Request:
    return Request(prompt, n, None, 0, 0, begun, ended)


def test_idle_time_and_slots_are_weighed_by_time():
    sent = [request("a", 3, 0.0, 2.0), request("b", 3, 1.0, 2.0), request("c", 9, 4.0, 5.0)]
    # 3 for a second, 6 for a second, nothing for two, 8 of 9 for a second; one more at the end.
    found = flight(sent, 6.0, slots=8)
    assert found == {
        "idle_of_wall": 0.5,
        "slots": 8,
        "slots_asked": pytest.approx((3 + 6 + 8) / 3, abs=0.01),
    }


def test_prompts_share_what_they_begin_with():
    sent = [request("abcd", 1, 0, 1), request("abxx", 1, 1, 2), request("abcd", 1, 2, 3)]
    assert shared(sent) == 0.5
    assert shared([]) is None


def test_the_same_requests_are_sent_raw(tmp_path: Path):
    model = ScriptedModel(
        lambda prompt, _: "assert find(9, 2) == 4" if "assert" in prompt else CODE
    )
    settings = replace(preset("economy"), inputs=2, n_inductive=2)
    with ForkServer(workers=1) as sandbox, Store(tmp_path / "s.sqlite") as store:
        judge = Judge(model, sandbox, store, settings)
        found = run(judge, model, [POSED], slots=16, workers=1)
    half = len(model.requests) // 2
    assert found["requests"] == half
    assert sorted(model.requests[:half]) == sorted(model.requests[half:])
    assert 0 < found["idle_of_wall"] < 1
    assert found["judged"]["cpu"] > 0
