"""What the lines of a session may be made of: decided by syntax, with a reason."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field

from consilience.inputs.steps import MAX_STEPS, MAX_TEXT

IMPORTS = frozenset({
    "asyncio", "bisect", "collections", "copy", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "heapq", "io", "itertools", "json", "math", "numpy", "operator",
    "pandas", "pathlib", "random", "re", "statistics", "string", "typing",
})  # fmt: skip
"""Modules that a probe may import."""

_REFUSED = frozenset({
    "breakpoint", "compile", "delattr", "eval", "exec", "exit", "getattr", "globals", "help",
    "input", "locals", "memoryview", "open", "quit", "setattr", "vars", "__import__",
})  # fmt: skip
_BUILTIN = frozenset(name for name in dir(builtins) if not name.startswith("_")) - _REFUSED
_NODES = (
    ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Delete,
    ast.With, ast.For, ast.FunctionDef, ast.AsyncFunctionDef,
)  # fmt: skip
"""Statements that a step may be."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a session may be made of."""

    targets: frozenset[str]
    known: frozenset[str]
    allowed: frozenset[str] = field(default=_BUILTIN)

    def problem(self, steps: list[str]) -> str:
        """Return why *steps* are refused; empty where they are not."""
        if not 0 < len(steps) <= MAX_STEPS:
            return f"more than {MAX_STEPS} steps"
        if sum(map(len, steps)) > MAX_TEXT:
            return f"more than {MAX_TEXT} characters"
        made = {*self.allowed, *self.targets, *self.known}
        nodes = [node for step in steps for node in ast.parse(step).body]
        for node in nodes:
            reason = forbidden(node) or _unknown(node, made)
            if reason:
                return reason
            made |= _makes(node)
        used = {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}
        roots = {name.split(".")[0] for name in self.targets}
        return "" if used & roots else "calls none of the targets"


def forbidden(node: ast.stmt | None) -> str:
    """Return what in a statement no probe may have; empty where there is nothing."""
    if node is None or not isinstance(node, _NODES):
        return f"{type(node).__name__} is no step"
    for each in ast.walk(node):
        if isinstance(each, ast.Import | ast.ImportFrom):
            module = getattr(each, "module", None) or each.names[0].name
            if {module, *_imported(each)} - _allowed_modules(module, each):
                return f"imports {module}"
        name = getattr(each, "attr", getattr(each, "id", getattr(each, "arg", None)))
        if isinstance(name, str) and name.startswith("__"):
            return f"uses {name}"
        if isinstance(each, ast.Name) and each.id in _REFUSED:
            return f"uses {each.id}"
    return ""


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()


def _allowed_modules(module: str, node: ast.Import | ast.ImportFrom) -> set[str]:
    every = {module, *_imported(node)}
    return {name for name in every if name.split(".")[0] in IMPORTS}


def _unknown(node: ast.stmt, made: set[str]) -> str:
    inner = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)} | _makes(node)
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            bound = inner if _binds_within(node) else _comprehended(node)
            if each.id not in made | bound:
                return f"{each.id} is not known"
    return ""


def _binds_within(node: ast.stmt) -> bool:
    """Tell whether the statement uses what it makes itself: a loop, a function."""
    return isinstance(node, ast.With | ast.For | ast.FunctionDef | ast.AsyncFunctionDef)


def _comprehended(node: ast.stmt) -> set[str]:
    arguments = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return arguments | {
        name.id
        for each in ast.walk(node)
        if isinstance(each, ast.comprehension)
        for name in ast.walk(each.target)
        if isinstance(name, ast.Name)
    }


def _makes(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {
            node.name,
            *(
                n.id
                for n in ast.walk(node)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            ),
        }
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
