"""Every shape with a model: probes, induction, gate, transduction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from shapes.own_tasks import CLASS, GENERATOR, METHOD, SCRIPT, Own

from consilience.api import load
from consilience.improve.workshop import improve
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sampling import sample
from consilience.sandbox.pool import ForkServer
from consilience.settings import LEAN, preset
from consilience.store import Store
from consilience.task import Candidate, Session, Stdin, Task

SETTINGS = replace(
    preset("economy"), inputs=8, n_inductive=6, n_transductive=3, cpu_seconds=1.0
)
PROBES = {
    "script": "One input:\n```\n4\n1 1 1 2\n```\nAnother:\n```\n2\n7 7\n```\n",
    "class": ">>> s = MinStack()\n>>> s.push(2)\n>>> s.push(1)\n>>> s.pop()\n"
    ">>> s.smallest()\n",
    "generator": ">>> list(chunks([1, 2, 3, 4, 5], 3))\n>>> list(chunks([], 3))\n",
    "method": "assert Solution().longestRun([2, 2, 1, 2]) == 2\nassert longestRun([1]) == 1\n",
}
GENERATE = (
    "def generate(rng):\n    n = rng.randint(1, 4)\n    return f'{n}\\n' + ' '.join(['1'] * n)"
)
BROKEN = {
    "script": "print(7)\n",
    "class": "class MinStack:\n    def push(self, item): pass\n    def pop(self): return 1\n"
    "    def smallest(self): return 1\n",
    "generator": "def chunks(items, size):\n    yield items\n",
    "method": "class Solution:\n    def longestRun(self, nums):\n        return 9\n",
}
SHAPES = {"script": SCRIPT, "class": CLASS, "generator": GENERATOR, "method": METHOD}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def playing(name: str, own: Own) -> Callable[[str, int], str]:
    """Play a model: probes of the kind that is asked for, a third of the programs wrong."""

    def answer(prompt: str, index: int) -> str:
        if "`generate(rng)`" in prompt:
            return f"```python\n{GENERATE}\n```"
        if "Write $count" in prompt or " different " in prompt:
            return PROBES[name]
        if "exact" in prompt or "exactly this" in prompt or "corrected" in prompt:
            return f"```python{own.right[0]}```"
        return f"```python{own.wrong[0] if index % 3 == 0 else own.right[index % 2 - 1]}```"

    return answer


def posed(own: Own, folder: Path) -> Task:
    (folder / own.file).write_text(own.text)
    (task,) = load(folder / own.file).values()
    return task


def programs(own: Own, task: Task) -> list[Candidate]:
    sources = [*own.wrong, *own.right]
    return [Candidate(task.id, code, place, f"{place}") for place, code in enumerate(sources)]


@pytest.mark.parametrize(("name", "own"), SHAPES.items())
@pytest.mark.parametrize("levers", [{}, LEAN, {"tau": 1.0}], ids=["cott", "lean", "gated"])
def test_tests_are_written_and_the_right_programs_lead(
    name: str, own: Own, levers: dict, sandbox: ForkServer, store: Store, tmp_path: Path
) -> None:
    task = posed(own, tmp_path)
    model = ScriptedModel(playing(name, own))
    judge = Judge(model, sandbox, store, replace(SETTINGS, **levers))
    verdict = judge.judge(task, programs(own, task))
    kinds = {"script": Stdin, "class": Session, "generator": Session, "method": tuple}
    assert all(isinstance(test.input.probe, kinds[name]) for test in verdict.suite.tests)
    assert {test.route for test in verdict.suite.tests} > {"given"}
    assert set(verdict.ranking.leaders) <= {2, 3}


@pytest.mark.parametrize(("name", "own"), SHAPES.items())
def test_programs_are_drawn_and_repaired(
    name: str, own: Own, sandbox: ForkServer, store: Store, tmp_path: Path
) -> None:
    task = posed(own, tmp_path)
    model = ScriptedModel(playing(name, own))
    drawn = sample(task, model, n=3)
    assert all(each.code for each in drawn)
    judge = Judge(model, sandbox, store, SETTINGS)
    found = improve(judge, task, Candidate(task.id, BROKEN[name]))
    assert found.best.code.strip() == own.right[0].strip()
