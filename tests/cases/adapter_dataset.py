"""Cases of dataset files: versions, infinities, the datasets' own comparisons."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from cases.support import arguments, value

from consilience.formats import accepts, load_tasks
from consilience.formats.suite_jsonl import read_suites, write_suites
from consilience.task import Task, TestCase, TestInput, TestSuite
from consilience.values import Value

REST = {"prompt": "def f(x):\n    ...\n", "entry_point": "f", "canonical_solution": ""}
"""Fields that a task needs and the cases leave out."""


def check_version(given: dict[str, Any], expected: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tasks = {
            name: _load(Path(folder) / f"{name}.jsonl", text)
            for name, text in given["files"].items()
        }
    asked, other = tasks[given["ask"]], tasks[expected["hash_differs_from"]]
    assert asked.reference is not None
    plus = asked.reference.inputs[asked.reference.base_count :]
    assert len(plus) == expected["plus_inputs"]
    assert asked.metadata["sha256"] != other.metadata["sha256"]
    assert Path(asked.metadata["file"]).stem == expected["version_in_record"]


def check_roundtrip(given: dict[str, Any], expected: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        task = _load(Path(folder) / "tasks.jsonl", given["line"])
        assert task.reference is not None
        inputs = task.reference.inputs
        wanted = [Value.of(arguments(noted)) for noted in expected["inputs"]]
        assert [Value.of(args) for args in inputs] == wanted
        tests = tuple(
            TestCase(TestInput(args), Value.of(args[0]), "given", 1.0) for args in inputs
        )
        path = Path(folder) / "suite.jsonl"
        write_suites(path, [TestSuite(task, tests)])
        for line in path.read_text("utf-8").splitlines():
            json.loads(line, parse_constant=_refuse)
        (suite,) = read_suites(path)
    assert [Value.of(test.input.probe) for test in suite.tests] == wanted
    assert [test.expected for test in suite.tests] == [test.expected for test in tests]
    assert expected["output_is_strict_json"]
    assert expected["roundtrip_equal"]


def check_judge(given: dict[str, Any], expected: dict[str, Any]) -> None:
    passed = []
    with tempfile.TemporaryDirectory() as folder:
        for check in given["checks"]:
            fields = {"task_id": check["task_id"], "plus_input": []}
            fields["entry_point"] = check["entry_point"]
            task = _load(Path(folder) / "tasks.jsonl", json.dumps(fields))
            assert task.reference is not None
            output, reference = value(check["output"]), value(check["reference"])
            passed.append(accepts(task.reference, (), output, reference))
    assert passed == expected["pass"]


def _load(path: Path, lines: str) -> Task:
    rows = [REST | json.loads(line) for line in lines.splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (task,) = load_tasks(path)
    return task


def _refuse(word: str) -> None:
    message = f"not strict JSON: {word}"
    raise ValueError(message)


ADAPTERS = {
    "dataset_version": check_version,
    "roundtrip": check_roundtrip,
    "dataset_judge": check_judge,
}
