"""Put a program together: the entry point and all that it needs, nothing else."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence

from consilience.code.search import Reading
from consilience.code.statements import Statement

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
_DYNAMIC = frozenset({"globals", "eval", "exec", "vars"})
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_LASTING = _FUNCTION | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign


def definition_of(reading: Reading, entry_point: str) -> Statement | None:
    """Find the last statement that defines *entry_point*, or a class with such a method."""
    for statement in reversed(reading.statements):
        if entry_point in statement.defines and not is_main_guard(statement.node):
            return statement
    for statement in reversed(reading.statements):
        if entry_point in _methods(statement.node):
            return statement
    return None


def is_stub(statement: Statement) -> bool:
    """Tell whether a function says nothing yet: a docstring, `pass`, `...`, a bare name."""
    body = getattr(statement.node, "body", None)
    if not isinstance(statement.node, _FUNCTION) or not body:
        return False
    return all(_says_nothing(node) for node in body)


def program(
    chosen: Reading, found: Sequence[Reading], entry_point: str, given: Sequence[Statement]
) -> list[Statement]:
    """Collect the statements that the entry point needs, in an order that loads.

    A name is looked up in the *chosen* stretch, then in the other stretches of the reply (those
    before it, nearest first, then those after it), then among what the prompt has *given*.
    """
    definition = definition_of(chosen, entry_point)
    at = next(i for i, reading in enumerate(found) if reading is chosen)
    others = [reading.statements for reading in (*found[:at][::-1], *found[at + 1 :])]
    given = [s for s in given if entry_point not in s.defines]
    pools = [
        [s for s in statements if not is_main_guard(s.node)]
        for statements in (chosen.statements, *others, given)
    ]
    kept = [s for s in chosen.statements if s.is_setting]
    names = {entry_point} if definition is None else {entry_point, *definition.defines}
    pending = [*names, *_needs(kept)]
    while pending:
        name = pending.pop()
        new = [s for s in _providers(name, pools, entry_point) if s not in kept]
        kept += new
        pending += _needs(new) - names
        names |= _needs(new)
    kept += _star_imports(pools, kept, names)
    elsewhere = [s for reading in found if reading is not chosen for s in reading.statements]
    return [s for s in (*given, *elsewhere, *chosen.statements) if s in kept]


def write(kept: Sequence[Statement], chosen: Reading, entry_point: str) -> str:
    """Write the program; text that is kept whole stays as it is, comments included."""
    text = chosen.text.strip("\n") + "\n"
    if not chosen.whole or list(kept) != chosen.statements:
        text = join(kept)
    if any(entry_point in statement.defines for statement in kept):
        return text
    owner = next(s for s in reversed(kept) if entry_point in _methods(s.node))
    call = f"{getattr(owner.node, 'name', '')}().{entry_point}(*args, **kwargs)"
    return f"{text}\n\ndef {entry_point}(*args, **kwargs):\n    return {call}\n"


def join(statements: Iterable[Statement]) -> str:
    """Write statements one below the other, `__future__` first."""
    text = ""
    for statement in sorted(statements, key=lambda s: not _is_future(s.node)):
        apart = isinstance(statement.node, _FUNCTION | ast.ClassDef)
        gap = "\n\n" if text and (apart or text.endswith("\n\n")) else ""
        text += gap + statement.source.strip("\n") + "\n"
    return text


def _needs(statements: Iterable[Statement]) -> set[str]:
    return {name for statement in statements for name in statement.needs}


def _providers(
    name: str, pools: Sequence[Sequence[Statement]], entry_point: str
) -> list[Statement]:
    if name in _DYNAMIC:  # the program looks names up at run time: any definition may be meant
        return [s for s in pools[0] if isinstance(s.node, _LASTING)]
    for pool in pools:
        # Functions that set the name up, called for that alone: fill(table).
        preparing = {n for s in pool if name in s.effects for n in s.defines} - {entry_point}
        giving = [s for s in pool if _gives(s, name) or s.calls in preparing]
        if giving:
            return [s for s in pool if s in giving or name in s.defines or name in s.changes]
    return []


def _gives(statement: Statement, name: str) -> bool:
    return name in statement.defines and not isinstance(statement.node, ast.AugAssign)


def _star_imports(
    pools: Sequence[Sequence[Statement]], kept: Sequence[Statement], names: set[str]
) -> list[Statement]:
    unknown = names - _BUILTINS - {name for s in kept for name in s.defines}
    return [s for pool in pools for s in pool if unknown and "*" in s.defines]


def _methods(node: ast.stmt) -> set[str]:
    if not isinstance(node, ast.ClassDef):
        return set()
    return {child.name for child in node.body if isinstance(child, _FUNCTION)}


def _says_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return "NotImplemented" in ast.dump(node)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant | ast.Name)
    return isinstance(node, ast.Pass)


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def is_main_guard(node: ast.stmt) -> bool:
    """Tell whether it runs the file as a program."""
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
