"""Suites as JSON lines, and back: strict JSON that gives the same values again.

Each line has a `kind`: "task", then "test" and "dropped" lines of that task. Values stand in
wire form (`values.wire`), which has no NaN and no infinity to trip over; `call` and `output`
say the same for people. What drives a program is `args`, or `steps` of a session, or `stdin`.

Tasks that only call functions with plain data are written as schema 1, others as schema 2; both
are read. The project of a task is not written: folders of one machine mean nothing on another,
and a file from elsewhere must not choose what programs may read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from consilience.errors import InputError
from consilience.formats.jsonl import Row, dump_row, read_rows
from consilience.task import (
    Alternative,
    Example,
    Origin,
    Probe,
    Route,
    Session,
    Shape,
    Stdin,
    Task,
    TestCase,
    TestInput,
    TestSuite,
    Wants,
)
from consilience.values import InvalidWireError, Value, source

SCHEMA = "consilience/suite/1"
SCHEMA_OF_SHAPES = "consilience/suite/2"


def write_suites(path: str | Path, suites: Iterable[TestSuite]) -> None:
    """Write suites to *path*; ground truth that came with a task is not written."""
    lines = [dump_row(row) + "\n" for suite in suites for row in suite_rows(suite)]
    Path(path).write_text("".join(lines), "utf-8")


def suite_rows(suite: TestSuite) -> Iterator[dict[str, Any]]:
    """Give the rows of one suite."""
    task = suite.task
    shaped = _is_shaped(suite)
    yield {
        "kind": "task",
        "schema": SCHEMA_OF_SHAPES if shaped else SCHEMA,
        "task_id": task.id,
        "prompt": task.prompt,
        "entry_point": task.entry_point,
        **({"shape": task.shape, "context": task.context} if shaped else {}),
        "examples": [{**_drive(e.probe), **_stated(e.expected)} for e in task.examples],
        "metadata": dict(task.metadata),
    }
    for test in suite.tests:
        yield _test_row(task, test)
    for dropped, reason in suite.dropped:
        origin = dropped.origin
        yield {
            "kind": "dropped",
            **_drive(dropped.probe),
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


def _is_shaped(suite: TestSuite) -> bool:
    """Tell what the first schema cannot hold: shapes, probes and answers of other kinds."""
    task = suite.task
    probes = [e.probe for e in task.examples]
    probes += [t.input.probe for t in suite.tests] + [d.probe for d, _ in suite.dropped]
    return (
        task.shape != "function"
        or bool(task.context)
        or not all(isinstance(probe, tuple) for probe in probes)
        or any(isinstance(e.expected, Value | Wants) for e in task.examples)
    )


def _drive(probe: Probe) -> dict[str, Any]:
    if isinstance(probe, Session):
        return {"steps": list(probe.steps)}
    return {"stdin": probe.text} if isinstance(probe, Stdin) else {"args": _node(probe)}


def _stated(expected: Any) -> dict[str, Any]:
    if isinstance(expected, Wants):
        return {"wants": list(expected.texts)}
    if isinstance(expected, Value):
        return {"value": json.loads(expected.payload)}
    return {"expected": _node(expected)}


def _written(task: Task, probe: Probe) -> str:
    if isinstance(probe, Session):
        return "\n".join(probe.steps)
    if isinstance(probe, Stdin):
        return probe.text
    owner, _, name = task.entry_point.rpartition(".")
    return f"{owner + '().' if owner else ''}{name}({', '.join(map(source, probe))})"


def _test_row(task: Task, test: TestCase) -> dict[str, Any]:
    return {
        "kind": "test",
        "call": _written(task, test.input.probe),
        "output": test.expected.preview(200),
        **_drive(test.input.probe),
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
    if row.text("schema") not in {SCHEMA, SCHEMA_OF_SHAPES}:
        hint = "Written by another version of Consilience?"
        raise row.fault("schema", f"is not {SCHEMA} or {SCHEMA_OF_SHAPES}", hint)
    examples = tuple(_read_example(row, each) for each in row.items("examples"))
    metadata = {str(key): str(item) for key, item in row.fields.get("metadata", {}).items()}
    shape: Shape = (
        _one_of(row, "shape", get_args(Shape)) if "shape" in row.fields else "function"
    )
    return Task(
        row.text("task_id"),
        row.text("prompt"),
        row.text("entry_point"),
        examples,
        None,
        metadata,
        shape,
        row.text("context", ""),
    )


def _read_example(row: Row, fields: Any) -> Example:
    if not isinstance(fields, Mapping):
        raise row.fault("examples", "has what is no object")
    probe = _probe(row, fields)
    if "wants" in fields:
        wants = Wants(_texts(row, "wants", fields))
        if not isinstance(probe, Session) or len(wants.texts) != len(probe.steps):
            raise row.fault("wants", "is not one text a step")
        return Example(probe, wants)
    if "value" in fields:
        return Example(probe, _value(row, "examples", fields["value"]))
    return Example(probe, _value(row, "examples", fields.get("expected")).python())


def _probe(row: Row, fields: Mapping[str, Any]) -> Probe:
    if "steps" in fields:
        return Session(_texts(row, "steps", fields))
    if "stdin" in fields:
        if not isinstance(fields["stdin"], str):
            raise row.fault("stdin", "is not text")
        return Stdin(fields["stdin"])
    return _args(row, fields.get("args"))


def _texts(row: Row, name: str, fields: Mapping[str, Any]) -> tuple[str, ...]:
    found = fields[name]
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise row.fault(name, "is not a list of texts")
    return tuple(found)


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
    return TestInput(_probe(row, row.fields), origin)


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
