"""Find what a reply calls and lists: fenced code, asserts, bare tuples, JSON, numbered prose.

This only reads; whether a call suits the function is for `contract` to say. A line that cannot
be read is reported and passed over, so one bad line never voids the batch.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from consilience.code.parsing import parse
from consilience.inputs import literals
from consilience.inputs.literals import UnfoldableError

MAX_TEXT = 200_000
"""Characters of a reply that are read at all."""
MAX_JOINED_LINES = 60

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
_BULLET = re.compile(r"\s*(?:[-*+\u2022]\s+|\(?\d+[.):]\s+|>>>\s*)")
_LABEL = re.compile(
    r"\s*(?:\*\*)?(?:test|case|input|example|call|args)[\w \t]*:(?:\*\*)?\s*", re.IGNORECASE
)
_ARROW = re.compile(r"\s*(?:->|=>|\u2192|\u21d2|\breturns?\b|\bshould\b|\s#)")


@dataclass(frozen=True, slots=True)
class Written:
    """One thing that a reply wrote: a call, a value, or something unreadable."""

    source: str
    args: tuple[Any, ...] | None = None
    """Positional arguments, where it is a call of the entry point."""
    keywords: dict[str, Any] = field(default_factory=dict)
    value: Any = None
    """The data, where it is no call."""
    problem: str = ""
    """Why it cannot be read; empty where it can."""


def find(text: str, entry_point: str) -> list[Written]:
    """Return what *text* wrote, in order; fences count alone where they hold anything."""
    text = text[:MAX_TEXT].replace("\r\n", "\n").replace("\x00", "")
    fenced = [match.group(1) for match in _FENCE.finditer(text)]
    found = [item for block in fenced for item in _Block(entry_point).read(block)]
    if any(not item.problem for item in found):
        return found
    return found + _Block(entry_point, prose=True).read(_FENCE.sub("", text))


class _Block:
    """A stretch of text under one set of assigned names."""

    def __init__(self, entry_point: str, *, prose: bool = False) -> None:
        self._entry_point = entry_point
        self._called = {entry_point, "candidate"}
        self._call = re.compile(rf"(?<![\w.]){re.escape(entry_point)}\s*\(")
        self._prose = prose
        self._names: dict[str, Any] = {}
        self._tables: list[Written] = []

    def read(self, text: str) -> list[Written]:
        text = textwrap.dedent(text)
        lines = [line for line in text.splitlines() if line.strip()]
        listed = len(lines) > 1 and all(_BULLET.match(line) for line in lines)
        module = None if listed else parse(text)
        if module is not None:
            found = list(self._statements(module.body))
        else:
            found = [item for chunk in _chunks(text) for item in self._chunk(chunk)]
        if any(item.args is not None for item in found):
            # Among calls a bare text is a docstring, not an input.
            found = [item for item in found if not isinstance(item.value, str)]
        # A table of inputs counts only where nothing was called or listed outright.
        return found if any(not item.problem for item in found) else self._tables + found

    def _chunk(self, chunk: str) -> Iterator[Written]:
        text = _undecorated(chunk)
        for reading in (text, _ARROW.split(text, maxsplit=1)[0]):
            module = parse(reading) if reading else None
            if module is not None and not _is_prose(module):
                yield from self._statements(module.body)
                return
        calls = list(self._scan(text))
        named = parse(f"{self._entry_point}({text})") if "=" in text else None
        if calls:
            yield from calls
        elif named is not None:
            yield from self._statements(named.body)
        elif not self._prose or self._entry_point in text or text[:1] in "([{":
            yield Written(chunk.strip()[:200], problem="not readable as Python")

    def _scan(self, text: str) -> Iterator[Written]:
        for match in self._call.finditer(text):
            if re.search(r"\b(?:def|class)\s*\Z", text[: match.start()]):
                continue
            end = _closing(text, match.end() - 1)
            module = parse(text[match.start() : end]) if end else None
            if module is not None:
                yield from self._statements(module.body)

    def _statements(self, body: list[ast.stmt]) -> Iterator[Written]:
        for statement in body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if statement.name != self._entry_point:
                    yield from self._statements(statement.body)
            elif isinstance(statement, (ast.ClassDef, ast.With, ast.If, ast.For, ast.Try)):
                yield from self._statements(statement.body)
            else:
                yield from self._simple(statement)

    def _simple(self, statement: ast.stmt) -> Iterator[Written]:
        calls = list(self._calls(statement))
        if calls:
            yield from map(self._read_call, calls)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            self._assign(statement)
        elif isinstance(statement, ast.Expr):
            yield from self._expression(_unmarked(statement.value))

    def _calls(self, node: ast.AST) -> Iterator[ast.Call]:
        """Yield the calls of the entry point, outermost first; none of the expected side."""
        if isinstance(node, ast.Call) and _name_of(node.func) in self._called:
            # f(f(1)): only the inner call has constant arguments.
            inner = [c for child in ast.iter_child_nodes(node) for c in self._calls(child)]
            yield from inner or [node]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            yield from next(filter(None, (list(self._calls(side)) for side in sides)), [])
        elif isinstance(node, ast.Assert):
            yield from self._calls(node.test)
        else:
            for child in ast.iter_child_nodes(node):
                yield from self._calls(child)

    def _read_call(self, call: ast.Call) -> Written:
        source = ast.unparse(call)
        try:
            args = literals.fold(ast.Tuple(call.args, ast.Load()), self._names)
            keywords: dict[str, Any] = {}
            for keyword in call.keywords:
                value = literals.fold(keyword.value, self._names)
                keywords.update(value if keyword.arg is None else {keyword.arg: value})
        except (UnfoldableError, TypeError, ValueError) as error:
            return Written(source[:200], problem=str(error))
        return Written(source, args=args, keywords=keywords)

    def _assign(self, statement: ast.Assign | ast.AnnAssign) -> None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if statement.value is None or not all(isinstance(t, ast.Name) for t in targets):
            return
        table = self._read_value(statement.value)
        self._names.update({_name_of(t): table.value for t in targets if not table.problem})
        if isinstance(table.value, (list, tuple)):
            self._tables.append(table)

    def _expression(self, node: ast.expr) -> Iterator[Written]:
        if isinstance(node, ast.Call) and _name_of(node.func) in _NOISE:
            return
        if isinstance(node, ast.Compare):
            node = node.left
        if not (isinstance(node, (ast.Name, ast.Attribute)) and self._prose):
            yield self._read_value(node)

    def _read_value(self, node: ast.expr) -> Written:
        source = ast.unparse(node)
        try:
            return Written(source, value=literals.fold(node, self._names))
        except UnfoldableError as error:
            return Written(source[:200], problem=str(error))


_NOISE = {"print", "main", "check", "exit", "quit"}


def _chunks(text: str) -> Iterator[str]:
    """Join lines until brackets close; a bracket that never closes costs its own line only."""
    lines = text.splitlines()
    start = 0
    while start < len(lines):
        depth, end = _depth(lines[start]), start + 1
        while depth > 0 and end < min(len(lines), start + MAX_JOINED_LINES):
            depth += _depth(lines[end])
            end += 1
        end = end if depth <= 0 else start + 1
        if chunk := "\n".join(lines[start:end]).strip():
            yield chunk
        start = end


def _depth(line: str) -> int:
    return sum((c in "([{") - (c in ")]}") for _, c in _unquoted(line))


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for place, character in _unquoted(text, opening):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return place + 1
    return None


def _unquoted(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the characters outside of quotes and comments; a quote ends with its line."""
    quote, place = "", start
    while place < len(text):
        character = text[place]
        if character == "\\" and quote:
            place += 1
        elif character == "\n" or (quote and character == quote):
            quote = ""
        elif not quote and character in "'\"":
            # An apostrophe within a word (don't) opens nothing.
            quote = "" if place and text[place - 1].isalpha() else character
        elif not quote:
            yield place, character
        place += 1


def _undecorated(chunk: str) -> str:
    """Strip bullets, numbers, labels, prompts and back-ticks."""
    text = chunk
    for pattern in (_BULLET, _LABEL, _BULLET):
        text = pattern.sub("", text, count=1) if pattern.match(text) else text
    return text.strip().strip("`").strip().rstrip(";")


def _is_prose(module: ast.Module) -> bool:
    """Tell whether it is Python by accident only: a word, or words joined by operators."""
    return all(
        isinstance(statement, (ast.Expr, ast.AnnAssign))
        and not any(
            isinstance(n, (ast.Constant, ast.Call, ast.List)) for n in ast.walk(statement)
        )
        and not isinstance(getattr(statement, "value", None), (ast.Tuple, ast.Dict, ast.Set))
        for statement in module.body
    )


def _unmarked(node: ast.expr) -> ast.expr:
    """Undo a bullet that Python took for an operator: `- [1]`, `* (1, 2)`."""
    if isinstance(node, ast.Starred):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(
        node.operand, (ast.List, ast.Tuple, ast.Dict)
    ):
        return node.operand
    return node


def _name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
