"""The measurements whose records are committed, each on a small piece of the real data."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from consilience.bench import canonical, extraction, soak
from consilience.bench.entropy_speed import compare
from consilience.cli import main
from consilience.formats import load_tasks
from consilience.sandbox.pool import ForkServer
from consilience.uncertainty.radius import ALPHAS


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ForkServer]:
    with ForkServer(workers=2) as server:
        yield server


def test_canonical_solutions_give_what_their_dataset_states(data: Path, sandbox: ForkServer):
    tasks = load_tasks(data / "HumanEvalPlus.jsonl.gz")[:4]
    found = canonical.run({"HumanEval+": tasks}, sandbox)["datasets"]["HumanEval+"]
    assert found["faults"] == []
    assert found["calls"] == sum(len(task.reference.inputs) for task in tasks if task.reference)
    assert found["calls_with_a_stated_output"] > 4


def test_a_wrong_canonical_solution_is_named(sandbox: ForkServer, tmp_path: Path):
    row = {
        "task_id": "own/1",
        "prompt": "def double(n):\n",
        "canonical_solution": "    return n + 1\n",
        "entry_point": "double",
        "test": "def check(candidate):\n    assert candidate(3) == 6\n",
        "base_input": [[3]],
        "plus_input": [],
        "atol": 0,
    }
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    [fault] = canonical.run({"own": load_tasks(path)}, sandbox)["datasets"]["own"]["faults"]
    assert fault["task"] == "own/1"
    assert "gives 4, stated is 6" in fault["fault"]


def test_real_solutions_come_out_of_every_way_of_talking(
    data: Path, sandbox: ForkServer, tmp_path: Path
):
    pool = tmp_path / "pool.jsonl"
    with gzip.open(data / "humaneval_pool_open_licence.jsonl.gz", "rt") as lines:
        pool.write_text("".join(islice(lines, 30)), encoding="utf-8")
    found = extraction.run({pool: data / "HumanEvalPlus.jsonl.gz"}, sandbox, workers=1)
    assert found["samples"] == 30
    assert len(found["ways"]) == 8
    assert all(way["different"] == 0 for way in found["ways"].values())


def test_many_programs_leave_nothing_behind():
    found = soak.run(400, workers=2)
    assert found["executions"] == 400
    assert found["honest_but_wrong"] == 0
    assert found["processes_left_when_closed"] == 0
    assert found["after"]["temporary_files"] == found["before"]["temporary_files"]


def test_the_command_writes_the_record(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with gzip.open(data / "HumanEvalPlus.jsonl.gz", "rt") as lines:
        (tmp_path / "two.jsonl").write_text("".join(islice(lines, 2)), encoding="utf-8")
    record = tmp_path / "records" / "canonical.json"
    assert main(["bench", "canonical", str(tmp_path / "two.jsonl"), "-o", str(record)]) == 0
    assert json.loads(record.read_text(encoding="utf-8"))["datasets"]["two.jsonl"]["tasks"] == 2
    assert "wrote" in capsys.readouterr().err


def test_the_speed_of_fase_compares_all_ways_and_says_what_is_least_and_what_is_usual():
    row = compare(2, 5, ALPHAS, rounds=2, sample=1)
    assert row["what"] == "19 alphas, 2 tasks, n = 5"
    assert row["times_faster"] == row["published_ms"] / row["ours_authors_rule_ms"]
    assert row["published_tree_once_ms"] <= row["published_tree_once_ms_median"]
