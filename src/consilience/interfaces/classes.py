"""A class: driven by sessions, which make objects and call their methods one after another."""

from __future__ import annotations

import ast

from consilience.code import Extraction, Signature, extract
from consilience.code.parsing import parse
from consilience.code.remarks import speaks_of_exceptions, speaks_of_printing
from consilience.interfaces import Kind
from consilience.interfaces.lines import STOPS, imports_for, spelled
from consilience.task import Probe, Target, Task


class Class:
    """A class of a module."""

    kind: Kind = "lines"
    prompts = "_shaped"
    stops = STOPS

    def target(self, task: Task) -> Target:
        """Drive it by lines of Python."""
        return Target(
            task.entry_point,
            task.context + imports_for(task),
            raises=speaks_of_exceptions(task.prompt),
            prints=speaks_of_printing(task.prompt),
            project=task.project,
        )

    def title(self, task: Task) -> str:
        """Name the class."""
        return task.entry_point

    def noun(self, task: Task) -> str:
        """Call it a class."""
        return f"Python class `{task.entry_point}`"

    def present(self, task: Task) -> str:
        """Show the skeleton as code: its docstrings say what each method is to do."""
        text = task.prompt.strip("\n")
        return f"```python\n{text}\n```" if parse(text) else text

    def written(self, task: Task, probe: Probe) -> str:
        """Write the lines."""
        return spelled(task.entry_point, probe)

    def extract(self, task: Task, text: str, *, truncated: bool = False) -> Extraction:
        """Find the class, and what it needs."""
        return extract(text, task.entry_point, task.prompt, truncated=truncated)

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
