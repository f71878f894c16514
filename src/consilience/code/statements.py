"""Top-level statements of program text: what each binds, what it needs, where it stands.

Text that parses gives its statements at once. In other text (an answer without fences, a
cut-off end, prose between definitions) runs of lines that parse are found one after another.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from consilience.code.parsing import attempt, dedent, global_names, is_incomplete, parse, repair

MAX_LINES_TRIED = 400
"""How far one unfinished statement in unparsable text is followed."""

# Lines that go on with the statement before them although they are not indented.
_CONTINUES = re.compile(r"(else|elif|except|finally|case)\b|[)\]}#]")
_STARTS = re.compile(
    r"(async\s+def|def|class|import|from|if|for|while|try|with|global|assert|return)\b"
    r"|@\s*\w|[A-Za-z_][\w.\[\]'\", ]*(:[^=]+)?=[^=]|[A-Za-z_][\w.]*\("
)
_DEFINITION = re.compile(r"\s*(async\s+def|def|class)\b|\s*@")
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


@dataclass(slots=True)
class Reading:
    """What was found in a piece of text."""

    statements: list[Statement] = field(default_factory=list)
    text: str = ""
    """The text as it was read, where all of it parses."""
    cut: Statement | None = None
    """A last statement that is not whole: its end is missing or damaged."""

    @property
    def whole(self) -> bool:
        """Tell whether all of the text parses."""
        return bool(self.text)


def read(text: str) -> Reading:
    """Find the top-level statements of *text*."""
    repaired = repair(text)
    if repaired is not None:
        text, tree = repaired
        return Reading(_statements(text, tree), text)
    return _search(text)


def _statements(text: str, tree: ast.Module) -> list[Statement]:
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


# --- text that does not parse as a whole


def _search(text: str) -> Reading:
    lines = text.replace("\xa0", " ").split("\n")
    reading = Reading()
    start = 0
    while start < len(lines):
        if not _STARTS.match(lines[start].lstrip(" \t")):
            start += 1
            continue
        found, end = _run(lines, start)
        if found is None:
            _salvage(lines, start, reading)
            start += 1
            continue
        reading.statements += found.statements
        start = end
    return reading


def _run(lines: list[str], start: int) -> tuple[Reading | None, int]:
    """Find the shortest run of lines from *start* that is a whole statement."""
    for end in _ends(lines, start):
        text = dedent("\n".join(lines[start:end]))
        tree = attempt(text)
        if isinstance(tree, ast.Module):
            return Reading(_statements(text, tree), text), end
        if not (is_incomplete(tree) or text.startswith("@")):
            repaired = repair(text)
            return (Reading(_statements(*repaired), text), end) if repaired else (None, start)
    return None, start


def _ends(lines: list[str], start: int) -> Iterator[int]:
    indent = _indent(lines[start])
    for end in range(start + 1, min(len(lines), start + MAX_LINES_TRIED)):
        line = lines[end].lstrip(" \t")
        if line and _indent(lines[end]) <= indent and not _CONTINUES.match(line):
            yield end
    if len(lines) <= start + MAX_LINES_TRIED:
        yield len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _salvage(lines: list[str], start: int, reading: Reading) -> None:
    """Note the sound beginning of a definition whose end is cut off or damaged.

    It still serves where the damage cannot be reached: after a final return.
    """
    if not _DEFINITION.match(lines[start]):
        return
    end = next(_ends(lines, start), len(lines))
    for last in range(end - 1, start, -1):
        text = dedent("\n".join(lines[start:last]))
        tree = parse(text)
        if tree is not None and tree.body:
            reading.cut = _statements(text, tree)[-1]
            if isinstance(getattr(tree.body[-1], "body", [None])[-1], ast.Return | ast.Raise):
                reading.statements.append(reading.cut)
            return


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
