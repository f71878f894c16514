"""MBPP as Google published it: a sentence, a solution, three assertions."""

from __future__ import annotations

import ast

from consilience.code import assertions
from consilience.code.parsing import parse
from consilience.formats.jsonl import Row
from consilience.task import Reference, Task


def read_task(row: Row) -> Task:
    """Read one task; as is the custom, the prompt shows the first assertion."""
    code = row.text("code")
    tests = row.items("test_list")
    if not tests or not all(isinstance(test, str) for test in tests):
        raise row.fault("test_list", "is not a list of assertions")
    entry_point = _called(code, tests[0])
    if entry_point is None:
        raise row.fault("test_list", 'calls no function that "code" defines')
    text = row.text("prompt", row.text("text", ""))
    prompt = f'"""\n{text}\n{tests[0]}\n"""\n'
    stated = assertions("\n".join(tests), entry_point)
    reference = Reference(
        solution=code, inputs=tuple(example.args for example in stated), base_count=len(stated)
    )
    task_id = str(row.fields.get("task_id", row.line))
    task_id = task_id if "/" in task_id else f"Mbpp/{task_id}"
    return Task(task_id, prompt, entry_point, stated[:1], reference, {"test": "\n".join(tests)})


def _called(code: str, test: str) -> str | None:
    """Find the function of *code* that *test* calls, the outermost call last."""
    tree, calls = parse(code), parse(test.strip())
    if tree is None or calls is None:
        return None
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    names = [node.id for node in ast.walk(calls) if isinstance(node, ast.Name)]
    return next((name for name in names if name in defined), None)
