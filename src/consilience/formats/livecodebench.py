"""LiveCodeBench: programs for standard input, and methods of `class Solution`.

Its own rows (question_content, public_test_cases) and rows with prompt and starter_code. Its
private test cases are pickled, so they are never decoded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from consilience.code.leetcode import signature_of, stated_call
from consilience.code.printed_samples import printed_answer
from consilience.formats.jsonl import Row
from consilience.formats.shaped import method_in, method_task, script_task, texts
from consilience.task import Example, Stdin, Task

_METADATA = ("title", "question_title", "platform", "difficulty", "contest_date", "test")


def read_task(row: Row) -> Task:
    """Read one row: a method where it has a starter code, a script where it has none."""
    own = "question_content" in row.fields
    prompt = row.text("question_content" if own else "prompt")
    task_id = row.text("question_id" if own else "task_id")
    starter = row.text("starter_code", "")
    metadata = texts(row.fields, *_METADATA)
    if not starter.strip():
        task = script_task(task_id, prompt, metadata)
    else:
        if method_in(starter) is None:
            raise row.fault("starter_code", "names no method of a class")
        task = method_task(task_id, prompt, starter, metadata)
    return _with_public_tests(row, task)


def _with_public_tests(row: Row, task: Task) -> Task:
    cases = _cases(row)
    found = (_example(row, task, case) for case in cases)
    given = tuple(example for example in found if example)
    return replace(task, examples=given or task.examples)


def _cases(row: Row) -> list[Mapping[str, Any]]:
    found = row.fields.get("public_test_cases", [])
    if isinstance(found, str):
        try:
            found = json.loads(found or "[]")
        except (ValueError, RecursionError):
            raise row.fault("public_test_cases", "is not JSON") from None
    if not isinstance(found, list) or not all(isinstance(case, Mapping) for case in found):
        raise row.fault("public_test_cases", "is not a list of objects")
    for case in found:
        if not isinstance(case.get("input"), str) or not isinstance(case.get("output"), str):
            raise row.fault("public_test_cases", 'has a case without "input" or "output"')
    return found


def _example(row: Row, task: Task, case: Mapping[str, Any]) -> Example | None:
    if task.shape == "script":
        return Example(Stdin(case["input"]), printed_answer(task.prompt, case["output"]))
    its = signature_of(task.prompt, task.entry_point)
    try:
        args = tuple(json.loads(line) for line in case["input"].split("\n") if line.strip())
        result = json.loads(case["output"])
    except (ValueError, RecursionError):
        raise row.fault("public_test_cases", "has a case that is not JSON") from None
    return stated_call(args, result, its, task.entry_point) if its.accepts(len(args)) else None
