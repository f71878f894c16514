"""Reference pass@1 by our own sandbox: which samples give what the reference gives.

On HumanEval's base inputs, and on these with at most so many of HumanEval+'s further ones as
`ranking_tasks.capped` takes. A sample that is not right on the base inputs is not run on the
others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.bench.ranking_tasks import INPUT_CAP, label
from consilience.errors import InputError
from consilience.formats import accepts
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.task import Reference, Task, TestCase

GRADES = "consilience.bench.fase.grades/1"
FAILS, BASE, PLUS, UNKNOWN = "f", "b", "p", "?"
"""Grades: wrong on a base input; right on these alone; right on all; a fault of the sandbox."""


@dataclass(frozen=True, slots=True)
class Graded:
    """The grades of one task's samples."""

    grades: str
    """A letter a sample."""
    base_inputs: int
    inputs: int
    """All inputs that the grades rest on, base ones included."""


def grade(
    task: Task, samples: Sequence[str], sandbox: Sandbox, *, cap: int = INPUT_CAP
) -> Graded:
    """Grade each sample; equal texts are run once.

    Raises:
        InputError: the task has no reference, or its solution gives no output.
    """
    reference = task.reference
    if reference is None:
        message = f"Task {task.id} has no reference to grade samples against."
        raise InputError(message, hint="Use a dataset with solutions, such as HumanEval+.")
    suite, limits = label(task, reference, sandbox, cap)
    known = {id(args) for args in reference.inputs[: reference.base_count]}
    base = [test for test in suite.tests if id(test.input.args) in known]
    rest = [test for test in suite.tests if id(test.input.args) not in known]
    runner = _Runner(task, reference, sandbox, limits)
    found = dict.fromkeys(samples, FAILS)
    found |= dict.fromkeys(runner.right(list(found), base, found), BASE)
    passed = [text for text, letter in found.items() if letter == BASE]
    found |= dict.fromkeys(runner.right(passed, rest, found), PLUS)
    return Graded("".join(found[text] for text in samples), len(base), len(suite.tests))


def grade_rows(
    tasks: Mapping[str, Task],
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    sandbox: Sandbox,
    done: Callable[[str], None] = lambda task_id: None,
) -> dict[str, dict[str, Any]]:
    """Grade the rows of a file of samples by task id: what the grades' record keeps of it."""
    found = {}
    for task_id, samples in rows.items():
        graded = grade(tasks[task_id], [row["solution"] for row in samples], sandbox)
        found[task_id] = {
            "grades": graded.grades,
            "base_inputs": graded.base_inputs,
            "inputs": graded.inputs,
        }
        done(task_id)
    return found


@dataclass(frozen=True, slots=True)
class _Runner:
    """Runs programs of one task on tests, and compares by the dataset's own rule."""

    task: Task
    reference: Reference
    sandbox: Sandbox
    limits: Limits

    def right(
        self, programs: Sequence[str], tests: Sequence[TestCase], grades: dict[str, str]
    ) -> list[str]:
        """Return the programs right on all *tests*; mark in *grades* those it cannot tell."""
        if not programs or not tests:
            return list(programs)
        inputs = [test.input.args for test in tests]
        rows = self.sandbox.run(programs, self.task.entry_point, inputs, self.limits)
        lost = [any(one.status == "infrastructure" for one in row) for row in rows]
        grades |= {text: UNKNOWN for text, fault in zip(programs, lost, strict=True) if fault}
        return [
            text
            for text, row, fault in zip(programs, rows, lost, strict=True)
            if not fault and self._all_right(tests, row)
        ]

    def _all_right(self, tests: Sequence[TestCase], row: Sequence[Outcome]) -> bool:
        return all(
            outcome.value is not None
            and accepts(self.reference, test.input.args, outcome.value, test.expected)
            for test, outcome in zip(tests, row, strict=True)
        )
