"""From a model to the record: draw, grade, ask, measure, each by its verb."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.bench.chat_server import ChatServer
from consilience.bench.fase.plan import ANSWERS, GRADED, LIBRARIES, parts
from consilience.bench.fase.sets import BIGCODEBENCH, LIVE, write_rows
from consilience.cli import main
from consilience.uncertainty.hashed import HashedEncoder

PROMPT = 'def half(n: int) -> int:\n    """Return half of n, rounded down."""\n'
PROGRAMS = [
    "def half(n):\n    return n // 2\n",
    "def half(n):\n    return int(n / 2)\n",
    "def half(n):\n    return n\n",
]
TESTS = """import unittest

class TestCases(unittest.TestCase):
    def test_small(self):
        self.assertEqual(half(8), 4)
"""


def say(prompt: str, seed: int) -> str:
    """Write accounts, programs and verdicts."""
    if "one word" in prompt:
        return "True" if "Yes or No" not in prompt else "No"
    if "analyst. Explain" in prompt:
        return "Inputs: an integer."
    return f"```python\n{PROGRAMS[(seed + len(prompt)) % 3]}```"


@pytest.fixture
def server() -> Iterator[str]:
    with ChatServer(say) as server:
        yield server.url


def row(number: int) -> dict[str, object]:
    return {
        "task_id": f"own/{number}",
        "prompt": PROMPT.replace("down.", "down." + " Really." * number),
        "canonical_solution": "    return n // 2\n",
        "entry_point": "half",
        "test": "",
        "base_input": [[8], [6]],
        "plus_input": [[-7], [9]],
        "atol": 0,
    }


def test_the_verbs_lead_from_a_model_to_the_record(tmp_path: Path, server: str):
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text("".join(json.dumps(row(n)) + "\n" for n in range(6)), "utf-8")
    model = ["--base-url", server, "--model", "stub", "--store", str(tmp_path / "s.sqlite")]
    fase = ["bench", "fase"]
    for workflow, name in LIVE.items():
        drawn = ["--workflow", workflow, "--pick", "6", "-o", str(tmp_path / name)]
        assert main([*fase, "draw", str(tasks), *drawn, *model]) == 0
    files = [str(tmp_path / name) for name in LIVE.values()]
    grades = tmp_path / GRADED
    assert main([*fase, "grade", str(tasks), *files, "-o", str(grades)]) == 0
    answers = ["-o", str(tmp_path / ANSWERS), "--minutes", "5"]
    assert main([*fase, "ask", str(tasks), files[0], *answers, *model]) == 0
    with gzip.open(files[1], "rt", encoding="utf-8") as lines:
        assert json.loads(next(lines))["account"] == "Inputs: an integer."
    found = json.loads(grades.read_text("utf-8"))["files"][LIVE["coder"]]
    assert set("".join(each["grades"] for each in found.values())) == {"p", "b", "f"}
    record: dict = {"sets": {}}
    for part in parts(tmp_path, tmp_path, HashedEncoder()):
        assert part.missing(record)
        part.add(record)
    assert list(record["sets"]) == ["live coder x10", "live analyst x10"]
    assert record["asked"]["cost"]["entailment"]["calls"]["mean"] == 3
    assert record["cost"]["tasks"] == 6


def test_library_tests_have_a_record_of_their_own(tmp_path: Path):
    task = {
        "task_id": "BigCodeBench/1",
        "complete_prompt": PROMPT,
        "canonical_solution": "    return n // 2\n",
        "entry_point": "half",
        "test": TESTS,
        "libs": "[]",
    }
    tasks, samples = tmp_path / "tasks.jsonl", tmp_path / BIGCODEBENCH
    tasks.write_text(json.dumps(task) + "\n", "utf-8")
    rows = [
        {"task_id": "BigCodeBench/1", "solution": text, "status": status}
        for text, status in zip(PROGRAMS, ("pass", "fail", "fail"), strict=True)
    ]
    write_rows(samples, rows)
    output = tmp_path / LIBRARIES
    command = ["bench", "fase", "libraries", str(tasks), str(samples), "-o", str(output)]
    assert main(command) == 0
    assert main(command) == 0
    found = json.loads(output.read_text("utf-8"))
    assert found["summary"]["samples"] == {
        "recorded fail, here fail": 1,
        "recorded fail, here pass": 1,
        "recorded pass, here pass": 1,
    }
