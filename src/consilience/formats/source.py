"""A task of one's own: a Python file with a docstring, or a prompt in text or Markdown."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import cast

from consilience.code import examples
from consilience.code.assembly import is_stub
from consilience.code.parsing import attempt
from consilience.code.printed_samples import printed_samples
from consilience.code.search import read
from consilience.code.statements import Statement
from consilience.errors import InputError
from consilience.formats.shaped import method_in, shape_of, task_of
from consilience.task import Shape, Task

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_NAMED = re.compile(r"\bdef\s+(\w+)\s*\(|`(\w+)\(")


def read_python(path: Path, text: str, entry_point: str | None = None) -> Task:
    """Make a task of the function in *text* that has a docstring.

    The prompt is the file up to the end of that docstring: a body, if there is one, is not
    shown.
    """
    tree = attempt(text)
    if isinstance(tree, str):
        hint = "A task file is Python: imports, then a function with a docstring."
        message = f"{path.name}: does not parse ({tree})."
        raise InputError(message, hint=hint)
    statement = _function(path, read(text).statements, entry_point)
    function = cast("ast.FunctionDef", statement.node)
    lines = text.split("\n")[: function.body[0].end_lineno]
    prompt = "\n".join(lines) + "\n"
    return Task(path.stem, prompt, function.name, examples(prompt, function.name))


def _function(path: Path, statements: list[Statement], entry_point: str | None) -> Statement:
    functions = [s for s in statements if isinstance(s.node, _FUNCTION)]
    documented = [s for s in functions if ast.get_docstring(cast("ast.FunctionDef", s.node))]
    if entry_point is not None:
        documented = [s for s in documented if entry_point in s.defines]
    elif len(documented) > 1:  # helpers have bodies; the function to write has none
        documented = [s for s in documented if is_stub(s)] or documented
    if len(documented) == 1:
        return documented[0]
    names = ", ".join(name for s in functions for name in s.defines) or "none"
    wanted = (
        f"no function {entry_point} with a docstring"
        if entry_point
        else (
            "several functions with a docstring"
            if documented
            else "no function with a docstring"
        )
    )
    hint = f"Name the function with --entry-point. Functions here: {names}."
    message = f"{path.name}: {wanted}."
    raise InputError(message, hint=hint)


def read_text(
    path: Path, text: str, entry_point: str | None = None, shape: Shape | None = None
) -> Task:
    """Make a task of a prompt in plain text; the function's name may stand in it as code.

    Sample inputs and outputs, with no function named, are those of a script.
    """
    if not text.strip():
        message = f"{path.name}: is empty."
        raise InputError(message, hint="Write what the program should do.")
    name = entry_point
    if name is None and shape in {None, "function"}:
        name = _named(path, text, may_be_script=shape is None)
    name = name or ""
    try:
        return task_of(path.stem, text, name, shape or shape_of(text, name))
    except InputError as error:
        message = f"{path.name}: {error}"
        raise InputError(message, hint=error.hint) from None


def _named(path: Path, text: str, *, may_be_script: bool) -> str:
    """Find the only function that *text* names; nothing where it is a script's statement."""
    starter = method_in(text)
    if starter and may_be_script:
        return starter if starter.startswith("Solution.") else starter.partition(".")[0]
    names: set[str] = {name for pair in _NAMED.findall(text) for name in pair if name}
    if len(names) == 1:
        return names.pop()
    if may_be_script and not names and printed_samples(text):
        return ""
    found = f"It mentions: {', '.join(sorted(names))}." if names else ""
    hint = "Name it with --entry-point; a program that reads standard input: --shape stdin."
    message = f"{path.name}: which function is to be written?"
    raise InputError(message, hint=f"{hint} {found}".strip())
