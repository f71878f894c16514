"""A class: driven by sessions, which make objects and call their methods one after another."""

from __future__ import annotations

import ast

from consilience.code import Signature
from consilience.code.parsing import parse
from consilience.interfaces import Kind
from consilience.interfaces.function import Function
from consilience.task import Task


class Class(Function):
    """A class of a module: named, driven and taken out of replies as a function is."""

    kind: Kind = "lines"
    prompts = "_shaped"

    def noun(self, task: Task) -> str:
        """Call it a class."""
        return f"Python class `{task.entry_point}`"

    def present(self, task: Task) -> str:
        """Show the skeleton as code: its docstrings say what each method is to do."""
        text = task.prompt.strip("\n")
        return f"```python\n{text}\n```" if parse(text) else text

    def defines(self, task: Task, code: str) -> bool:
        """Look for the class at the top of the module."""
        return class_in(code, task.entry_point) is not None

    def signature(self, task: Task, source: str) -> Signature | None:
        """Return nothing: a class is not called with arguments alone."""
        return None


def class_in(code: str, name: str) -> ast.ClassDef | None:
    """Find the class *name* at the top of *code*."""
    tree = parse(code)
    found = tree.body if tree else []
    return next((n for n in found if isinstance(n, ast.ClassDef) and n.name == name), None)
