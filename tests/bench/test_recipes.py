"""The recipes of demo/ with a scripted model: they escalate where samples disagree only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.bench import agents
from consilience.errors import InputError
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store
from consilience.task import Reference, Task

DEMO = Path(__file__).parents[2] / "demo"
RIGHT = "def find(a, b):\n    return a // b"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
LOOPS = (
    "def find(a, b):\n    count = 0\n    while abs(a) >= abs(b):\n"
    "        a, count = abs(a) - abs(b), count + 1\n    return count"
)
DOC = '    """Return the quotient, rounded down."""\n'
REFERENCE = Reference(RIGHT, ((7, 2), (-7, 2)), 2)
EASY = Task("easy", f"def find(a: int, b: int) -> int:\n{DOC}", "find", reference=REFERENCE)
HARD = Task("hard", f"def find(a: int, b: int):\n{DOC}", "find", reference=REFERENCE)


def answer(prompt: str, index: int) -> str:
    """Write right voters; disagree about the hard task as long as there is no analysis."""
    if "assert" in prompt:
        calls = [(9, 2), (-7, 2), (-9, 4), (8, 3), (5, 1)]
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in calls)
    unsure = "-> int" not in prompt and "exact input" not in prompt
    code = (TRUNCATES, LOOPS, RIGHT)[index % 3] if unsure else RIGHT
    return f"```python\n{code}\n```"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    settings = preset("economy", inputs=5, n_inductive=4, n_transductive=3)
    path = Path(tmp_path_factory.mktemp("agents")) / "store.sqlite"
    with ForkServer(workers=1) as sandbox, Store(path) as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, settings)
        yield agents.run(DEMO, judge, [EASY, HARD], n=3)


def test_where_samples_agree_nothing_more_is_spent(record):
    easy, _ = record["tasks"]
    assert easy["escalate"]["entropy"] == 0
    assert not easy["escalate"]["escalated"]
    assert easy["escalate"]["right"]
    assert easy["escalate"]["tokens"] < easy["best_of_n"]["tokens"]


def test_where_they_disagree_an_analysis_more_samples_and_tests_decide(record):
    _, hard = record["tasks"]
    found = hard["escalate"]
    assert found["escalated"]
    assert found["entropy"] > 0.35
    assert found["right"]
    assert any(step.startswith("judged 6 by") for step in found["steps"])


def test_best_of_n_takes_the_winner_of_the_verdict(record):
    _, hard = record["tasks"]
    assert hard["best_of_n"]["right"]
    assert hard["share_right"] == pytest.approx(1 / 3, abs=1e-6)


def test_the_summary_says_over_how_many_tasks(record):
    summary = record["summary"]
    assert summary["tasks"] == 2
    assert summary["escalated"] == 1
    assert summary["best_of_n"]["right"]["tasks"] == 2


def test_the_table_shows_every_task(record):
    easy, hard = agents.recipe_table(record).splitlines()[2:]
    assert "| easy | 3 of 3 | right |" in easy
    assert "right, at once" in easy
    assert "by analyst and judge" in hard


def test_a_folder_without_recipes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(__import__("sys").modules, "best_of_n", raising=False)
    with pytest.raises(InputError, match=r"no best_of_n\.py"):
        agents.run(tmp_path, None, [])  # type: ignore[arg-type]


def test_tasks_are_picked_by_chance_alone():
    tasks = [Task(str(i), "", "f", reference=REFERENCE) for i in range(9)]
    few, many = agents.pick(tasks, 3), agents.pick(tasks[::-1], 6)
    assert few == many[:3]
    assert agents.pick([Task("x", "", "f")], 3) == []
