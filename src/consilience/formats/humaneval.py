"""HumanEval, and any JSON lines with its fields: task_id, prompt, entry_point.

`canonical_solution` and `test` are read where they are there; neither is needed. Tasks of one's
own may be of any shape: `shape` says which; or `entry_point` does (`Solution.f`, a class of the
prompt); or samples to read and print stand in the prompt, and no `entry_point` is given.
"""

from __future__ import annotations

from dataclasses import replace

from consilience.code import assertions
from consilience.code.printed_samples import printed_samples
from consilience.errors import InputError
from consilience.formats.jsonl import Row
from consilience.formats.shaped import shape_named, shape_of, task_of
from consilience.task import Reference, Shape, Task


def read_task(row: Row) -> Task:
    """Read one task; the inputs of its reference are those that its assertions state."""
    prompt = row.text("prompt")
    shape = _shape(row, prompt)
    entry_point = row.text("entry_point", None if shape == "function" else "")
    test = row.text("test", "")
    metadata = {"test": test} if test else {}
    try:
        task = task_of(row.text("task_id"), prompt, entry_point, shape, metadata)
    except InputError as error:
        message = f'{row.place}: "prompt": {error}'
        raise InputError(message, hint=error.hint) from None
    return replace(task, reference=_reference(row, task))


def _shape(row: Row, prompt: str) -> Shape:
    if "shape" in row.fields:
        try:
            return shape_named(row.text("shape"))
        except InputError as error:
            raise row.fault("shape", "is no shape of a program", error.hint) from None
    entry_point = row.text("entry_point", "")
    if not entry_point and not printed_samples(prompt):
        return "function"
    return shape_of(prompt, entry_point)


def _reference(row: Row, task: Task) -> Reference | None:
    if "canonical_solution" not in row.fields:
        return None
    solution = row.text("canonical_solution")
    if task.shape != "function":
        return Reference(solution)
    stated = assertions(task.metadata.get("test", ""), task.entry_point)
    roots = task.entry_point == "find_zero"
    return Reference(
        solution=task.prompt + solution,
        inputs=tuple(example.args for example in stated),
        base_count=len(stated),
        checker="polynomial_root" if roots else "equal",
        tolerance=1e-4 if roots else 0.0,
    )
