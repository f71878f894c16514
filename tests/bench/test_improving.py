"""The measurement of repairs, rehearsed with a scripted model and the real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.bench import improving
from consilience.bench.improving_summary import belief_line, repair_table
from consilience.errors import InputError
from consilience.improve import Plan
from consilience.judge import Judge
from consilience.models.scripted import ScriptedModel
from consilience.sandbox.pool import ForkServer
from consilience.settings import preset
from consilience.store import Store
from consilience.task import Candidate, Reference, Task

RIGHT = "def find(a, b):\n    return a // b"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
NEGATES = "def find(a, b):\n    return -(a // b)"
TASK = Task(
    "floor",
    'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n',
    "find",
    reference=Reference(RIGHT, ((7, 2), (-7, 2)), 2),
)
LABELS = {"sample 0": NEGATES, "sample 1": RIGHT, "sample 2": TRUNCATES}
POOL = {"floor": [Candidate("floor", code, i, n) for i, (n, code) in enumerate(LABELS.items())]}
RECORD = {"tasks": [{"task_id": "floor", "candidates": list(LABELS), "truth": [0.0, 1.0, 0.5]}]}


def answer(prompt: str, _index: int) -> str:
    """Vote right; repair what is negated, but nothing else."""
    if "assert" in prompt:
        calls = [(9, 2), (-7, 2), (-9, 4), (8, 3), (5, 1)]
        return "\n".join(f"assert find({a}, {b}) == 0" for a, b in calls)
    code = TRUNCATES if "int(a / b)" in prompt else RIGHT
    return f"```python\n{code}\n```"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    settings = preset("economy", inputs=5, n_inductive=4, n_transductive=3)
    path = Path(tmp_path_factory.mktemp("improving")) / "store.sqlite"
    posed = improving.pick(RECORD, [TASK], POOL)
    with ForkServer(workers=1) as sandbox, Store(path) as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, settings)
        yield improving.run(judge, posed, plan=Plan(n=2), workers=1)


def test_right_and_wrong_programs_are_scored_before_and_after(record):
    rows = {row["candidate"]: row for row in record["programs"]}
    assert rows["sample 0"]["truth"] == [0.0, 1.0]
    assert rows["sample 1"]["truth"] == [1.0, 1.0]
    assert rows["sample 2"]["truth"] == [0.5, 0.5]
    assert rows["sample 2"]["truth_by_best_voter"] == 1.0
    assert rows["sample 1"]["tokens"] == [0, 0]
    assert rows["sample 0"]["repairs_right"] == 2


def test_the_summary_counts_what_became_right_and_what_became_wrong(record):
    summary = record["summary"]
    assert summary["wrong"]["repair"]["wrong made right"] == 1
    assert summary["wrong"]["best_voter"]["wrong made right"] == 2
    assert summary["right"]["repair"]["right made wrong"] == 0
    assert summary["right"]["asked"] == 0
    assert summary["wrong"]["share_before"]["mean"] == 0.25
    assert summary["wrong"]["share_after"]["mean"] == 0.75
    assert summary["reliable_tests_right"] == summary["reliable_tests"] > 0


def test_the_tables_say_what_the_record_holds(record):
    rows = repair_table(record).splitlines()
    assert rows[3].startswith("| right: 1 | repair | 0 | 0 | 0 | 100 %")
    assert rows[5].startswith("| wrong: 2 | as they were |  |  |  | 25 %")
    assert rows[6].startswith("| wrong: 2 | repair | 2 | 1 | 0 | 75 %")
    assert rows[7].startswith("| wrong: 2 | best general program instead |  | 2 | 0 | 100 %")
    assert "(100 %) expect what is right" in belief_line(record)


def test_samples_of_another_pool_are_refused():
    with pytest.raises(InputError, match="not among these samples"):
        improving.pick(RECORD, [TASK], {})


def test_a_task_without_reference_cannot_be_measured(tmp_path: Path):
    bare = Task("floor", TASK.prompt, "find")
    posed = [improving.Posed(bare, (), tuple(POOL["floor"][:1]))]
    settings = preset("economy", inputs=5, n_inductive=4)
    with ForkServer(workers=1) as sandbox, Store(tmp_path / "s.sqlite") as store:
        judge = Judge(ScriptedModel(answer), sandbox, store, settings)
        with pytest.raises(InputError, match="no reference"):
            improving.run(judge, posed, plan=Plan(), workers=1)
