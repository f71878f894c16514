"""Top-level statements of program text: what each defines, changes and needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from consilience.code.parsing import global_names

_SETTINGS = frozenset({
    "setrecursionlimit", "set_int_max_str_digits", "seed", "stack_size", "set_printoptions",
    "setcontext", "setlocale", "seterr",
})  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """One top-level statement, with its own lines of source."""

    node: ast.stmt
    source: str

    @cached_property
    def defines(self) -> frozenset[str]:
        """Names that it gives a value; `"*"` for any."""
        return frozenset(_defined(self.node))

    @cached_property
    def changes(self) -> frozenset[str]:
        """Names whose value it may change."""
        return frozenset(_changed(self.node))

    @cached_property
    def needs(self) -> frozenset[str]:
        """Names that it, or a function in it, reads from the module."""
        return global_names(self.source)

    @property
    def is_setting(self) -> bool:
        """Tell whether it sets up the interpreter, which calls later rely on."""
        node = self.node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            return isinstance(function, ast.Attribute) and function.attr in _SETTINGS
        return isinstance(node, ast.ImportFrom) and node.module == "__future__"

    @property
    def first_line(self) -> str:
        """Its first line, to name it to a person."""
        return self.source.strip().partition("\n")[0]


def divide(text: str, tree: ast.Module) -> list[Statement]:
    """Divide parsed text into its top-level statements."""
    lines = text.split("\n")
    spans = [(_first_line(node), node.end_lineno or node.lineno) for node in tree.body]
    statements = []
    for i, (node, (first, last)) in enumerate(zip(tree.body, spans, strict=True)):
        shares = (i and spans[i - 1][1] == first) or (
            i + 1 < len(spans) and spans[i + 1][0] == last
        )
        source = ast.unparse(node) if shares else "\n".join(lines[first - 1 : last])
        statements.append(Statement(node, source))
    return statements


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


# --- names


def _defined(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif not isinstance(node, ast.Lambda | ast.comprehension):
        for child in ast.iter_child_nodes(node):
            yield from _defined(child)


def _changed(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        yield from _root(node)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        # A method call on its own, table.append(1), may change what the name holds.
        yield from _root(node.value.func) if isinstance(node.value.func, ast.Attribute) else ()
    for child in ast.iter_child_nodes(node):
        yield from _changed(child)


def _root(node: ast.expr) -> Iterator[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    if isinstance(node, ast.Name):
        yield node.id
