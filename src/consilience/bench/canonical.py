"""Canonical solutions on their own datasets: do they run, and give what the datasets state?

A harness that fails a reference solution would fail right programs too. Every input of every
task is run; each output must be accepted as equal to itself under the dataset's own rule, and
equal to what the dataset's tests and examples state for that input.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consilience.bench.machine import machine
from consilience.code import assertions
from consilience.formats import accepts
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.task import Reference, Task
from consilience.values import Value, identity

LIMITS = Limits(cpu_seconds=20.0, wall_seconds=120.0, memory_mb=1024, total_seconds=600.0)

Fault = dict[str, str]


def run(datasets: Mapping[str, Sequence[Task]], sandbox: Sandbox) -> dict[str, Any]:
    """Check every task of every dataset (name to tasks) and return the record."""
    return {
        "schema": "consilience.bench.canonical/1",
        "machine": machine(),
        "isolation": sandbox.level,
        "datasets": {name: _dataset(tasks, sandbox) for name, tasks in datasets.items()},
    }


def _dataset(tasks: Sequence[Task], sandbox: Sandbox) -> dict[str, Any]:
    statuses: Counter[str] = Counter()
    faults: list[Fault] = []
    stated = 0
    for task in tasks:
        if task.reference is None:
            continue
        reference = task.reference
        [outcomes] = sandbox.run(
            [reference.solution], task.entry_point, reference.inputs, LIMITS
        )
        statuses.update(outcome.status for outcome in outcomes)
        expected = _stated(task)
        stated += sum(identity.key(args) in expected for args in reference.inputs)
        faults += _faults(task, reference, outcomes, expected)
    return {
        "tasks": len(tasks),
        "calls": sum(statuses.values()),
        "statuses": dict(sorted(statuses.items())),
        "calls_with_a_stated_output": stated,
        "tasks_with_faults": len({fault["task"] for fault in faults}),
        "faults": faults,
    }


def _stated(task: Task) -> dict[str, Any]:
    """Collect the outputs that the tests and the prompt's examples state, by input."""
    text = task.metadata.get("test", task.metadata.get("assertion", ""))
    found = [*task.examples, *assertions(text, task.entry_point)]
    return {identity.key(each.args): each.expected for each in found}


def _faults(
    task: Task, reference: Reference, outcomes: Sequence[Outcome], expected: dict[str, Any]
) -> Iterator[Fault]:
    for args, outcome in zip(reference.inputs, outcomes, strict=True):
        call = repr(args)[:120]
        if outcome.value is None or not outcome.ok:
            why = f"{outcome.status} {outcome.error or ''} {outcome.message}".strip()
            yield {"task": task.id, "args": call, "fault": why[:200]}
            continue
        if not accepts(reference, args, outcome.value, outcome.value):
            yield {"task": task.id, "args": call, "fault": "its output does not equal itself"}
        key = identity.key(args)
        if key in expected and not accepts(
            reference, args, outcome.value, Value.of(expected[key])
        ):
            shown = f"gives {outcome.value.preview(60)}, stated is {expected[key]!r}"
            yield {"task": task.id, "args": call, "fault": shown[:200]}
