"""Read the signature of a function from code or from a prompt."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

from consilience.code.parsing import dedent, parse
from consilience.code.search import read

Kind = Literal["positional", "either", "keyword", "star", "double_star"]
"""Positional only; by position or name; by name only; *args; **kwargs."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    name: str
    annotation: str | None = None
    has_default: bool = False
    kind: Kind = "either"


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a function, `self` aside, and what it says it returns."""

    parameters: tuple[Parameter, ...]
    returns: str | None = None

    @property
    def arity(self) -> tuple[int, int | None]:
        """The fewest and the most positional arguments of a call; None for no limit."""
        positional = [p for p in self.parameters if p.kind in {"positional", "either"}]
        least = sum(not p.has_default for p in positional)
        unlimited = any(p.kind == "star" for p in self.parameters)
        return least, None if unlimited else len(positional)

    def accepts(self, count: int) -> bool:
        """Tell whether a call with *count* positional arguments fits."""
        least, most = self.arity
        required = any(p.kind == "keyword" and not p.has_default for p in self.parameters)
        return least <= count and (most is None or count <= most) and not required


def signature(source: str, entry_point: str) -> Signature | None:
    """Find the signature of *entry_point*: a function, method, class, or lambda with a name."""
    for statement in read(source).statements:
        found = _search(statement.node, entry_point)
        if found:
            return found
    return _from_header(source, entry_point)


def _search(node: ast.AST, name: str) -> Signature | None:
    its = _signature_of(node, name)
    if its or isinstance(node, ast.ClassDef):
        return its
    found = (_search(child, name) for child in ast.iter_child_nodes(node))
    return next((each for each in found if each), None)


def _signature_of(node: ast.AST, name: str) -> Signature | None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
        return _read(node.args, node.returns)
    if isinstance(node, ast.ClassDef):
        return _of_class(node, name)
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return _read(node.value.args, None) if name in names else None
    return None


def _of_class(node: ast.ClassDef, name: str) -> Signature | None:
    wanted = "__init__" if node.name == name else name
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name == wanted:
            decorators = {ast.unparse(decorator) for decorator in child.decorator_list}
            its = _read(child.args, child.returns)
            bound = "staticmethod" not in decorators
            return Signature(its.parameters[1:], its.returns) if bound else its
    return Signature(()) if node.name == name else None


def _read(arguments: ast.arguments, returns: ast.expr | None) -> Signature:
    positional = [*arguments.posonlyargs, *arguments.args]
    undefaulted = len(positional) - len(arguments.defaults)
    parameters = []
    for i, argument in enumerate(positional):
        kind: Kind = "positional" if i < len(arguments.posonlyargs) else "either"
        parameters.append(_parameter(argument, kind, has_default=i >= undefaulted))
    if arguments.vararg:
        parameters.append(_parameter(arguments.vararg, "star"))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(_parameter(argument, "keyword", has_default=default is not None))
    if arguments.kwarg:
        parameters.append(_parameter(arguments.kwarg, "double_star"))
    return Signature(tuple(parameters), _text(returns))


def _parameter(argument: ast.arg, kind: Kind, *, has_default: bool = False) -> Parameter:
    return Parameter(argument.arg, _text(argument.annotation), has_default, kind)


def _text(annotation: ast.expr | None) -> str | None:
    if annotation is None:
        return None
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.unparse(annotation)


def _from_header(source: str, entry_point: str) -> Signature | None:
    """Read a header whose body is missing or broken."""
    header = re.search(
        rf"^[ \t]*(async\s+)?def\s+{re.escape(entry_point)}\s*\(", source, re.MULTILINE
    )
    if header is None:
        return None
    rest = source[header.start() :]
    for colon in list(re.finditer(":", rest))[:50]:
        tree = parse(f"{dedent(rest[: colon.end()])} pass")
        if tree is not None:
            return _signature_of(tree.body[0], entry_point)
    return None
