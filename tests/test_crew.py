"""The same work, here and away: the same verdicts, and replies kept by the one who pays."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from consilience.crew import Crew, LocalCrew, RayCrew
from consilience.judge import Judge, Verdict
from consilience.models.scripted import ScriptedModel
from consilience.report.record import record
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store
from consilience.task import Candidate, Task

HOMES: list[Callable[[Any], Any]] = []
TASKS = [
    Task(f"t/{n}", f'def add(a: int, b: int) -> int:\n    """Add two, by way {n}."""\n', "add")
    for n in range(3)
]


class Calling:
    """A picklable handle on a function of this process."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, question: Any) -> Any:
        return HOMES[self.number](pickle.loads(pickle.dumps(question)))


class Elsewhere:
    """In place of a cluster: all that goes there and comes back is pickled."""

    at_once = 2

    def home(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        HOMES.append(function)
        return Calling(len(HOMES) - 1)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            there, sent = pickle.loads(pickle.dumps((function, item)))
            yield pickle.loads(pickle.dumps(there(sent)))


def say(prompt: str, index: int) -> str:
    if "assert" in prompt:
        return "\n".join(f"assert add({n}, {n + 1}) == 0" for n in range(6))
    return f"def add(a, b):\n    return a {'+' if index % 3 else '-'} b\n"


def judged(judge: Judge, task: Task) -> Verdict:
    right, wrong = "def add(a, b):\n    return b + a", "def add(a, b):\n    return a"
    return judge.judge(task, [Candidate(task.id, right), Candidate(task.id, wrong, 1)])


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1) as server:
        yield server


def judge_in(folder: Path, sandbox: ForkServer) -> tuple[Judge, ScriptedModel]:
    model = ScriptedModel(say)
    settings = preset("economy", inputs=4, n_inductive=3, n_transductive=4)
    return Judge(model, sandbox, Store(folder / "store.sqlite"), settings), model


def test_work_away_gives_the_same_verdicts_and_is_paid_once(
    tmp_path: Path, sandbox: ForkServer
):
    here, asked_here = judge_in(tmp_path / "here", sandbox)
    there, asked_there = judge_in(tmp_path / "there", sandbox)
    local: Crew = LocalCrew(here, workers=2)
    away: Crew = RayCrew(there, Elsewhere())
    expected = [record(verdict) for verdict in local.map(judged, TASKS)]
    told: list[str] = []
    found = list(away.map(judged, TASKS, lambda task, verdict: told.append(task.id)))
    assert [record(verdict) for verdict in found] == expected
    assert told == [task.id for task in TASKS]
    assert sorted(asked_there.requests) == sorted(asked_here.requests)
    assert there.store.info() == here.store.info()
    assert there.ledger.total() == here.ledger.total()

    before = len(asked_there.requests)
    again = [record(verdict) for verdict in away.map(judged, TASKS)]
    assert again == expected
    assert len(asked_there.requests) == before
    here.store.close()
    there.store.close()


def test_the_local_crew_tells_of_each_task(tmp_path: Path, sandbox: ForkServer):
    judge, _ = judge_in(tmp_path, sandbox)
    told: list[str] = []
    crew = LocalCrew(judge, workers=1)
    list(crew.map(Judge.tests, TASKS[:1], lambda task, suite: told.append(task.id)))
    assert told == ["t/0"]
    judge.store.close()
