"""A function: called with arguments, or by lines of Python where those are no plain data."""

from __future__ import annotations

import ast
from typing import TypeGuard

from consilience.code import Extraction, Signature, extract, signature
from consilience.code.parsing import parse
from consilience.code.remarks import speaks_of_exceptions, speaks_of_files, speaks_of_printing
from consilience.interfaces import Kind
from consilience.interfaces.lines import STOPS, imports_for, spelled
from consilience.task import Probe, Target, Task

SCRATCH_MB = 16
"""Of the writable folder, for tasks that speak of files."""
_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef


class Function:
    """A function of a module."""

    kind: Kind = "calls"
    prompts: str = ""
    stops: tuple[str, ...] = STOPS

    def target(self, task: Task) -> Target:
        """Drive it by its name; exceptions are answers where the task speaks of them."""
        return Target(
            task.entry_point,
            task.context + imports_for(task),
            raises=speaks_of_exceptions(task.prompt),
            prints=speaks_of_printing(task.prompt),
            scratch_mb=SCRATCH_MB if speaks_of_files(task.prompt + task.context) else 0,
            project=task.project,
        )

    def title(self, task: Task) -> str:
        """Name the function."""
        return task.entry_point

    def noun(self, task: Task) -> str:
        """Call it a function."""
        return f"Python function `{task.entry_point}`"

    def present(self, task: Task) -> str:
        """Show the signature as code, and what it asks for as prose.

        Shown as code, a docstring is copied into every program: more than half of the tokens
        that the embedded model wrote on HumanEval went into such copies.
        """
        text = task.prompt.strip("\n")
        tree = parse(text)
        if tree is None:
            return text
        target = next((node for node in tree.body if _defines(node, task.entry_point)), None)
        if target is None:
            prose = ast.get_docstring(tree)
            return prose if prose and len(tree.body) == 1 else f"```python\n{text}\n```"
        prose = ast.get_docstring(target) or ""
        if prose:
            target.body = [ast.Expr(ast.Constant(...)), *target.body[1:]]
        return f"```python\n{ast.unparse(tree)}\n```\n\n{prose}".rstrip()

    def written(self, task: Task, probe: Probe) -> str:
        """Write a call: `f([1, 2], 'a')`."""
        return spelled(task.entry_point, probe)

    def extract(self, task: Task, text: str, *, truncated: bool = False) -> Extraction:
        """Find the function, and what it needs."""
        return extract(text, task.entry_point, task.prompt, truncated=truncated)

    def defines(self, task: Task, code: str) -> bool:
        """Look for the name at the top of the module."""
        tree = parse(code)
        return tree is not None and any(
            getattr(node, "name", "") == task.entry_point for node in tree.body
        )

    def signature(self, task: Task, source: str) -> Signature | None:
        """Read its header."""
        return signature(source, task.entry_point)


def _defines(node: ast.stmt, entry_point: str) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, _DEFINITION) and node.name == entry_point
