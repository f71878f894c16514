"""Programs as canonical syntax: equal for programs that differ in names and decoration only.

Renamed: variables, parameters, functions and classes that the program itself binds, scope by
scope. Dropped: docstrings, annotations, unused and used imports (an imported name stands for
what it was imported from), `pass`. Kept: constants, operators, attributes, callees, order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from consilience.code.parsing import parse

_DROPPED = frozenset({"annotation", "returns", "type_comment", "ctx", "type_params", "kind"})
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, *_COMPREHENSIONS)


@lru_cache(maxsize=16_384)
def canonical(source: str) -> str | None:
    """Return the canonical form of a program, or None where it is no Python."""
    writer = _written(source)
    return None if writer is None else writer[0]


@lru_cache(maxsize=4096)
def subtrees(source: str) -> tuple[str, ...] | None:
    """Return the canonical forms of all parts of a program, or None where it is no Python."""
    writer = _written(source)
    return None if writer is None else tuple(writer[1])


def _written(source: str) -> tuple[str, list[str]] | None:
    tree = parse(source)
    if tree is None:
        return None
    writer = _Writer()
    try:
        return writer.module(tree), writer.parts
    except RecursionError:
        return None


@dataclass(slots=True)
class _Scope:
    names: dict[str, str | None]
    """Bound names; the code that stands for each, None until it is first met."""
    is_class: bool = False


@dataclass(slots=True)
class _Writer:
    """Write nodes as text, numbering bound names as they are met."""

    parts: list[str] = field(default_factory=list)
    scopes: list[_Scope] = field(default_factory=list)
    count: int = 0

    def module(self, tree: ast.Module) -> str:
        self.scopes.append(_Scope(_bound(tree)))
        return self.block(tree.body)

    def block(self, body: list[ast.stmt]) -> str:
        return "[" + ";".join(self.node(each) for each in body if not _idle(each)) + "]"

    def node(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            text = self.name(node.id)
        elif isinstance(node, ast.Constant):
            text = _constant(node.value)
        elif isinstance(node, _SCOPES):
            text = self.scope(node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            text = f"Assign([{self.node(node.target)}],{self.node(node.value)})"
        else:
            text = self.fields(node)
        self.parts.append(text)
        return text

    def fields(self, node: ast.AST) -> str:
        texts = (
            self.value(value, name)
            for name, value in ast.iter_fields(node)
            if name not in _DROPPED
        )
        return f"{type(node).__name__}({','.join(texts)})"

    def value(self, value: object, name: str) -> str:
        if isinstance(value, ast.AST):
            return self.node(value)
        if isinstance(value, list):
            if name in {"body", "orelse", "finalbody"} and value:
                return self.block(value)
            return "[" + ",".join(self.value(each, name) for each in value) + "]"
        if isinstance(value, str) and name in {"name", "rest", "names"}:
            return self.name(value)
        return repr(value)

    def scope(self, node: ast.AST) -> str:
        """Write a node with a scope of its own; what it evaluates outside comes first."""
        outside = self.outside(node)
        self.scopes.append(_Scope(_bound(node), isinstance(node, ast.ClassDef)))
        inside = self.inside(node)
        self.scopes.pop()
        return f"{type(node).__name__}({','.join([*outside, inside])})"

    def outside(self, node: ast.AST) -> list[str]:
        texts = [self.name(node.name)] if isinstance(node, _NAMED) else []
        for part in ("decorator_list", "bases", "keywords"):
            texts += [self.node(each) for each in getattr(node, part, ())]
        if isinstance(node, _FUNCTIONS):
            defaults = [*node.args.defaults, *node.args.kw_defaults]
            texts += ["-" if each is None else self.node(each) for each in defaults]
        return texts

    def inside(self, node: ast.AST) -> str:
        texts: list[str] = []
        if isinstance(node, _FUNCTIONS):
            texts = [f"{kind}{self.name(each.arg)}" for kind, each in _parameters(node.args)]
        if isinstance(node, _COMPREHENSIONS):
            # Generators first: they bind what the element uses, as they run.
            texts = [self.node(each) for each in node.generators]
            elements = ("key", "value") if isinstance(node, ast.DictComp) else ("elt",)
            return ",".join([*texts, *(self.node(getattr(node, name)) for name in elements)])
        body = getattr(node, "body", [])
        return ",".join([
            *texts,
            self.block(body) if isinstance(body, list) else self.node(body),
        ])

    def name(self, name: str) -> str:
        for depth, scope in enumerate(reversed(self.scopes)):
            if name not in scope.names or (scope.is_class and depth):
                continue
            if scope.is_class:
                return name  # reached from outside as an attribute, so not ours to rename
            if scope.names[name] is None:
                scope.names[name] = f"${self.count}"
                self.count += 1
            return scope.names[name] or name
        return name


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _idle(node: ast.stmt) -> bool:
    """Tell whether a statement does nothing: pass, docstrings, imports, bare annotations."""
    if isinstance(node, ast.ImportFrom):
        return node.names[0].name != "*"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    return isinstance(node, (ast.Pass, ast.Import))


def _constant(value: object) -> str:
    # hex: int to decimal text has a length limit
    return hex(value) if type(value) is int else f"{type(value).__name__}:{value!r}"


def _parameters(args: ast.arguments) -> Iterator[tuple[str, ast.arg]]:
    yield from (("/", each) for each in args.posonlyargs)
    yield from (("", each) for each in args.args)
    yield from (("*", each) for each in (args.vararg,) if each)
    yield from (("k", each) for each in args.kwonlyargs)
    yield from (("**", each) for each in (args.kwarg,) if each)


def _bound(scope: ast.AST) -> dict[str, str | None]:
    """List the names that *scope* itself binds; imported ones stand for their origin."""
    names: dict[str, str | None] = {}
    if isinstance(scope, _FUNCTIONS):
        names.update((each.arg, None) for _, each in _parameters(scope.args))
    foreign: set[str] = set()
    for node in _own_nodes(scope):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            foreign.update(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(_imported(node))
        else:
            names.update((name, None) for name in _binds(node) if name not in names)
    return {name: code for name, code in names.items() if name not in foreign}


def _binds(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    if isinstance(node, (*_NAMED, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return (node.name,) if node.name else ()
    if isinstance(node, ast.MatchMapping):
        return (node.rest,) if node.rest else ()
    return ()


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    origin = (
        f"{'.' * node.level}{node.module or ''}." if isinstance(node, ast.ImportFrom) else ""
    )
    for alias in node.names:
        if alias.asname:
            yield alias.asname, f"{origin}{alias.name}"
        else:
            name = alias.name.split(".")[0]
            yield name, f"{origin}{name}"


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Walk a scope without its inner scopes; an inner function or class itself is met."""
    if isinstance(scope, _COMPREHENSIONS):
        pending: list[ast.AST] = [generator.target for generator in scope.generators]
    elif isinstance(scope, ast.Lambda):
        pending = []
    else:
        pending = list(getattr(scope, "body", []))
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, _COMPREHENSIONS):
            # `:=` inside a comprehension binds in the scope around it
            pending += [
                each.target for each in ast.walk(node) if isinstance(each, ast.NamedExpr)
            ]
        elif not isinstance(node, _SCOPES):
            pending += ast.iter_child_nodes(node)
