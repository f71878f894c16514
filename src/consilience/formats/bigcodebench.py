"""BigCodeBench: tasks that use libraries, tested by unittest classes.

The tests are code and no (input, output) pairs; they are kept as text.
"""

from __future__ import annotations

from consilience.code import examples
from consilience.formats.jsonl import Row
from consilience.task import Reference, Task


def read_task(row: Row) -> Task:
    """Read one task, in its completion form."""
    prompt = row.text("complete_prompt")
    entry_point = row.text("entry_point")
    metadata = {
        name: row.fields[name]
        for name in ("instruct_prompt", "code_prompt", "test", "libs")
        if isinstance(row.fields.get(name), str)
    }
    reference = Reference(prompt + row.text("canonical_solution", ""))
    found = examples(prompt, entry_point)
    return Task(row.text("task_id"), prompt, entry_point, found, reference, metadata)
