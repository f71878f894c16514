"""The live benchmark, rehearsed with a scripted model and the real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from consilience.bench import live
from consilience.bench.ranking_tasks import RankingTask
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
POSED = RankingTask(
    TASK,
    tuple(
        Candidate("floor", code, i, str(i))
        for i, code in enumerate([NEGATES, RIGHT, TRUNCATES])
    ),
    (Fraction(0), Fraction(1), Fraction(1, 2)),
    2,
    2,
)


def answer(prompt: str, index: int) -> str:
    """Induction truncates by majority; transduction is right."""
    if "assert" in prompt:
        return "\n".join(
            f"assert find({a}, {b}) == 0" for a, b in [(9, 2), (-7, 2), (-9, 4), (8, 3), (5, 1)]
        )
    return RIGHT if "exact input" in prompt or index >= 4 else TRUNCATES


def test_tasks_with_fewer_candidates_follow_where_the_pool_is_poor():
    reference = Reference(RIGHT, ((7, 2), (-7, 2), (0, 5)), 3)
    tasks = [replace(TASK, id=name, reference=reference) for name in ("two", "none", "three")]
    pool = {
        "two": [replace(each, task_id="two") for each in POSED.candidates[1:]],
        "three": [replace(each, task_id="three") for each in POSED.candidates],
    }
    with ForkServer(workers=1) as sandbox:
        picked = live.pick(tasks, pool, sandbox, count=5)
        first = live.pick(tasks, pool, sandbox, count=1)
    assert [(each.task.id, len(each.candidates)) for each in picked] == [
        ("three", 3),
        ("two", 2),
    ]
    assert [each.task.id for each in first] == ["three"]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    settings = replace(preset("economy"), inputs=5, n_inductive=6, n_transductive=3)
    path = Path(tmp_path_factory.mktemp("live")) / "store.sqlite"
    with ForkServer(workers=2) as sandbox, Store(path) as store:
        yield live.run(
            Judge(ScriptedModel(answer), sandbox, store, settings), [POSED], workers=1
        )


def test_transduction_mends_what_the_majority_gets_wrong(record):
    [row] = record["tasks"]
    assert row["cott"]["top1"] == 1.0
    assert row["rstar"]["top1"] == 0.0
    assert row["cott"]["labels"]["transductive"]["right"] == row["cott"]["gated"]
    labels = row["rstar"]["labels"]["inductive"]
    assert labels["right"] < labels["tests"]


def test_both_methods_see_the_same_inputs_and_pay_for_them_once(record):
    [row] = record["tasks"]
    assert row["cott"]["inputs"] == row["rstar"]["inputs"]
    assert row["cott"]["tokens"]["induction"] == row["rstar"]["tokens"]["induction"]
    assert "transduction" not in row["rstar"]["tokens"]


def test_the_summary_holds_means_with_intervals_and_the_paired_difference(record):
    summary = record["summary"]
    assert summary["tasks"] == 1
    assert summary["cott"]["top1"]["mean"] == 1.0
    assert summary["cott minus rstar"]["top1"]["wins"] == 1
    assert 0 < summary["cott"]["gate_rate"] <= 1
    assert summary["rstar"]["gate_rate"] is None
