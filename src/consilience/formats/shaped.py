"""Make tasks of the other shapes: a script, a method with its starter code, a class."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, cast, get_args

from consilience.code.given_examples import examples_of
from consilience.code.leetcode_names import LEETCODE_NAMES
from consilience.code.search import read
from consilience.errors import InputError
from consilience.task import Shape, Task

_METHOD = re.compile(
    r"^class[ \t]+(\w+)\b(?:(?!^class\b).)*?^[ \t]+(?:async[ \t]+)?def[ \t]+([A-Za-z]\w*)",
    re.MULTILINE | re.DOTALL,
)
_WORDS = {"stdin": "script", "standard input": "script", "program": "script"}


def names_target(text: str) -> bool:
    """Tell whether *text* is a name, or a class and its method: it is written into code."""
    parts = text.split(".")
    return len(parts) <= 2 and all(part.isidentifier() for part in parts)


def shape_named(word: str) -> Shape:
    """Read what a person calls a shape; "stdin" is a script.

    Raises:
        InputError: there is no such shape.
    """
    shape = _WORDS.get(word.strip().lower(), word.strip().lower())
    if shape not in get_args(Shape):
        hint = f"One of: {', '.join(get_args(Shape))}, stdin."
        message = f'No shape is called "{word}".'
        raise InputError(message, hint=hint)
    return cast("Shape", shape)


def shape_of(prompt: str, entry_point: str) -> Shape:
    """Guess the shape of a program from what it is called and what stands in the prompt."""
    if "." in entry_point:
        return "method"
    if not entry_point:
        return "script"
    is_class = re.search(rf"^class[ \t]+{re.escape(entry_point)}\b", prompt, re.MULTILINE)
    return "class" if is_class else "function"


def task_of(
    task_id: str,
    prompt: str,
    entry_point: str,
    shape: Shape,
    metadata: Mapping[str, str] | None = None,
) -> Task:
    """Make a task of any shape of a prompt of one's own; a file that says more says it apart.

    Raises:
        InputError: a class or a method is asked for, and the prompt has none of that name.
    """
    if shape == "script":
        return script_task(task_id, prompt, metadata)
    if shape == "class":
        return class_task(task_id, prompt, entry_point or _only_class(prompt), metadata)
    if shape == "method":
        name = entry_point if "." in entry_point else ""
        return method_task(task_id, "", prompt, metadata, entry_point=name)
    found = examples_of(prompt, entry_point, shape)
    return Task(task_id, prompt, entry_point, found, metadata=metadata or {})


def _only_class(prompt: str) -> str:
    names: list[str] = sorted(set(re.findall(r"^class[ \t]+(\w+)", prompt, re.MULTILINE)))
    if len(names) != 1:
        hint = "Name the class with --entry-point."
        found = f"It has: {', '.join(names)}." if names else ""
        raise InputError("Which class is to be written?", hint=f"{hint} {found}".strip())
    return names[0]


def script_task(task_id: str, prompt: str, metadata: Mapping[str, str] | None = None) -> Task:
    """Make the task of a program that reads standard input and prints."""
    found = examples_of(prompt, "", "script")
    return Task(task_id, prompt, "", found, metadata=metadata or {}, shape="script")


def method_task(
    task_id: str,
    text: str,
    starter: str,
    metadata: Mapping[str, str] | None = None,
    *,
    entry_point: str = "",
) -> Task:
    """Make the task of a method of a fresh object; its starter code becomes part of the prompt.

    Raises:
        InputError: the starter code names no method.
    """
    entry_point = entry_point or method_in(starter) or ""
    if not entry_point:
        raise InputError(
            "No method in the starter code.", hint="It reads: class Solution: def f(self, ...)."
        )
    prompt = f"{text.rstrip()}\n\n```python\n{starter.rstrip()}\n```\n" if text else starter
    found = examples_of(prompt, entry_point, "method")
    return Task(
        task_id,
        prompt,
        entry_point,
        found,
        metadata=metadata or {},
        shape="method",
        context=LEETCODE_NAMES,
    )


def class_task(
    task_id: str, prompt: str, name: str, metadata: Mapping[str, str] | None = None
) -> Task:
    """Make the task of a class; the imports of its skeleton hold for every candidate.

    Raises:
        InputError: the prompt has no such class, or one without methods.
    """
    methods = methods_of(prompt, name)
    if methods is None:
        message = f"No class {name} can be read in the prompt."
        raise InputError(message, hint="A skeleton: the class, its methods with docstrings.")
    if not methods:
        message = f"Class {name} has no methods."
        raise InputError(message, hint="Each method needs a def line and a docstring.")
    found = examples_of(prompt, name, "class")
    return Task(
        task_id,
        prompt,
        name,
        found,
        metadata=metadata or {},
        shape="class",
        context=_imports(prompt),
    )


def method_in(starter: str) -> str | None:
    """Find the first public method of a starter code, as `Solution.f`."""
    match = _METHOD.search(starter)
    return f"{match[1]}.{match[2]}" if match else None


def methods_of(prompt: str, name: str) -> tuple[str, ...] | None:
    """List the methods of class *name*; None where there is no such class."""
    for statement in read(prompt).statements:
        node = statement.node
        if isinstance(node, ast.ClassDef) and node.name == name:
            return tuple(each.name for each in node.body if isinstance(each, _FUNCTION))
    header = re.search(rf"^class[ \t]+{re.escape(name)}\b.*\n?", prompt, re.MULTILINE)
    if header is None:
        return None
    # A skeleton with bodies missing does not parse, but its lines can still be read.
    body = re.split(r"^(?=\S)", prompt[header.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    return tuple(re.findall(r"^[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)", body, re.MULTILINE))


_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def _imports(prompt: str) -> str:
    kinds = ast.Import | ast.ImportFrom
    found = [s.source for s in read(prompt).statements if isinstance(s.node, kinds)]
    return "".join(text.strip() + "\n" for text in found)


def texts(fields: Mapping[str, Any], *names: str) -> dict[str, str]:
    """Keep those of the named fields that are text and not empty."""
    found = {name: fields.get(name) for name in names}
    return {name: each for name, each in found.items() if isinstance(each, str) and each}
