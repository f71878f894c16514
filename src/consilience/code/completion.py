"""Complete a prompt whose function the reply continues with a body alone."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence

from consilience.code.assembly import definition_of, is_stub
from consilience.code.search import Reading, read
from consilience.code.statements import Statement


def complete(bodies: Sequence[str], entry_point: str, prompt: str) -> Reading | None:
    """Read prompt and body as one program, for the first of *bodies* that makes sense."""
    stub = _open_function(prompt, entry_point)
    if stub is None:
        return None
    indent = _body_indent(prompt[stub.start() :], stub[1])
    for body in bodies:
        for variant in _indented(body.strip("\n").rstrip(), indent):
            reading = read(f"{prompt.rstrip()}\n{variant}\n")
            definition = definition_of(reading, entry_point)
            if definition and not is_stub(definition) and _answers(definition, body):
                return reading
    return None


def _open_function(prompt: str, entry_point: str) -> re.Match[str] | None:
    pattern = rf"^([ \t]*)(?:async\s+)?def\s+{re.escape(entry_point)}\s*\("
    found = list(re.finditer(pattern, prompt, re.MULTILINE))
    return found[-1] if found else None


def _body_indent(function: str, outer: str) -> str:
    for line in function.split("\n")[1:]:
        inner = line[: len(line) - len(line.lstrip())]
        if line.strip() and len(inner) > len(outer):
            return inner
    return outer + "    "


def _indented(body: str, indent: str) -> Iterator[str]:
    if not body:
        return
    yield body
    yield textwrap.indent(textwrap.dedent(body), indent)
    # A first token may carry one blank too many, or lack the blanks that the prompt ended with.
    yield indent + body.lstrip()


def _answers(definition: Statement, body: str) -> bool:
    """Refuse what only looks like a body: another function, a class, a call of the function.

    A body returns something or, if the reply has it indented as bodies are, does something.
    """
    nodes = list(_own_nodes(definition.node))
    if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in nodes):
        return True
    if "return" in body or not body.strip("\n").startswith((" ", "\t")):
        return False
    return any(isinstance(node, ast.Assign | ast.AugAssign | ast.Call) for node in nodes)


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _own_nodes(child)
