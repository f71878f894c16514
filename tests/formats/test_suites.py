"""Suites go out as pytest files and JSON lines, and mean the same there."""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import InputError
from consilience.formats.agreement import agree
from consilience.formats.pytest_file import pytest_source, write_pytest
from consilience.formats.suite_jsonl import read_suites, suite_rows, write_suites
from consilience.task import (
    Alternative,
    Example,
    Reference,
    Task,
    TestCase,
    TestInput,
    TestSuite,
)
from consilience.values import Value, equal

TASK = Task(
    "T/1",
    'def mean(xs):\n    """Mean."""\n',
    "mean",
    (Example(([1, 2],), 1.5),),
    Reference("def mean(xs): return sum(xs) / len(xs)"),
    {"file": "tasks.jsonl"},
)


def case(args: tuple[Any, ...], expected: Value, **more: Any) -> TestCase:
    facts: dict[str, Any] = {"route": "inductive", "confidence": 0.9, "votes": 9, "total": 10}
    return TestCase(TestInput(args, "seed"), expected, **{**facts, **more})


SUITE = TestSuite(
    TASK,
    (
        case(([1, 2],), Value.of(1.5)),
        case(([0.1, 0.2],), Value.of(0.15), route="transductive"),
        case(
            ([math.inf, 1],),
            Value.of(math.inf),
            alternatives=(Alternative(Value.of(math.nan), 1),),
        ),
        case(([math.nan],), Value.of(math.nan), inductive_confidence=0.4),
        case(([],), Value.raised("ZeroDivisionError")),
        case(([10**30, "ü\n'\""],), Value.of(3), reliable=False),
        case(([5],), Value.from_wire('["o","m","C"]')),
    ),
    ((TestInput(([None],), "mutation"), "both routes empty"),),
)

SOLUTION = "def mean(xs):\n    return sum(xs) / len(xs)\n"


def run_pytest(
    folder: Path, suite: TestSuite, solution: str, **options: bool
) -> tuple[int, str]:
    (folder / "solution.py").write_text(solution)
    write_pytest(folder / "test_mean.py", suite, **options)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        ".",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_the_file_runs_under_plain_pytest(tmp_path: Path) -> None:
    code, output = run_pytest(tmp_path, SUITE, SOLUTION)
    assert code == 0, output
    assert "5 passed" in output
    assert "test_mean[[1, 2]]" in output
    assert "test_mean_refuses[[]]" in output


@pytest.mark.parametrize(
    ("solution", "failed"),
    [
        ("def mean(xs):\n    return sum(xs) // len(xs)\n", 3),
        ("def mean(xs):\n    return sum(xs) / (len(xs) or 1)\n", 1),
        ("def mean(xs):\n    return [sum(xs) / len(xs)]\n", 4),
        ("def mean(xs):\n    return None\n", 5),
        ("def mean(xs):\n    return sum(xs) / len(xs) + 9e-7\n", 0),
        ("def mean(xs):\n    return sum(xs) / len(xs) + 2e-6\n", 2),
    ],
)
def test_the_file_catches_wrong_programs(tmp_path: Path, solution: str, failed: int) -> None:
    _, output = run_pytest(tmp_path, SUITE, solution)
    assert output.count("FAILED test_mean.py") == failed, output


def test_only_reliable_tests_are_written_unless_asked(tmp_path: Path) -> None:
    assert "10000000000" not in pytest_source(SUITE)
    everything = pytest_source(SUITE, all_tests=True)
    assert "unreliable" in everything
    assert "Left out, as unreliable or without a literal form: 1." in everything
    ast.parse(everything)


def test_confidence_and_route_stand_behind_each_test() -> None:
    text = pytest_source(SUITE)
    assert "# inductive, confidence 0.90, 9 of 10 votes" in text
    assert "# transductive, confidence 0.90, 9 of 10 votes" in text


def test_a_function_that_changes_its_arguments_is_judged_by_them(tmp_path: Path) -> None:
    suite = TestSuite(TASK, (case(([3, 1],), Value.of(([1, 3],))),))
    assert run_pytest(tmp_path, suite, "def mean(xs):\n    xs.sort()\n")[0] == 0
    assert (
        run_pytest(tmp_path, suite, "def mean(xs):\n    xs.reverse(); xs.append(0)\n")[0] == 1
    )


def test_an_empty_suite_is_still_a_file() -> None:
    ast.parse(pytest_source(TestSuite(TASK, ())))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.sets(st.integers()),
    max_leaves=6,
)


@given(plain, plain)
def test_the_comparison_in_the_file_is_that_of_the_product(a: Any, b: Any) -> None:
    assert agree(a, b) is equal(Value.of(a), Value.of(b))
    assert agree(a, a) is equal(Value.of(a), Value.of(a))


# --- JSON lines


def test_suites_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "suite.jsonl"
    write_suites(path, [SUITE, TestSuite(TASK, ())])
    first, second = read_suites(path)
    assert first.tests[:3] == SUITE.tests[:3]
    assert repr(first.tests) == repr(SUITE.tests)
    assert repr(first.dropped) == repr(SUITE.dropped)
    assert first.task.reference is None
    assert (first.task.id, first.task.examples) == (TASK.id, TASK.examples)
    assert second.tests == ()


def test_suite_lines_are_strict_json() -> None:
    def refuse(word: str) -> None:
        raise AssertionError(word)

    for row in suite_rows(SUITE):
        json.loads(json.dumps(row, allow_nan=False), parse_constant=refuse)


@given(st.lists(plain, max_size=3), plain)
def test_any_plain_test_survives_the_file(args: list[Any], expected: Any) -> None:
    rows = list(suite_rows(TestSuite(TASK, (case(tuple(args), Value.of(expected)),))))
    node = json.loads(json.dumps(rows[1]))
    assert Value.from_wire(json.dumps(node["args"])) == Value.of(tuple(args))
    assert Value.from_wire(json.dumps(node["expected"])) == Value.of(expected)


@pytest.mark.parametrize(
    ("field", "content", "told"),
    [
        ("kind", "test", "before any task"),
        ("schema", "other/1", "schema"),
        ("examples", "x", "examples"),
        ("args", ["o"], "args"),
        ("args", ["l", 1], "args"),
        ("args", ["t", ["F", "f"]], "args"),
        ("expected", {"a": 1}, "expected"),
        ("confidence", "high", "confidence"),
        ("route", "guess", "route"),
        ("origin", "sky", "origin"),
    ],
)
def test_a_fault_in_a_suite_is_named(
    tmp_path: Path, field: str, content: Any, told: str
) -> None:
    rows = [json.loads(json.dumps(row)) for row in suite_rows(SUITE)]
    for row in rows:
        if field in row:
            row[field] = content
            break
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=told) as caught:
        read_suites(path)
    assert "s.jsonl:" in str(caught.value)
    assert caught.value.hint
