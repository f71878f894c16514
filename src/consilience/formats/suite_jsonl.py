"""Suites as JSON lines, and back: strict JSON that gives the same values again.

Each line has a `kind`: "task", then "test" and "dropped" lines of that task. Values stand in
wire form (`values.wire`), which has no NaN and no infinity to trip over; `call` and `output`
say the same for people.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from consilience.errors import InputError
from consilience.formats.jsonl import Row, dump_row, read_rows
from consilience.task import (
    Alternative,
    Example,
    Origin,
    Route,
    Task,
    TestCase,
    TestInput,
    TestSuite,
)
from consilience.values import InvalidWireError, Value, source

SCHEMA = "consilience/suite/1"


def write_suites(path: str | Path, suites: Iterable[TestSuite]) -> None:
    """Write suites to *path*; ground truth that came with a task is not written."""
    lines = [dump_row(row) + "\n" for suite in suites for row in suite_rows(suite)]
    Path(path).write_text("".join(lines), "utf-8")


def suite_rows(suite: TestSuite) -> Iterator[dict[str, Any]]:
    """Give the rows of one suite."""
    task = suite.task
    yield {
        "kind": "task",
        "schema": SCHEMA,
        "task_id": task.id,
        "prompt": task.prompt,
        "entry_point": task.entry_point,
        "examples": [
            {"args": _node(e.args), "expected": _node(e.expected)} for e in task.examples
        ],
        "metadata": dict(task.metadata),
    }
    for test in suite.tests:
        yield _test_row(task, test)
    for dropped, reason in suite.dropped:
        origin = dropped.origin
        yield {
            "kind": "dropped",
            "args": _node(dropped.args),
            "origin": origin,
            "reason": reason,
        }


def read_suites(path: str | Path) -> list[TestSuite]:
    """Read suites as `write_suites` wrote them."""
    return suites_of(read_rows(Path(path)), Path(path).name)


def suites_of(rows: Iterable[Row], name: str) -> list[TestSuite]:
    """Make suites of rows, wherever they came from; *name* is what errors call their source."""
    suites: list[TestSuite] = []
    task: Task | None = None
    tests: list[TestCase] = []
    dropped: list[tuple[TestInput, str]] = []
    for row in rows:
        kind = row.text("kind")
        if kind == "task":
            if task is not None:
                suites.append(TestSuite(task, tuple(tests), tuple(dropped)))
            task, tests, dropped = _read_task(row), [], []
        elif task is None:
            raise row.fault("kind", "comes before any task")
        elif kind == "test":
            tests.append(_read_test(row))
        else:
            dropped.append((_read_input(row), row.text("reason")))
    if task is None:
        message = f"{name}: no suite in it."
        raise InputError(message, hint="Is it empty?")
    return [*suites, TestSuite(task, tuple(tests), tuple(dropped))]


def _test_row(task: Task, test: TestCase) -> dict[str, Any]:
    return {
        "kind": "test",
        "call": f"{task.entry_point}({', '.join(map(source, test.input.args))})",
        "output": test.expected.preview(200),
        "args": _node(test.input.args),
        "origin": test.input.origin,
        "expected": json.loads(test.expected.payload),
        "route": test.route,
        "confidence": test.confidence,
        "votes": test.votes,
        "total": test.total,
        "alternatives": [
            {"value": json.loads(other.value.payload), "count": other.count}
            for other in test.alternatives
        ],
        "reliable": test.reliable,
        "inductive_confidence": test.inductive_confidence,
    }


def _node(thing: Any) -> Any:
    return json.loads(Value.of(thing).payload)


# --- reading


def _read_task(row: Row) -> Task:
    if row.text("schema") != SCHEMA:
        raise row.fault(
            "schema", f"is not {SCHEMA}", "Written by another version of Consilience?"
        )
    examples = tuple(
        Example(_args(row, e.get("args")), _value(row, "examples", e.get("expected")).python())
        for e in row.items("examples")
    )
    metadata = {str(key): str(item) for key, item in row.fields.get("metadata", {}).items()}
    return Task(
        row.text("task_id"),
        row.text("prompt"),
        row.text("entry_point"),
        examples,
        None,
        metadata,
    )


def _read_test(row: Row) -> TestCase:
    route: Route = _one_of(row, "route", get_args(Route))
    return TestCase(
        input=_read_input(row),
        expected=_value(row, "expected", row.fields.get("expected")),
        route=route,
        confidence=_number(row, "confidence"),
        votes=int(_number(row, "votes")),
        total=int(_number(row, "total")),
        alternatives=tuple(
            Alternative(
                _value(row, "alternatives", other.get("value")), int(other.get("count", 0))
            )
            for other in row.items("alternatives")
        ),
        reliable=row.fields.get("reliable") is True,
        inductive_confidence=row.fields.get("inductive_confidence"),
    )


def _read_input(row: Row) -> TestInput:
    origin: Origin = _one_of(row, "origin", get_args(Origin))
    return TestInput(_args(row, row.fields.get("args")), origin)


def _args(row: Row, node: Any) -> tuple[Any, ...]:
    value = _value(row, "args", node)
    try:
        args = value.python()
    except ValueError as error:
        raise row.fault("args", f"is {error}") from None
    if not isinstance(args, tuple):
        raise row.fault("args", "is not a tuple of arguments")
    return args


def _value(row: Row, name: str, node: Any) -> Value:
    try:
        return Value.from_wire(json.dumps(node))
    except InvalidWireError as error:
        raise row.fault(name, f"is {error}") from None


def _number(row: Row, name: str) -> float:
    found = row.fields.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise row.fault(name, "is not a number")
    return found


def _one_of(row: Row, name: str, allowed: tuple[Any, ...]) -> Any:
    found = row.fields.get(name)
    if found not in allowed:
        raise row.fault(name, "is unknown", f"One of: {', '.join(allowed)}.")
    return found
