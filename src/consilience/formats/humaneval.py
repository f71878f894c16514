"""HumanEval, and any JSON lines with its fields: task_id, prompt, entry_point.

`canonical_solution` and `test` are read where they are there; neither is needed.
"""

from __future__ import annotations

from consilience.code import assertions, examples
from consilience.formats.jsonl import Row
from consilience.task import Reference, Task


def read_task(row: Row) -> Task:
    """Read one task; the inputs of its reference are those that its assertions state."""
    prompt = row.text("prompt")
    entry_point = row.text("entry_point")
    test = row.text("test", "")
    reference = None
    if "canonical_solution" in row.fields:
        stated = assertions(test, entry_point)
        reference = Reference(
            solution=prompt + row.text("canonical_solution"),
            inputs=tuple(example.args for example in stated),
            base_count=len(stated),
            checker="polynomial_root" if entry_point == "find_zero" else "equal",
            tolerance=1e-4 if entry_point == "find_zero" else 0.0,
        )
    metadata = {"test": test} if test else {}
    found = examples(prompt, entry_point)
    return Task(row.text("task_id"), prompt, entry_point, found, reference, metadata)
