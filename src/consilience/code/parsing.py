"""Parse program text that a model wrote: quietly, and with the repairs a person would make.

Nothing here runs the text. Parsing hostile text may fail in many ways; all of them are `None`.
"""

from __future__ import annotations

import ast
import re
import symtable
import textwrap
import threading
import warnings
from collections.abc import Iterator

MAX_CHARACTERS = 2_000_000

# `catch_warnings` swaps process-wide state, and candidates are read in many threads.
_WARNINGS = threading.Lock()

_INCOMPLETE = re.compile(r"never closed|triple-quoted|unexpected EOF")
_PROMPTS = re.compile(r"^(>>>|\.\.\.)( |$)", re.MULTILINE)


def parse(text: str) -> ast.Module | None:
    """Parse *text*, or give None."""
    tree = attempt(text)
    return tree if isinstance(tree, ast.Module) else None


def is_expression(text: str) -> bool:
    """Tell whether *text* is one expression: at a prompt, its value would be shown."""
    tree = parse(text)
    return tree is not None and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)


def attempt(text: str) -> ast.Module | str:
    """Parse *text*, or give the message of the error."""
    if len(text) > MAX_CHARACTERS:
        return "too long"
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a plain string is only bad style
        try:
            return ast.parse(text)
        except SyntaxError as error:
            return error.msg
        except (ValueError, RecursionError, MemoryError) as error:
            return type(error).__name__


def is_incomplete(message: str) -> bool:
    """Tell whether more lines could cure this error: a bracket or a string is open."""
    return bool(_INCOMPLETE.search(message))


def repair(text: str) -> tuple[str, ast.Module] | None:
    """Read *text* as it is or, where that does not parse, mended; give the text as read too."""
    tree = parse(text)
    return mend(text) if tree is None else (text, tree)


def mend(text: str) -> tuple[str, ast.Module] | None:
    """Find the first way to read faulty *text* that parses: dedented, without odd blanks ..."""
    for reading in _readings(text):
        tree = parse(reading)
        if tree is not None:
            return reading, tree
    return None


def _readings(text: str) -> Iterator[str]:
    dedented = dedent(text)
    if dedented != text:
        yield dedented
    if "\xa0" in dedented:
        # A non-breaking space is an error anywhere but in a string, so only now.
        dedented = dedented.replace("\xa0", " ")
        yield dedented
    if "\t" in dedented:
        yield dedented.expandtabs(4)
        yield dedented.expandtabs(8)
    if _PROMPTS.match(dedented):
        yield _without_prompts(dedented)


def _without_prompts(text: str) -> str:
    lines = [line for line in text.split("\n") if _PROMPTS.match(line)]
    return "\n".join(_PROMPTS.sub("", line) for line in lines)


def dedent(text: str) -> str:
    """Remove the indentation of the first line of code from every line that has it."""
    first = re.search(r"^([ \t]*)[^\s#]", text, re.MULTILINE)
    if first is None or not first[1]:
        return text
    common = textwrap.dedent(text)
    if not common.startswith((" ", "\t")) and common != text:
        return common
    return re.sub(rf"^{first[1]}", "", text, flags=re.MULTILINE)


def global_names(source: str) -> frozenset[str]:
    """List the names that *source* reads from the module around it or from builtins."""
    with _WARNINGS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            table = symtable.symtable(source, "program", "exec")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
    names: set[str] = set()
    pending = [table]
    while pending:
        scope = pending.pop()
        pending += scope.get_children()
        outermost = scope is table
        for symbol in scope.get_symbols():
            if symbol.is_referenced() if outermost else symbol.is_global():
                names.add(symbol.get_name())
    return frozenset(names)
