"""Reference pass@1 by our own sandbox: which samples give what the reference gives.

On HumanEval's base inputs, and on these with at most so many of HumanEval+'s further ones as
`ranking_tasks.capped` takes. A sample that is not right on the base inputs is not run on the
others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.bench.ranking_tasks import INPUT_CAP, label
from consilience.errors import InputError
from consilience.formats import accepts
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.task import Reference, Task, TestCase

GRADES = "consilience.bench.fase.grades/1"
FAILS, BASE, PLUS, UNKNOWN = "f", "b", "p", "?"
"""Grades: wrong on a base input; right on these alone; right on all; not run, or a fault."""


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
    task: Task, rows: Sequence[Mapping[str, Any]], sandbox: Sandbox, most: int | None = None
) -> dict[str, Any]:
    """Grade the rows of one task: what the grades' record keeps of them.

    Of each model only the first *most* samples are run; the others' grade is unknown.
    """
    seen: Counter[str] = Counter()
    run = []
    for place, row in enumerate(rows):
        model = str(row.get("model", ""))
        seen[model] += 1
        if most is None or seen[model] <= most:
            run.append(place)
    graded = grade(task, [rows[place]["solution"] for place in run], sandbox)
    letters = dict(zip(run, graded.grades, strict=True))
    return {
        "grades": "".join(letters.get(place, UNKNOWN) for place in range(len(rows))),
        "base_inputs": graded.base_inputs,
        "inputs": graded.inputs,
    }


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
