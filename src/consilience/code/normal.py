"""Bring a program into a normal form, so that equal programs are executed and embedded once."""

from __future__ import annotations

import ast

from consilience.code.parsing import parse


def normalise(source: str) -> str:
    """Write *source* without comments, docstrings and layout; text that does not parse stays.

    Programs with one normal form behave alike. Docstrings stay where the program may read them.
    """
    tree = parse(source)
    if tree is None:
        return source
    if "__doc__" not in source:
        _drop_docstrings(tree)
    try:
        return ast.unparse(tree) + "\n"
    except (ValueError, RecursionError):  # an integer of 4,300 digits, an endless expression
        return source


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
        ):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])
