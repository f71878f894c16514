"""A task in a Python file of one's own: the target, and the context around it.

What is asked for is the one function or class with a docstring and no body, or the one that is
named. All the rest of the file, but for what runs it as a program, stands around every
candidate: imports, constants, helpers, types, neighbours.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from consilience.code.assembly import is_main_guard, is_stub, join
from consilience.code.given_examples import examples_of
from consilience.code.parsing import attempt
from consilience.code.search import read
from consilience.code.statements import Statement
from consilience.errors import InputError
from consilience.formats.shaped import script_task
from consilience.task import Shape, Task

Callable_ = ast.FunctionDef | ast.AsyncFunctionDef
Target = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_METHOD_OWNER = "Solution"


def read_python(
    path: Path, text: str, entry_point: str | None = None, shape: Shape | None = None
) -> Task:
    """Make a task of the function, method or class in *text* that is to be written.

    *entry_point* is `f`, `Stack` or `Solution.f`. The prompt is the file up to the end of the
    target's docstring, of a class its skeleton: bodies are not shown.

    Raises:
        InputError: it does not parse, or which definition is meant cannot be told.
    """
    tree = attempt(text)
    if isinstance(tree, str):
        hint = "A task file is Python: imports, then a function or class with a docstring."
        message = f"{path.name}: does not parse ({tree})."
        raise InputError(message, hint=hint)
    if shape == "script":
        return script_task(path.stem, ast.get_docstring(tree) or text)
    statements = read(text).statements
    chosen = _chosen(path, statements, entry_point)
    name, its = _driven(chosen.node, entry_point)
    _check(path, chosen.node, entry_point)
    prompt = _prompt(text, chosen)
    return Task(
        path.stem,
        prompt,
        name,
        examples_of(prompt, name, its),
        shape=its,
        context=join(_around(statements, chosen)),
    )


def _check(path: Path, node: ast.stmt, named: str | None) -> None:
    """Refuse a class in which there is nothing to drive, or not what was named."""
    if not isinstance(node, ast.ClassDef):
        return
    methods = [each.name for each in _methods(node)]
    wanted = (named or "").partition(".")[2]
    if not methods:
        message = f"{path.name}: class {node.name} has no methods."
        raise InputError(message, hint="Each method needs a def line and a docstring.")
    if wanted and wanted not in methods:
        message = f"{path.name}: class {node.name} has no method {wanted}."
        raise InputError(message, hint=f"It has: {', '.join(methods)}.")


def _chosen(path: Path, statements: Sequence[Statement], name: str | None) -> Statement:
    """Find what is to be written: as named, else the only documented stub, else definition."""
    every = [s for s in statements if isinstance(s.node, Target)]
    if name is not None:
        owner = name.partition(".")[0]
        found = [s for s in every if owner in s.defines]
        if found:
            return found[-1]
        raise _unclear(path, f"nothing called {owner}", every)
    documented = [s for s in every if _documented(s.node)]
    stubs = [s for s in documented if _is_skeleton(s)]
    for some in (stubs, documented):
        if len(some) == 1:
            return some[0]
    what = "several definitions" if documented else "no function or class"
    raise _unclear(path, f"{what} with a docstring", every)


def _unclear(path: Path, what: str, every: Sequence[Statement]) -> InputError:
    names = ", ".join(sorted(name for s in every for name in s.defines)) or "none"
    hint = f"Name the function or class with --entry-point. Defined here: {names}."
    return InputError(f"{path.name}: {what}.", hint=hint)


def _documented(node: ast.stmt) -> bool:
    """Tell whether it says what it does, itself or in a method; plain data does nothing."""
    inner = _methods(node)
    if not isinstance(node, Target) or (isinstance(node, ast.ClassDef) and not inner):
        return False
    return any(ast.get_docstring(each) for each in (node, *inner))


def _is_skeleton(statement: Statement) -> bool:
    """Tell whether it has yet to be written: helpers have bodies."""
    if isinstance(statement.node, ast.ClassDef):
        methods = _methods(statement.node)
        return bool(methods) and any(_is_empty(method) for method in methods)
    return is_stub(statement)


def _is_empty(method: Callable_) -> bool:
    return is_stub(Statement(method, ast.unparse(method)))


def _methods(node: ast.stmt) -> list[Callable_]:
    body = node.body if isinstance(node, ast.ClassDef) else []
    return [each for each in body if isinstance(each, Callable_)]


def _driven(node: ast.stmt, named: str | None) -> tuple[str, Shape]:
    """Say what is driven: a function, a class, or a method of an object that holds nothing."""
    name = str(getattr(node, "name", ""))
    if not isinstance(node, ast.ClassDef):
        return name, "function"
    methods = [each.name for each in _methods(node) if not each.name.startswith("__")]
    if named and "." in named and not _needs_arguments(node):
        return named, "method"
    if name == _METHOD_OWNER and len(methods) == 1 and not named:
        return f"{name}.{methods[0]}", "method"
    return name, "class"


def _needs_arguments(node: ast.ClassDef) -> bool:
    """Tell whether an object cannot be made without arguments: then sessions drive it."""
    made = [each.args for each in _methods(node) if each.name == "__init__"]
    return any(len(args.args) - 1 > len(args.defaults) for args in made)


def _prompt(text: str, chosen: Statement) -> str:
    node = chosen.node
    if isinstance(node, ast.ClassDef):
        return chosen.source.strip("\n") + "\n" if _is_skeleton(chosen) else _skeleton(node)
    body: list[ast.stmt] = getattr(node, "body", [])
    documented = isinstance(node, Callable_) and ast.get_docstring(node)
    last = (body[0].end_lineno or 0) if documented else body[0].lineno - 1
    return "\n".join(text.split("\n")[:last]) + ("\n" if documented else "\n    ...\n")


def _skeleton(node: ast.ClassDef) -> str:
    """Write a class without the bodies of its methods."""
    tree = ast.parse(ast.unparse(node))
    for method in (each for each in ast.walk(tree) if isinstance(each, Callable_)):
        first = method.body[:1] if ast.get_docstring(method) else []
        method.body = [*first, ast.Expr(ast.Constant(...))]
    return ast.unparse(tree) + "\n"


def _around(statements: Sequence[Statement], chosen: Statement) -> list[Statement]:
    """Keep what can load without the target; the docstring of the file is no code."""
    lost, kept = set(chosen.defines), []
    for statement in statements:
        if is_main_guard(statement.node) or _is_words(statement.node):
            continue
        if lost & (statement.defines | _at_load(statement)):
            lost |= statement.defines
        else:
            kept.append(statement)
    return kept


def _is_words(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _at_load(statement: Statement) -> frozenset[str]:
    """Return the names that must be there when the statement is reached, not later."""
    node = statement.node
    if not isinstance(node, Target):
        return statement.needs
    parts = [*node.decorator_list, *getattr(node, "bases", [])]
    names = [each for part in parts for each in ast.walk(part) if isinstance(each, ast.Name)]
    return frozenset(each.id for each in names)
