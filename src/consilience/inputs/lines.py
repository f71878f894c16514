"""Read a model's reply of doctest lines without answers into sessions, by syntax only.

What a model writes is run in the sandbox, yet a probe has no business outside of the program
that it drives: anything but calls, names that are known and plain data is refused.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from consilience.code.parsing import parse
from consilience.inputs.line_rules import Rules, forbidden
from consilience.task import Session

MAX_REPLY = 200_000
"""Characters of a reply that are read at all."""
MAX_SESSIONS = 500
MAX_JOINED = 60
"""Lines of one step."""

_FENCE = re.compile(
    r"^[ \t]*(?:```|~~~)[^\n]*\n(.*?)(?:^[ \t]*(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL
)
_BULLET = re.compile(r"\s*(?:[-*+\u2022]\s+|\(?\d+[.):]\s+|In \[\d*\]:\s*)")
_PROMPT = re.compile(r"\s*>>> ?")
_MORE = re.compile(r"\s*\.\.\.( |$)")
_ARROW = re.compile(r"\s*(?:->|=>|\u2192|\u21d2|\s#)")

Refusal = tuple[str, str]


def read_lines(
    reply: str, names: Collection[str], known: Collection[str]
) -> tuple[list[Session], list[Refusal]]:
    """Return the sessions that *reply* proposes, each once, and what was refused, with why.

    A session ends at a blank line, a heading or a fence; lines that only call are sessions of
    their own. *names* are the targets, of which a session has to use one; *known* are names
    that the context binds. Answers behind or below lines are left out.
    """
    text = reply[:MAX_REPLY].replace("\r\n", "\n").replace("\x00", "")
    blocks = [match.group(1) for match in _FENCE.finditer(text)] or [text]
    rules = Rules(frozenset(names), frozenset(known))
    refused: list[Refusal] = []
    kept: dict[Session, None] = {}
    for block in blocks:
        for group in _groups(block):
            for steps in _sessions(group, rules, refused):
                _keep(steps, rules, kept, refused)
    return list(kept), refused


def _keep(
    steps: list[str], rules: Rules, kept: dict[Session, None], refused: list[Refusal]
) -> None:
    reason = rules.problem(steps)
    if not reason and Session(tuple(steps)) in kept:
        reason = "repeated"
    if not reason and len(kept) >= MAX_SESSIONS:
        reason = "too many"
    if reason:
        refused.append(("; ".join(steps)[:200], reason))
    else:
        kept[Session(tuple(steps))] = None


# --- text to statements


@dataclass(slots=True)
class _Line:
    """One step as written."""

    text: str
    node: ast.stmt | None
    """None where it does not parse."""


def _groups(block: str) -> Iterator[list[_Line]]:
    """Yield the lines between blank ones; those behind `>>>` alone where there are such."""
    prompted = bool(re.search(r"^\s*>>>", block, re.MULTILINE))
    for part in re.split(r"\n\s*\n|\n\s*#[^\n]*(?=\n)", f"\n{textwrap.dedent(block)}\n"):
        lines = [line for line in part.split("\n") if line.strip()]
        if prompted:
            lines = [line for line in lines if _PROMPT.match(line) or _MORE.match(line)]
        group = list(_statements(lines))
        if group:
            yield group


def _statements(lines: list[str]) -> Iterator[_Line]:
    start = 0
    while start < len(lines):
        ends = range(start + 1, min(len(lines), start + MAX_JOINED) + 1)
        end = next((end for end in ends if _read(lines[start:end])), 0)
        if end:
            end = _extended(lines, start, end)
            nodes = _read(lines[start:end]) or []
            yield from (_Line(ast.unparse(node), node) for node in nodes)
        elif "(" in lines[start] or "=" in lines[start]:
            yield _Line(lines[start].strip(), None)
        start = end or start + 1


def _extended(lines: list[str], start: int, end: int) -> int:
    """Return where a statement ends that has more lines in its body."""
    while end < len(lines) and re.match(r"(\s*\.\.\.)?\s+\S", lines[end]):
        more = _read(lines[start : end + 1])
        if more is None or len(more) > 1:
            break
        end += 1
    return end


def _read(lines: list[str]) -> list[ast.stmt] | None:
    """Parse lines as they are, then without bullets, back-ticks and answers behind."""
    bare = [_MORE.sub("", _PROMPT.sub("", line, count=1), count=1) for line in lines]
    first = _PROMPT.sub("", _BULLET.sub("", bare[0], count=1).strip(), count=1)
    first, cut = first.strip("`"), _ARROW.split(first, maxsplit=1)[0].strip().strip("`")
    for reading in ("\n".join(bare), "\n".join([first, *bare[1:]]), cut):
        tree = parse(textwrap.dedent(reading)) if reading.strip() else None
        if tree is not None and tree.body:
            return tree.body
    return None


# --- statements to sessions


def _sessions(group: list[_Line], rules: Rules, refused: list[Refusal]) -> Iterator[list[str]]:
    """Yield one session where the lines hang together, else one a line."""
    lines: list[_Line] = []
    for line in group:
        if line.node is None:
            refused.append((line.text[:200], "not readable as Python"))
        elif not _is_noise(line.node):
            lines += [_Line(ast.unparse(node), node) for node in _asked(line.node)]
    lines = [line for line in lines if not _is_answer(line.node)]
    together = any(not isinstance(line.node, ast.Expr) for line in lines)
    if not together:
        yield from ([line.text] for line in lines)
        return
    # A variable made anew starts the next session, but what was imported stays.
    imports = [line for line in lines if isinstance(line.node, ast.Import | ast.ImportFrom)]
    refused += [(line.text, why) for line in imports if (why := forbidden(line.node))]
    allowed = [line.text for line in imports if not forbidden(line.node)]
    for part in _parted([line for line in lines if line not in imports], rules):
        yield [*allowed, *part]


def _parted(lines: list[_Line], rules: Rules) -> Iterator[list[str]]:
    """Part lines where a target is called to make the same variable anew."""
    part: list[str] = []
    made: set[str] = set()
    for line in lines:
        name = _made_by_target(line.node, rules.targets)
        if name and name in made:
            yield part
            part, made = [], set()
        made |= {name} if name else set()
        part.append(line.text)
    if part:
        yield part


def _made_by_target(node: ast.stmt | None, targets: frozenset[str]) -> str:
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        called = ast.unparse(node.value.func).split(".")[0].split("(")[0]
        target = node.targets[0]
        return target.id if called in targets and isinstance(target, ast.Name) else ""
    return ""


def _asked(node: ast.stmt) -> list[ast.stmt]:
    """Return what a line asks, without the answer: of `assert f(1) == 2`, `f(1)`."""
    if isinstance(node, ast.Assert):
        return _asked(ast.Expr(_unanswered(node.test)))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        name = ast.unparse(call.func).split(".")[-1]
        if name == "print" and len(call.args) == 1 and not call.keywords:
            return [ast.Expr(_unanswered(call.args[0]))]
        if name.startswith("assert") and call.args:
            return [ast.Expr(call.args[0])]
    if isinstance(node, ast.Expr):
        return [ast.Expr(_unanswered(node.value))]
    return [node]


def _unanswered(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Tuple) and node.elts and isinstance(node.elts[0], ast.Compare):
        node = node.elts[0]  # with a message behind it
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.Is | ast.IsNot):
        sides = [node.left, *node.comparators]
        return next((side for side in sides if _is_asking(side)), node.left)
    return node


def _is_asking(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call | ast.Attribute) for each in ast.walk(node))


def _is_answer(node: ast.stmt | None) -> bool:
    """Tell whether a line only states a value: the answer of the line above."""
    return isinstance(node, ast.Expr) and not any(
        isinstance(each, ast.Call | ast.Attribute | ast.Name | ast.Subscript)
        for each in ast.walk(node.value)
    )


def _is_noise(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass | ast.ClassDef | ast.If) or (
        isinstance(node, ast.FunctionDef) and any(isinstance(n, ast.Assert) for n in node.body)
    )
