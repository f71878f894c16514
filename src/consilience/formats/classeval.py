"""ClassEval: a whole class from a skeleton, scored by a module of unittest classes.

Its own rows (skeleton, solution_code) and rows with class_name, prompt and reference.
"""

from __future__ import annotations

from dataclasses import replace

from consilience.errors import InputError
from consilience.formats.jsonl import Row
from consilience.formats.shaped import class_task, texts
from consilience.task import Reference, Task


def read_task(row: Row) -> Task:
    """Read one row; the tests and the reference are for scoring only."""
    field = "skeleton" if "skeleton" in row.fields else "prompt"
    prompt, name = row.text(field), row.text("class_name")
    if not name.isidentifier():
        raise row.fault("class_name", "is not the name of a class")
    metadata = texts(row.fields, "test", "class_description", "title")
    classes = [each for each in row.items("test_classes") if isinstance(each, str)]
    if classes:
        metadata["test_classes"] = ",".join(classes)
    try:
        task = class_task(row.text("task_id"), prompt, name, metadata)
    except InputError as error:
        message = f'{row.place}: "{field}": {error}'
        raise InputError(message, hint=error.hint) from None
    solution = row.text("solution_code" if "solution_code" in row.fields else "reference", "")
    reference = Reference(_with_imports(row, solution)) if solution else None
    return replace(task, reference=reference)


def _with_imports(row: Row, solution: str) -> str:
    """Put the imports, which ClassEval's own rows list apart, before the class."""
    imports = [each for each in row.items("import_statement") if isinstance(each, str)]
    missing = [each for each in imports if each not in solution]
    return "".join(f"{each}\n" for each in missing) + solution
