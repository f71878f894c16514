"""What a pool's programs do is observed once, and right is what every reference input says."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.bench import observations
from consilience.bench.observations import observe, one, read
from consilience.errors import InputError
from consilience.sandbox.pool import ForkServer
from consilience.task import Example, Reference, Task

RIGHT = "def f(n):\n    return n * n\n"
TASK = Task(
    "t/1", "", "f", (Example((3,), 9),), Reference(RIGHT, tuple((n,) for n in range(15)), 3)
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=1, confirm_timeouts=False) as server:
        yield server


def row(code: str, model: str = "m") -> dict[str, object]:
    return {
        "task_id": "t/1",
        "source": "s",
        "model": model,
        "temperature": 0.2,
        "solution": code,
    }


def test_right_wrong_late_and_endless_programs(sandbox: ForkServer):
    rows = [
        row(RIGHT),
        row("def f(n):\n    return n ** 2\n", "n"),
        row("def f(n):\n    return n * n if n < 12 else 0\n"),
        row("def f(n):\n    while True: pass\n"),
        row(RIGHT + "# the same program\n"),
    ]
    found = one("humaneval", TASK, rows, sandbox)
    assert [found.right[sample.program] for sample in found.samples] == [
        True, True, False, False, True,
    ]  # fmt: skip
    assert found.reference_inputs == 15
    first = found.columns[0]
    assert (first.origin, first.expected) == ("example", first.classes[0])
    endless = found.samples[3].program
    assert all(column.classes[endless] is None for column in found.columns)
    assert all(column.classes[0] in column.accepted for column in found.columns)


def test_a_run_goes_on_where_it_stopped(
    tmp_path: Path, sandbox: ForkServer, monkeypatch: pytest.MonkeyPatch
):
    tasks = tmp_path / "tasks.jsonl.gz"
    fields = {
        "task_id": "HumanEval/0", "prompt": "def f(n):\n", "entry_point": "f",
        "canonical_solution": "    return n * n\n", "base_input": [[1], [2]],
        "plus_input": [[3]], "contract": "", "atol": 0, "test": "",
    }  # fmt: skip
    pool = tmp_path / "pool.jsonl.gz"
    line = {**row(RIGHT), "task_id": "HumanEval/0"}
    for path, found in ((tasks, fields), (pool, line)):
        path.write_bytes(gzip.compress(json.dumps(found).encode() + b"\n"))
    monkeypatch.setattr(observations, "POOLS", {"humaneval": (tasks.name, pool.name)})
    out = tmp_path / "seen.jsonl.gz"
    told: list[str] = []
    first = observe(tmp_path, out, sandbox, done=told.append)
    assert observe(tmp_path, out, sandbox, done=told.append) == first == read(out)
    assert len(told) == 1


def test_what_is_not_there_is_told(tmp_path: Path, sandbox: ForkServer):
    with pytest.raises(InputError, match="No observations"):
        read(tmp_path / "none.gz")
    with pytest.raises(InputError, match="no reference"):
        one("humaneval", Task("t", "", "f"), [], sandbox)
